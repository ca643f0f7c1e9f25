"""How much more the counts of a unit scatter than chance alone lets them.

Errors repeat inside a session and bursts last for days, so residuals are summed by day, and days
near each other may go together. Source: Newey & West 1987, Bartlett weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dream.audit.rates import mantel_haenszel
from dream.audit.series import Flags, Floats, Ints, Sides

LAG = 7
"""Days over which residuals may go together."""
PRIOR = 20.0
"""Days of work that the archive's own scatter counts for."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """phi: variance over that of chance; days: active ones that tell it."""

    phi: float
    days: int


def long_run(values: Floats, day: Ints, after: Flags, lag: int = LAG) -> float:
    """Variance of a sum of values by day; days on different sides of the landing are strangers."""
    total = 0.0
    for side in (False, True):
        mine = after == side
        if not mine.any():
            continue
        first = int(day[mine].min())
        sums = np.bincount(day[mine] - first, weights=values[mine])
        total += float(sums @ sums)
        for distance in range(1, min(lag, len(sums) - 1) + 1):
            weight = 1 - distance / (lag + 1)
            total += 2 * weight * float(sums[distance:] @ sums[:-distance])
    return max(total, 0.0)


def scatter(compared: Sides) -> Scatter | None:
    """Of one unit; None where nothing tells it."""
    strata = compared.strata()
    ratio = mantel_haenszel(strata)
    days = compared.days(True) + compared.days(False)
    if ratio is None or not strata:
        return None
    eb = np.array([one.eb for one in strata])
    ea = np.array([one.ea for one in strata]) * ratio.value
    seen = np.array([one.yb + one.ya for one in strata])
    share = ea / (eb + ea)
    model = float((seen * share * (1 - share)).sum())
    k = min(len(strata), days / 3)
    if model <= 0 or days - k - 1 <= 0:
        return None
    rate = (seen / (eb + ea))[compared.codes]
    expected = compared.runs.occasions * rate * np.where(compared.after, ratio.value, 1.0)
    weight = np.where(compared.after, 1 - share[compared.codes], -share[compared.codes])
    score = weight * (compared.runs.errors - expected)
    found = long_run(score, compared.runs.day, compared.after) / model
    return Scatter(found * days / (days - k - 1), days)


def pooled(own: Scatter | None, others: Sequence[Scatter]) -> float:
    """A unit's own scatter drawn towards that of the controls; chance alone is the least."""
    told = math.fsum(each.days for each in others)
    archive = math.fsum(each.days * each.phi for each in others) / told if told else 1.0
    days, phi = (own.days, own.phi) if own else (0, 0.0)
    return max(1.0, (PRIOR * archive + days * phi) / (PRIOR + days))
