"""The audit of one rule: all nights from its landing to a day, both windows, and the verdict.

The verdict depends on the plan, the runs and the day, and on nothing else. How it is designed, and
what each part is worth, is measured in docs/audit-bench.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from dream.audit.assessment import Assessment, ErrorState, Estimate
from dream.audit.looks import (
    CLOSING_Z,
    Look,
    Setting,
    detectable,
    enough_controls,
    look,
)
from dream.audit.path_state import path_result
from dream.audit.series import Series
from dream.audit.strata_of import influential, strata_results
from dream.audit.verdicts import (
    Night,
    bracket,
    estimated,
    gate_opens,
    lacking,
    state_of,
    verdict_of,
)
from dream.plan import Plan

LEVELS_OF_CONTROLS = (("B1", 3), ("B2", 2))
ANY_NIGHT_SHARE, CLOSING_SHARE = 0.2, 0.8


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen of a rule. Days are ordinals of local dates; `end` is the first not seen yet.

    fine: as own, with model and agent in the strata, for level C. withheld: the runs of level A
    that were not told the rule, their days put back. cut: the day from which on the
    effect cannot be told apart, and the reason.
    """

    own: Series
    fine: Series
    by_project: tuple[Series, ...]
    by_class: tuple[Series, ...]
    landed: int
    end: int
    withheld: Series | None = None
    cut: tuple[int, str] | None = None


PUT_BACK = 100_000
"""Days that withheld runs are put back by, so that they stand before those that were told."""


def put_back(withheld: Series) -> Series | None:
    """Withheld runs with their days so; None where there are none."""
    if not len(withheld):
        return None
    return replace(withheld, day=withheld.day - PUT_BACK)


def assess(plan: Plan, seen: Observed) -> Assessment:
    """The whole audit of one rule."""
    horizon = seen.landed + plan.windows.horizon
    stop = min(seen.end, horizon, seen.cut[0] if seen.cut else horizon)
    closed = seen.end >= horizon or (seen.cut is not None and seen.end >= seen.cut[0])
    closing = date.fromordinal(min(horizon, seen.cut[0] if seen.cut else horizon))
    if plan.aim.kind == "nothing":
        return _silent("not comparable", ("no_denominator",), closing, closed)
    excluding, including = _settings(plan, seen, stop)
    nights = [(each, look(excluding, each), look(including, each))
              for each in range(seen.landed + 1, stop + 1)]  # fmt: skip
    told = [Night(day, out, inn, lacking(plan, out, inn)) for day, out, inn in nights]
    reference = (told[-1].including or told[-1].excluding) if told else None
    if reference is None:
        reason = "no_overlap" if seen.own.occasions.sum() else "no_denominator"
        made = _silent("not comparable", (reason,), closing, closed)
    else:
        setting = including if reference is told[-1].including else excluding
        made = _of_nights(plan, told, reference, setting, closing, closed=closed)
    if seen.cut and seen.cut[1] and seen.end >= seen.cut[0]:
        made = _after_cut(made, seen.cut[1])
    return made


def _settings(plan: Plan, seen: Observed, stop: int) -> tuple[Setting, Setting]:
    """Both windows, on the best level that there is."""
    w, landed = plan.windows, seen.landed
    out = ((landed - w.detection - w.before, landed - w.detection),)
    whole = ((landed - w.detection - w.before, landed),)
    if seen.withheld is not None and len(seen.withheld):
        own = _joined(seen.own, seen.withheld)
        same = Setting(plan, "A", own, (), ((landed - PUT_BACK, stop - PUT_BACK),), landed)
        return same, same
    base = Setting(plan, "C", seen.fine, (), out, landed)
    for level, least in LEVELS_OF_CONTROLS:
        controls = seen.by_project if level == "B1" else seen.by_class
        trial = Setting(plan, level, seen.own, controls, out, landed)
        if enough_controls(trial, stop) >= least:
            base = trial
            break
    return base, replace(base, before=whole)


