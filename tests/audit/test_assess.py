"""The audit of one rule, on archives whose truth is known."""

import csv
import json
import math
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dream.aim import Aim
from dream.audit.assess import assess
from dream.audit.assessment import Assessment
from dream.audit.observed import Observed
from dream.audit.series import Series
from dream.plan import Plan, Windows
from dream.types import Scope

LANDED = date(2026, 6, 1)
L = LANDED.toordinal()
CLASSES = ("err_info_loss", "err_info_mismatch", "err_overgeneralise", "err_path_drift")
PLAN = Plan("r", "1", LANDED, "UTC", Scope("p"), Aim("errors", "x"), "x:1")


def columns(rows: list[dict[str, str]], kind: str, *, fine: bool = False) -> Series:
    names = ("project", "task_type", "difficulty", *(("model",) if fine else ()))
    keys = [tuple(row[name] for name in names) for row in rows]
    number = {key: place for place, key in enumerate(sorted(set(keys)))}
    sessions = [row["project"] + row["session"] for row in rows]
    session = {name: place for place, name in enumerate(sorted(set(sessions)))}
    calls = np.array([float(row["tool_calls"]) for row in rows])
    return Series(
        kind,
        np.array([L + int(row["day"]) for row in rows]),
        np.array([number[key] for key in keys]),
        np.array([session[name] for name in sessions]),
        np.array([float(row[kind]) for row in rows]),
        calls,
        calls,
        np.array([row["aborted"] == "1" for row in rows]),
    )


@cache
def told(shared: Path) -> dict[str, dict[str, Any]]:
    listed = json.loads((shared / "oracles/sim/truth.json").read_bytes())["datasets"]
    return {one["file"].removesuffix(".csv"): one for one in listed}


@cache
def seen(shared: Path, name: str) -> Observed:
    truth = told(shared)[name]["truth"]
    with (shared / f"oracles/sim/{name}.csv").open() as file:
        rows = list(csv.DictReader(file))
    kind, mine = f"err_{truth['target_class']}", truth["rule_project"]
    own = [row for row in rows if row["project"] == mine]
    others = sorted({row["project"] for row in rows} - {mine})
    cut = truth["other_rule_day"]
    return Observed(
        own=columns(own, kind),
        fine=columns(own, kind, fine=True),
        by_project=tuple(columns([r for r in rows if r["project"] == p], kind) for p in others),
        by_class=tuple(columns(own, other) for other in CLASSES if other != kind),
        landed=L,
        end=L + 60,
        cut=(L + cut, "co_intervention") if cut is not None else None,
    )


@cache
def audited(shared: Path, name: str) -> Assessment:
    return assess(PLAN, seen(shared, name))


NAMES = (
    "S0_null_clean", "S1_null_rtm", "S2a_null_easier_tasks", "S3_null_model_upgrade",
    "S6_null_all", "S8_null_corule", "S9_null_abort_shift", "E1_rr50_clean", "E3_rr25_all",
    "E6_hurt200_clean", "E7_null_dense", "S11_null_single_project",
)  # fmt: skip


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_a_planted_effect_has_its_direction_and_no_effect_has_none(shared: Path, name: str) -> None:
    found, truth = audited(shared, name), told(shared)[name]["truth"]
    assert found.level == told(shared)[name]["prototype_night60"]["level"]
    if truth["rate_ratio"] == 1:
        assert found.verdict in ("no effect shown", "not comparable", "neutral")
    else:
        low, high = found.ratio.low or 0, found.ratio.high or math.inf
        assert low < truth["rate_ratio"] < high
        assert found.verdict != ("hurt" if truth["rate_ratio"] < 1 else "helped")


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_estimates_are_those_of_another_implementation(shared: Path, name: str) -> None:
    found, other = audited(shared, name), told(shared)[name]["prototype_night60"]
    if name == "S8_null_corule":  # cut off before there was enough
        return
    for mine, theirs in ((found.excluding, "rr_excl"), (found.including, "rr_incl")):
        assert mine.point is not None
        assert math.log(mine.point) == pytest.approx(math.log(other[theirs]), abs=0.15)
    if other["path_ratio"] and found.path and found.path.ratio.point:
        path = math.log(found.path.ratio.point)
        assert path == pytest.approx(math.log(other["path_ratio"]), abs=0.15)


@pytest.mark.shared
def test_clean_effects_are_found_and_another_rule_in_between_forbids_a_verdict(
    shared: Path,
) -> None:
    assert audited(shared, "E1_rr50_clean").verdict == "helped"
    assert audited(shared, "E6_hurt200_clean").verdict == "hurt"
    cut = audited(shared, "S8_null_corule")
    assert (cut.verdict, cut.reasons) == ("not comparable", ("co_intervention",))


