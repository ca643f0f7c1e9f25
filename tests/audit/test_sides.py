"""Which side of a landing a run stands on, or why on none."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from dream.audit.outcomes import Outcome
from dream.audit.presence import Presence
from dream.audit.rule_page import Side
from dream.audit.sides import Place, Span, crosses, placed, pruned, side
from dream.audit.usage import Force
from tests.audit.recorded import ADOPTED, case
from tests.audit.work import START, ran

LANDED = START + timedelta(days=10)
SPAN = Span(START, LANDED, START + timedelta(days=60), START + timedelta(days=50))
TOLD = frozenset({"rule"})


def at(days: float, **more: object) -> Outcome:
    return Outcome(ran(f"r{days:g}", days, **more), 0, 1)  # type: ignore[arg-type]  # of a run


def place(one: Outcome, told: frozenset[str] | None = None, withheld: bool = False) -> Place:
    """Where a run stands that was told these rules; None: as the time says."""
    name, run = one.work.run.run_id, one.work.run
    if told is None and not withheld:
        told = TOLD if run.started and run.started >= LANDED else frozenset()
    known = Presence({name: told or frozenset()}, frozenset(), {name: TOLD} if withheld else {})
    return placed([one], SPAN, Force("rule", LANDED, known), project="/repo/shop")[name]


def test_a_run_is_before_or_after_by_its_moment_and_what_it_was_told() -> None:
    assert place(at(9)) == "before"
    assert place(at(10)) == "after"
    assert place(at(11), frozenset()) == "not told"
    assert place(at(9), TOLD) == "told early"
    assert place(at(11), withheld=True) == "withheld"
    assert place(at(11, project="/repo/blog")) == "elsewhere"


def test_what_is_outside_of_the_time_or_still_open_stands_nowhere() -> None:
    assert place(at(-1)) == "too early"
    assert place(at(55)) == "later"
    assert place(at(20, state="running")) == "running"
    gone = at(20)
    untimed = replace(gone.work.run, started=None, session_started=None)
    assert place(Outcome(replace(gone.work, run=untimed), 0, 1)) == "no time"


def test_a_session_that_crosses_the_landing_is_on_neither_side() -> None:
    late = at(12)
    straddling = replace(late.work, run=replace(late.work.run, session_started=START))
    assert place(Outcome(straddling, 0, 1)) == "crosses"
    assert crosses(ran("x", 9.99, hours=1), LANDED)
    assert not crosses(ran("x", 9.9, hours=1), LANDED)


def test_what_is_told_of_no_run_is_counted_with_its_reason() -> None:
    listed = [at(9), at(11), at(20, state="running"), at(-1)]
    known = Presence({each.work.run.run_id: frozenset() for each in listed[:2]}, frozenset())
    places = placed(listed, SPAN, Force("rule", LANDED, known), project="/repo/shop")
    assert pruned(places, listed, LANDED) == {
        "after the landing, and not told the rule": (0, 1),
        "before the time that is looked at": (1, 0),
        "still running": (0, 1),
    }


def test_a_side_counts_what_its_runs_tell_and_guesses_nothing() -> None:
    two = [at(1, state="interrupted"), at(2, session="s")]
    found = side(two, {"r1": 2, "r9": 5})
    assert found == Side(2, 2, 2, 0, 2, 1, turns=10.0, minutes=30.0, tokens=None, corrections=2)
    assert side([], {}) == Side()


@pytest.mark.shared
def test_midnight_is_that_of_the_moment_and_of_no_calendar(shared: Path) -> None:
    listed = case(shared, "cut-at-midnight")
    landed = datetime.fromisoformat(ADOPTED["cut-at-midnight"])
    span = Span(landed - timedelta(30), landed, landed + timedelta(30), landed + timedelta(30))
    force = Force("rule", landed, Presence({}, frozenset()), blind=True)
    assert placed(listed, span, force, project="") == {
        "cd1": "before", "cd2": "before", "cd3": "crosses", "cd4": "after", "cd5": "after",
    }  # fmt: skip


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("bad-week", (22, 80), (9, 40)),
        ("tiny", (2, 3), (0, 3)),
        ("no-exposure", (3, 7), (0, 0)),
    ],
)
def test_the_sides_of_the_cases_count_what_their_table_says(
    shared: Path, name: str, before: tuple[int, int], after: tuple[int, int]
) -> None:
    landed = datetime.fromisoformat(ADOPTED[name])
    listed = case(shared, name)
    span = Span(landed - timedelta(90), landed, landed + timedelta(60), landed + timedelta(60))
    force = Force("rule", landed, Presence({}, frozenset()), blind=True)
    places = placed(listed, span, force, project="/repo/shop")
    sides = [
        side([each for each in listed if places[each.work.run.run_id] == which], {})
        for which in ("before", "after")
    ]
    assert [(each.errors, each.occasions) for each in sides] == [before, after]
