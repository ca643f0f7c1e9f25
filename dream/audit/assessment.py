"""What the statistics say of one rule, as of a day."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

ErrorState = Literal["fewer", "more", "equivalent", "open"]
PathState = Literal["shorter", "longer", "equivalent", "open"]
Way = Literal[
    "e_value", "exact", "per_run", "without_session", "first_half", "second_half",
    "placebo_date", "placebo_space", "negative_controls", "empirical_bayes", "interrupted",
]  # fmt: skip
"""Other ways to ask the same question."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A ratio, after by before. low, high None: beyond 1/55 or 55. point None: nothing to say."""

    low: float | None = None
    point: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class PathResult:
    """The path's ratio and what it rests on. Pairs are before, after."""

    state: PathState
    ratio: Estimate
    median: tuple[float | None, float | None] = (None, None)
    mean: tuple[float | None, float | None] = (None, None)  # up to the 90th percentile
    cut_off: tuple[float, float] = (0.0, 0.0)
    runs: tuple[int, int] = (0, 0)
    level: str = "C"  # B1: the controls' own change is taken off
    crossed: date | None = None
    p_shorter: float = 1.0
    p_longer: float = 1.0


@dataclass(frozen=True, slots=True)
class StratumResult:
    """One stratum by its number, with its own ratio."""

    number: int
    errors: tuple[int, int]
    occasions: tuple[int, int]
    runs: tuple[int, int]
    ratio: Estimate


@dataclass(frozen=True, slots=True)
class OtherWay:
    """The same question asked in another way; it never makes a verdict better.

    ratio: what it says. of: more numbers, by the way: e_value: for the estimate, for the limit;
    placebo_space: rank among all units, units; without_session: the session's number; exact: p.
    moved: it speaks against the finding.
    """

    way: Way
    ratio: Estimate = Estimate()
    of: tuple[float, ...] = ()
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Assessment:
    """One rule. Nights are the local days after which was looked."""

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
    p: float | None = None  # the smaller of both directions; None while a gate is closed
    p_fewer: float = 1.0
    p_more: float = 1.0
    e: float | None = None  # the larger one
    e_fewer: float = 0.0
    e_more: float = 0.0
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
    other_ways: tuple[OtherWay, ...] = ()