@pytest.mark.shared
def test_the_order_of_runs_changes_nothing(shared: Path) -> None:
    one = seen(shared, "E1_rr50_clean")
    turned = np.random.default_rng(7).permutation(len(one.own))

    def shuffled(series: Series) -> Series:
        names = ("day", "stratum", "session", "errors", "occasions", "steps", "cut_off")
        return Series(series.unit, *(getattr(series, name)[turned] for name in names))

    other = assess(PLAN, replace(one, own=shuffled(one.own), fine=shuffled(one.fine)))
    first = audited(shared, "E1_rr50_clean")
    assert (other.verdict, other.level, other.crossed) == (
        first.verdict, first.level, first.crossed,
    )  # fmt: skip
    assert other.ratio.point == pytest.approx(first.ratio.point)


@pytest.mark.shared
def test_what_a_later_night_saw_of_an_earlier_one_is_what_that_one_saw(shared: Path) -> None:
    whole = seen(shared, "E1_rr50_clean")
    early = assess(PLAN, replace(whole, end=L + 30))
    late = audited(shared, "E1_rr50_clean")
    assert early.nights == late.nights[:30]
    assert not early.closed
    assert late.closed
    assert late.closing == date.fromordinal(L + 60)


def made(
    errors: tuple[float, float], days: tuple[int, int] = (60, 60), calls: float = 100
) -> Series:
    """A run a day on each side, with so many errors each."""
    day = np.array([*range(L - days[0], L), *range(L, L + days[1])])
    rate = np.array([errors[0]] * days[0] + [errors[1]] * days[1])
    ones = np.ones(len(day))
    zeros = np.zeros(len(day), dtype=np.int64)
    return Series(
        "own", day, zeros, np.arange(len(day)), rate, calls * ones, 10 * ones, ones > 2
    )  # fmt: skip


def alone(own: Series, **more: Any) -> Observed:
    return replace(Observed(own, own, (), (), L, L + 60), **more)


def test_a_rule_that_nothing_counts_is_not_comparable() -> None:
    plan = replace(PLAN, aim=Aim("nothing", ""))
    found = assess(plan, alone(made((1, 0))))
    assert (found.verdict, found.reasons, found.level) == (
        "not comparable", ("no_denominator",), "D",
    )  # fmt: skip


def test_runs_without_a_single_occasion_cannot_be_compared() -> None:
    found = assess(PLAN, alone(made((0, 0), calls=0)))
    assert (found.verdict, found.reasons) == ("not comparable", ("no_denominator",))


def test_runs_of_kinds_that_never_meet_cannot_be_compared() -> None:
    own = made((1, 0))
    apart = replace(own, stratum=(own.day >= L).astype(np.int64))
    found = assess(PLAN, alone(apart))
    assert (found.verdict, found.reasons) == ("not comparable", ("no_overlap",))


def test_a_rule_about_something_new_has_no_baseline_outside_of_its_burst() -> None:
    found = assess(PLAN, alone(made((3, 1), days=(7, 60))))
    assert (found.verdict, found.reasons) == ("not comparable", ("no_history_outside_burst",))
    assert found.excluding.point is None


def test_too_little_is_told_with_what_is_missing_and_when_it_may_be_there() -> None:
    found = assess(PLAN, alone(made((1, 1), days=(60, 4)), end=L + 4))
    assert (found.verdict, found.reasons) == ("no effect shown", ("too_few_days",))
    assert found.missing == "4 more days of work after it landed"
    assert found.gate_opens == date.fromordinal(L + 7)
    few = assess(PLAN, alone(made((0.1, 0))))
    assert few.reasons == ("too_few_errors",)


def test_withheld_runs_are_what_would_have_been_anyway() -> None:
    own = made((9, 1), days=(60, 60))
    lot = made((9, 1), days=(0, 60))
    found = assess(PLAN, alone(own, withheld=replace(lot, errors=lot.errors * 3)))
    assert found.level == "A"
    assert found.ratio.point == pytest.approx(1 / 3, rel=0.15)
    assert found.verdict == "helped"


def test_a_steady_effect_is_found_without_any_control_where_it_is_large() -> None:
    assert assess(PLAN, alone(made((3, 0.5)))).verdict == "helped"
    assert assess(PLAN, alone(made((0.5, 3)))).verdict == "hurt"
    assert assess(PLAN, alone(made((3, 2.9)))).verdict in ("no effect shown", "neutral")


def test_a_cut_for_the_rules_own_change_only_ends_it_early() -> None:
    own = made((3, 0.2))
    found = assess(PLAN, alone(own, cut=(L + 30, "")))
    assert found.closed
    assert found.closing == date.fromordinal(L + 30)
    assert len(found.nights) == 30
    assert found.verdict == "helped"


def test_a_shorter_horizon_is_one_of_the_plan() -> None:
    plan = replace(PLAN, windows=Windows(horizon=20))
    assert assess(plan, alone(made((3, 0.2)))).closing == date.fromordinal(L + 20)
