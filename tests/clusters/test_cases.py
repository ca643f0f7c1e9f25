"""The awkward inputs of ../shared/cases that concern clusters."""

import itertools
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dream.clusters import group
from dream.types import Judgement, JudgementKind, Scope
from tests.makers import judgement

pytestmark = pytest.mark.shared
KINDS: dict[str, JudgementKind] = {"tool_error": "tool_error", "user_correction": "correction"}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def heard(line: dict[str, Any], number: int, project: str = "/repo/shop") -> Judgement:
    return judgement(
        line["text"],
        kind=KINDS[line.get("kind", "user_correction")],
        session=line.get("forked_from") or line["session"],
        message=f"{line.get('forked_from') or line['session']}/{line.get('at', number)}",
        happened=datetime.fromisoformat(line["at"]) if "at" in line else None,
        scope=Scope(project=project),
    )


def test_every_order_of_the_lines_gives_the_same_groups(shared: Path) -> None:
    heard_lines = [
        heard(line, n) for n, line in enumerate(lines(shared / "cases/audit/cluster-order.jsonl"))
    ]
    found = group(heard_lines, {})
    sessions = {each.id: each.session_id for each in heard_lines}
    assert sorted(sorted(sessions[m] for m in c.members) for c in found) == [
        ["s-1", "s-2", "s-3"],
        ["s-10"],
        ["s-4", "s-5", "s-6"],
        ["s-7", "s-8", "s-9"],
    ]
    turned = [heard_lines[n:] + heard_lines[:n] for n in range(len(heard_lines))]
    for shuffled in [*turned, heard_lines[::-1], sorted(heard_lines, key=lambda each: each.id)]:
        assert group(shuffled, {}) == found


def test_three_identical_lines_alone_are_a_group_of_three(shared: Path) -> None:
    heard_lines = [
        heard(line, n)
        for n, line in enumerate(lines(shared / "cases/audit/cluster-order.jsonl"))
        if line["session"] in {"s-7", "s-8", "s-9"}
    ]
    for some in itertools.permutations(heard_lines):
        assert [c.sessions for c in group(some, {})] == [3]


def test_one_loud_session_supports_its_error_once(shared: Path) -> None:
    told = lines(shared / "cases/consolidation/one-loud-session.jsonl")
    heard_lines = {each.id: each for each in (heard(line, n) for n, line in enumerate(told))}
    found = {c.kind: c for c in group(list(heard_lines.values()), {})}
    assert (found["tool_error"].sessions, len(found["tool_error"].members)) == (1, 12)
    assert (found["correction"].sessions, len(found["correction"].members)) == (3, 3)


def test_two_say_always_and_two_say_never(shared: Path) -> None:
    told = [
        line
        for line in lines(shared / "cases/consolidation/candidate-texts.jsonl")
        if line["case"] == "opposites"
    ]
    found = group([heard(line, n) for n, line in enumerate(told)], {})
    assert [(c.sessions, len(c.opposed)) for c in found] == [(2, 1), (2, 1)]


def test_sentences_in_four_scripts_keep_their_language(shared: Path) -> None:
    told = [
        line
        for line in lines(shared / "cases/consolidation/candidate-texts.jsonl")
        if line["case"] == "language"
    ]
    found = group([heard(line, n) for n, line in enumerate(told)], {})
    assert {c.statement: c.language for c in found} == {
        told[0]["text"]: "zh",
        told[1]["text"]: "other",
        told[2]["text"]: "other",
        told[3]["text"]: "other",
    }


def test_prices_have_three_witnesses_in_the_shop_and_the_blog_does_not_contradict(
    shared: Path,
) -> None:
    told = lines(shared / "cases/consolidation/scopes.jsonl")
    keys = [(line["git_common_dir"] or "").removesuffix("/.git") for line in told]
    found = group(
        [heard(line, n, key) for n, (line, key) in enumerate(zip(told, keys, strict=True))], {}
    )
    support = {(c.scope.project, c.statement): c.sessions for c in found}
    assert support == {
        ("/repo/shop", "Prices are stored in cents."): 3,
        ("", "Prices are stored in cents."): 1,
        ("/repo/blog", "Prices are stored in euros with two decimals."): 1,
        ("/archive/shop", "This checkout is read-only."): 1,
    }
    assert all(not c.opposed for c in found)
