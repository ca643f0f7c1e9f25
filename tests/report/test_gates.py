"""A near miss in plain words, whatever its gate."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from dream.config import Gates
from dream.gates import _TOLD, missed, subject

HOUSE = Path(__file__).parents[2]


def test_a_gate_is_told_with_what_was_there_and_what_was_needed() -> None:
    assert missed("rule_sessions", 2, 1) == (
        "heard in 1 of the 2 sessions that a rule needs (rule_sessions)"
    )
    assert missed("per_night", 12, 14) == "number 14 of a night that has room for 12 (per_night)"
    assert missed("already_said", 0.75, 0.996, "AGENTS.md:7 says it already") == (
        "100% like a rule that stands, and from 75% on nothing is proposed;"
        " AGENTS.md:7 says it already (already_said)"
    )
    assert missed("no_remedy", 1, 0, "only the error is known") == (
        "only the error is known (no_remedy)"
    )
    assert missed("not_general", 2, 1) == "it has 1 of 2 (not_general)"
    assert missed("brand_new", 2, 1) == "brand_new is 2, it has 1 (brand_new)"


def test_every_gate_that_a_stage_names_has_its_words() -> None:
    stages = [*(HOUSE / "dream/candidates").glob("*.py"), *(HOUSE / "dream/review").glob("*.py")]
    code = "".join(path.read_text("utf-8") for path in stages)
    named = re.findall(r'missed\(\s*(?:candidate, |made\.candidate, )?"(\w+)"', code)
    named += re.findall(r'\("(\w+)", (?:gates\.\w+|PROGRAMS), ', code)
    assert {"rule_sessions", "skill_steps", "not_general", "ended"} <= set(named)
    assert set(named) <= set(_TOLD)
    ones = {each.name for each in fields(Gates)}
    assert ones - set(_TOLD) <= {"contradiction"}  # its miss is called "contradicted"


@pytest.mark.parametrize(
    ("kind", "statement", "said"),
    [
        ("tool_error", "file_not_found", "file not found"),
        ("tool_error", "command_not_available: my_tool", "command not available: my_tool"),
        ("detour", "uv run pytest: test_failure", "uv run pytest: test failure"),
        ("preference", "Name it foo_bar.", "Name it foo_bar."),
    ],
)
def test_an_error_is_named_in_words(kind: str, statement: str, said: str) -> None:
    assert subject(kind, statement) == said
