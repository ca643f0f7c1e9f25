"""Genuine rollouts of Codex and sessions of the Copilot CLI, as three corpora's READMEs count them.

Every number stands as the README has it, none with a tolerance. The files lie in the layout of the
Entire CLI, many of them several times, each time a bit longer.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from dream.records import Message, ToolCall, Transcript
from dream.sources import HEAD, codex, copilot, entire, jsonl
from tests.corpora import Corpus


class Taken(NamedTuple):
    """What one format gives of one corpus. Each message once, as a night would keep them."""

    root: Path
    transcripts: dict[Path, Transcript]
    messages: list[Message]
    calls: dict[str, ToolCall]

    def kinds(self) -> Counter[tuple[str, str]]:
        return Counter((message.role, message.kind) for message in self.messages)

    def sessions(self) -> dict[str, str]:
        every = (session for one in self.transcripts.values() for session in one.sessions)
        return {session.session_id: session.kind for session in every}

    def compactions(self) -> Counter[str]:
        every = (one for made in self.transcripts.values() for one in made.compactions)
        return Counter(trigger for _, _, trigger in {
            (one.session_id, one.happened, one.trigger) for one in every
        })  # fmt: skip

    def lost(self) -> dict[str, int]:
        every = (skip for one in self.transcripts.values() for skip in one.skips)
        return {skip.detail: skip.count for skip in every if skip.lost}


def taken(root: Path, one: ModuleType) -> Taken:
    paths = [path for path in entire.find(root) if one.claims(path, _head(path))]
    transcripts = {path: made for path in paths for made in entire.read(path, {}, root)}
    messages: dict[tuple[str, str], Message] = {}
    calls: dict[str, ToolCall] = {}
    for made in transcripts.values():
        for message in made.messages:
            messages.setdefault((message.session_id, message.copy_key), message)
        for call in made.calls:
            if call.call_id not in calls or calls[call.call_id].result_id is None:
                calls[call.call_id] = call
    return Taken(root, transcripts, list(messages.values()), calls)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


class Rollouts(NamedTuple):
    """One corpus's Codex part."""

    corpus: str
    files: int
    sessions: int
    rows: int  # distinct by thread, time, type and bytes
    calls: int  # of functions and custom tools; searches that the provider ran are not counted
    exits: int  # other than 0
    prompts: int  # user messages of the client, two of them not typed
    untyped: int
    compactions: dict[str, int]
    interrupts: int


AGENTV = Rollouts("codex-agentv", 26, 20, 17_725, 4_096, 180, 208, 0, {"auto": 12, "manual": 1}, 8)
BRIDGE = Rollouts("mixed-session-bridge", 25, 17, 7_144, 1_499, 77, 57, 2, {"auto": 2}, 3)


@pytest.fixture(scope="module", params=[AGENTV, BRIDGE], ids=lambda facts: facts.corpus)
def rollouts(request: pytest.FixtureRequest, corpus: Corpus) -> tuple[Rollouts, Taken]:
    facts: Rollouts = request.param
    return facts, taken(corpus(facts.corpus), codex)


def test_codex_comes_to_what_the_readme_counts(rollouts: tuple[Rollouts, Taken]) -> None:
    facts, seen = rollouts
    assert len(seen.transcripts) == facts.files
    assert len(seen.sessions()) == facts.sessions
    assert set(seen.sessions().values()) == {"interactive"}
    asked = [call for call in seen.calls.values() if call.tool not in ("web_search", "tool_search")]
    assert len(asked) == facts.calls
    assert sum(bool(call.exit_code) for call in asked) == facts.exits
    assert seen.kinds()["human", "prompt"] == facts.prompts - facts.untyped
    assert seen.compactions() == facts.compactions
    assert seen.kinds()["injected", "interrupt"] == facts.interrupts


def test_no_line_of_a_rollout_is_lost(rollouts: tuple[Rollouts, Taken]) -> None:
    facts, seen = rollouts
    rows: set[tuple[str, str, str, str]] = set()
    for path, made in seen.transcripts.items():
        (session,) = made.sessions
        lines = list(jsonl.lines(path, []))
        assert made.records == len(lines)
        for line in lines:
            stamp, kind = line.value["timestamp"], line.value["type"]
            rows.add((session.session_id, stamp, kind, jsonl.digest_of(line.raw)))
    assert len(rows) == facts.rows
    assert seen.lost() == {}


