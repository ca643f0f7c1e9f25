"""Genuine sessions of Gemini CLI and OpenCode in Entire checkpoints, against their READMEs.

Numbers stand as the READMEs have them; copies of a session count once.
"""

import hashlib
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from dream.records import Message, Session, Skip, ToolCall, Transcript
from dream.sources import HEAD, document, entire, gemini, opencode
from tests.corpora import Corpus
from tests.sources.stillness import listing

pytestmark = pytest.mark.shared


class Taken(NamedTuple):
    """What one reader takes of a corpus. One message a copy_key, one call an id."""

    transcripts: dict[Path, Transcript]
    sessions: dict[str, Session]
    messages: list[Message]
    calls: list[ToolCall]
    skips: list[Skip]

    def said(self, role: str, kind: str) -> int:
        return sum((message.role, message.kind) == (role, kind) for message in self.messages)

    def outcomes(self) -> Counter[str]:
        return Counter(call.status for call in self.calls)


def take(root: Path, reader: ModuleType) -> Taken:
    paths = [path for path in entire.find(root) if path.name == "full.jsonl"]
    own = [path for path in paths if reader.claims(path, path.read_bytes()[:HEAD])]
    transcripts = {path: one for path in own for one in entire.read(path, {}, root)}
    messages: dict[str, Message] = {}
    calls: dict[str, ToolCall] = {}
    for one in transcripts.values():
        for message in one.messages:
            messages.setdefault(message.copy_key, message)
        for call in one.calls:
            if call.call_id not in calls or calls[call.call_id].status == "unanswered":
                calls[call.call_id] = call
    return Taken(
        transcripts,
        {session.session_id: session for one in transcripts.values() for session in one.sessions},
        list(messages.values()),
        list(calls.values()),
        [skip for one in transcripts.values() for skip in one.skips],
    )


def envelopes(taken: Taken, role: str | None = None) -> int:
    """OpenCode's own messages, as stored."""
    found = set()
    for path in taken.transcripts:
        for message in json.loads(path.read_bytes())["messages"]:
            if role in (None, message["info"]["role"]):
                found.add(message["info"]["id"])
    return len(found)


def broken_off(taken: Taken) -> int:
    """Calls of OpenCode that did not end as they should and have no exit code."""
    return sum(c.exit_code is None and c.status in ("error", "interrupted") for c in taken.calls)


def test_gemini_sessions_of_three_agents_at_one_project(corpus: Corpus) -> None:
    taken = take(corpus("mixed-session-bridge"), gemini)
    assert len(taken.sessions) == 4
    assert {session.kind for session in taken.sessions.values()} == {"interactive"}
    assert len({message.message_id.split("#")[0] for message in taken.messages}) == 76
    assert taken.outcomes() == {"ok": 57, "refused": 1, "interrupted": 1}
    assert (taken.said("human", "prompt"), taken.said("injected", "interrupt")) == (11, 2)
    assert [(skip.reason, skip.lost) for skip in taken.skips] == [("not_told", False)]


def test_gemini_sessions_among_claude_s(corpus: Corpus) -> None:
    taken = take(corpus("claude-entire-cli-early"), gemini)
    assert len(taken.sessions) == 3
    assert taken.outcomes() == {"ok": 12}
    shells = [call for call in taken.calls if call.tool == "run_shell_command"]
    assert {call.exit_code for call in shells} == {0}
    # Of five files four hold a single prompt and nothing else that a person did.
    assert [(skip.reason, skip.lost) for skip in taken.skips] == [("not_told", False)] * 4


def test_opencode_sessions_of_three_agents_at_one_project(corpus: Corpus) -> None:
    taken = take(corpus("mixed-session-bridge"), opencode)
    kinds = Counter(session.kind for session in taken.sessions.values())
    assert kinds == {"interactive": 5, "subagent": 1}
    assert (envelopes(taken), len(taken.calls)) == (123, 144)
    assert broken_off(taken) == 1
    compactions = [one for each in taken.transcripts.values() for one in each.compactions]
    assert {(one.compaction_id, one.trigger) for one in compactions} == {
        (compactions[0].compaction_id, "auto")
    }
    assert taken.said("injected", "summary") == 1
    assert not any(skip.lost for skip in taken.skips)


