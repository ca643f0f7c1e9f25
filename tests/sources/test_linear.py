"""Sessions told message by message: runs, what was taken back, and context that was replaced."""

from datetime import UTC, datetime

import pytest

from dream.records import SessionKind
from dream.sources.linear import Counts, Linear, Place

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def place(line: int, lost: int = 0) -> Place:
    return Place(line, f"d{line}", NOW, 1_772_442_000_000 + line, lost)


def talk(kind: SessionKind = "interactive") -> Linear:
    return Linear("x:s", kind)


def test_a_run_begins_at_each_prompt_and_what_stands_before_is_number_0() -> None:
    told = talk()
    told.tell("a", "injected", "meta", "context", place(1))
    told.tell("b", "human", "prompt", "go", place(2))
    reply = told.tell("c", "assistant", "reply", "done", place(3))
    told.tell("d", "human", "prompt", "more", place(4))
    told.ask(told.tell("e", "assistant", "reply", "", place(5)), "k", "t", "{}", "ok", place(5))
    assert [(run.run_id, run.number, run.state) for run in told.runs()] == [
        ("x:s:start", 0, "settled"),
        ("x:s:b", 1, "settled"),
        ("x:s:d", 2, "stopped"),
    ]
    assert reply.parent == "x:s/b"
    assert reply.number == 2


def test_a_run_that_ends_with_a_call_broken_off_was_interrupted() -> None:
    told = talk()
    told.tell("a", "human", "prompt", "go", place(1))
    asking = told.tell("b", "assistant", "reply", "", place(2))
    result = told.tell("c", "tool", "result", "cancelled", place(2))
    told.ask(asking, "k", "t", "{}", "interrupted", place(2), result=result)
    assert [run.state for run in told.runs()] == ["interrupted"]


@pytest.mark.parametrize("kind", ["subagent", "headless", "review", "unknown"])
def test_where_no_person_talks_nothing_is_a_persons(kind: SessionKind) -> None:
    told = talk(kind)
    assert told.tell("a", "human", "prompt", "go", place(1)).role == "injected"
    assert told.tell("b", "human", "refusal", "no", place(2)).role == "injected"
    assert [run.run_id for run in told.runs()] == ["x:s:start"]


def test_each_undo_is_a_branch_that_leaves_the_path_where_it_went_on() -> None:
    told = talk()
    told.tell("a", "human", "prompt", "go", place(1))
    told.tell("b", "human", "prompt", "one way", place(2, lost=1))
    told.tell("c", "assistant", "reply", "tried", place(3, lost=1))
    told.tell("d", "human", "prompt", "another", place(4, lost=2))
    last = told.tell("e", "assistant", "reply", "done", place(5))
    assert (last.parent, last.run_id) == ("x:s/a", "x:s:a")
    assert [
        (one.branch_id, one.active, one.length, one.fork_point, one.reason)
        for one in told.branches()
    ] == [
        ("x:s/e", True, 2, None, None),
        ("x:s/c", False, 3, "x:s/a", "reset"),
        ("x:s/d", False, 2, "x:s/a", "reset"),
    ]
    assert [message.active for message in told.messages] == [True, False, False, False, True]


def test_a_compaction_said_twice_in_a_row_is_one() -> None:
    told = talk()
    told.tell("a", "human", "prompt", "go", place(1))
    told.compacted("b", "auto", place(2))
    told.tell("c", "injected", "summary", "so far", place(3))
    told.compacted("d", "unknown", place(4), before=900)
    told.tell("e", "assistant", "reply", "on", place(5))
    told.compacted("f", "manual", place(6))
    assert [(one.compaction_id, one.trigger, one.number, one.tokens_before)
            for one in told.compactions] == [
        ("x:s/b", "auto", 1, 900),
        ("x:s/f", "manual", 3, None),
    ]  # fmt: skip


def test_an_id_used_again_names_another_message_and_another_call() -> None:
    told = talk()
    first, second = (told.tell("a", "assistant", "reply", "x", place(line)) for line in (1, 2))
    assert (first.message_id, second.message_id) == ("x:s/a", "x:s/a.L2")
    for message in (first, second):
        told.ask(message, "k", "t", "{}", "ok", place(message.line))
        told.ask(message, "", "t", "{}", "ok", place(message.line), order=1)
    assert len({call.call_id for call in told.calls}) == 4


def test_what_is_passed_over_is_one_skip_a_name() -> None:
    counts = Counts()
    for line in (3, 4):
        counts.add("housekeeping", "part patch", line)
    counts.add("unknown_type", "x" * 99, 5)
    assert [(s.reason, s.line, s.detail, s.lost, s.count) for s in counts.skips()] == [
        ("housekeeping", 3, "part patch", False, 2),
        ("unknown_type", 5, "x" * 60, True, 1),
    ]
