"""What a rule is meant to improve, by its evidence or its own words."""

from typing import Any

from dream.aim import Aim
from dream.audit.aims import NOTHING, aim_of_candidate, aim_of_text
from dream.detector import parse
from dream.types import Candidate, Judgement, Scope
from tests.makers import judgement


def candidate(kind: str = "rule", body: str = "Be careful.", **payload: Any) -> Candidate:
    return Candidate(
        id=f"{kind}-1a2b3c4d",
        kind=kind,  # type: ignore[arg-type]  # a kind
        slug="x",
        title="x",
        body=body,
        applies="",
        counter_example="",
        valid_from=None,
        valid_until=None,
        scope=Scope("/repo/shop"),
        clusters=("c-0123456789ab",),
        evidence=(),
        against=(),
        sessions=3,
        days=2,
        score=0.9,
        payload=payload,
    )


def failed(statement: str, tool: str = "Edit") -> Judgement:
    return judgement(statement, kind="tool_error", detail={"tool": tool})


def test_a_rule_from_errors_counts_them_among_calls_of_their_tools_and_the_like() -> None:
    errors = [failed("edit_target_not_found"), failed("edit_target_not_found"), failed("timeout")]
    aim = aim_of_candidate(candidate(), errors)
    assert (aim.kind, aim.target) == ("errors", "edit_target_not_found")
    assert {"edit", "multiedit", "str_replace"} <= set(aim.tools)
    assert "bash" not in aim.tools
    assert aim_of_candidate(candidate(), [failed("x", "mcp__shop__find")]).tools == (
        "mcp__shop__find",
    )


def test_a_rule_from_words_counts_breaches_where_a_machine_can_see_them() -> None:
    said = [judgement("Use pnpm, never npm.")]
    never = parse({"detector": "call", "program": "npm"})
    aim = aim_of_candidate(candidate(), said, [never])
    assert aim == Aim(
        "breaches",
        "call among shell breaks npm",
        practices=({"practice": "call", "among": {"tool": "shell"}, "breaks": {"program": "npm"}},),
    )


def test_else_it_counts_that_it_has_to_be_said_again() -> None:
    aim = aim_of_candidate(candidate(), [judgement("Be careful.")])
    assert aim == Aim("said", "c-0123456789ab", cluster="c-0123456789ab")


def test_a_check_counts_what_it_finds_and_a_skill_is_meant_to_shorten_the_path() -> None:
    checked = candidate("check", detector="call", program="git", has=["push", "--force"])
    aim = aim_of_candidate(checked, [failed("timeout")])
    assert (aim.kind, aim.target) == ("breaches", "call among shell breaks git push --force")
    assert aim_of_candidate(candidate("skill"), []).shorter


def test_a_rule_that_a_person_wrote_is_held_to_the_first_kind_of_its_practices() -> None:
    text = "Run `make fmt && make lint` before committing. Do not use `x.y()`."
    aim = aim_of_text(text)
    assert [each["practice"] for each in aim.practices] == ["before", "before"]
    assert aim.target.count("; ") == 1


def test_words_that_no_machine_can_follow_aim_at_nothing_that_can_be_counted() -> None:
    assert aim_of_text("- **Model**: m-5.3") == NOTHING
    assert aim_of_text("Never use npm.", [parse({"detector": "call", "program": "npm"})]).target
