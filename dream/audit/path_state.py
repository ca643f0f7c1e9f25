"""Whether the path became shorter, with the controls' own change taken off."""

import math
from dataclasses import replace

import numpy as np

from dream.audit.assessment import Estimate, PathResult, PathState
from dream.audit.controls import drift
from dream.audit.looks import CLOSING_Z, LONE_SD, Look, Setting
from dream.audit.pathlength import Path, path, survival
from dream.audit.quantiles import mixture_half_width, widening
from dream.audit.series import Series, Sides, sides
from dream.plan import Plan


def path_result(
    setting: Setting, told: Look | None, plan: Plan, *, closed: bool
) -> PathResult | None:
    """None where no path can be compared."""
    if told is None:
        return None
    end = int(told.compared.runs.day.max()) + 1
    compared = sides(_whole(setting.own), setting.before, (setting.landed, end))
    own = path(compared)
    if own is None:
        return None
    shift, spread = _drift(setting, end)
    estimate = own.log_ratio - shift
    variance = own.variance * widening(min(own.days)) + spread
    if closed:
        reach = CLOSING_Z * math.sqrt(variance)
    else:
        mixing, alpha = plan.budget.path_mixing, 2 * plan.budget.any_night
        reach = mixture_half_width(variance, mixing, alpha)
    ratio = Estimate(math.exp(estimate - reach), math.exp(estimate), math.exp(estimate + reach))
    return _described(compared, own, ratio, _state(own, ratio, plan))


def _whole(unit: Series) -> Series:
    """All runs count for their path, also those in which the aim had no occasion."""
    return replace(unit, occasions=np.ones(len(unit)))


def _state(own: Path, ratio: Estimate, plan: Plan) -> PathState:
    gates, margin = plan.gates, plan.budget.path_margin
    if min(own.runs) < gates.path_runs or min(own.days) < gates.days:
        return "open"
    low, high = ratio.low or 0.0, ratio.high or math.inf
    if high < 1:
        return "shorter"
    if low > 1:
        return "longer"
    return "equivalent" if 1 / margin <= low and high <= margin else "open"


def _drift(setting: Setting, end: int) -> tuple[float, float]:
    logs, variances = [], []
    for unit in setting.controls:
        found = path(sides(_whole(unit), setting.before, (setting.landed, end)))
        if found is not None and min(found.runs) >= setting.plan.gates.path_runs:
            logs.append(found.log_ratio)
            variances.append(found.variance)
    if len(logs) < 2:
        return 0.0, 0.0 if setting.level == "A" else LONE_SD**2 / 4
    moved = drift(logs, variances)
    return moved.mean, moved.spread


def _described(compared: Sides, own: Path, ratio: Estimate, state: PathState) -> PathResult:
    runs = compared.runs
    told = runs.steps > 0
    medians, means = [], []
    lengths = sorted(runs.steps[told].tolist())
    limit = lengths[int(0.9 * (len(lengths) - 1))]
    for after in (False, True):
        mine = told & (compared.after == after)
        curve = survival(runs.steps[mine].tolist(), runs.cut_off[mine].tolist())
        medians.append(curve.median())
        means.append(curve.mean_up_to(limit))
    return PathResult(
        state, ratio, (medians[0], medians[1]), (means[0], means[1]), own.cut_off, own.runs
    )
