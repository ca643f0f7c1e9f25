"""Rates in strata: the Mantel-Haenszel rate ratio, and its variance.

Sources: Mantel & Haenszel 1959; Greenland & Robins 1985 for the variance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HALF = 0.5
"""What is added to both sums, so that a side without an error still has a ratio."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """Errors and opportunities on the two sides of a landing."""

    yb: float
    ya: float
    eb: float
    ea: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """A rate ratio, after over before, and the model variance of its logarithm."""

    value: float
    variance: float


def mantel_haenszel(errors: Floats, occasions: Floats, add: float = HALF) -> Ratio | None:
    """Of [stratum, side], before and after; both sides of each stratum have occasions.

    None where there is no stratum, or no error at all and nothing added.
    """
    if not len(errors):
        return None
    whole = occasions.sum(axis=1)
    over = float((errors[:, 1] * occasions[:, 0] / whole).sum()) + add
    under = float((errors[:, 0] * occasions[:, 1] / whole).sum()) + add
    if over <= 0 or under <= 0:
        return None
    spread = float((errors.sum(axis=1) * occasions[:, 0] * occasions[:, 1] / whole**2).sum())
    return Ratio(over / under, max(spread, add / 2) / (over * under))
