"""A rule's own unit and its controls, as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from dream.aim import Aim
from dream.audit.columns import columns, stratum_of
from dream.audit.errors_of import ErrorClass
from dream.audit.outcomes import Facts, Outcome, outcomes
from dream.audit.presence import Presence
from dream.audit.request import Request, TaskType
from dream.audit.sides import Place, Span, placed
from dream.audit.units import WITHHELD, Framed, other_classes, other_projects, unit
from dream.audit.usage import Force
from dream.audit.worked import Worked
from tests.audit.work import START, ran

BERLIN = ZoneInfo("Europe/Berlin")
LANDED = START + timedelta(days=10)
DAY = LANDED.date().toordinal()
SPAN = Span(START - timedelta(1), LANDED, START + timedelta(90), START + timedelta(80))
AIM = Aim("errors", "lint", ("bash",))


def facts(works: Sequence[Worked], **runs: Sequence[str]) -> Facts:
    """runs: by class of errors, the runs in which a call failed so."""
    classes = {
        name: ErrorClass(name, {run: (f"{run}-1",) for run in ids}, frozenset({"bash"}))
        for name, ids in runs.items()
    }
    return Facts(tuple(works), classes, {}, Presence({}, frozenset()))


def framed(seen: Facts, aim: Aim = AIM, variables: tuple[str, ...] = ("task",)) -> Framed:
    return Framed(columns(seen, BERLIN), aim, variables, DAY)


def test_a_kind_is_told_by_what_was_known_and_an_agent_by_its_larger_numbers() -> None:
    work = ran(task=Request("go_on", "small", 5, 0, False))
    work = replace(work, run=replace(work.run, agent_version="2.1.90", model=None))
    assert stratum_of(work, ("project", "task", "size", "model", "agent")) == (
        "shop, go on, small, no model told, pi 2.1"
    )


def test_a_day_tells_the_side_also_on_the_day_of_the_landing() -> None:
    works = [ran("early", 9.99), ran("late", 10.01), ran("none", 10)]
    places: dict[str, Place] = {"early": "before", "late": "after", "none": "crosses"}
    found = unit("u", framed(facts(works, lint=["early", "late"])), places)
    assert found.runs == ("early", "late")
    assert found.series.day.tolist() == [DAY - 1, DAY]
    assert found.series.errors.tolist() == [1, 1]
    assert found.series.steps.tolist() == [10, 10]


def test_strata_and_sessions_have_the_same_numbers_on_all_sides() -> None:
    kinds: tuple[TaskType, ...] = ("fix", "ask", "ship")
    tasks = [Request(kind, "small", 5, 0, False) for kind in kinds]
    works = [ran(f"r{n}", n, task=task, session="s") for n, task in enumerate(tasks)]
    places: dict[str, Place] = {"r0": "before", "r1": "after", "r2": "withheld"}
    frame = framed(facts(works))
    told, blank = unit("u", frame, places), unit("u", frame, places, WITHHELD)
    assert told.names == blank.names == ("ask", "fix", "ship")
    assert told.series.stratum.tolist() == [1, 0]
    assert blank.series.stratum.tolist() == [2]
    assert {*told.series.session.tolist()} == {*blank.series.session.tolist()}


def test_other_classes_leave_out_the_cause_itself_and_what_the_rule_brought() -> None:
    works = [ran(name, tools={"bash": 5}) for name in ("a", "b")]
    runs = {
        "missing": ["a", "b"], "missing: left-pad": ["a"], "timeout": ["a", "b"], "lint": ["b"],
        "new": ["a", "b"], "elsewhere": ["z"],
    }  # fmt: skip
    frame = framed(facts(works, **runs), Aim("errors", "missing: left-pad", ("bash",)))
    places: dict[str, Place] = {"a": "before", "b": "after"}
    found = other_classes(frame, unit("u", frame, places), frozenset({"new"}))
    assert list(found) == ["timeout", "lint"]
    assert found["lint"].errors.tolist() == [0, 1]
    assert found["lint"].occasions.tolist() == [5, 5]


def elsewhere() -> list[Worked]:
    return [
        ran(f"{project}{n}", n, tools={"bash": 2}, project=f"/repo/{project}")
        for project in ("shop", "blog", "till", "quiet")
        for n in (0, 20)
    ]


def test_other_projects_are_those_with_such_errors_the_most_first() -> None:
    frame = framed(facts(elsewhere(), lint=["shop0", "blog0", "till0", "till20"]))
    assert list(other_projects(frame, SPAN, "/repo/shop")) == ["/repo/till", "/repo/blog"]
    assert other_projects(frame, SPAN, "") == {}


@pytest.mark.parametrize("days", [-2, -0.5, 9.97, 9.999, 10, 10.5, 60, 79.99, 85, 95])
@pytest.mark.parametrize("state", ["settled", "running"])
def test_the_time_places_a_run_elsewhere_as_it_does_one_at_a_time(days: float, state: str) -> None:
    """The same decision twice: over columns for controls, and run by run for the rule's own."""
    work = ran("x", days, tools={"bash": 2}, project="/repo/blog", state=state)
    seen = facts([work], lint=["x"])
    listed = list(outcomes(AIM, seen))
    force = Force("rule", LANDED, Presence({}, frozenset()), blind=True)
    place = placed(listed, SPAN, force, project="")["x"]
    found = other_projects(framed(seen), SPAN, "/repo/shop")
    sides = [bool(day >= DAY) for one in found.values() for day in one.day]
    assert sides == {"before": [False], "after": [True]}.get(place, [])


def test_counts_are_worked_out_once_and_are_those_of_each_run() -> None:
    works = [ran("a", tools={"bash": 5}), ran("b", tools={"edit": 3})]
    known = columns(facts(works, lint=["a"]), BERLIN)
    counts = known.counts(AIM)
    told: Mapping[str, Outcome] = {o.work.run.run_id: o for o in outcomes(AIM, known.facts)}
    for run, row in known.rows.items():
        assert (counts.missed[row], counts.occasions[row]) == (
            told[run].missed, told[run].occasions,
        )  # fmt: skip
    assert known.counts(AIM) is counts
