"""Adopted checks over recorded calls."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.audit.check import check, load
from dream.detector import Detector, RecordedCall, breaches, parse
from dream.errors import BadConfig
from dream.types import Check

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def call(
    tool: str = "Bash",
    session: str = "pi:a",
    number: int = 0,
    *,
    failed: bool = False,
    project: str = "shop",
    **arguments: Any,
) -> RecordedCall:
    return RecordedCall(
        call_id=f"{session}/{number}",
        session_id=session,
        run_id=f"{session}:1",
        message_id=f"{session}/m{number}",
        project=project,
        project_key=f"/repo/{project}" if project else "",
        tool=tool,
        arguments=json.dumps(arguments),
        failed=failed,
        happened=START + timedelta(minutes=number),
    )


class Recorded:
    """Rows that answer with the same calls, whatever is asked."""

    def __init__(self, *calls: RecordedCall) -> None:
        self.calls = calls

    def rows(self, name: str, into: type[Any], **params: Any) -> Iterator[Any]:
        assert (name, into, list(params)) == ("recorded_calls", RecordedCall, ["since"])
        yield from self.calls


def caught(detector: Detector, *calls: RecordedCall) -> list[str]:
    return [what for _, _, what in breaches({"check-1": detector}, calls)]


def test_a_program_is_found_wherever_it_stands_in_a_line() -> None:
    npm = parse({"detector": "call", "program": "npm", "has": ["install"]})
    lines = [
        call(command="cd web && npm install left"),
        call(command="npm test"),
        call(command="echo npm install"),
    ]
    assert caught(npm, *lines) == ["npm install left"]


def test_a_tool_may_be_named_as_an_agent_names_it() -> None:
    bash = parse({"detector": "call", "tool": "Bash", "has": ["--force"]})
    fetch = parse({"detector": "call", "tool": "WebFetch", "contains": "http:"})
    calls = [call(command="git push --force"), call("WebFetch", url="HTTP://x.y")]
    assert caught(bash, *calls) == ["git push --force"]
    assert caught(fetch, *calls) == ["WebFetch"]


def test_an_argument_that_must_be_there_is_missed() -> None:
    frozen = parse({"detector": "call", "program": "pnpm", "has": ["i"], "lacks": ["--frozen"]})
    lines = [call(command="pnpm i"), call(command="pnpm i --frozen=yes"), call(command="pnpm t")]
    assert caught(frozen, *lines) == ["pnpm i"]


def test_a_flag_of_any_program_and_a_literal_part_are_found() -> None:
    flag = parse({"detector": "call", "tool": "shell", "has": ["--no-verify"]})
    assert caught(flag, call(command="git commit --no-verify -m x")) == [
        "git commit --no-verify -m"
    ]
    trailer = parse({"detector": "call", "program": "git", "contains": "co-authored-by"})
    found = caught(trailer, call(command="git commit -m 'a\n\nCo-Authored-By: x'"))
    assert len(found) == 1


def test_a_folder_that_must_not_be_written_to_is_found_by_its_parts() -> None:
    vendor = parse({"detector": "call", "tool": "edit", "path": "vendor/"})
    calls = [
        call("Edit", file_path="/repo/shop/vendor/a.go"),
        call("MultiEdit", file_path="vendor"),
        call("Edit", file_path="/repo/shop/vendors/a.go"),
        call("Write", file_path="/repo/shop/vendor/b.go"),
    ]
    assert caught(vendor, *calls) == ["Edit", "MultiEdit"]


def test_an_edit_before_a_read_is_found_once_and_only_in_its_session() -> None:
    order = parse({"detector": "order", "tool": "edit", "needs": ["read", "write"]})
    calls = [
        call("Read", "pi:a", 0, file_path="/x/a.py"),
        call("Edit", "pi:a", 1, file_path="/x/a.py"),
        call("Edit", "pi:a", 2, file_path="/x/b.py"),
        call("Edit", "pi:a", 3, file_path="/x/b.py"),
        call("Edit", "pi:b", 0, file_path="/x/a.py"),
        call("Write", "pi:b", 1, file_path="/x/c.py"),
        call("Edit", "pi:b", 2, file_path="/x/c.py"),
    ]
    assert caught(order, *calls) == ["Edit b.py", "Edit a.py"]


def test_only_calls_that_failed_by_it_count_where_a_check_says_so() -> None:
    order = parse({"detector": "order", "tool": "edit", "needs": ["read"], "failed": "yes"})
    calls = [
        call("Edit", number=0, file_path="/x/a.py", failed=True),
        call("Read", number=1, file_path="/x/a.py"),
        call("Edit", number=2, file_path="/x/a.py", failed=True),
        call("Edit", number=3, file_path="/x/b.py"),
    ]
    assert caught(order, *calls) == ["Edit a.py"]


def test_a_check_of_one_project_leaves_the_others_alone() -> None:
    npm = parse({"detector": "call", "program": "npm", "project": "shop"})
    calls = [call(command="npm ci", project=name) for name in ("shop", "blog", "")]
    assert len(caught(npm, *calls)) == 1


@pytest.mark.parametrize(
    ("payload", "wrong"),
    [
        ({"detector": "call"}, "every call"),
        ({"detector": "order", "tool": "edit"}, "must come before"),
        ({"detector": "regex", "program": "npm"}, "call or order"),
        ({"detector": "call", "program": ["npm"]}, "program must be a text"),
        ({"detector": "call", "program": "npm", "has": "install"}, "has must be a list"),
        ({"detector": "call", "program": "npm", "pattern": ".*"}, "pattern is nothing"),
    ],
)
def test_a_detector_that_cannot_be_meant_is_refused(payload: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse(payload)


WORDS = st.lists(st.sampled_from(["install", "--force", "a b", "否"]), max_size=2)


@given(
    st.builds(
        Detector,
        kind=st.just("call"),
        program=st.sampled_from(["npm", "git"]),
        has=WORDS.map(tuple),
        lacks=WORDS.map(tuple),
        contains=st.sampled_from(["", "x: y"]),
        project=st.sampled_from(["", "shop"]),
    )
)
def test_what_a_check_file_holds_is_the_detector_again(detector: Detector) -> None:
    assert parse(detector.payload()) == detector


@given(st.text(max_size=60), st.sampled_from(["Bash", "Edit", "odd"]))
def test_any_recorded_call_is_looked_at_without_an_error(raw: str, tool: str) -> None:
    odd = RecordedCall("c", "s", "r", "m", "", "", tool, raw, False, None)
    nested = call(tool, command=raw, file_path=raw, path=[raw])
    npm = parse({"detector": "call", "program": "npm"})
    order = parse({"detector": "order", "tool": "edit", "needs": ["read"]})
    list(breaches({"a": npm, "b": order}, [odd, nested]))


def test_breaches_come_by_check_and_time_with_the_way_back() -> None:
    npm, git = ({"detector": "call", "program": name} for name in ("npm", "git"))
    rows = Recorded(call(command="npm ci", number=2), call(command="git push; npm i", number=1))
    found = check(rows, [Check("check-b", "b", npm), Check("check-a", "a", git)], START)
    assert [(each.check, each.call_id, each.what) for each in found] == [
        ("check-a", "pi:a/1", "git push"),
        ("check-b", "pi:a/1", "npm i"),
        ("check-b", "pi:a/2", "npm ci"),
    ]


def test_no_checks_read_nothing() -> None:
    class Unread:
        def rows(self, name: str, into: type[Any], **params: Any) -> Iterator[Any]:
            raise AssertionError("there was nothing to look for")

    assert check(Unread(), [], START) == []


GOOD = """\
id: "check-1234abcd"
title: "Use pnpm, not npm"
purpose: "Use pnpm, not npm."
detector:
  detector: "call"
  program: "npm"
