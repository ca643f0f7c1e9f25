"""What holds for the audit of any runs."""

from dataclasses import asdict, fields, replace
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dream.audit.assess import assess
from dream.audit.assessment import Assessment
from dream.audit.observed import Observed, each_unit
from dream.audit.series import Series
from dream.plan import Gates, Windows, read, written
from tests.bench_audit.observe import PLAN, ZERO

SHORT = replace(
    PLAN,
    windows=Windows(before=20, detection=4, horizon=12),
    gates=Gates(errors=4, errors_before=2, days=3, path_runs=4, control_errors=2, control_days=2),
)
"""A plan that a handful of runs can answer, so that many of them can be tried."""
seeds = st.integers(0, 2**32 - 1)
slow = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def some(rng: np.random.Generator, name: str) -> Series:
    count = int(rng.integers(0, 90))
    calls = rng.integers(0, 40, count).astype(np.float64)
    return Series(
        name,
        ZERO + rng.integers(-30, 16, count),
        rng.integers(0, 4, count),
        rng.integers(0, 30, count),
        rng.poisson(calls * 0.08).astype(np.float64) * (calls > 0),
        calls,
        calls + rng.integers(0, 9, count),
        rng.random(count) < 0.1,
    )


def seen(seed: int) -> Observed:
    rng = np.random.default_rng(seed)
    own = some(rng, "own")
    fine = replace(own, stratum=own.stratum * 2 + (own.day > ZERO + 6))
    others = [some(rng, f"p{n}") for n in range(int(rng.integers(0, 5)))]
    classes = [
        replace(own, unit=f"c{n}", errors=rng.poisson(own.occasions * 0.1).astype(np.float64))
        for n in range(3)
    ]
    return Observed(own, fine, tuple(others), tuple(classes), ZERO, ZERO + int(rng.integers(1, 15)))


def without_places(told: Assessment) -> Assessment:
    """Places of runs in the columns and the names of sessions are no part of what is said."""
    ways = tuple(
        replace(each, of=()) if each.way == "without_session" else each for each in told.other_ways
    )
    moves = tuple((0, moved) for _, moved in told.influential)
    return replace(told, other_ways=ways, influential=moves)


@slow
@given(seeds)
def test_the_order_of_runs_changes_no_digit(seed: int) -> None:
    rng, told = np.random.default_rng(seed + 1), seen(seed)

    def shuffled(series: Series) -> Series:
        turn = rng.permutation(len(series))
        return series.where(turn)

    # own runs and finer kinds are the same rows in the same order
    turn = rng.permutation(len(told.own))
    other = replace(
        each_unit(told, shuffled),
        own=told.own.where(turn),
        fine=told.fine.where(turn),
        by_class=tuple(each.where(turn) for each in told.by_class),
    )
    assert without_places(assess(SHORT, other)) == without_places(assess(SHORT, told))


@slow
@given(seeds, st.integers(2, 1000))
def test_what_strata_and_sessions_are_called_changes_nothing(seed: int, more: int) -> None:
    told = seen(seed)

    def renamed(series: Series) -> Series:
        return replace(series, stratum=series.stratum + more, session=series.session * 7 + more)

    one, other = assess(SHORT, told), assess(SHORT, each_unit(told, renamed))
    assert replace(without_places(other), strata=()) == replace(without_places(one), strata=())


@slow
@given(seeds)
def test_a_whole_week_later_says_the_same(seed: int) -> None:
    told, days = seen(seed), 7 * 53
    later = each_unit(told, lambda series: replace(series, day=series.day + days))
    later = replace(later, landed=told.landed + days, end=told.end + days)
    plan = replace(SHORT, landed=date.fromordinal(SHORT.landed.toordinal() + days))
    one, other = assess(SHORT, told), assess(plan, later)
    assert (other.verdict, other.reasons, other.ratio) == (one.verdict, one.reasons, one.ratio)
    assert other.other_ways == one.other_ways


@slow
@given(seeds)
def test_occasions_in_another_unit_change_no_ratio(seed: int) -> None:
    told = seen(seed)
    other = each_unit(told, lambda series: replace(series, occasions=series.occasions * 8))
    one, two = assess(SHORT, told), assess(SHORT, other)
    assert one.verdict == two.verdict
    for name in ("low", "point", "high"):
        mine, theirs = getattr(one.ratio, name), getattr(two.ratio, name)
        assert mine is theirs is None or mine == pytest.approx(theirs, rel=1e-6)


@slow
@given(seeds)
def test_no_number_is_none_of_its_kind_and_p_are_chances(seed: int) -> None:
    told = assess(SHORT, seen(seed))
    for name in ("p_fewer", "p_more"):
        assert 0 <= getattr(told, name) <= 1
    low, high = told.ratio.low, told.ratio.high
    assert low is None or high is None or low <= high
    assert "nan" not in repr(asdict(told)).replace("'", "")
    assert "inf" not in repr([getattr(told, each.name) for each in fields(told)])


@slow
@given(seeds, st.integers(1, 11))
def test_what_is_not_seen_yet_changes_nothing(seed: int, end: int) -> None:
    told = replace(seen(seed), end=ZERO + end)
    early = each_unit(told, lambda series: series.where(series.day < ZERO + end))
    assert without_places(assess(SHORT, early)) == without_places(assess(SHORT, told))


def test_a_plan_is_the_same_after_it_was_written_and_read() -> None:
    assert read(written(PLAN)) == PLAN
    assert read(written(PLAN)).digest == PLAN.digest
    assert replace(PLAN, windows=Windows(horizon=61)).digest != PLAN.digest


def test_a_plan_without_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="no windows"):
        Windows(before=5, detection=7)
    with pytest.raises(ValueError, match="no windows"):
        Windows(grace=60)
    with pytest.raises(ValueError, match="no budget"):
        replace(PLAN.budget, any_night=0.0)
    with pytest.raises(ValueError, match="no budget"):
        replace(PLAN.budget, rate_margin=0.8)
