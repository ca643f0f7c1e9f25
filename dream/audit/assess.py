"""The audit of one rule: all nights from its landing to a day, both windows, and the verdict.

The verdict depends on the plan, the runs and the day, and on nothing else. How it is designed, and
what each part is worth, is measured in docs/audit-bench.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from dream.audit.assessment import Assessment, ErrorState, Estimate
from dream.audit.detectable import detectable
from dream.audit.gate import Lack, lacking, opens
from dream.audit.looks import Compared, Look, told_by
from dream.audit.nights import Course, Night, bracket, course, estimated, night_of, nights, spans
from dream.audit.observed import Observed, in_cells, order, ordered, since
from dream.audit.other_ways import other_ways
from dream.audit.path_result import path_result
from dream.audit.series import Series, sides
from dream.audit.spending import closing
from dream.audit.strata_of import influential, strata_results
from dream.audit.verdicts import after_cut, doubted, equivalent, verdict_of
from dream.plan import Plan

LOST = 0.5
"""Share of a side's sessions that may be gone; what is gone did not happen less."""


@dataclass(frozen=True, slots=True)
class Times:
    """Days as ordinals. stop: the last night that is looked at; last: of the closing look."""

    stop: int
    last: int
    closed: bool


def assess(plan: Plan, seen: Observed) -> Assessment:
    """The whole audit of one rule."""
    times = _times(plan, seen)
    if plan.aim.kind == "nothing":
        return _silent("not comparable", ("no_denominator",), times)
    sorted_ = since(ordered(seen), seen.landed + plan.windows.grace)
    told = nights(plan, in_cells(sorted_), times.stop, times.last)
    told[-1:] = [night_of(plan, sorted_, each.day, each.z) for each in told[-1:]]
    if not told or not told[-1].looks:
        made = _nothing_to_see(plan, sorted_, times)
    else:
        made = _of_nights(plan, sorted_, told, times)
        made = doubted(replace(made, other_ways=other_ways(plan, sorted_, told[-1], made)))
        made = replace(made, influential=_places(plan, seen, told[-1]))
    if max(seen.lost) >= LOST:
        return replace(made, verdict="not comparable", reasons=("archive_gap",))
    if seen.cut and seen.end >= seen.cut[0]:
        made = after_cut(made, seen.cut[1])
    return made


def _times(plan: Plan, seen: Observed) -> Times:
    horizon = seen.landed + plan.windows.horizon
    last = min(horizon, max(seen.cut[0], seen.landed + 1)) if seen.cut else horizon
    return Times(min(seen.end, last), last, seen.end >= last)


def _nothing_to_see(plan: Plan, seen: Observed, times: Times) -> Assessment:
    """Why there is no look at all."""
    before, after = (_occasions(seen.own, *span) for span in _sides(plan, seen, times))
    days = seen.own.day
    runs_after = bool(((days >= seen.landed) & (days < times.stop)).any())
    if before and not after and not runs_after and not times.closed:
        missing = "a run since it landed"
        made = _silent("no effect shown", ("too_few_days",), times)
        return replace(made, missing=missing)
    if not before + after or (before and not after):
        return _silent("not comparable", ("no_denominator",), times)
    if before and after and _meets(seen.own, seen, times):
        return _silent("not comparable", ("model_change_unmatched",), times)
    return _silent("not comparable", ("no_overlap",), times)


def _sides(plan: Plan, seen: Observed, times: Times) -> tuple[tuple[int, int], tuple[int, int]]:
    return spans(plan, seen.landed)[1], (seen.landed, times.stop)


def _occasions(runs: Series, first: int, end: int) -> float:
    return float(runs.occasions[(runs.day >= first) & (runs.day < end)].sum())


def _meets(runs: Series, seen: Observed, times: Times) -> bool:
    """Whether kinds of runs stand on both sides when models and agents are not told apart."""
    counted = (runs.occasions > 0) & (runs.day < times.stop)
    late = runs.day >= seen.landed
    before, after = runs.stratum[counted & ~late], runs.stratum[counted & late]
    return bool(set(before.tolist()) & set(after.tolist()))


def _silent(verdict: str, reasons: Sequence[str], times: Times) -> Assessment:
    nothing = Estimate()
    return Assessment(
        verdict, tuple(reasons), "D", "open", nothing, nothing, nothing, 90,
        closing=date.fromordinal(times.last), closed=times.closed,
    )  # fmt: skip


