"""Was a rule there, did it apply, was it done."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from dream.aim import Aim
from dream.audit.outcomes import Outcome
from dream.audit.presence import Presence
from dream.audit.rule_page import Practised, Usage
from dream.audit.usage import Force, is_blind, tokens, usage
from tests.audit.work import START, ran

LANDED = START + timedelta(days=10)
BREACHES = Aim("breaches", "it")
TOLD: frozenset[str] = frozenset({"rule"})
NOT: frozenset[str] = frozenset()


def runs(days: Mapping[int, tuple[int, int]]) -> list[Outcome]:
    """By day after START: missed and occasions."""
    return [Outcome(ran(f"r{day}", day), *counts) for day, counts in days.items()]


def asked(
    own: list[Outcome], aim: Aim = BREACHES, *, told: Mapping[str, frozenset[str]] | None = None
) -> Usage:
    """Every run from the landing on was told the rule, unless told otherwise."""
    known = told if told is not None else {
        each.work.run.run_id: TOLD if each.work.run.started and each.work.run.started >= LANDED
        else NOT for each in own
    }  # fmt: skip
    force = Force("rule", LANDED, Presence(known, frozenset({"r12"})), blind=not known)
    return usage(aim, own, force, "Use tabs in Go.")


def test_a_rule_that_is_done_mostly_or_far_more_often_is_followed() -> None:
    mostly = asked(runs({1: (5, 10), 12: (4, 10)}))
    assert (mostly.use, mostly.before, mostly.after) == (
        "followed", Practised(5, 10), Practised(6, 10),
    )  # fmt: skip
    assert asked(runs({1: (99, 100), 12: (60, 100)})).use == "followed"
    assert asked(runs({1: (70, 100), 12: (60, 100)})).use == "not followed"
    assert asked(runs({1: (10, 10), 12: (16, 20)})).use == "not followed"


def test_a_rule_that_stands_on_no_branch_a_run_worked_on_was_never_loaded() -> None:
    own = runs({1: (1, 1), 12: (1, 1), 13: (1, 1)})
    found = asked(own, told={"r1": NOT, "r12": NOT, "r13": NOT})
    assert (found.use, found.runs, found.told) == ("never loaded", 2, 0)


def test_a_rule_that_never_applied_had_no_occasion() -> None:
    for aim in (BREACHES, Aim("errors", "lost")):
        found = asked(runs({1: (1, 4), 12: (0, 0)}), aim)
        assert (found.use, found.told, found.relevant) == ("no occasion", 1, 0)


@pytest.mark.parametrize("aim", [Aim("errors", "lost"), Aim("said", "c-1"), Aim("nothing", "")])
def test_where_a_machine_cannot_see_it_nothing_is_said_of_following(aim: Aim) -> None:
    found = asked(runs({1: (1, 4), 12: (1, 4)}), aim)
    assert (found.use, found.after) == ("not told", Practised(0, 0))


def test_before_any_run_there_is_nothing_to_say() -> None:
    assert asked(runs({1: (1, 4)})).use == "not yet"


def test_runs_whose_files_are_unknown_are_counted_apart_and_not_taken_for_told() -> None:
    own = runs({1: (1, 4), 12: (0, 4), 13: (0, 4)})
    found = asked(own, told={"r1": NOT, "r12": TOLD})
    assert (found.runs, found.told, found.unknown, found.by_time) == (2, 1, 1, 1)


def test_where_no_file_of_a_project_is_known_the_time_alone_decides() -> None:
    own = runs({1: (1, 4), 12: (0, 4), 13: (0, 4)})
    found = asked(own, told={})
    assert (found.told, found.unknown, found.by_time) == (2, 0, 2)
    assert is_blind(Presence({}, frozenset()), own)
    assert not is_blind(Presence({"r1": NOT}, frozenset()), own)


def test_a_session_that_began_before_the_landing_is_not_after_it() -> None:
    late = ran("late", 12)
    run = replace(late.run, session_started=LANDED - timedelta(hours=1))
    assert asked([Outcome(replace(late, run=run), 0, 1)]).use == "not yet"


def test_the_tokens_of_a_rule_are_about_those_of_its_letters() -> None:
    assert tokens("a" * 40) == 10
    assert tokens("请用中文回答所有问题") == 10
