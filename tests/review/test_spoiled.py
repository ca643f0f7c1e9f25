"""What a hand or another version did to files of ours in skills_out is told in words."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dream import judged
from dream.errors import StateBroken
from dream.judged import Judged
from dream.report.files import loaded
from dream.report.night import NightReport, ProposalLine
from dream.review.record import published
from dream.templates.json_text import json_bytes
from tests.review.tables import Tables
from tests.review.test_trace import evidence

LINE = ProposalLine("rule-1", "rule", "t", "p", 2, 2, 0, "AGENTS.md", True, (), "", "rule-1-t")
REPORT = NightReport("2026-04-12", (), (LINE,))


def published_case(tmp_path: Path) -> Path:
    evidence(tmp_path, Tables())
    (path,) = tmp_path.glob("*/*/evidence.json")
    return path


def wrong(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def damage(whole: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            whole = whole[int(step)] if step.isdigit() else whole[step]
        whole[last] = value

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        wrong("night", "soon"),
        wrong("project", 5),
        wrong("diff", []),
        wrong("content", None),
        wrong("candidate.id", None),
        wrong("candidate.title", 5),
        wrong("candidate.sessions", "x"),
        wrong("candidate.clusters", "c-1"),
        wrong("candidate.scope", None),
        wrong("evidence", {}),
        wrong("evidence.0.judgement", {}),
        wrong("evidence.0.judgement.start", "a"),
        wrong("evidence.0.judgement.message_id", 5),
        wrong("evidence.0.judgement.happened", "yesterday"),
        wrong("evidence.0.message.line", "7"),
        wrong("against", [5]),
    ],
)
def test_evidence_with_a_wrong_value_anywhere_is_named_and_passed_over(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None]
) -> None:
    path = published_case(tmp_path)
    assert len(list(published(tmp_path))) == 1
    value = json.loads(path.read_bytes())
    damage(value)
    path.write_text(json.dumps(value))
    troubles: list[str] = []
    assert list(published(tmp_path, troubles)) == []
    assert len(troubles) == 1
    assert "its proposal is passed over" in troubles[0]


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"[]", b"[" * 200_000, b"\xff", b"{}"])
def test_evidence_that_is_none_is_named_and_passed_over(tmp_path: Path, data: bytes) -> None:
    published_case(tmp_path).write_bytes(data)
    troubles: list[str] = []
    assert list(published(tmp_path, troubles)) == []
    assert len(troubles) == 1


@pytest.mark.parametrize(
    "damage",
    [
        wrong("totals", 5),
        wrong("proposals", "abc"),
        wrong("proposals", [5]),
        wrong("proposals.0.title", 5),
        wrong("proposals.0.sessions", "x"),
        wrong("night", None),
        wrong("misses", {}),
        wrong("stages", [[1]]),
    ],
)
def test_a_report_with_a_wrong_value_anywhere_is_refused_in_words(
    damage: Callable[[dict[str, Any]], None],
) -> None:
    value = json.loads(json_bytes(REPORT))
    assert loaded(json.dumps(value).encode(), Path("r")) == REPORT
    damage(value)
    for data in (json.dumps(value).encode(), b"null", b"[" * 200_000, b"{"):
        with pytest.raises(StateBroken, match="is not a report of this version"):
            loaded(data, Path("r"))


def test_of_what_another_version_thought_the_names_of_clusters_are_kept(tmp_path: Path) -> None:
    judged.save(tmp_path, Judged("a", (), (), {"j-1": "c-1"}))
    path = tmp_path / judged.NAME
    whole = json.loads(path.read_bytes())
    path.write_text(json.dumps({**whole, "judgements": [{"novel": 1}]}))
    assert judged.load(tmp_path) == Judged("", (), (), {"j-1": "c-1"})
    for data in (b"", b"null", b"[" * 200_000, b'{"registry":{"a":1}}'):
        path.write_bytes(data)
        assert judged.load(tmp_path) == Judged("", (), (), {})
