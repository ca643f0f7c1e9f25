"""How far a finding could be something else. None of this ever makes a verdict better."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


def e_value(ratio: float, limits: tuple[float | None, float | None]) -> tuple[float, float]:
    """How strongly something unmeasured would have to hang on both the rule and the errors to
    explain the ratio away, and the same for the limit nearer to 1 (1 where it covers 1).

    Source: VanderWeele & Ding 2017.
    """
    low, high = limits
    near = low if ratio > 1 else high
    covered = near is None or (low is not None and low <= 1 <= (high or math.inf))
    covered = covered or (low is None and (high or 0) >= 1)
    return _e_value(ratio), 1.0 if covered or near is None else _e_value(near)


def _e_value(ratio: float) -> float:
    up = ratio if ratio >= 1 else 1 / ratio
    return up + math.sqrt(up * (up - 1))


@dataclass(frozen=True, slots=True)
class Expected:
    """What a unit would have had, were its bad days chance in part."""

    weight: float  # of the reference, 0 to 1
    mean: float
    sd: float


def shrunk(counts: Sequence[float], reference: float, dispersion: float) -> Expected:
    """Empirical Bayes for a unit chosen for its bad record. Source: Hauer et al. 2002.

    reference: what units like it have in a period; dispersion: of the negative binomial, in the
    unit of the reference (its shape parameter).
    """
    whole = reference * len(counts)
    weight = 1 / (1 + whole / dispersion)
    mean = weight * whole + (1 - weight) * math.fsum(counts)
    return Expected(weight, mean, math.sqrt((1 - weight) * mean))
