"""The same audit where there was no rule: a month earlier, and in every unit without one."""

import math
from dataclasses import replace

import numpy as np

from dream.audit.assessment import Estimate, OtherWay
from dream.audit.gate import lacking
from dream.audit.looks import Look, look
from dream.audit.nights import Night, beyond, bracket, spans
from dream.audit.observed import Observed
from dream.audit.series import joined
from dream.plan import Plan

EARLIER = 30
"""Days before the landing at which nothing landed."""


def placebo_date(plan: Plan, seen: Observed, found: str, z: float) -> OtherWay | None:
    """A month earlier, on days before the burst. It speaks against a finding of its own direction.

    found: fewer, more or another word.
    """
    border = seen.landed - plan.windows.detection
    begun = seen.landed - EARLIER
    first, _ = spans(plan, seen.landed)[0]
    if begun - plan.windows.detection <= first:
        return None
    earlier = replace(seen, landed=begun, withheld=None)
    level = "B1" if len(seen.by_project) >= plan.gates.controls else ""
    both = [
        look(plan, earlier, before, border, level)
        for before in ((first, begun - plan.windows.detection), (first, begun))
    ]
    if lacking(plan, both[0], both[1]) is not None:
        return None
    ratio = bracket(Night(border, both[0], both[1], None), z)
    return OtherWay("placebo_date", ratio, moved=beyond(ratio) == found)


def placebo_space(plan: Plan, seen: Observed, last: Night) -> OtherWay | None:
    """Every unit without the rule taken for one with it: how many moved as far as the rule's own.

    Far is told by the normal deviate of each against the others.
    """
    own = last.looks[-1]
    if own.level != "B1":
        return None
    _, before = spans(plan, seen.landed)
    deviates = []
    for place, unit in enumerate(seen.by_project):
        others = seen.by_project[:place] + seen.by_project[place + 1 :]
        alone = replace(seen, own=unit, fine=unit, by_project=others, by_class=(), withheld=None)
        told = look(plan, alone, before, last.day, "B1")
        if told is not None and told.drift is not None and min(told.errors):
            deviates.append(_deviate(told))
    if not deviates:
        return None
    mine = _deviate(own)
    rank = 1 + sum(each >= mine for each in deviates)
    return OtherWay("placebo_space", of=(rank, len(deviates) + 1))


def _deviate(told: Look) -> float:
    return abs(told.log_ratio) / math.sqrt(told.variance)


def negative_controls(plan: Plan, seen: Observed, last: Night, z: float) -> OtherWay | None:
    """Other errors in the same runs, all together, against what the controls did.

    A rule moves what it is about. If these moved too, by more than the margin, something else did.
    """
    own = last.looks[-1]
    if own.level != "B1" or not seen.by_class:
        return None
    kinds = 1 + max(int(each.stratum.max(initial=0)) for each in seen.by_class)
    pooled = joined(
        [
            replace(each, stratum=each.stratum + kinds * number)
            for number, each in enumerate(seen.by_class)
        ]
    )
    _, before = spans(plan, seen.landed)
    told = look(plan, replace(seen, own=pooled, withheld=None), before, last.day, "B1")
    if told is None or sum(told.errors) < plan.gates.errors:
        return None
    low, high = told.likelihood.likely(z)
    margin = math.log(plan.budget.rate_margin)
    moved = (high is not None and high < -margin) or (low is not None and low > margin)
    ratio = Estimate(
        None if low is None else math.exp(low),
        math.exp(told.log_ratio),
        None if high is None else math.exp(high),
    )
    return OtherWay("negative_controls", ratio, moved=bool(np.bool_(moved)))
