"""What else moved beside a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from dream.archive.archive import Archive
from dream.audit.beside import Moved, Rate, Sides, sides_of
from dream.audit.beside import classes_beside as classes_of
from dream.audit.beside import tools_beside as tools_of
from dream.audit.columns import columns
from dream.audit.errors_of import ErrorClass, corrections, error_classes, said
from dream.audit.outcomes import Facts
from dream.audit.output import Output, outputs
from dream.audit.presence import Presence
from dream.audit.worked import Worked
from dream.records import Message, ToolCall
from dream.types import Judgement
from tests.archive.fakes import House, call, message, talk
from tests.audit.work import ran
from tests.makers import judgement


def failed(statement: str, run: str, number: int, tool: str = "Bash", cause: str = "") -> Judgement:
    detail = {"cause": cause or statement, "call_id": f"{run}/{number}", "tool": tool}
    return judgement(
        statement, kind="tool_error", run=run, message=f"{run}/m{number}", detail=detail
    )


def side(count: int, errors: int, at: str, tool: str = "bash") -> list[Worked]:
    """Runs with ten calls each, so many of which failed, spread evenly."""
    share = [errors // count + (n < errors % count) for n in range(count)]
    return [
        ran(f"{at}{n}", tools={tool: 10}, failed={tool: share[n]} if share[n] else {})
        for n in range(count)
    ]


def of_class(name: str, *runs: Worked, tool: str = "bash") -> ErrorClass:
    """Every failed call of these runs."""
    calls = {
        run.run.run_id: tuple(f"{run.run.run_id}/{n}" for n in range(run.failed.get(tool, 0)))
        for run in runs
    }
    return ErrorClass(name, {run: ids for run, ids in calls.items() if ids}, frozenset({tool}))


def sided(before: Sequence[Worked], after: Sequence[Worked], *classes: ErrorClass) -> Sides:
    """Both sides in the columns of all their runs."""
    named = {one.name: one for one in classes}
    seen = Facts((*before, *after), named, {}, Presence({}, frozenset()))
    ids = [[work.run.run_id for work in side] for side in (before, after)]
    return sides_of(columns(seen, ZoneInfo("UTC")), *ids)


def tools_beside(before: Sequence[Worked], after: Sequence[Worked]) -> tuple[Moved, ...]:
    return tools_of(sided(before, after))


def classes_beside(
    before: Sequence[Worked],
    after: Sequence[Worked],
    classes: Sequence[ErrorClass],
    practised: frozenset[str] = frozenset(),
    calls: int = 0,
) -> tuple[Moved, ...]:
    return classes_of(sided(before, after, *classes), classes, practised, calls)


def test_a_class_holds_its_calls_once_and_its_tools() -> None:
    found = error_classes(
        [
            failed("missing_module: a", "r1", 1, cause="missing_module"),
            failed("missing_module: a", "r1", 1, cause="missing_module"),
            failed("missing_module: b", "r1", 2, cause="missing_module", tool="Shell"),
            failed("timeout", "r2", 1),
            judgement("Use tabs."),
        ]
    )
    assert {name: one.total for name, one in found.items()} == {
        "missing_module": 2, "missing_module: a": 1, "missing_module: b": 1, "timeout": 1,
    }  # fmt: skip
    assert found["missing_module"].tools == {"bash", "shell"}
    assert found["missing_module"].runs == {"r1": ("r1/1", "r1/2")}


def test_what_people_said_counts_by_run_and_a_message_corrects_once() -> None:
    tabs = judgement("Use tabs.", run="r1", message="m1")
    again = judgement("Use tabs!", run="r1", message="m1", kind="constraint")
    later = judgement("Use tabs.", run="r2", message="m2")
    broke = failed("timeout", "r2", 1)
    told = [tabs, again, later, broke]
    assert said(told, [tabs.id, later.id, broke.id]) == {"r1": 1, "r2": 1}
    assert corrections(told) == {"r1": 1, "r2": 1}


def test_a_rate_that_fell_with_no_rule_is_told_with_its_interval() -> None:
    (edit,) = tools_beside(side(50, 100, "b", "edit"), side(50, 40, "a", "edit"))
    assert (edit.name, edit.before, edit.after) == ("edit", Rate(100, 500), Rate(40, 500))
    assert edit.how == "fewer"
    assert edit.ratio is not None
    assert edit.low is not None
    assert edit.high is not None
    assert 0.2 < edit.low < edit.ratio < edit.high < 1


def test_errors_that_come_in_bunches_say_less_than_as_many_that_do_not() -> None:
    spread = tools_beside(side(50, 100, "b"), side(50, 50, "a"))[0]
    one = [ran(f"b{n}", tools={"bash": 10}, failed={"bash": 10}) for n in range(10)]
    bunched = tools_beside([*one, *side(40, 0, "c")], side(50, 50, "a"))[0]
    assert (spread.how, bunched.how) == ("fewer", "still")
    assert (spread.before, spread.ratio) == (bunched.before, bunched.ratio)


def test_few_errors_say_nothing_and_a_side_without_calls_neither() -> None:
    assert [each.how for each in tools_beside(side(5, 2, "b"), side(5, 2, "a"))] == ["few"]
    (one,) = tools_beside([], side(5, 20, "a"))
    assert (one.how, one.ratio, one.before.share) == ("few", None, None)


def brought(after: Sequence[Worked], practised: Mapping[str, int]) -> bool:
    """Whether errors are laid at the rule's door. practised: run -> its failed calls that did."""
    broke = of_class("unknown_command", *after)
    calls = frozenset(f"{run}/{n}" for run, count in practised.items() for n in range(count))
    (one,) = classes_beside(side(20, 0, "b"), after, [broke], calls, 60)
    return one.brought


