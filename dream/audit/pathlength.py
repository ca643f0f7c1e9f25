"""Is the path shorter? Lengths are compared on the log scale, and those cut off are not dropped.

A run that was aborted would have gone on: leaving it out makes paths look shorter where aborting
became a habit. Sources: the lognormal accelerated failure time model by EM (Wolynetz 1979), with
Louis' information for what was filled in; Kaplan & Meier 1958.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dream.audit.dispersion import long_run
from dream.audit.series import Flags, Floats, Ints, Sides

ROUNDS = 500
CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Path:
    """log_ratio: of geometric means, after over before."""

    log_ratio: float
    variance: float
    sd: float  # of the log lengths within strata
    runs: tuple[int, int]  # before, after
    days: tuple[int, int]
    cut_off: tuple[float, float]  # share of runs


def path(compared: Sides) -> Path | None:
    """None where too little varies to compare, or no path was told on a side."""
    runs = compared.runs
    told = runs.steps > 0
    after, codes = compared.after[told], compared.codes[told]
    y, cut = np.log(runs.steps[told]), runs.cut_off[told]
    if not (after.any() and (~after).any()) or cut.all():
        return None
    moved = _within(after.astype(np.float64), codes)
    whole = float(moved @ moved)
    if whole <= 0:
        return None
    found = _fitted(y, cut, moved, codes)
    if found is None:
        return None
    delta, sd, residual, known = found
    information = float((moved * moved) @ known)
    scatter = long_run(moved * residual, runs.day[told], after)
    plain = sd * sd * information
    variance = max(scatter, plain) / information**2
    days = runs.day[told]
    counts = int((~after).sum()), int(after.sum())
    active = len(np.unique(days[~after])), len(np.unique(days[after]))
    shares = float(cut[~after].mean()), float(cut[after].mean())
    return Path(delta, variance, sd, counts, active, shares)


def _within(values: Floats, codes: Ints) -> Floats:
    """Values less the mean of their stratum."""
    sums = np.bincount(codes, weights=values)
    counts = np.bincount(codes)
    return values - (sums / np.maximum(counts, 1))[codes]


def _fitted(
    y: Floats, cut: Flags, moved: Floats, codes: Ints
) -> tuple[float, float, Floats, Floats] | None:
    """Effect, sd, residuals with what was cut off filled in, and how much of each is known."""
    whole = float(moved @ moved)
    filled, more = y.copy(), np.zeros_like(y)
    delta, sd = 0.0, float(y.std()) or 1.0
    for _ in range(ROUNDS):
        before = delta, sd
        inner = _within(filled, codes)
        delta = float(moved @ inner) / whole
        residual = inner - delta * moved
        sd = math.sqrt(float(residual @ residual + more.sum()) / len(y))
        if sd < 1e-9:
            return None
        level = filled - residual
        filled[cut], more[cut] = _beyond(y[cut], level[cut], sd)
        if abs(delta - before[0]) + abs(sd - before[1]) < CLOSE:
            break
    inner = _within(filled, codes)
    known = np.where(cut, 1 - more / (sd * sd), 1.0)
    return delta, sd, inner - delta * moved, np.clip(known, 0.0, 1.0)


def _beyond(y: Floats, level: Floats, sd: float) -> tuple[Floats, Floats]:
    """Mean and variance of a normal value that is known to lie above y."""
    z = (y - level) / sd
    tail = np.array([0.5 * math.erfc(each / math.sqrt(2)) for each in z])
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    hazard = np.where(tail > 1e-12, density / np.maximum(tail, 1e-300), z + 1 / np.maximum(z, 1))
    return level + sd * hazard, sd * sd * np.clip(1 + z * hazard - hazard * hazard, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Survival:
    """Kaplan-Meier: after each length at which a run ended, the share still going."""

    at: tuple[float, ...]
    share: tuple[float, ...]

    def median(self) -> float | None:
        """None where fewer than half of the runs were seen to end."""
        ended = zip(self.at, self.share, strict=True)
        return next((time for time, share in ended if share <= 0.5), None)

    def mean_up_to(self, limit: float) -> float:
        """The restricted mean: the area under the curve up to a length."""
        area, before, share = 0.0, 0.0, 1.0
        for time, left in zip(self.at, self.share, strict=True):
            if time >= limit:
                break
            area, before, share = area + share * (time - before), time, left
        return area + share * (limit - before)


def survival(lengths: Sequence[float], cut_off: Sequence[bool]) -> Survival:
    """Of one side. At equal lengths those that ended come before those that were cut off."""
    at: list[float] = []
    share: list[float] = []
    left, going = 1.0, len(lengths)
    ended: dict[float, int] = {}
    gone: dict[float, int] = {}
    for length, cut in zip(lengths, cut_off, strict=True):
        gone[length] = gone.get(length, 0) + 1
        ended[length] = ended.get(length, 0) + (not cut)
    for length in sorted(gone):
        if ended[length]:
            left *= 1 - ended[length] / going
            at.append(length)
            share.append(left)
        going -= gone[length]
    return Survival(tuple(at), tuple(share))
