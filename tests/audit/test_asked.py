"""The practices that a rule's own words ask for."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.audit.asked import of_detectors, practices
from dream.detector import parse
from dream.practice import read


def asked(text: str) -> list[dict[str, Any]]:
    return [each.payload() for each in practices(text)]


GIT_COMMIT = {"program": "git", "has": ["commit"]}


@pytest.mark.parametrize(
    "text",
    [
        "**Always prefix commands with `rtk`**.",
        "Run every shell command through `rtk`.",
        "所有命令前面加 `rtk`。",
    ],
)
def test_a_prefix_is_wanted_of_every_shell_command(text: str) -> None:
    wanted = {"practice": "call", "among": {"tool": "shell"}, "wants": {"program": "rtk"}}
    assert asked(text) == [wanted]


@pytest.mark.parametrize(
    "text",
    [
        "Always run `make fmt && make lint` before committing.",
        "提交之前先跑 `make fmt && make lint`。",
    ],
)
def test_each_command_before_a_commit_is_a_practice_of_its_own(text: str) -> None:
    before = {"practice": "before", "among": GIT_COMMIT}
    assert asked(text) == [
        {**before, "wants": {"program": "make", "has": ["fmt"]}},
        {**before, "wants": {"program": "make", "has": ["lint"]}},
    ]


def test_a_name_that_must_not_be_used_is_looked_for_in_written_lines() -> None:
    text = "Do not use `fmt.Print*` here.\n```go\nfmt.Println(1)\n```\nUse `log.Info()`."
    assert asked(text) == [{"practice": "line", "files": [".go"], "parts": ["fmt.Print"]}]
    assert asked("Use the root, not `os.Getwd()`.") == [
        {"practice": "line", "parts": ["os.Getwd("]}
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The shop uses `os.Getwd()` to find its root.",
        "Be careful with money.",
        "Do not commit `.env` files.",
        "Prefix branches with `feature`.",
        "",
    ],
)
def test_words_that_ask_for_nothing_a_machine_can_follow_give_nothing(text: str) -> None:
    assert asked(text) == []


def test_a_detector_is_counted_among_calls_that_the_rule_does_not_change() -> None:
    never = parse({"detector": "call", "program": "npm", "has": ["install"]})
    frozen = parse({"detector": "call", "program": "pnpm", "has": ["i"], "lacks": ["--frozen"]})
    folder = parse({"detector": "call", "tool": "edit", "path": "vendor"})
    order = parse({"detector": "order", "tool": "edit", "needs": ["read"]})
    assert [each.payload() for each in of_detectors([never, frozen, folder, order])] == [
        {
            "practice": "call",
            "among": {"tool": "shell"},
            "breaks": {"program": "npm", "has": ["install"]},
        },
        {
            "practice": "call",
            "among": {"program": "pnpm", "has": ["i"]},
            "wants": {"program": "pnpm", "has": ["i", "--frozen"]},
        },
        {
            "practice": "call",
            "among": {"tool": "edit"},
            "breaks": {"tool": "edit", "path": "vendor"},
        },
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("corpus", "rules"),
    [
        ("claude-context-evaluator", {"rtk-prefix": 1}),
        ("claude-entire-cli-early", {"repo-root": 1, "fmt-and-lint": 2, "logging-vs-output": 1}),
    ],
)
def test_rules_that_people_wrote_give_a_practice_where_a_machine_can_follow_them(
    shared: Path, corpus: str, rules: dict[str, int]
) -> None:
    listed = json.loads((shared / "corpora" / corpus / "rules.json").read_bytes())["rules"]
    found = {one["rule_id"]: len(practices("\n".join(one["added"]))) for one in listed}
    assert {name: count for name, count in found.items() if count} == rules


@given(st.text())
def test_whatever_is_found_can_be_read_back_from_a_plan(text: str) -> None:
    for each in practices(text):
        assert read(each.payload()) == each