def test_sessions_that_a_workflow_tool_drives_hold_no_word_of_a_person(corpus: Corpus) -> None:
    taken = take(corpus("opencode-gatomia"), opencode)
    assert (len(taken.sessions), envelopes(taken), len(taken.calls)) == (43, 1_051, 1_492)
    errors = {m.message_id for m in taken.messages if m.kind == "result"} & _status_error(taken)
    assert len(errors) == 16
    by_id = {call.result_id: call.status for call in taken.calls}
    assert {by_id[name] for name in errors} == {"error", "interrupted"}
    assert envelopes(taken, "user") == taken.said("injected", "prompt") == 46
    children = [one for one in taken.transcripts.values() if one.sessions[0].kind == "subagent"]
    assert len(children) == 4
    assert all(one.sessions[0].parent_id for one in children)
    kinds = Counter(session.kind for session in taken.sessions.values())
    assert kinds == {"headless": 42, "subagent": 1}
    assert not any(message.role == "human" for message in taken.messages)
    assert not any(skip.lost for skip in taken.skips)
    assert {message.model for message in taken.messages} >= {"gemini-3.1-pro-preview", "gpt-5.4"}


def _status_error(taken: Taken) -> set[str]:
    found = set()
    for path, one in taken.transcripts.items():
        for piece in document.pieces(path, opencode._OPENED, []):
            if len(piece.way) == 4 and piece.value.get("state", {}).get("status") == "error":
                found.add(f"{one.sessions[0].session_id}/{piece.value['id']}#result")
    return found


def test_one_opencode_session_among_pi_s(corpus: Corpus) -> None:
    taken = take(corpus("pi-raquezha"), opencode)
    assert len(taken.transcripts) == len(taken.sessions) == 1
    assert (taken.said("human", "prompt"), taken.said("assistant", "reply")) == (5, 5)


@pytest.mark.parametrize("reader", [gemini, opencode])
def test_every_message_leads_back_to_its_line_and_nothing_is_touched(
    corpus: Corpus, reader: ModuleType
) -> None:
    root = corpus("mixed-session-bridge")
    before = listing(root)
    taken = take(root, reader)
    for path, one in taken.transcripts.items():
        lines = path.read_text().split("\n")
        again = {message.digest for message in reader.transcript(path, "").messages}
        for message in one.messages:
            assert lines[message.line - 1].lstrip().endswith("{")
            assert message.digest in again
    ids = Counter(m.message_id for one in taken.transcripts.values() for m in one.messages)
    assert len(ids) == len(taken.messages)  # a copy has the same id and the same key
    assert listing(root) == before


def test_a_careful_reader_agrees_on_what_a_person_typed(corpus: Corpus, shared: Path) -> None:
    """Two of 23 differ: a person typed them into a workflow tool, which ran the agent headless.

    Nothing in the file tells them from the tool's own, and what may be a machine's is no evidence.
    """
    rows = [json.loads(r) for r in (shared / "labels/turns.jsonl").read_text().split("\n") if r]
    own = [row for row in rows if row["agent_format"] in ("gemini", "opencode")]
    read: dict[Path, Transcript] = {}
    wrong = []
    for row in own:
        path = corpus(row["corpus"]) / row["file"]
        if path not in read:
            (read[path],) = entire.read(path, {}, path.parent)
        there = [one for one in read[path].messages if _native(one) == row["message_id"]]
        assert there, row
        _same_words(there, row)
        if any(message.role == "human" for message in there) != row["human"]:
            wrong.append((row["human"], read[path].sessions[0].kind))
    assert len(own) == 23
    assert wrong == [(True, "headless")] * 2


def _native(message: Message) -> str:
    return message.message_id.rsplit("/", 1)[1].split("#")[0]


def _same_words(there: list[Message], row: dict[str, Any]) -> None:
    """The label's text is the whole content; a person's words may be a part of it."""
    whole = {hashlib.sha256(message.text.encode()).hexdigest() for message in there}
    assert row["text_sha256"] in whole or len(there) > 1
