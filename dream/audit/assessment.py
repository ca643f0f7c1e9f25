"""What the statistics say of one rule, as of a day."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

ErrorState = Literal["fewer", "more", "equivalent", "open"]
PathState = Literal["shorter", "longer", "equivalent", "open"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio, after by before. low, high None: beyond 1/55 or 55. point None: nothing to say."""

    low: float | None = None
    point: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PathResult:
    """The path's ratio and what it rests on."""

    state: PathState
    ratio: Estimate
    median: tuple[float | None, float | None] = (None, None)
    mean: tuple[float | None, float | None] = (None, None)  # up to the 90th percentile
    cut_off: tuple[float, float] = (0.0, 0.0)
    runs: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class StratumResult:
    """One stratum by its number, with its own ratio."""

    number: int
    errors: tuple[int, int]
    occasions: tuple[int, int]
    runs: tuple[int, int]
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class Assessment:
    """One rule."""

    verdict: str
    reasons: tuple[str, ...]
    level: str
    error: ErrorState
    excluding: Estimate
    including: Estimate
    ratio: Estimate  # the bracket
    confidence: int
    nights: tuple[tuple[date, Estimate], ...] = ()
    crossed: date | None = None
    closing: date | None = None
    closed: bool = False
    missing: str = ""
    gate_opens: date | None = None
    p: float | None = None  # the smaller of both directions
    p_fewer: float = 1.0
    p_more: float = 1.0
    e: float | None = None
    phi: float | None = None
    controls: int = 0
    drift: float | None = None
    tau: float | None = None
    detectable: float | None = None
    detectable_at_close: float | None = None
    pruned: int = 0
    strata: tuple[StratumResult, ...] = ()
    path: PathResult | None = None
    influential: tuple[tuple[int, float], ...] = ()  # position in the unit's columns, change of log
