"""The awkward inputs of ../shared/cases that concern candidates."""

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from dream.candidates import Facts, draft
from dream.clusters import group
from dream.config import Gates
from dream.types import Candidate, Drafts, ExistingRule, Judgement, JudgementKind, Scope
from tests.makers import judgement

pytestmark = pytest.mark.shared
ANY = Gates(rule_sessions=1, rule_days=1, error_sessions=1, error_days=1)


def lines(shared: Path, name: str) -> list[dict[str, Any]]:
    text = (shared / "cases" / "consolidation" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def heard(line: dict[str, Any], **more: Any) -> Judgement:
    session = line.get("forked_from") or line["session"]
    moment = datetime.fromisoformat(line["at"])
    kind: JudgementKind = "tool_error" if line.get("kind") == "tool_error" else "correction"
    return judgement(
        line["text"],
        kind=kind,
        session=session,
        message=f"{session}/{line['at']}",
        happened=moment,
        **more,
    )


def drafted(
    judgements: list[Judgement], gates: Gates, existing: tuple[ExistingRule, ...] = ()
) -> Drafts:
    by_id = {each.id: each for each in judgements}
    return draft(group(list(by_id.values()), {}), by_id, gates, existing, Facts())


@pytest.mark.parametrize("threshold", [2, 3])
def test_only_the_correction_of_three_sessions_passes(shared: Path, threshold: int) -> None:
    told = [heard(line) for line in lines(shared, "one-loud-session.jsonl")]
    gates = Gates(rule_sessions=threshold, error_sessions=threshold, error_days=1)
    drafts = drafted(told, gates)
    (rule,) = drafts.candidates
    assert (rule.body, rule.sessions) == ("Ask before you change the public API.", 3)
    (error,) = drafts.near_misses
    assert (error.gate, error.needed, error.got) == ("error_sessions", threshold, 1)


def test_opposites_settle_nothing(shared: Path) -> None:
    told = [line for line in lines(shared, "candidate-texts.jsonl") if line["case"] == "opposites"]
    for gates in (ANY, Gates()):
        drafts = drafted([heard(line) for line in told], gates)
        assert not drafts.candidates
        (contradiction,) = drafts.near_misses
        assert (contradiction.gate, contradiction.got) == ("contradicted", 0.5)
        assert contradiction.note.count("2 sessions") == 2
        for line in told:
            assert line["text"] in contradiction.note
            assert line["at"][:10] in contradiction.note


def test_junk_becomes_no_rule_however_low_the_gates(shared: Path) -> None:
    told = [line for line in lines(shared, "candidate-texts.jsonl") if line["case"] == "junk"]
    drafts = drafted([heard(line) for line in told], ANY)
    assert [each.body for each in drafts.candidates if each.kind == "rule"] == [told[-1]["text"]]
    texts = " ".join(f"{each.title} {each.body}" for each in drafts.candidates)
    for scrap in ("@@", "score", "sudo", "Decision"):
        assert scrap not in texts


def test_language_and_names_stay_as_they_were_written(shared: Path) -> None:
    told = [line for line in lines(shared, "candidate-texts.jsonl") if line["case"] == "language"]
    rules = drafted([heard(line) for line in told], ANY).candidates
    assert {each.body for each in rules if each.kind == "rule"} == {line["text"] for line in told}


def test_support_stays_in_its_project_and_nothing_becomes_global(shared: Path) -> None:
    told = lines(shared, "scopes.jsonl")
    judgements = [
        judgement(
            line["text"],
            session=line["session"],
            scope=Scope((line["git_common_dir"] or "").removesuffix("/.git")),
        )
        for line in told
        if line["session"] != "s-same-name"  # "this checkout" means nothing elsewhere
    ]
    found = {each.scope.project: each for each in drafted(judgements, ANY).candidates}
    assert {key: rule.sessions for key, rule in found.items()} == {
        "/repo/shop": 3,
        "": 1,
        "/repo/blog": 1,
    }
    assert any("scope unknown" in flag for flag in found[""].flags)
    assert not any("contradicts" in flag for rule in found.values() for flag in rule.flags)


def test_a_rule_with_an_end_is_time_bound_from_the_day_it_was_said(shared: Path) -> None:
    told = lines(shared, "relative-dates.jsonl")
    day = {0: {"valid_from": "2026-04-10"}, 2: {"valid_until": "2026-04-17"}}
    judgements = [
        judgement(
            told[number]["message"]["content"],
            message=told[number]["uuid"],
            happened=datetime.fromisoformat(told[number]["timestamp"]),
            detail=detail,
        )
        for number, detail in day.items()
    ]
    rules: list[Candidate] = list(drafted(judgements, ANY).candidates)
    assert {(rule.body, rule.valid_until) for rule in rules} == {
        ("Since 2026-04-10 the export needs a header row.", None),
        (
            "Until 2026-04-17 use the old price list, after that the new one.",
            date(2026, 4, 17),
        ),
    }


def test_what_the_rules_file_says_is_near_missed_with_its_line(shared: Path) -> None:
    path = shared / "cases" / "consolidation" / "existing-rules.md"
    existing = tuple(
        ExistingRule("AGENTS.md", number, line[2:].split(" (evidence")[0], "/repo/shop")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.startswith("- ")
    )
    told = [heard(line) for line in lines(shared, "one-loud-session.jsonl")]
    drafts = drafted(told, Gates(), existing)
    assert not drafts.candidates
    notes = {each.gate: each.note for each in drafts.near_misses}
    assert "AGENTS.md:5" in notes["already_said"]
