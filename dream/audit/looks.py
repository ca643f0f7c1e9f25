"""One look at a rule's unit and its controls: the likelihood of the rate ratio and what it says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dream.audit.controls import Drift, drift
from dream.audit.dispersion import Scatter, pooled, scatter
from dream.audit.likelihood import Curve, curve, evidence, sequence
from dream.audit.observed import Observed
from dream.audit.quantiles import widening
from dream.audit.rates import mantel_haenszel
from dream.audit.series import Series, Sides, Span, by_lot, sides
from dream.plan import Gates, Plan

LONE_SD = 0.20
"""What a rate may drift by itself where nothing tells it (level C), sd of its log."""
CLASSES_SD = 0.15
"""The least where only other classes of the same project tell it (level B2)."""
LEAST_CLASSES = 2


@dataclass(frozen=True, slots=True)
class Control:
    """A unit without the rule that has enough on both sides to tell how it moved."""

    compared: Sides
    scatter: Scatter | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Who is compared with whom: the rule's own runs, and what stands beside them."""

    level: str
    own: Sides
    controls: tuple[Control, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """One window on one night. All ratios are logs; None: beyond what the grid reaches."""

    level: str
    compared: Sides
    likelihood: Curve
    log_ratio: float
    low: float | None  # of the interval that holds on all nights at once
    high: float | None
    fewer: float  # e-values
    more: float
    phi: float
    drift: Drift | None
    spread: float  # variance of what a rate does without a rule
    variance: float  # of the log ratio, all in all

    @property
    def errors(self) -> tuple[float, float]:
        """Before, after; in strata that both sides have."""
        before, after = self.compared.errors.sum(axis=0).tolist()
        return before, after

    @property
    def root(self) -> float:
        """The signed root of the likelihood ratio: a normal deviate, below 0 for fewer errors."""
        gain = 2 * (float(self.likelihood.log.max()) - self.likelihood.at_null)
        return math.copysign(math.sqrt(max(0.0, gain)), self.log_ratio)


def look(plan: Plan, seen: Observed, before: Span, end: int, level: str = "") -> Look | None:
    """As of the end of a day (its ordinal and one). None where no stratum has both sides.

    level: of comparability; "" takes the best there is.
    """
    chosen = compared(plan, seen, before, end, level)
    return told_by(plan, chosen)


def compared(plan: Plan, seen: Observed, before: Span, end: int, level: str = "") -> Compared:
    """The best level that there is, or the one asked for.

    A needs enough runs that were withheld the rule; B1 other projects, B2 other classes.
    """
    after = (seen.landed, end)
    if level in ("", "A") and seen.withheld is not None and len(seen.withheld):
        lot = by_lot(seen.own, seen.withheld, after)
        if level == "A" or _tells(lot, plan.gates):
            return Compared("A", lot)
    for name, units, least in (
        ("B1", seen.by_project, plan.gates.controls),
        ("B2", seen.by_class, LEAST_CLASSES),
    ):
        if level in ("", name) and len(units) >= least:
            found = controls(plan.gates, units, before, after)
            if level == name or len(found) >= least:
                return Compared(name, sides(seen.own, before, after), found)
    return Compared("C", sides(seen.fine, before, after))


def controls(
    gates: Gates, units: Sequence[Series], before: Span, after: Span
) -> tuple[Control, ...]:
    """The units with enough on both sides to tell how they moved."""
    found = []
    for unit in units:
        pair = sides(unit, before, after)
        least = float(pair.errors.sum(axis=0).min())
        if least >= gates.control_errors and min(pair.days(True), pair.days(False)) >= (
            gates.control_days
        ):
            found.append(Control(pair, scatter(pair)))
    return tuple(found)


def _tells(lot: Sides, gates: Gates) -> bool:
    """Whether the runs it was withheld from have what a before needs."""
    before, after = lot.errors.sum(axis=0).tolist()
    enough = before >= gates.errors_before and before + after >= gates.errors
    return enough and min(lot.days(True), lot.days(False)) >= gates.days


def told_by(plan: Plan, chosen: Compared) -> Look | None:
    """What a comparison says."""
    errors, occasions = chosen.own.errors, chosen.own.occasions
    ratio = mantel_haenszel(errors, occasions)
    if ratio is None:
        return None
    found = drift(*_moved(chosen.controls)) if len(chosen.controls) > 1 else None
    own = scatter(chosen.own)
    phi = pooled(own, [each.scatter for each in chosen.controls if each.scatter is not None])
    phi *= widening(min(chosen.own.days(False), chosen.own.days(True)))
    spread, shift = _spread(chosen.level, found), found.mean if found else 0.0
    likelihood = curve(errors, occasions, phi, shift, spread)
    told = evidence(likelihood, plan.budget.mixing)
    low, high = sequence(likelihood, told, 2 * plan.budget.any_night)
    return Look(
        chosen.level, chosen.own, likelihood, likelihood.best(), low, high, told.fewer, told.more,
        phi, found, spread, phi * ratio.variance + spread,
    )  # fmt: skip


def _moved(controls: Sequence[Control]) -> tuple[list[float], list[float]]:
    """Log ratios of the controls and their variances."""
    known = [each.scatter for each in controls if each.scatter is not None]
    logs, variances = [], []
    for each in controls:
        ratio = mantel_haenszel(each.compared.errors, each.compared.occasions)
        if ratio is not None:
            logs.append(math.log(ratio.value))
            variances.append(pooled(each.scatter, known) * ratio.variance)
    return logs, variances


def _spread(level: str, found: Drift | None) -> float:
    if level == "A":
        return 0.0
    if found is None:
        return LONE_SD**2
    return found.spread + (CLASSES_SD**2 if level == "B2" else 0.0)