"""


def test_checks_are_read_from_a_folder_and_a_repository_s_own_concern_it_alone(
    tmp_path: Path,
) -> None:
    own = tmp_path / "shop" / ".dream" / "checks"
    own.mkdir(parents=True)
    (own / "check-1234abcd.yaml").write_text(GOOD, encoding="utf-8")
    (found,) = load(own)
    assert (found.id, found.title) == ("check-1234abcd", "Use pnpm, not npm")
    assert found.project_key == str(tmp_path / "shop")
    assert check(Recorded(call(command="npm ci")), [found], START) == []
    (tmp_path / "check.yaml").write_text(GOOD, encoding="utf-8")
    (anywhere,) = load(tmp_path)
    assert len(check(Recorded(call(command="npm ci")), [anywhere], START)) == 1
    assert load(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("title: x\n", 1),
        ("title: x\ndetector:\n  detector: call\n", 2),
        ("a: [\n", 2),
        ("a: &x 1\nb: *x\n", 1),
    ],
)
def test_a_check_that_cannot_be_meant_names_its_file_and_line(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "check.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadConfig, match=rf"check\.yaml:{line}:"):
        load(tmp_path)


def test_a_check_holds_only_on_its_days(tmp_path: Path) -> None:
    head = 'detector: {detector: "call", program: "npm"}\n'
    days = {"early": "valid_from: 2026-03-03\n", "late": 'valid_until: "2026-03-01"\n', "now": ""}
    days["on"] = "valid_from: 2026-03-02\nvalid_until: 2026-03-02\n"
    for name, held in days.items():
        (tmp_path / f"{name}.yaml").write_text(head + held)
    rows: Any = Recorded(call(command="npm ci"))
    assert [each.check for each in check(rows, load(tmp_path), START)] == ["now", "on"]
    (tmp_path / "bad.yaml").write_text(head + "valid_from: tomorrow\n")
    with pytest.raises(BadConfig, match=r"bad\.yaml:2: valid_from: 'tomorrow' is no day"):
        load(tmp_path)
