"""A rule's own unit and its controls, as columns."""

from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

from dream.aim import Aim
from dream.audit.errors_of import ErrorClass
from dream.audit.outcomes import Facts, Outcome, by_project
from dream.audit.presence import Presence
from dream.audit.request import Request
from dream.audit.sides import Place
from dream.audit.units import WITHHELD, other_classes, other_projects, stratum_of, unit
from dream.audit.worked import Worked
from tests.audit.work import START, ran

BERLIN = ZoneInfo("Europe/Berlin")
LANDED = START + timedelta(days=10)
DAY = LANDED.date().toordinal()


def test_a_kind_is_told_by_what_was_known_and_an_agent_by_its_larger_numbers() -> None:
    work = ran(task=Request("go_on", "small", 5, 0, False))
    work = replace(work, run=replace(work.run, agent_version="2.1.90", model=None))
    assert stratum_of(work, ("project", "task", "size", "model", "agent")) == (
        "shop, go on, small, no model told, pi 2.1"
    )


def test_a_day_tells_the_side_also_on_the_day_of_the_landing() -> None:
    early, late = ran("early", 9.99), ran("late", 10.01)
    places: dict[str, Place] = {"early": "before", "late": "after", "none": "crosses"}
    listed = [Outcome(each, 1, 4) for each in (early, late, ran("none", 10))]
    found = unit("u", listed, places, LANDED, BERLIN, ("task",))
    assert found.runs == ("early", "late")
    assert found.series.day.tolist() == [DAY - 1, DAY]
    assert found.series.errors.tolist() == [1, 1]
    assert found.series.steps.tolist() == [10, 10]


def test_strata_have_the_same_numbers_on_all_sides() -> None:
    tasks = [Request(kind, "small", 5, 0, False) for kind in ("fix", "ask", "ship")]
    runs = [ran(f"r{n}", n, task=task) for n, task in enumerate(tasks)]
    places: dict[str, Place] = {"r0": "before", "r1": "after", "r2": "withheld"}
    listed = [Outcome(each, 0, 1) for each in runs]
    told = unit("u", listed, places, LANDED, BERLIN, ("task",))
    blank = unit("u", listed, places, LANDED, BERLIN, ("task",), WITHHELD)
    assert told.names == blank.names == ("ask", "fix", "ship")
    assert told.series.stratum.tolist() == [1, 0]
    assert blank.series.stratum.tolist() == [2]


def facts(*works: Worked, **classes: ErrorClass) -> Facts:
    return Facts(works, classes, {}, Presence({}, frozenset()))


def broke(name: str, *runs: str) -> ErrorClass:
    return ErrorClass(name, {run: (f"{run}-1",) for run in runs}, frozenset({"bash"}))


def test_other_classes_leave_out_the_cause_itself_and_what_the_rule_brought() -> None:
    works = [ran(name, tools={"bash": 5}) for name in ("a", "b")]
    known = {
        "missing": broke("missing", "a", "b"),
        "missing: left-pad": broke("missing: left-pad", "a"),
        "timeout": broke("timeout", "a", "b"),
        "lint": broke("lint", "b"),
        "new": broke("new", "a", "b"),
        "elsewhere": broke("elsewhere", "z"),
    }
    aim = Aim("errors", "missing: left-pad", ("bash",))
    found = other_classes(aim, facts(*works, **known), works, frozenset({"new"}))
    assert list(found) == ["timeout", "lint"]
    assert [(each.missed, each.occasions) for each in found["lint"]] == [(0, 5), (1, 5)]


def test_other_projects_are_those_with_such_errors_the_most_first() -> None:
    works = [
        ran(f"{project}{n}", tools={"bash": 2}, project=f"/repo/{project}")
        for project in ("shop", "blog", "till", "quiet")
        for n in range(2)
    ]
    known = {"lint": broke("lint", "shop0", "blog0", "till0", "till1")}
    seen = facts(*works, **known)
    aim = Aim("errors", "lint", ("bash",))
    projects = by_project(seen.work)
    assert list(other_projects(aim, seen, projects, "/repo/shop")) == ["/repo/till", "/repo/blog"]
    assert other_projects(aim, seen, projects, "") == {}
