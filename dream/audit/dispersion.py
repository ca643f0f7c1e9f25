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
        sums = np.bincount(day[mine] - day[mine].min(), weights=values[mine])
        most = min(lag, len(sums) - 1)
        together = np.correlate(sums, sums, "full")[len(sums) - 1 : len(sums) + most]
        weights = 2 * (1 - np.arange(most + 1) / (lag + 1))
        weights[0] = 1.0
        total += float(weights @ together)
    return max(total, 0.0)


def scatter(compared: Sides) -> Scatter | None:
    """Of one unit; None where nothing tells it."""
    ratio = mantel_haenszel(compared.errors, compared.occasions)
    days = compared.days(True) + compared.days(False)
    if ratio is None:
        return None
    expected_after = compared.occasions[:, 1] * ratio.value
    scale = compared.occasions[:, 0] + expected_after
    seen, share = compared.errors.sum(axis=1), expected_after / scale
    model = float((seen * share * (1 - share)).sum())
    k = min(len(seen), days / 3)
    if model <= 0 or days - k - 1 <= 0:
        return None
    codes, after = compared.codes, compared.after
    expected = compared.runs.occasions * (seen / scale)[codes]
    score = compared.runs.errors - np.where(after, ratio.value, 1.0) * expected
    score *= np.where(after, 1 - share[codes], -share[codes])
    found = long_run(score, compared.runs.day, after) / model
    return Scatter(found * days / (days - k - 1), days)


def pooled(own: Scatter | None, others: Sequence[Scatter]) -> float:
    """A unit's own scatter drawn towards that of the controls; chance alone is the least."""
    told = math.fsum(each.days for each in others)
    archive = math.fsum(each.days * each.phi for each in others) / told if told else 1.0
    days, phi = (own.days, own.phi) if own else (0, 0.0)
    return max(1.0, (PRIOR * archive + days * phi) / (PRIOR + days))
