"""What stays found, what changes over time, and what a night may know."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dream.audit.assess import assess
from dream.audit.observed import Observed
from dream.audit.series import Series
from dream.plan import Budget, Windows
from tests.bench_audit.observe import PLAN, ZERO

LONG = replace(PLAN, path="note")
DAYS = 67


def daily(*rates: float, before: float = 3.0, calls: float = 100) -> Series:
    """Runs of one project, one a day: so many errors on each day before, then as told."""
    errors = np.array([before] * DAYS + list(rates))
    day = np.arange(-DAYS, len(rates)) + ZERO
    ones = np.ones(len(day))
    zeros = np.zeros(len(day), dtype=np.int64)
    steps = np.where(np.arange(len(day)) % 2, 8.0, 12.0)
    return Series("own", day, zeros, np.arange(len(day)), errors, calls * ones, steps, ones > 2)


def alone(own: Series, end: int = 60) -> Observed:
    return Observed(own, own, (), (), ZERO, ZERO + end)


def test_what_was_found_stays_found_also_when_it_fades_a_little() -> None:
    own = daily(*[0.2] * 20, *[2.0] * 40)
    early, late = assess(LONG, alone(own, 20)), assess(LONG, alone(own))
    assert early.verdict == late.verdict == "helped"
    assert early.crossed == late.crossed
    halves = {each.way: each.ratio.point or 0 for each in late.other_ways}
    assert halves["first_half"] < halves["second_half"]


def test_an_effect_that_turns_round_is_told_as_changed_over_time() -> None:
    own = daily(*[0.2] * 20, *[14.0] * 40)
    assert assess(LONG, alone(own, 20)).verdict == "helped"
    assert assess(LONG, alone(own)).verdict == "changed over time"


def test_days_of_grace_count_for_nothing() -> None:
    own = daily(*[40.0] * 5, *[0.3] * 55)
    plan = replace(LONG, windows=Windows(grace=5))
    told = assess(plan, alone(own))
    assert told.verdict == "helped"
    assert told.strata[0].errors[1] == pytest.approx(0.3 * 55, abs=1)
    assert assess(LONG, alone(own)).verdict != "helped"


def test_three_closing_looks_may_find_an_effect_earlier() -> None:
    own, nights = daily(*[1.25] * 60), []
    for budget in (Budget(), Budget(looks="three")):
        told = assess(replace(LONG, budget=budget), alone(own))
        assert told.verdict == "helped"
        assert told.crossed is not None
        nights.append(told.crossed.toordinal() - ZERO + 1)
    assert nights[1] == 20  # the first of the three
    assert nights[1] < nights[0]


def test_a_strict_budget_has_wider_intervals() -> None:
    own = daily(*[2.0] * 60)
    usual, strict = (
        assess(replace(LONG, budget=one), alone(own)) for one in (Budget(), Budget.strict())
    )
    assert (usual.confidence, strict.confidence) == (90, 95)
    assert (strict.ratio.low or 0) < (usual.ratio.low or 0)
    assert (strict.ratio.high or math.inf) > (usual.ratio.high or 0)


def test_without_runs_of_one_model_on_both_sides_there_is_no_verdict() -> None:
    own = daily(*[0.3] * 60)
    fine = replace(own, stratum=(own.day >= ZERO + 3).astype(np.int64))
    told = assess(LONG, replace(alone(own), fine=fine))
    assert (told.verdict, told.reasons) == ("not comparable", ("model_change_unmatched",))


def test_most_of_one_side_gone_forbids_a_verdict() -> None:
    told = assess(LONG, replace(alone(daily(*[0.3] * 60)), lost=(10 / 12, 0.0)))
    assert (told.verdict, told.reasons) == ("not comparable", ("archive_gap",))


def test_shares_without_a_denominator_are_refused() -> None:
    """The drift experiment of the seed article: shares in percent, no count of occasions."""
    shares = daily(*[12.0] * 3, before=38.0, calls=0)
    told = assess(LONG, alone(shares))
    assert (told.verdict, told.reasons) == ("not comparable", ("no_denominator",))


def test_a_night_beyond_the_horizon_says_what_the_closing_look_said() -> None:
    own = daily(*[0.3] * 60)
    early = assess(LONG, alone(own, 10))
    assert len(early.nights) == 10
    assert not early.closed
    beyond = assess(LONG, alone(own, 600))
    assert beyond == assess(LONG, alone(own, 60))
