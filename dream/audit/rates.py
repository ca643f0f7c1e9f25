"""Rates in strata: the Mantel-Haenszel rate ratio, and its variance.

Sources: Mantel & Haenszel 1959; Greenland & Robins 1985 for the variance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

HALF = 0.5
"""What is added to both sums, so that a side without an error still has a ratio."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Errors and opportunities on the two sides of a landing."""

    yb: float
    ya: float
    eb: float
    ea: float

    @property
    def comparable(self) -> bool:
        return self.eb > 0 and self.ea > 0


@dataclass(frozen=True, slots=True)
class Ratio:
    """A rate ratio, after over before, and the model variance of its logarithm."""

    value: float
    variance: float


def mantel_haenszel(strata: Sequence[Stratum], add: float = HALF) -> Ratio | None:
    """None where no stratum has both sides, or no error at all and nothing added."""
    over = under = spread = 0.0
    for one in strata:
        if not one.comparable:
            continue
        whole = one.eb + one.ea
        over += one.ya * one.eb / whole
        under += one.yb * one.ea / whole
        spread += (one.ya + one.yb) * one.eb * one.ea / whole**2
    over, under = over + add, under + add
    if over <= 0 or under <= 0:
        return None
    return Ratio(over / under, max(spread, add / 2) / (over * under))
