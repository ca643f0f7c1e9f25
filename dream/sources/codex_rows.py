"""What a whole Codex rollout comes to, once its last line is read: the records' nouns."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

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
from dream.sources import codex_outcome, identity
from dream.sources.claude_draft import Draft, finished
from dream.sources.codex_reading import Reading
from dream.sources.codex_thread import NAME, Asked, State, Thread
from dream.swift import swift

_tool_call = swift(ToolCall)


class Rows(NamedTuple):
    sessions: list[Session]
    runs: list[Run]
    messages: list[Message]
    calls: list[ToolCall]
    branches: list[Branch]
    compactions: list[Compaction]


def rows(reading: Reading) -> Rows:
    """Everything read, thread by thread in the order in which the file begins them.

    Of copied history only what is said and done becomes rows: what shape its session has, and where
    it was compacted, its own file tells.
    """
    made = Rows([], [], [], [], [], [])
    used: set[str] = set()
    for thread in reading.threads.values():
        made.sessions.append(_session(thread))
        made.runs.extend(_runs(thread))
        made.calls.extend(_calls(reading, thread, used))
        if not thread.copied:
            made.branches.extend(_branches(thread))
            made.compactions.extend(_compactions(thread))
        made.messages.extend([finished(draft) for draft in thread.drafts])
    for name, answer in reading.answers.items():
        if name not in used:
            skip = Skip("result_without_call", answer.draft.line, name[:60], lost=False)
            reading.skips.append(skip)
    reading.skips += reading.counted()
    return made


def _session(thread: Thread) -> Session:
    times = [draft.happened for draft in thread.drafts if draft.happened is not None]
    started = identity.moment(thread.started) or (times[0] if times else None)
    return Session(
        thread.id, NAME, thread.kind, thread.cwd, thread.branch, thread.title, thread.parent,
        started, max(times, default=started), thread.version, thread.line,
    )  # fmt: skip


def _runs(thread: Thread) -> Iterator[Run]:
    """In the order of their first messages. Number 0 is what stands before any turn or prompt."""
    members: dict[str, list[Draft]] = {}
    for draft in thread.drafts:
        members.setdefault(draft.run_id, []).append(draft)
    start = f"{thread.id}:start"
    number = 0
    for run, drafts in members.items():
        number += run != start
        times = [draft.happened for draft in drafts if draft.happened is not None]
        state = thread.states.get(run) or _state(drafts)
        yield Run(
            run, thread.id, 0 if run == start else number, None, state,
            times[0] if times else None, max(times) if times else None, drafts[0].line,
        )  # fmt: skip


def _state(drafts: list[Draft]) -> State:
    """Of a run whose end is not recorded: settled when the model had the last word."""
    for draft in reversed(drafts):
        if draft.kind == "interrupt":
            return "interrupted"
        if draft.role in ("human", "tool") or draft.kind == "prompt":
            return "stopped"
        if draft.role == "assistant":
            return "settled" if draft.text else "stopped"
    return "settled"


def _compactions(thread: Thread) -> Iterator[Compaction]:
    """Made by hand when that is all that its turn does, else by the client."""
    worked = {draft.run_id for draft in thread.drafts if draft.kind in ("prompt", "reply")}
    for run, compaction in thread.compactions:
        by_hand = run in thread.states and run not in worked
        yield replace(compaction, trigger="manual" if by_hand else "auto")


def _calls(reading: Reading, thread: Thread, used: set[str]) -> Iterator[ToolCall]:
    names: set[str] = set()
    for asked in thread.asked:
        draft = asked.draft
        call_id = f"{thread.id}/{asked.id}" if asked.id else draft.message_id
        call_id = identity.once(call_id, f"@{draft.line}", names)
        status, code, result = _became(reading, thread, asked)
        if result is not None:
            used.add(asked.id)
        yield _tool_call(
            call_id, thread.id, draft.run_id, draft.message_id, draft.number, 0, asked.tool,
            asked.arguments, status, draft.line, draft.copy_key, result, code, draft.active,
            draft.happened,
        )  # fmt: skip


def _became(
    reading: Reading, thread: Thread, asked: Asked
) -> tuple[CallStatus, int | None, str | None]:
    answer, event = reading.answers.get(asked.id), reading.ended.get(asked.id)
    if answer is not None and asked.id:
        outcome = answer.outcome if event is None else codex_outcome.settled(answer.outcome, event)
        return outcome.status, outcome.exit_code, answer.draft.message_id
    if event is not None:
        return event.status, event.exit_code, None
    if asked.status is not None:
        return asked.status, None, None
    broken_off = thread.states.get(asked.draft.run_id) == "interrupted"
    return "interrupted" if broken_off else "unanswered", None, None


def _branches(thread: Thread) -> Iterator[Branch]:
    """The path the thread ended on, and each that a person took back."""
    stays = [draft for draft in thread.drafts if draft.active]
    if stays:
        tip = stays[-1]
        yield Branch(
            tip.message_id, thread.id, True, len(stays), happened=tip.happened, line=tip.line
        )
    for undone in thread.undone:
        tip = thread.drafts[undone.last]
        before = [d for d in thread.drafts[: undone.first] if d.active]
        yield Branch(
            tip.message_id, thread.id, False, len(before) + undone.last - undone.first + 1,
            before[-1].message_id if before else None, "rollback", None, undone.happened,
            undone.line,
        )  # fmt: skip