def test_tokens_come_to_the_last_running_total(rollouts: tuple[Rollouts, Taken]) -> None:
    for path, made in rollouts[1].transcripts.items():
        totals = [
            line.value["payload"]["info"]["total_token_usage"]
            for line in jsonl.lines(path, [])
            if line.value["payload"].get("type") == "token_count" and line.value["payload"]["info"]
        ]
        assert sum(one.tokens_in or 0 for one in made.messages) == totals[-1]["input_tokens"]
        assert sum(one.tokens_out or 0 for one in made.messages) == totals[-1]["output_tokens"]


def test_every_call_that_ended_well_or_badly_has_its_result(
    rollouts: tuple[Rollouts, Taken],
) -> None:
    _, seen = rollouts
    results = {one.message_id for one in seen.messages if one.kind == "result"}
    answered = [one for one in seen.calls.values() if one.tool != "web_search"]
    assert all(one.result_id in results for one in answered if one.status != "unanswered")
    assert sum(one.status == "unanswered" for one in answered) < len(answered) / 500


class Events(NamedTuple):
    """One corpus's Copilot part."""

    corpus: str
    files: int
    sessions: dict[str, int]
    events: int  # distinct
    runs: int  # of tools, completed
    failed: int  # of them, by the client's word
    prompts: int  # user messages that no skill put there
    typed: int


COPILOT = (
    Events("codex-agentv", 13, {"headless": 10, "interactive": 2}, 1_171, 129, 2, 15, 4),
    Events("opencode-gatomia", 5, {"interactive": 1}, 215, 33, 0, 1, 1),
)


@pytest.mark.parametrize("facts", COPILOT, ids=lambda facts: facts.corpus)
def test_copilot_comes_to_what_the_readme_counts(facts: Events, corpus: Corpus) -> None:
    seen = taken(corpus(facts.corpus), copilot)
    assert len(seen.transcripts) == facts.files
    assert Counter(seen.sessions().values()) == facts.sessions
    assert len(seen.calls) == facts.runs
    assert all(call.result_id for call in seen.calls.values())
    failed = [call for call in seen.calls.values() if call.status == "error"]
    assert sum(call.exit_code is None for call in failed) == facts.failed
    prompts = Counter(one.role for one in seen.messages if one.kind == "prompt")
    assert (prompts.total(), prompts["human"]) == (facts.prompts, facts.typed)
    events = {
        line.value["id"] for path in seen.transcripts for line in jsonl.lines(path, [])
    }  # fmt: skip
    assert len(events) == facts.events
    assert seen.lost() == {}


def labelled(shared: Path, name: str) -> list[dict[str, Any]]:
    every = (json.loads(row) for row in (shared / "labels" / name).read_text().split("\n") if row)
    return [row for row in every if row["agent_format"] in ("codex", "copilot")]


def test_a_careful_reader_agrees_on_which_results_are_marked_as_failed(
    corpus: Corpus, shared: Path
) -> None:
    rows = labelled(shared, "errors.jsonl")
    right = [_failed(corpus(row["corpus"]), row) == row["flagged_by_tool"] for row in rows]
    assert len(rows) == 74
    assert all(right)


def _failed(root: Path, row: dict[str, Any]) -> bool:
    (made,) = entire.read(root / row["file"], {}, root)
    (result,) = (one for one in made.messages if one.line == row["line"] and one.kind == "result")
    (call,) = (one for one in made.calls if one.result_id == result.message_id)
    return call.status != "ok"


def test_a_careful_reader_agrees_on_what_a_person_typed(corpus: Corpus, shared: Path) -> None:
    rows = labelled(shared, "turns.jsonl")
    right = [_human(corpus(row["corpus"]), row) == row["human"] for row in rows]
    assert len(rows) == 127
    assert sum(right) / len(right) >= 0.995


def _human(root: Path, row: dict[str, Any]) -> bool:
    """Whether words of the labelled text are a person's: it may hold a client's words as well."""
    path = root / row["file"]
    (made,) = entire.read(path, {}, root)
    (line,) = (one for one in jsonl.lines(path, []) if one.number == row["line"])
    words = line.value.get("data", {}).get("content")
    if words is None:
        words = line.value["payload"]["content"][row["block"]]["text"]
    assert hashlib.sha256(words.encode()).hexdigest() == row["text_sha256"]
    there = [message for message in made.messages if message.line == row["line"]]
    return any(message.role == "human" and message.text in words for message in there)
