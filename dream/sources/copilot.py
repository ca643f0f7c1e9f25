"""Sessions of the Copilot CLI: one JSONL file of events each, every event with an id and the id of
the one before it.

Format: as releases 1.0.40 to 1.0.68 write it. Events of a sub-agent are a session of their own.
Only what the model wrote is counted in the file; how much it read is not known. A first prompt that
was there before a person could have typed it is a program's, and a session with no other one is
headless.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from dream.records import Branch, CallStatus, Run, Session, Skip, ToolCall, Transcript
from dream.sources import identity, jsonl
from dream.sources.below import below
from dream.sources.claude_draft import Draft, finished
from dream.sources.copilot_events import EVENTS, take
from dream.sources.copilot_talk import NAME, Reading, Talk

__all__ = ["NAME", "VERSION", "claims", "find", "read", "transcript"]

VERSION = 1

_START = re.compile(rb'\s*\{\s*"type"\s*:\s*"session\.(?:start|resume)"\s*,\s*"data"\s*:')


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root, or root itself."""
    return below(root, ".jsonl")


def claims(path: Path, head: bytes) -> bool:
    """Whether one of the first records is an event. A long first line is known by its start."""
    record = jsonl.first_record(head)
    if record is not None:
        return _is_own(record)
    return _START.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    return type(kind) is str and kind in EVENTS and type(record.get("data")) is dict


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The file's sessions in one transcript, if it has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    token = jsonl.token(path)
    if known.get("") != token:
        yield transcript(path, token)


def transcript(
    path: Path,
    token: str,
    *,
    own_id: str = "",
    branch: str | None = None,
    skips: Sequence[Skip] = (),
) -> Transcript:
    """Everything in the file.

    own_id, branch: for a file that names no session or git branch; without own_id its folder's name
    stands in, as Copilot lays it out. skips: what its reader has to tell already.
    """
    told = list(skips)
    named = path.parent.name if path.stem == "events" else path.stem
    reading = Reading(own_id or named, branch, told)
    records = 0
    for line in jsonl.lines(path, told):
        records += 1
        take(reading, line)
    if not records and not told:
        told.append(Skip("empty", 0, lost=False))
    used: set[str] = set()
    talks = list(reading.talks.values())
    calls = [call for talk in talks for call in _calls(reading, talk, used)]
    sessions, runs = [_session(talk) for talk in talks], [r for talk in talks for r in _runs(talk)]
    branches = [_branch(talk) for talk in talks if talk.drafts]
    for name, outcome in reading.outcomes.items():
        if name not in used:
            line_number = outcome.result.line
            told.append(Skip("result_without_call", line_number, name[:60], lost=False))
    return Transcript(
        "", token, sessions, runs,
        [finished(draft) for talk in talks for draft in talk.drafts], calls, branches,
        [compaction for talk in talks for compaction in talk.compactions],
        skips=[*told, *reading.counted()], records=records,
    )  # fmt: skip


def _session(talk: Talk) -> Session:
    kind = (
        "headless" if talk.kind == "interactive" and talk.handed and not talk.typed else talk.kind
    )
    return Session(
        talk.id, NAME, kind, talk.cwd, talk.branch, talk.title, talk.parent, talk.started,
        talk.ended, talk.version, talk.line,
    )  # fmt: skip


def _runs(talk: Talk) -> Iterator[Run]:
    """In the order of their first messages. Number 0 is what stands before any prompt."""
    members: dict[str, list[Draft]] = {}
    for draft in talk.drafts:
        members.setdefault(draft.run_id, []).append(draft)
    asking = {draft.message_id for draft, _ in talk.asked}
    start = f"{talk.id}:start"
    for number, (run, drafts) in enumerate(members.items(), 0 if start in members else 1):
        times = [draft.happened for draft in drafts if draft.happened is not None]
        yield Run(
            run, talk.id, number, None, _state(drafts, asking), times[0] if times else None,
            max(times) if times else None, drafts[0].line,
        )  # fmt: skip


def _state(
    drafts: Sequence[Draft], asking: set[str]
) -> Literal["settled", "interrupted", "stopped"]:
    """Settled when the model had the last word: one that asked for no further call."""
    for draft in reversed(drafts):
        if draft.kind == "interrupt":
            return "interrupted"
        if draft.role == "assistant":
            return "stopped" if draft.message_id in asking else "settled"
        if draft.role in ("human", "tool") or draft.kind == "prompt":
            return "stopped"
    return "settled"


def _calls(reading: Reading, talk: Talk, used: set[str]) -> Iterator[ToolCall]:
    names: set[str] = set()
    stopped = {draft.run_id for draft in talk.drafts if draft.kind == "interrupt"}
    for draft, calls in talk.asked:
        for place, asked in enumerate(calls):
            call_id = f"{talk.id}/{asked.id or f'{draft.line}.{place}'}"
            call_id = identity.once(call_id, f"@{draft.line}.{place}", names)
            outcome = reading.outcomes.get(asked.id) if asked.id else None
            status: CallStatus = "interrupted" if draft.run_id in stopped else "unanswered"
            code = result = None
            if outcome is not None:
                used.add(asked.id)
                status, code, result = outcome.status, outcome.exit_code, outcome.result.message_id
            elif asked.id in reading.denied:
                status = reading.denied[asked.id]
            yield ToolCall(
                call_id, talk.id, draft.run_id, draft.message_id, draft.number, place, asked.tool,
                asked.arguments, status, draft.line, draft.copy_key, result, code, True,
                draft.happened,
            )  # fmt: skip


def _branch(talk: Talk) -> Branch:
    tip = talk.drafts[-1]
    return Branch(
        tip.message_id, talk.id, True, len(talk.drafts), happened=tip.happened, line=tip.line
    )
