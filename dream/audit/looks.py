"""One look at a rule's unit and its controls: the likelihood of the rate ratio and what it says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from dream.audit.controls import Drift, drift
from dream.audit.dispersion import Scatter, pooled, scatter
from dream.audit.likelihood import Curve, curve, evidence, sequence
from dream.audit.quantiles import widening
from dream.audit.rates import mantel_haenszel
from dream.audit.series import Series, Sides, sides
from dream.plan import Plan

LONE_SD = 0.20
"""What a rate may drift by itself where nothing tells it (level C), sd of its log."""
CLASSES_SD = 0.15
"""The least where only other classes of the same project tell it (level B2)."""
CLOSING_Z = 1.751
POWER_Z = 0.84

Days = tuple[int, int]  # ordinals: the first in, the last out


@dataclass(frozen=True, slots=True)
class Setting:
    """What is looked at: the unit, its controls, the spans of days."""

    plan: Plan
    level: str
    own: Series
    controls: tuple[Series, ...]
    before: tuple[Days, ...]
    landed: int


@dataclass(frozen=True, slots=True)
class Look:
    """One window on one night. low, high None: beyond what the grid reaches."""

    compared: Sides
    log_ratio: float
    low: float | None
    high: float | None
    closing_low: float | None
    closing_high: float | None
    fewer: float  # e-values
    more: float
    p_fewer: float  # of the closing look, one-sided
    p_more: float
    phi: float
    drift: Drift | None
    spread: float  # variance of what a rate does without a rule
    variance: float  # of the log ratio, all in all
    reach: float  # half the width of the nightly interval

    @property
    def errors(self) -> tuple[float, float]:
        """Before, after; in strata that both sides have."""
        strata = self.compared.strata()
        return sum(one.yb for one in strata), sum(one.ya for one in strata)


def look(setting: Setting, end: int) -> Look | None:
    """As of the end of a day (its ordinal and one). None where no stratum has both sides."""
    compared = sides(setting.own, setting.before, (setting.landed, end))
    strata = [one for one in compared.strata() if one.comparable]
    ratio = mantel_haenszel(strata)
    if not strata or ratio is None:
        return None
    moved = _controls(setting, end)
    found = drift(*_logs(moved, setting)) if len(moved) > 1 else None
    phi = pooled(scatter(compared), [s for _, s in moved if s is not None])
    fewest = min(compared.days(False), compared.days(True))
    phi *= widening(fewest)
    spread, shift = _spread(setting, found), found.mean if found else 0.0
    likelihood = curve(strata, phi, shift, spread)
    told = evidence(likelihood, setting.plan.budget.mixing)
    low, high = sequence(likelihood, told, 2 * setting.plan.budget.any_night)
    closing = likelihood.likely(CLOSING_Z)
    best = likelihood.best()
    variance = phi * ratio.variance + spread
    p_fewer, p_more = _one_sided(likelihood, best)
    reach = (4.0 if high is None else high) - best
    return Look(
        compared, best, low, high, *closing, told.fewer, told.more, p_fewer, p_more, phi, found,
        spread, variance, max(reach, 1e-9),
    )  # fmt: skip


def _controls(setting: Setting, end: int) -> list[tuple[Sides, Scatter | None]]:
    """The control units with enough on both sides to tell how they moved."""
    gates = setting.plan.gates
    found = []
    for unit in setting.controls:
        compared = sides(unit, setting.before, (setting.landed, end))
        strata = compared.strata()
        errors = sum(one.yb for one in strata), sum(one.ya for one in strata)
        days = compared.days(False), compared.days(True)
        if min(errors) >= gates.control_errors and min(days) >= gates.control_days:
            found.append((compared, scatter(compared)))
    return found


def _logs(
    moved: Sequence[tuple[Sides, Scatter | None]], setting: Setting
) -> tuple[list[float], list[float]]:
    known = [one for _, one in moved if one is not None]
    logs, variances = [], []
    for compared, own in moved:
        ratio = mantel_haenszel(compared.strata())
        if ratio is not None:
            logs.append(math.log(ratio.value))
            variances.append(pooled(own, known) * ratio.variance)
    return logs, variances


def _spread(setting: Setting, found: Drift | None) -> float:
    if found is None:
        return LONE_SD**2
    return found.spread + (CLASSES_SD**2 if setting.level == "B2" else 0.0)


def _one_sided(likelihood: Curve, best: float) -> tuple[float, float]:
    """For fewer, for more: from the signed root of the likelihood ratio."""
    root = math.sqrt(max(0.0, 2 * (float(likelihood.log.max()) - likelihood.at_null)))
    z = -root if best > 0 else root
    fewer = 1 - NormalDist().cdf(z)
    return fewer, 1 - fewer


def enough_controls(setting: Setting, end: int) -> int:
    """How many control units tell something as of a day."""
    return len(_controls(setting, end))


def detectable(look: Look, reach: float) -> float:
    """The smallest fall that would have been seen with probability 0.8."""
    return math.exp(-(reach + POWER_Z * math.sqrt(look.variance)))
