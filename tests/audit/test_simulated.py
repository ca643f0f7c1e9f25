"""A small slice of the bench with fixed seeds; `make bench-audit` runs it in full."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from tests.bench_audit.fdr import Listed
from tests.bench_audit.page import Goal, goals, tables
from tests.bench_audit.run import Trial, trial, wrong
from tests.bench_audit.scenarios import EXTRA, WORLDS, is_null
from tests.bench_audit.simulate import archive

SEED = 271828
NULLS = [name for name in WORLDS if is_null(WORLDS[name]) and name != "E7_null_dense"]


@cache
def tried(name: str, count: int) -> Sequence[Trial]:
    world = {**WORLDS, **EXTRA}[name]
    return [trial(world, (SEED, len(name), n)) for n in range(count)]


def test_worlds_without_an_effect_seldom_show_one_and_mostly_do_to_who_looks_every_night() -> None:
    seen = [each for name in NULLS for each in tried(name, 1)]
    assert sum(each.fewer or each.more for each in seen) <= 3
    assert sum(each.shorter or each.longer for each in seen) <= 3
    assert sum(each.naive_fewer or each.naive_more for each in seen) >= len(seen) / 2
    assert sum(each.covered is not False for each in seen) >= len(seen) - 3


def test_a_large_effect_is_mostly_found_and_never_the_other_way_round() -> None:
    for name, way in (("E1_rr50_clean", "fewer"), ("E6_hurt200_clean", "more")):
        seen = tried(name, 5)
        assert sum(getattr(each, way) for each in seen) >= 2
        assert not any(wrong(WORLDS[name], each) for each in seen)


def test_another_rule_in_the_first_week_forbids_a_verdict() -> None:
    assert {each.verdict for each in tried("S8_null_corule", 3)} == {"not comparable"}


def test_sessions_that_were_withheld_the_rule_are_what_it_is_compared_with() -> None:
    seen = tried("X3_rr50_withheld", 3)
    assert all(each.level == "A" for each in seen)
    assert all(each.covered for each in seen)


@pytest.mark.parametrize("name", ["E1_rr50_clean", "E6_hurt200_clean", "S0_null_clean"])
def test_what_is_planted_is_there(name: str) -> None:
    world, logs, paths = WORLDS[name], [], []
    for n in range(40):
        seen = archive(world, np.random.default_rng([SEED, n]))
        mine, late = seen.project == seen.own, seen.day >= 0
        rates = [seen.errors[mine & side, 0].sum() / seen.calls[mine & side].sum()
                 for side in (~late, late)]  # fmt: skip
        logs.append(math.log(rates[1] / rates[0]))
        whole = mine & ~seen.aborted
        paths.append(
            np.log(seen.calls[whole & late]).mean() - np.log(seen.calls[whole & ~late]).mean()
        )
    assert np.mean(logs) == pytest.approx(math.log(world.rate_ratio), abs=0.15)
    assert np.mean(paths) == pytest.approx(math.log(world.path_ratio), abs=0.06)


@pytest.mark.parametrize("name", ["S1_null_rtm", "S6_null_all"])
def test_a_rule_that_follows_a_burst_follows_one(name: str) -> None:
    for n in range(10):
        seen = archive(WORLDS[name], np.random.default_rng([SEED, n]))
        mine = seen.project == seen.own
        week, month = mine & (seen.day < 0) & (seen.day >= -7), mine & (seen.day < -7)
        month &= seen.day >= -37
        assert seen.errors[week, 0].sum() >= max(5, 2 * seen.errors[month, 0].sum() * 7 / 30)


def test_the_same_seed_gives_the_same_trial() -> None:
    again = trial(WORLDS["S0_null_clean"], (SEED, 1, 0))
    first = trial(WORLDS["S0_null_clean"], (SEED, 1, 0))
    assert {**_plain(again), "seconds": 0} == {**_plain(first), "seconds": 0}


def _plain(one: Trial) -> dict[str, object]:
    return {name: getattr(one, name) for name in Trial.__dataclass_fields__}


def test_the_page_says_of_every_goal_whether_it_is_reached() -> None:
    done = {name: tried(name, 1) for name in (*NULLS, "E1_rr50_clean", "E6_hurt200_clean")}
    crowd = [Listed(8, 0, 5, 0, 9, 1, 20, 12)]
    found = {goal.name: goal for goal in goals(done, crowd)}
    assert set(found) == {f"G{n}" for n in range(1, 12)}
    assert found["G10"] == Goal(
        "G10", 'false among the rules told to have "helped", 40 rules', "≤ 10 %", "0.0 %",
        "1 reports", True,
    )  # fmt: skip
    text = tables(done, crowd, SEED, 1)
    assert "| every rule for itself | 9.0 | 11.1 % |" in text
    assert "| before against after, looked at every night | 20.0 | 60.0 % |" in text
