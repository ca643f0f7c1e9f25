"""What a rule asks of calls, counted over recorded ones."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream import written
from dream.detector import RecordedCall
from dream.practice import Tally, read, tallies

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PREFIX = {"practice": "call", "among": {"tool": "shell"}, "wants": {"program": "rtk"}}
LINES = {"practice": "line", "files": [".go"], "parts": ["fmt.Print", "print("]}
FORMAT = {
    "practice": "before",
    "among": {"program": "git", "has": ["commit"]},
    "wants": {"program": "mise", "has": ["run", "fmt"]},
    "files": [".go"],
}


def call(tool: str = "Bash", *, run: int = 1, session: str = "pi:a", **more: Any) -> RecordedCall:
    about = {name: more.pop(name) for name in ("failed", "refused") if name in more}
    return RecordedCall(
        call_id=f"{session}/{run}-{len(str(more))}",
        session_id=session,
        run_id=f"{session}:{run}",
        message_id=f"{session}/m",
        project="shop",
        project_key="/repo/shop",
        tool=tool,
        arguments=json.dumps(more),
        failed=about.get("failed", False),
        happened=START + timedelta(minutes=run),
        refused=about.get("refused", False),
    )


def counted(practice: Mapping[str, Any], *calls: RecordedCall) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for tally in tallies({"it": read(practice)}, calls):
        occasions, broken = found.get(tally.run_id, (0, 0))
        found[tally.run_id] = (occasions + tally.occasions, broken + tally.broken)
    return found


def test_a_call_that_lacks_what_is_wanted_breaks_the_practice() -> None:
    calls = [
        call(command="rtk git status"),
        call(command="cd web && rtk ls"),
        call(command="ls", run=2),
        call("Read", file_path="rtk.md", run=2),
    ]
    assert counted(PREFIX, *calls) == {"pi:a:1": (2, 0), "pi:a:2": (1, 1)}


def test_a_practice_may_say_what_breaks_it_instead() -> None:
    npm = {
        "practice": "call",
        "among": {"program": "npm"},
        "breaks": {"program": "npm", "has": ["install"]},
    }
    calls = [call(command="npm install"), call(command="npm test"), call(command="echo npm")]
    assert counted(npm, *calls) == {"pi:a:1": (2, 1)}


def test_lines_are_counted_as_they_were_added_and_tests_are_left_out() -> None:
    calls = [
        call("Write", file_path="a.go", content="x\nfmt.Println(x)"),
        call("Edit", file_path="a.go", old_string="one\ntwo", new_string="two\nprint(2)\nthree"),
        call("Write", file_path="a_test.go", content="fmt.Print(1)"),
        call("Write", file_path="a.py", content="print(1)"),
        call("apply_patch", input="*** Update File: b.go\n+fmt.Printf(y)\n-fmt.Print(x)\n z"),
        call("Write", file_path="a.go", content="fmt.Print(1)", failed=True),
        call("Write", file_path="a.go", content="fmt.Print(1)", refused=True),
    ]
    assert counted(LINES, *calls) == {"pi:a:1": (5, 3)}
    with_tests = {**LINES, "tests": "yes"}
    assert counted(with_tests, calls[2]) == {"pi:a:1": (1, 1)}


def test_an_edit_list_adds_the_lines_of_each_of_its_edits() -> None:
    edits = [{"old_string": "a", "new_string": "a\nb"}, {"old_string": "", "new_string": "c"}]
    assert list(written.lines({"file_path": "a.go", "edits": edits})) == [
        ("a.go", "b"),
        ("a.go", "c"),
    ]


def test_a_commit_needs_a_format_run_since_the_last_edit() -> None:
    edit = call("Edit", file_path="a.go", old_string="", new_string="x")
    other = call("Edit", file_path="a.md", old_string="", new_string="x")
    fmt, commit = call(command="mise run fmt"), call(command="git commit -m x")
    both = call(command="mise run fmt && git commit -m x")
    assert counted(FORMAT, edit, fmt, commit) == {"pi:a:1": (1, 0)}
    assert counted(FORMAT, edit, commit) == {"pi:a:1": (1, 1)}
    assert counted(FORMAT, fmt, edit, commit) == {"pi:a:1": (1, 1)}
    assert counted(FORMAT, edit, both) == {"pi:a:1": (1, 0)}
    assert counted(FORMAT, edit, fmt, other, commit, commit) == {"pi:a:1": (1, 0)}
    assert counted(FORMAT, other, commit) == {}


def test_another_session_remembers_nothing_of_the_one_before() -> None:
    edit = call("Edit", file_path="a.go", old_string="", new_string="x")
    commit = call(command="git commit", session="pi:b")
    assert counted(FORMAT, edit, commit) == {}


def test_the_first_calls_that_broke_it_are_kept_to_show() -> None:
    calls = [call(command="ls" + " a" * n) for n in range(5)]
    (tally,) = tallies({"it": read(PREFIX)}, calls)
    assert tally == Tally("it", "pi:a:1", 5, 5, tuple(each.call_id for each in calls[:3]))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({}, "practice must be"),
        ({"practice": "line"}, "a line needs parts"),
        ({"practice": "line", "parts": "x"}, "parts must be a list"),
        ({"practice": "call", "wants": {"program": "a"}}, "among which calls"),
        ({"practice": "call", "among": {"tool": "shell"}}, "either has what it wants"),
        ({"practice": "before", "among": {"tool": "shell"}}, "has to come before"),
        ({"practice": "call", "among": {}}, "find every call"),
        ({"practice": "call", "among": 1}, "among must be a mapping"),
        ({"practice": "line", "parts": ["x"], "else": 1}, "else is nothing"),
    ],
)
def test_a_practice_that_cannot_be_meant_is_refused_with_the_reason(
    wrong: Mapping[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        read(wrong)


@pytest.mark.parametrize("payload", [PREFIX, LINES, FORMAT])
def test_a_practice_is_read_back_as_it_was_written(payload: Mapping[str, Any]) -> None:
    assert read(payload).payload() == payload


@given(st.dictionaries(st.text(), st.text() | st.lists(st.text()) | st.integers()), st.text())
def test_no_arguments_of_a_call_stop_the_count(given: dict[str, Any], raw: str) -> None:
    practices = {"prefix": read(PREFIX), "lines": read(LINES), "format": read(FORMAT)}
    odd = [call("Bash", command=raw), call("Edit"), call("Write", file_path="a.go")]
    odd += [RecordedCall("c", "s", "r", "m", "", "", tool, text, False, None)
            for tool in ("Bash", "Edit") for text in (json.dumps(given), raw)]  # fmt: skip
    for tally in tallies(practices, odd):
        assert 0 <= tally.broken <= tally.occasions
