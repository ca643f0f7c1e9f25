"""Two genuine corpora of Claude Code sessions in Entire checkpoints, against their READMEs.

Numbers stand as the READMEs have them. Where these say "about", the tolerance is two percent.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dream.records import Message, ToolCall, Transcript
from dream.sources import HEAD, entire, jsonl
from tests.corpora import Corpus


class Facts(NamedTuple):
    corpus: str
    files: int
    transcripts: int
    sessions: int  # Claude Code's, by the ids in the lines
    lines: int  # of JSONL files
    bad_lines: int  # that do not parse
    uuids: int  # distinct, in the lines that parse
    calls: int
    failed: int  # calls with an error result
    about_prompts: int  # accepted plans among them
    interrupts: int
    refusals: int
    summaries: int | None  # of compactions
    foreign: int  # files of another agent


EARLY = Facts("claude-entire-cli-early", 910, 188, 119, 42_255, 7, 38_725, 9_185, 402, 972, 41, 79,
              46, 5)  # fmt: skip
EVALUATOR = Facts("claude-context-evaluator", 504, 110, 98, 15_834, 0, 12_755, 3_196, 228, 211, 13,
                  7, None, 0)  # fmt: skip


class Taken(NamedTuple):
    """A corpus read as a whole. One message a copy_key, as a night would keep them."""

    facts: Facts
    root: Path
    paths: list[Path]
    transcripts: dict[Path, Transcript]
    messages: list[Message]
    calls: dict[str, ToolCall]


@pytest.fixture(scope="module", params=[EARLY, EVALUATOR], ids=lambda facts: facts.corpus)
def taken(request: pytest.FixtureRequest, corpus: Corpus) -> Taken:
    facts: Facts = request.param
    root = corpus(facts.corpus)
    paths = list(entire.find(root))
    read = {path: one for path in paths for one in entire.read(path, {}, root)}
    transcripts = {
        path: one
        for path, one in read.items()
        if all(session.agent == "claude-code" for session in one.sessions)
    }
    messages: dict[tuple[str, str], Message] = {}
    calls: dict[str, ToolCall] = {}
    for one in transcripts.values():
        for message in one.messages:
            messages.setdefault((message.session_id, message.copy_key), message)
        for call in one.calls:
            if call.call_id not in calls or calls[call.call_id].status == "unanswered":
                calls[call.call_id] = call
    return Taken(facts, root, paths, transcripts, list(messages.values()), calls)


def skipped(taken: Taken, reason: str) -> int:
    all_skips = (skip for one in taken.transcripts.values() for skip in one.skips)
    return sum(skip.count for skip in all_skips if skip.reason == reason)


def kinds(taken: Taken) -> Counter[tuple[str, str]]:
    return Counter((message.role, message.kind) for message in taken.messages)


def ours(taken: Taken) -> Iterator[Path]:
    for path, one in taken.transcripts.items():
        if one.records:
            yield path


def test_every_transcript_is_found_and_claimed(taken: Taken) -> None:
    files = [path for path in taken.root.rglob("*") if path.is_file()]
    assert len(files) == taken.facts.files
    assert taken.paths == sorted(path for path in files if path.name == "full.jsonl")
    assert len(taken.paths) == taken.facts.transcripts
    assert all(entire.claims(path, path.read_bytes()[:HEAD]) for path in taken.paths)


def test_lines_and_ids_are_as_many_as_the_readme_says(taken: Taken) -> None:
    found, bad, uuids = 0, 0, set()
    for path in ours(taken):
        per_line = Counter(line.number for line in jsonl.lines(path, []))
        found += len(per_line)
        bad += sum(count > 1 for count in per_line.values())
        for line in jsonl.lines(path, []):
            if per_line[line.number] == 1 and "uuid" in line.value:
                uuids.add(line.value["uuid"])
    assert (found, bad, len(uuids)) == taken.facts[4:7]
    assert skipped(taken, "glued") == taken.facts.bad_lines  # each is two records in truth


def test_nothing_but_glue_is_wrong_with_the_lines(taken: Taken) -> None:
    for reason in ("not_json", "torn", "not_a_record", "bad_shape", "no_type", "bad_time"):
        assert skipped(taken, reason) == 0
    records = sum(one.records for one in taken.transcripts.values())
    assert records == taken.facts.lines + taken.facts.bad_lines


def test_sessions_are_those_of_the_lines(taken: Taken) -> None:
    ids = {session.session_id for one in taken.transcripts.values() for session in one.sessions}
    assert len(ids) == taken.facts.sessions
    kinds = {session.kind for one in taken.transcripts.values() for session in one.sessions}
    assert kinds == {"interactive"}


def test_calls_and_failures_are_as_many_as_the_readme_says(taken: Taken) -> None:
    assert len(taken.calls) == taken.facts.calls
    status = Counter(call.status for call in taken.calls.values())
    assert taken.facts.calls - status["ok"] - status["unanswered"] == taken.facts.failed
    assert status["refused"] == taken.facts.refusals


def test_prompts_interrupts_and_summaries_are_as_many_as_the_readme_says(taken: Taken) -> None:
    told = kinds(taken)
    assert told["injected", "interrupt"] == taken.facts.interrupts
    if taken.facts.summaries is not None:
        assert told["injected", "summary"] == taken.facts.summaries
    queued = [m for m in taken.messages if m.role == "human" and "/L" in m.message_id]
    plans = [m for m in taken.messages if m.text.startswith("Implement the following plan:")]
    assert all(plan.role == "injected" for plan in plans)
    # The README counts prompts in user lines, and accepted plans with them.
    in_lines = told["human", "prompt"] - len(queued) + len(plans)
    assert in_lines == pytest.approx(taken.facts.about_prompts, rel=0.02)
    assert 0 < len(queued) < taken.facts.about_prompts / 20


def test_words_inside_a_refusal_are_a_persons_and_verifiable(taken: Taken) -> None:
    words = [message for message in taken.messages if message.kind == "refusal"]
    results = {message.message_id: message for message in taken.messages if message.role == "tool"}
    for message in words:
        result = results[message.message_id.removesuffix("#said")]
        assert message.text
        assert result.text.rstrip().endswith(message.text)
        assert (result.line, result.digest) == (message.line, message.digest)


def test_parallel_calls_are_no_forks(taken: Taken) -> None:
    """Every place with two children was looked at: none of them is an attempt given up."""
    for one in taken.transcripts.values():
        assert all(message.active for message in one.messages)
        assert len(one.branches) == len({branch.session_id for branch in one.branches})


def test_every_message_leads_back_to_its_line(taken: Taken) -> None:
    path = max(ours(taken), key=lambda path: len(taken.transcripts[path].messages))
    there = {(line.number, jsonl.digest_of(line.raw)) for line in jsonl.lines(path, [])}
    messages = taken.transcripts[path].messages
    assert len(messages) > 100
    assert {(message.line, message.digest) for message in messages} <= there


def test_ids_are_unique_and_links_lead_somewhere(taken: Taken) -> None:
    for one in taken.transcripts.values():
        ids = [message.message_id for message in one.messages]
        assert len(ids) == len(set(ids))
        calls = [call.call_id for call in one.calls]
        assert len(calls) == len(set(calls))
        runs = {run.run_id for run in one.runs}
        assert {message.run_id for message in one.messages} == runs
        results = {call.result_id for call in one.calls} - {None}
        assert results <= set(ids)
        dangling = [m.parent for m in one.messages if m.parent is not None and m.parent not in ids]
        assert len(dangling) <= 1  # the first line of a slice


def test_usage_stands_once_a_reply_on_its_last_record(taken: Taken) -> None:
    for one in taken.transcripts.values():
        last = {m.reply_id: m.message_id for m in one.messages if m.reply_id}
        told = [m for m in one.messages if m.tokens_out is not None]
        assert {m.message_id for m in told} <= set(last.values())


def test_files_of_another_agent_are_not_taken_for_claude_s(taken: Taken) -> None:
    assert len(taken.paths) - len(taken.transcripts) == taken.facts.foreign
    assert skipped(taken, "foreign_format") == 0


def test_a_careful_reader_agrees_on_what_a_person_typed(taken: Taken, shared: Path) -> None:
    labels = (shared / "labels" / "turns.jsonl").read_text()
    rows = [json.loads(row) for row in labels.split("\n") if row]
    rows = [r for r in rows if r["corpus"] == taken.facts.corpus and r["agent_format"] == "claude"]
    right = [_human(taken, row) == row["human"] for row in rows]
    assert len(rows) > 60
    assert sum(right) / len(right) >= 0.99


def _human(taken: Taken, row: dict[str, Any]) -> bool:
    messages = taken.transcripts[taken.root / row["file"]].messages
    there = [message for message in messages if message.line == row["line"]]
    if row["where"] == "tool_result":
        return any(message.kind == "refusal" for message in there)
    same = [m for m in there if hashlib.sha256(m.text.encode()).hexdigest() == row["text_sha256"]]
    return any(message.role == "human" for message in same or there)
