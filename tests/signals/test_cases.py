"""The awkward inputs of ../shared/cases/consolidation, as the signals stage sees them."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dream.signals.detect import detect
from dream.signals.signature import signature
from dream.sources import claude
from dream.types import Judgement
from tests.signals.relations import Relations
from tests.signals.talk import ALWAYS, Talk, judged


def lines(shared: Path, name: str) -> list[dict[str, str]]:
    path = shared / "cases" / "consolidation" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read(shared: Path, name: str, scratch: Path) -> Relations:
    path = shared / "cases" / "consolidation" / name
    return Relations(claude.read(path, {}, scratch))


def said(row: dict[str, str]) -> list[Judgement]:
    start = datetime.fromisoformat(row.get("at", "2026-04-01T08:00:00Z")) - timedelta(minutes=1)
    return judged(Talk(row["session"], start).person(row["text"]))


def test_a_rule_of_ours_and_the_models_echo_of_it_are_no_evidence(
    shared: Path, tmp_path: Path
) -> None:
    rows = read(shared, "echo-and-pasted-chat.jsonl", tmp_path)
    own = {"Run the linter before every commit.": datetime(2026, 4, 4, tzinfo=UTC)}
    found = detect(rows, ALWAYS, own=own)
    assert {each.session_id for each in found} == {"claude-code:sess-a"}
    assert {each.message_id.rpartition("/")[2][-1] for each in found} == {"4"}
    assert "Generated files are off limits." in {each.quote for each in found}
    assert not any(each.quote.lower().startswith(("user:", "assistant:")) for each in found)


def test_days_are_told_from_the_local_saturday(shared: Path, tmp_path: Path) -> None:
    rows = read(shared, "relative-dates.jsonl", tmp_path)
    since, until = detect(rows, ALWAYS, zone=ZoneInfo("Europe/Berlin"))
    assert since.detail["valid_from"] == "2026-04-10"
    assert until.detail["valid_until"] == "2026-04-17"
    assert {each.detail["said_on"] for each in (since, until)} == {"2026-04-11"}


@pytest.mark.parametrize("name", ["secrets.jsonl"])
def test_the_sentences_beside_a_secret_are_found(shared: Path, tmp_path: Path, name: str) -> None:
    quotes = {each.quote for each in detect(read(shared, name, tmp_path), ALWAYS)}
    assert any("always deploy from the release branch" in quote for quote in quotes)
    assert "Keys like that never go into the repository." in quotes
    assert "The password field must be masked on every form." in quotes


def test_opposites_are_found_with_their_stance(shared: Path) -> None:
    rows = [row for row in lines(shared, "candidate-texts.jsonl") if row["case"] == "opposites"]
    leanings = [(found[0].quote, found[0].polarity) for row in rows if (found := said(row))]
    assert leanings == [
        (row["text"], "do_not" if "ever" in row["text"][:5] or "not" in row["text"] else "do")
        for row in rows
    ]


def test_junk_says_nothing_and_the_sentence_beside_it_does(shared: Path) -> None:
    rows = [row for row in lines(shared, "candidate-texts.jsonl") if row["case"] == "junk"]
    assert [row["session"] for row in rows if said(row)] == ["s-6"]


def test_four_scripts_are_found_and_kept_as_written(shared: Path) -> None:
    rows = [row for row in lines(shared, "candidate-texts.jsonl") if row["case"] == "language"]
    found = [said(row)[0] for row in rows]
    assert [each.quote for each in found] == [row["text"] for row in rows]
    assert [each.language for each in found] == ["zh", "other", "other", "other"]


def test_a_loud_session_has_one_statement_and_three_sessions_say_the_correction(
    shared: Path,
) -> None:
    rows = lines(shared, "one-loud-session.jsonl")
    told = {
        str(signature("bash", "{}", row["text"])) for row in rows if row["kind"] == "tool_error"
    }
    assert told == {"missing_module: queue_client"}
    corrections = [said(row)[0] for row in rows if row["kind"] == "user_correction"]
    assert len(Counter(each.statement for each in corrections)) == 1


def test_a_sentence_of_three_sessions_is_found_with_the_project_of_its_row(shared: Path) -> None:
    rows = [row for row in lines(shared, "scopes.jsonl") if "cents" in row["text"]][:3]
    start = datetime(2026, 4, 1, tzinfo=UTC)
    talks = [
        Talk(row["session"], start + timedelta(days=day)).person(row["text"])
        for day, row in enumerate(rows)
    ]
    found = judged(*talks)
    assert len({each.session_id for each in found}) == 3
    assert {each.scope.project for each in found} == {"/repo/shop"}