def _joined(own: Series, withheld: Series) -> Series:
    import numpy as np

    parts = [
        np.concatenate([getattr(own, name), getattr(withheld, name)])
        for name in ("day", "stratum", "session", "errors", "occasions", "steps", "cut_off")
    ]
    return Series(own.unit, *parts)


def _silent(verdict: str, reasons: Sequence[str], closing: date, closed: bool) -> Assessment:
    nothing = Estimate()
    return Assessment(
        verdict, tuple(reasons), "D", "open", nothing, nothing, nothing, 90, closing=closing,
        closed=closed,
    )  # fmt: skip


def _of_nights(
    plan: Plan,
    told: Sequence[Night],
    reference: Look,
    setting: Setting,
    closing: date,
    *,
    closed: bool,
) -> Assessment:
    """Everything but what a cut makes of it. reference: the last look, with the burst if it can."""
    last, ready = told[-1], [night for night in told if night.open]
    crossed = next((n.day for n in ready if state_of(bracket(n, closing=False))[1]), None)
    shown = bracket(last, closing=closed)
    state = _decided(ready, shown, crossed, closed=closed)
    path = path_result(setting, reference, plan, closed=closed)
    verdict, reasons = verdict_of(plan, last, state, path, ready)
    made = Assessment(
        verdict=verdict,
        reasons=reasons,
        level=setting.level,
        error=state,
        excluding=estimated(last.excluding, closing=closed),
        including=estimated(last.including, closing=closed),
        ratio=shown,
        confidence=90,
        nights=tuple(
            (date.fromordinal(n.day - 1), bracket(n, closing=False)) for n in told if n.looks
        ),
        crossed=date.fromordinal(crossed - 1) if crossed else None,
        closing=closing,
        closed=closed,
        missing=last.missing,
        gate_opens=gate_opens(plan, last, told),
        phi=reference.phi,
        controls=reference.drift.units if reference.drift else 0,
        drift=reference.drift.mean if reference.drift else None,
        tau=math.sqrt(reference.drift.tau2) if reference.drift else None,
        detectable=detectable(reference, reference.reach),
        detectable_at_close=detectable(reference, CLOSING_Z * math.sqrt(reference.variance)),
        pruned=reference.compared.pruned,
        strata=strata_results(reference),
        path=path,
        influential=influential(setting, reference),
    )
    return _with_evidence(made, ready, last, closed=closed) if last.open else made


def _with_evidence(
    made: Assessment, ready: Sequence[Night], last: Night, *, closed: bool
) -> Assessment:
    """The e-value of all nights and the p values that are valid on any of them."""
    fewer = max(min(each.fewer for each in n.looks) for n in ready)
    more = max(min(each.more for each in n.looks) for n in ready)
    p_fewer = _p(fewer, max(each.p_fewer for each in last.looks) if closed else 1.0)
    p_more = _p(more, max(each.p_more for each in last.looks) if closed else 1.0)
    return replace(made, e=max(fewer, more), p=min(p_fewer, p_more), p_fewer=p_fewer, p_more=p_more)


def _p(e: float, closing: float) -> float:
    anytime = (1 / e) / ANY_NIGHT_SHARE if e > 0 else 1.0
    return min(1.0, anytime, closing / CLOSING_SHARE)


def _decided(
    ready: Sequence[Night], shown: Estimate, crossed: int | None, *, closed: bool
) -> ErrorState:
    """Sticky: the first night a boundary was crossed decides, until the closing look confirms."""
    if not ready:
        return "open"
    if crossed is not None:
        first = next(n for n in ready if n.day == crossed)
        return state_of(bracket(first, closing=False))[0]
    state, found = state_of(shown)
    if found or not closed:
        return state
    if shown.low is not None and shown.high is not None and 0.8 <= shown.low <= shown.high <= 1.25:
        return "equivalent"
    return "open"


def _after_cut(made: Assessment, reason: str) -> Assessment:
    """What was found before the cut stays; what was open then cannot be told any more."""
    if made.verdict in ("no effect shown", "not comparable"):
        return replace(made, verdict="not comparable", reasons=(reason,))
    return made