def test_a_side_on_which_no_error_was_to_be_expected_tells_nothing() -> None:
    before, after = side(30, 50, "b"), side(1, 0, "a")  # 50 of 300 before: 1.6 of ten to come
    (found,) = tools_beside(before, after)
    assert found.how == "still"
    (found,) = tools_beside(side(30, 20, "b"), after)  # 20 of 300: not one
    assert (found.how, found.ratio) == ("few", None)


def test_errors_in_calls_that_do_what_the_rule_asks_are_brought_by_it() -> None:
    after = side(20, 20, "a")
    assert brought(after, {f"a{n}": 1 for n in range(20)})
    assert brought(after, {f"a{n}": 1 for n in range(17)})
    assert not brought(after, {f"a{n}": 1 for n in range(9)})
    assert not brought(side(20, 3, "a"), {f"a{n}": 1 for n in range(3)})


def test_errors_that_are_as_frequent_elsewhere_are_not_brought_by_the_rule() -> None:
    after = side(20, 20, "a")
    broke = of_class("unknown_command", *after)
    calls = frozenset(f"a{n}/0" for n in range(17))
    (one,) = classes_beside(side(20, 0, "b"), after, [broke], calls, 170)
    assert (one.practised, one.brought) == (Rate(17, 170), False)


def test_a_cause_of_one_kind_is_told_by_its_kind_and_the_frequent_come_first() -> None:
    after = side(20, 20, "a")
    kind = of_class("missing: left-pad", *after)
    rare = of_class("timeout", *after[:1])
    elsewhere = ErrorClass("other", {"x": ("x/1",)}, frozenset({"bash"}))
    found = classes_beside([], after, [rare, replace(kind, name="missing"), kind, elsewhere])
    assert [each.name for each in found] == ["missing: left-pad", "timeout"]


def test_results_are_measured_on_each_side_and_only_of_the_tools_named(tmp_path: Path) -> None:
    house = House(tmp_path)
    sizes = {"pi:a:1": (4, 10), "pi:a:2": (2, 3, 1000)}
    said_: list[Message] = []
    calls: list[ToolCall] = []
    for run, lengths in sizes.items():
        for size in lengths:
            number = len(said_)
            ask = message("x", number, role="assistant", id=f"m{number}", run=run)
            gave = message("y" * size, number + 1, role="tool", id=f"m{number + 1}", run=run)
            said_ += [ask, gave]
            one = call(ask, result_id=gave.message_id)
            calls.append(replace(one, tool="Read" if size == 1000 else "Bash"))
    house.put("a", talk("pi:a", *said_, calls=calls))
    house.night()
    with Archive.open(house.state) as archive:
        found = outputs(archive, ["pi:a:1"], ["pi:a:2"], ["bash"])
        nothing = outputs(archive, [], ["pi:a:2"], ["edit"])
    assert found.before == Output(False, 2, 7.0, 7.0)
    assert found.after == Output(True, 2, 2.5, 2.5)
    assert (nothing.before, nothing.after) == (None, None)
