"""Looks at the length of the path: the change of its mean, with what the controls did taken off."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dream.audit.assessment import Estimate, PathState
from dream.audit.controls import drift
from dream.audit.nights import spans
from dream.audit.observed import Observed
from dream.audit.pathlength import Path, path
from dream.audit.quantiles import evidence_below, mixture_half_width, widening
from dream.audit.series import Series, Sides, by_lot, sides
from dream.audit.spending import closing, p_value
from dream.plan import Plan

EVERY = 3
"""Nights between two looks at the path."""
LONE_SD = 0.10
"""What the path may drift by itself, sd of its log: less than errors do."""


@dataclass(frozen=True, slots=True)
class PathLook:
    """One night. estimate: log of the ratio, after by before; z: of a closing look."""

    day: int
    level: str
    compared: Sides
    own: Path
    estimate: float
    variance: float
    ready: bool
    z: float | None = None

    def reach(self, plan: Plan, z: float | None = None) -> float:
        """Half the width of the nightly interval, or of a closing one."""
        if z is not None:
            return z * math.sqrt(self.variance)
        mixing, alpha = plan.budget.path_mixing, 2 * plan.budget.any_night
        return mixture_half_width(self.variance, mixing, alpha)

    def ratio(self, plan: Plan, z: float | None = None) -> Estimate:
        reach, middle = self.reach(plan, z), self.estimate
        return Estimate(math.exp(middle - reach), math.exp(middle), math.exp(middle + reach))


def path_looks(
    plan: Plan, seen: Observed, days: Sequence[tuple[int, float | None]]
) -> list[PathLook]:
    """Nights and the z of closing looks -> a look every few nights, and each closing one."""
    last = days[-1][0] if days else 0
    found = []
    for day, z in days:
        if (day - seen.landed) % EVERY == 0 or z is not None or day == last:
            one = path_look(plan, seen, day)
            if one is not None:
                found.append(replace(one, z=z))
    return found


def path_look(plan: Plan, seen: Observed, end: int) -> PathLook | None:
    """As of the end of a day. None where no path can be compared."""
    _, before = spans(plan, seen.landed)
    after = (seen.landed, end)
    if seen.withheld is not None and len(seen.withheld):
        lot = by_lot(_whole(seen.own), _whole(seen.withheld), after)
        own = path(lot)
        if own is not None and _enough(plan, own):
            return _looked(plan, end, "A", lot, own, (0.0, 0.0))
    units = [path(sides(_whole(unit), before, after)) for unit in seen.by_project]
    moved = [each for each in units if each is not None and _enough(plan, each)]
    level = "B1" if len(moved) >= plan.gates.controls else "C"
    compared = sides(_whole(seen.own if level == "B1" else seen.fine), before, after)
    own = path(compared)
    if own is None:
        return None
    change = (0.0, LONE_SD**2)
    if level == "B1":
        logs, variances = ([each.log_ratio for each in moved], [each.variance for each in moved])
        together = drift(logs, variances, LONE_SD)
        change = together.mean, together.spread
    return _looked(plan, end, level, compared, own, change)


def _looked(
    plan: Plan, day: int, level: str, compared: Sides, own: Path, change: tuple[float, float]
) -> PathLook:
    variance = own.variance * widening(min(own.days)) + change[1]
    return PathLook(
        day, level, compared, own, own.log_ratio - change[0], variance, _enough(plan, own)
    )


def _whole(unit: Series) -> Series:
    """All runs count for their path, also those in which the aim had no occasion."""
    return replace(unit, occasions=np.ones(len(unit)))


def _enough(plan: Plan, own: Path) -> bool:
    return min(own.runs) >= plan.gates.path_runs and min(own.days) >= plan.gates.days


@dataclass(frozen=True, slots=True)
class PathCourse:
    """What all looks at the path come to; what was found stays found."""

    state: PathState
    crossed: int | None
    p_shorter: float
    p_longer: float


def path_course(plan: Plan, looks: Sequence[PathLook]) -> PathCourse:
    ready = [each for each in looks if each.ready]
    nothing: tuple[int | None, PathState] = (None, "open")
    found = ((each.day, _crossing(plan, each)) for each in ready)
    crossed, state = next((each for each in found if each[1] != "open"), nothing)
    mixing = plan.budget.path_mixing
    shorter = [evidence_below(each.estimate, each.variance, mixing) for each in ready]
    longer = [evidence_below(-each.estimate, each.variance, mixing) for each in ready]
    roots = [each.estimate / math.sqrt(each.variance) for each in ready if each.z is not None]
    if state == "open" and ready and _inside(plan, ready[-1].ratio(plan, ready[-1].z)):
        state = "equivalent"
    return PathCourse(
        state, crossed, _p(plan, shorter, [-z for z in roots]), _p(plan, longer, roots)
    )


def _crossing(plan: Plan, one: PathLook) -> PathState:
    state = _beyond(one.ratio(plan))
    return _beyond(one.ratio(plan, one.z)) if state == "open" and one.z is not None else state


def _beyond(ratio: Estimate) -> PathState:
    if ratio.high is not None and ratio.high < 1:
        return "shorter"
    return "longer" if ratio.low is not None and ratio.low > 1 else "open"


def _inside(plan: Plan, ratio: Estimate) -> bool:
    margin = plan.budget.path_margin
    return (ratio.low or 0.0) >= 1 / margin and (ratio.high or math.inf) <= margin


def _p(plan: Plan, e: Sequence[float], z: Sequence[float]) -> float:
    budget, most = plan.budget, max(e, default=0.0)
    anytime = budget.whole / budget.any_night / most if most > 0 else 1.0
    late = p_value(z, budget.closing, budget.looks) * budget.whole / budget.closing
    return min(1.0, anytime, late)


def closing_z(plan: Plan) -> float:
    """Of the last closing look."""
    return closing(plan.budget.closing, plan.budget.looks)[-1]
