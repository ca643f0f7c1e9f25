"""What a whole Claude Code file comes to, once its last line is read: the records' nouns."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from dream.records import (
    Branch,
    CallStatus,
    Compaction,
    Message,
    Run,
    Session,
    Skip,
    ToolCall,
)
from dream.sources import identity
from dream.sources.claude_branches import branches
from dream.sources.claude_draft import Draft, Outcome, Talk, finished
from dream.sources.claude_queue import Move, left_over
from dream.sources.claude_reading import Reading
from dream.sources.claude_runs import runs
from dream.swift import swift

_tool_call = swift(ToolCall)
_TITLES = ("ai-title", "summary", "custom-title")  # the later, the stronger


class Rows(NamedTuple):
    sessions: list[Session]
    runs: list[Run]
    messages: list[Message]
    calls: list[ToolCall]
    branches: list[Branch]
    compactions: list[Compaction]


def rows(reading: Reading) -> Rows:
    """Everything read, session by session in the order in which the file begins them."""
    _tie_late(reading)
    for reply in (*reading.replies.values(), *reading.ended):
        reply.last.tokens_in, reply.last.tokens_out = reply.tokens
    titles = _titles(reading)
    made = Rows([], [], [], [], [], [])
    called: set[tuple[str, str]] = set()
    for key, talk in reading.talks.items():
        if talk.first is None and not talk.drafts and not talk.moves:
            continue  # nothing but housekeeping names it
        made.branches.extend(branches(talk))
        _add_remarks(talk)
        made.sessions.append(_session(reading, talk, titles.get(key)))
        made.runs.extend(runs(talk))
        made.calls.extend(_calls(reading, talk, called))
        made.compactions.extend(_compactions(talk))
        made.messages.extend([finished(draft) for draft in talk.drafts])
    _leftovers(reading, called)
    return made


def _tie_late(reading: Reading) -> None:
    """Lines whose parent stands further down, and those whose parent is nowhere."""
    for talk, parent, line, draft in reading.late:
        sessions = [talk, *(other for other in reading.talks.values() if other is not talk)]
        home = next((other for other in sessions if parent in other.near), None)
        if home is None:
            reading.skips.append(Skip("broken_parent", line, parent[:60], lost=False))
            if draft is not None:
                draft.parent = f"{talk.id}/{parent}"  # another file may hold it
        elif draft is not None and (above := home.near[parent]) is not None and above is not draft:
            draft.parent = above.message_id
            if home is talk:
                talk.above[draft.number] = above.number


def _add_remarks(talk: Talk) -> None:
    """Adds what only the queue tells of, where it was typed."""
    left = left_over(talk.moves) if any(m.what == "enqueue" for m in talk.moves) else []
    if not left:
        return
    for move in left:
        before = bisect_left(talk.drafts, move.line, key=lambda draft: draft.line)
        run = talk.drafts[before - 1].run_id if before else f"{talk.id}:start"
        talk.drafts.insert(before, _remark(talk, move, run))
    for number, draft in enumerate(talk.drafts):
        draft.number = number


def _remark(talk: Talk, move: Move, run: str) -> Draft:
    role: Literal["human", "injected"] = "human" if talk.kind == "interactive" else "injected"
    key = identity.copy_key(role, move.millis, move.text, ())
    return Draft(
        f"{talk.id}/L{move.line}", talk.id, run, 0, role, "prompt", move.text, key, move.digest,
        move.line, move.happened,
    )  # fmt: skip


def _titles(reading: Reading) -> dict[str, str]:
    """The title of each session that has one. A summary counts only where its leaf stands."""
    found: dict[str, tuple[int, str]] = {}
    for line, kind, target, title in reading.titles:
        key: str | None = target if target in reading.talks else None
        if kind == "summary":
            key = next((k for k, talk in reading.talks.items() if target in talk.near), None)
        if key is None:
            reading.skips.append(Skip("foreign_summary", line, target[:60], lost=False))
        elif (strength := _TITLES.index(kind)) >= found.get(key, (-1, ""))[0]:
            found[key] = (strength, title)
    return {key: title for key, (_, title) in found.items()}


def _session(reading: Reading, talk: Talk, title: str | None) -> Session:
    return Session(
        talk.id, "claude-code", talk.kind, talk.cwd, talk.branch, title,
        talk.parent or _continued(reading, talk), identity.moment(talk.first),
        identity.moment(talk.last), talk.version, talk.line,
    )  # fmt: skip


def _continued(reading: Reading, talk: Talk) -> str | None:
    """The session of the same file that this one goes on from, or begins with copies of."""
    if len(reading.talks) < 2 or not talk.drafts:
        return None
    first = talk.drafts[0]
    own = first.message_id[len(talk.id) + 1 :]
    for other in reading.talks.values():
        if other.line < talk.line and other is not talk:
            copied = own in other.near
            if copied or (first.parent or "").startswith(f"{other.id}/"):
                return other.id
    return None


def _calls(reading: Reading, talk: Talk, called: set[tuple[str, str]]) -> Iterator[ToolCall]:
    used: set[str] = set()
    for draft, calls in talk.asked:
        for place, asked in enumerate(calls):
            call_id = f"{talk.id}/{asked.id or f'{draft.line}.{place}'}"
            call_id = identity.once(call_id, f"@{draft.line}.{place}", used)
            status: CallStatus = "unanswered"
            code = result = None
            if (outcome := _outcome(reading, talk, asked.id)) is not None:
                called.add((outcome.result.session_id, asked.id))
                status, code = outcome.status, outcome.exit_code
                result = outcome.result.message_id
            yield _tool_call(
                call_id, talk.id, draft.run_id, draft.message_id, draft.number, place, asked.tool,
                asked.arguments, status, draft.line, draft.copy_key, result, code, draft.active,
                draft.happened,
            )  # fmt: skip


def _outcome(reading: Reading, talk: Talk, call: str) -> Outcome | None:
    """Of two sessions in one file, one may hold the results of the other's calls."""
    if not call:
        return None
    found = reading.outcomes.get((talk.id, call))
    if found is None and len(reading.talks) > 1:
        others = (reading.outcomes.get((other.id, call)) for other in reading.talks.values())
        found = next((outcome for outcome in others if outcome is not None), None)
    return found


def _compactions(talk: Talk) -> Iterator[Compaction]:
    lines = [draft.line for draft in talk.drafts]
    for compaction in talk.compactions:
        yield replace(compaction, number=bisect_left(lines, compaction.line))


def _leftovers(reading: Reading, called: set[tuple[str, str]]) -> None:
    for key, outcome in reading.outcomes.items():
        if key not in called:
            skip = Skip("result_without_call", outcome.result.line, key[1][:60], lost=False)
            reading.skips.append(skip)
    reading.skips += reading.counted()