def _of_nights(plan: Plan, seen: Observed, told: Sequence[Night], times: Times) -> Assessment:
    """Everything but what is asked in other ways."""
    last, all_ = told[-1], course(plan, told)
    z = closing(plan.budget.closing, plan.budget.looks)[-1] if times.closed else None
    shown, shape = bracket(last, z), _shape(plan, last, all_, z)
    path = path_result(plan, seen, [(night.day, night.z) for night in told])
    lack = _lack(plan, seen, last)
    verdict = verdict_of(
        plan, shape, path.state if path else "open", lack,
        constant=all_.constant, closed=times.closed,
    )  # fmt: skip
    reference = last.looks[-1]
    return Assessment(
        verdict=verdict.word,
        reasons=verdict.reasons,
        level=last.looks[0].level,
        error=shape,
        excluding=estimated(last.excluding, z),
        including=estimated(last.including, z),
        ratio=shown,
        confidence=round(100 * (1 - 2 * plan.budget.whole)),
        nights=tuple((_night(n.day), bracket(n)) for n in told if n.looks),
        crossed=_night(all_.crossed) if all_.crossed else None,
        closing=date.fromordinal(times.last),
        closed=times.closed,
        missing=lack.words if lack else "",
        gate_opens=_opens(plan, last, seen),
        pruned=reference.compared.pruned,
        strata=strata_results(reference),
        path=path,
        **_tested(all_),
        **_told(plan, reference, last, z, seen),
    )


def _places(plan: Plan, seen: Observed, last: Night) -> tuple[tuple[int, float], ...]:
    """The runs that weigh most, by their places in the columns as they came."""
    reference = last.looks[-1]
    columns = seen.fine if reference.level == "C" else seen.own
    places = order(columns)
    days = columns.day[places]
    places = places[(days < seen.landed) | (days >= seen.landed + plan.windows.grace)]
    return tuple((int(places[row]), moved) for row, moved in influential(reference))


def _lack(plan: Plan, seen: Observed, last: Night) -> Lack | None:
    """What the last night lacks: runs of one model, when all of them together would do."""
    if last.lack is None or last.looks[0].level != "C":
        return last.lack
    both = [
        told_by(plan, Compared("C", sides(seen.own, before, (seen.landed, last.day))))
        for before in spans(plan, seen.landed)
    ]
    if lacking(plan, both[0], both[1]) is not None:
        return last.lack
    return Lack("model_change_unmatched", "runs of the same model on both sides")


def _night(day: int) -> date:
    """The night after which nothing of that day was seen."""
    return date.fromordinal(day - 1)


def _shape(plan: Plan, last: Night, all_: Course, z: float | None) -> ErrorState:
    if all_.state != "open" or not last.ready:
        return all_.state
    return "equivalent" if equivalent(plan, bracket(last, z)) else "open"


def _opens(plan: Plan, last: Night, seen: Observed) -> date | None:
    if last.ready:
        return None
    wait = opens(plan, last.looks, last.day - seen.landed)
    return None if wait is None else _night(last.day + wait)


def _tested(all_: Course) -> dict[str, Any]:
    """The p and e of both directions."""
    return {
        "p": min(all_.p_fewer, all_.p_more) if all_.tested else None,
        "p_fewer": all_.p_fewer,
        "p_more": all_.p_more,
        "e": max(all_.e_fewer, all_.e_more) if all_.tested else None,
        "e_fewer": all_.e_fewer,
        "e_more": all_.e_more,
    }


def _told(
    plan: Plan, reference: Look, last: Night, z: float | None, seen: Observed
) -> dict[str, Any]:
    """How the errors scatter, what the controls did, and what could have been seen."""
    drift, nights_so_far = reference.drift, max(last.day - seen.landed, 1)
    growth = plan.windows.horizon / nights_so_far
    closing_z = closing(plan.budget.closing, plan.budget.looks)[-1]
    return {
        "phi": reference.phi,
        "controls": drift.units if drift else 0,
        "drift": drift.mean if drift else None,
        "tau": math.sqrt(drift.tau2) if drift else None,
        "detectable": detectable(plan, reference, z=z),
        "detectable_at_close": detectable(plan, reference, growth=growth, z=closing_z),
    }
