"""The same question asked in other ways, for every finding and for none.

No verdict becomes better by it. Two of them may make a finding suggestive: other errors that moved
as much, and a placebo date that shows as much.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dream.audit.assessment import Assessment, Estimate, OtherWay, Way
from dream.audit.exact import chances, exact_ratio
from dream.audit.looks import Look, look
from dream.audit.nights import Night, bracket, spans
from dream.audit.observed import Observed, each_unit, since
from dream.audit.placebo import negative_controls, placebo_date, placebo_space
from dream.audit.segmented import poisson
from dream.audit.sensitivity import bayes_ratio, e_value
from dream.audit.series import Floats, Series
from dream.audit.spending import closing
from dream.audit.strata_of import moves
from dream.plan import Plan

LAG = 7
TREND_DAYS = 40
"""Active days on each side from which on a trend can be told from a step."""
FEW = 30
"""Errors up to which the exact interval is shown; beyond, it hides that they come in bunches."""


def other_ways(plan: Plan, seen: Observed, last: Night, made: Assessment) -> tuple[OtherWay, ...]:
    """Those that the data allow, in a fixed order."""
    z = closing(plan.budget.closing, plan.budget.looks)[-1]
    own = last.looks[-1]
    found = (
        _strength(made),
        _exact(own, made.confidence),
        _per_run(plan, seen, last, z),
        _without_session(plan, seen, last, z),
        *_halves(plan, seen, last, z),
        placebo_date(plan, seen, made.error, z),
        placebo_space(plan, seen, last),
        negative_controls(plan, seen, last, z),
        _regressed(plan, seen, last),
        _interrupted(own, z),
    )
    return tuple(each for each in found if each is not None)


def _strength(made: Assessment) -> OtherWay | None:
    ratio = made.ratio
    if ratio.point is None:
        return None
    return OtherWay("e_value", of=e_value(ratio.point, (ratio.low, ratio.high)))


def _exact(own: Look, confidence: int) -> OtherWay | None:
    """All kinds of runs together, without controls: for a handful of errors."""
    before, after = own.errors
    if before + after > FEW or own.level == "A":
        return None
    occasions, late = own.compared.runs.occasions, own.compared.after
    sums = float(occasions[~late].sum()), float(occasions[late].sum())
    ratio = exact_ratio(int(before), int(after), *sums, confidence / 100)
    return OtherWay("exact", ratio, of=(chances(int(before), int(after), *sums).both,))


def _again(
    plan: Plan, seen: Observed, last: Night, z: float, change: Callable[[Series], Series]
) -> Estimate:
    """The bracket of the last night with every unit's runs changed."""
    other = each_unit(seen, change)
    level = last.looks[-1].level
    both = [look(plan, other, before, last.day, level) for before in spans(plan, seen.landed)]
    return bracket(Night(last.day, both[0], both[1], None), z)


def _per_run(plan: Plan, seen: Observed, last: Night, z: float) -> OtherWay:
    """Errors by runs: a rule that makes runs shorter changes errors by run and by call apart."""

    def by_run(series: Series) -> Series:
        return replace(series, occasions=(series.occasions > 0).astype(np.float64))

    return OtherWay("per_run", _again(plan, seen, last, z, by_run))


def _without_session(plan: Plan, seen: Observed, last: Night, z: float) -> OtherWay | None:
    """Without the one session that moves the ratio most."""
    compared = last.looks[-1].compared
    rows = np.flatnonzero((compared.runs.errors > 0) & (compared.rows >= 0))
    if not len(rows):
        return None
    sessions, moved = compared.runs.session[rows], moves(compared, rows)
    names, codes = np.unique(sessions, return_inverse=True)
    sums = np.bincount(codes, weights=moved)
    weightiest = int(names[int(np.argmax(np.abs(sums)))])

    def without(series: Series) -> Series:
        return series.where(series.session != weightiest)

    level = last.looks[-1].level
    other = replace(seen, own=without(seen.own), fine=without(seen.fine))
    both = [look(plan, other, before, last.day, level) for before in spans(plan, seen.landed)]
    ratio = bracket(Night(last.day, both[0], both[1], None), z)
    return OtherWay("without_session", ratio, of=(weightiest,))


def _halves(plan: Plan, seen: Observed, last: Night, z: float) -> Sequence[OtherWay]:
    """The first and the second half of the nights since the landing: does it fade?"""
    middle, found = (seen.landed + last.day) // 2, []
    parts: tuple[tuple[Way, int, int], ...] = (
        ("first_half", seen.landed, middle),
        ("second_half", middle, last.day),
    )
    for name, first, end in parts:
        late = since(seen, first)
        both = [look(plan, late, before, end, last.looks[-1].level)
                for before in spans(plan, seen.landed)]  # fmt: skip
        night = Night(end, both[0], both[1], None)
        if night.looks:
            found.append(OtherWay(name, bracket(night, z)))
    return found


def _regressed(plan: Plan, seen: Observed, last: Night) -> OtherWay | None:
    """The burst drawn towards what projects like it have (empirical Bayes)."""
    own = last.looks[-1]
    if own.level != "B1" or own.drift is None:
        return None
    _, before = spans(plan, seen.landed)
    ratio = bayes_ratio(own.compared, seen.by_project, before, own.drift.mean)
    return None if ratio is None else OtherWay("empirical_bayes", ratio)


def _interrupted(own: Look, z: float) -> OtherWay | None:
    """A trend and a step at the landing, by day, without controls."""
    runs, late = own.compared.runs, own.compared.after
    if own.level == "A" or min(own.compared.days(False), own.compared.days(True)) < TREND_DAYS:
        return None
    days, codes = np.unique(runs.day, return_inverse=True)
    rate = float(runs.errors.sum() / runs.occasions.sum())
    expected = _by_kind(own) * rate
    counts: Floats = np.bincount(codes, weights=runs.errors).astype(np.float64)
    exposure: Floats = np.bincount(codes, weights=expected).astype(np.float64)
    step = (days >= int(runs.day[late].min())).astype(np.float64)
    time = (days - days[0]) / 30.0
    fit = poisson(np.stack([np.ones(len(days)), step, time], axis=1), counts, exposure)
    if fit is None:
        return None
    log = float(fit.beta[1])
    reach = z * max(float(fit.near(LAG)[1]), float(fit.plain()[1]))
    return OtherWay(
        "interrupted", Estimate(math.exp(log - reach), math.exp(log), math.exp(log + reach))
    )


def _by_kind(own: Look) -> Floats:
    """Occasions of each run, weighted by how error-prone its kind is."""
    compared = own.compared
    errors = np.bincount(compared.codes, weights=compared.runs.errors) + 0.5
    occasions = np.bincount(compared.codes, weights=compared.runs.occasions)
    usual = errors.sum() / occasions.sum()
    found: Floats = compared.runs.occasions * (errors / occasions / usual)[compared.codes]
    return found
