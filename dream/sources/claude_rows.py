"""What a whole Claude Code file comes to, once its last line is read: the records' nouns."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
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
from dream.sources.claude_queue import Move, left_over
from dream.sources.claude_reading import NAME, Outcome, Piece, Reading, Talk
from dream.sources.claude_runs import runs
from dream.swift import swift

_message, _tool_call = swift(Message), swift(ToolCall)
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
    _queued(reading)
    _settle_usage(reading)
    titles = _titles(reading)
    made = Rows([], [], [], [], [], [])
    for key, talk in reading.talks.items():
        if talk.first is None and not talk.pieces:
            continue  # nothing but housekeeping names it
        reading.hang(talk)
        made.branches.extend(branches(talk))
        made.runs.extend(runs(talk))
        made.sessions.append(_session(reading, talk, titles.get(key)))
        messages = [_told(reading, piece, number) for number, piece in enumerate(talk.pieces)]
        made.messages.extend(messages)
        made.calls.extend(_calls(reading, talk, messages))
        made.compactions.extend(_compactions(talk, messages))
    _leftovers(reading)
    return made


def _queued(reading: Reading) -> None:
    """Adds the remarks that only the queue tells of, where they were typed."""
    for talk in reading.talks.values():
        left = left_over(talk.moves) if any(m.what == "enqueue" for m in talk.moves) else []
        if left:
            talk.pieces += [_remark(talk, move) for move in left]
            talk.pieces.sort(key=lambda piece: piece.line)


def _remark(talk: Talk, move: Move) -> Piece:
    role: Literal["human", "injected"] = "human" if talk.kind == "interactive" else "injected"
    key = identity.copy_key(role, move.millis, move.text, ())
    return Piece(
        talk, f"{talk.id}/L{move.line}", move.line, role, "prompt", move.text, key, move.digest,
        move.happened, "",
    )  # fmt: skip


def _settle_usage(reading: Reading) -> None:
    """The last usage said of a reply goes to the reply's last record, and only there."""
    last = {
        piece.reply: piece
        for talk in reading.talks.values()
        for piece in talk.pieces
        if piece.reply is not None
    }
    for reply, (read, written) in reading.usage.items():
        if (piece := last.get(reply)) is not None:
            piece.tokens_in, piece.tokens_out = read, written


def _titles(reading: Reading) -> dict[str, str]:
    """The title of each session that has one. A summary counts only where its leaf stands."""
    found: dict[str, tuple[int, str]] = {}
    for line, kind, target, title in reading.titles:
        key: str | None = target if target in reading.talks else None
        if kind == "summary":
            piece = reading.above(target)
            key = piece.talk.id.removeprefix(f"{NAME}:") if piece else None
        if key is None:
            reading.skips.append(Skip("foreign_summary", line, target[:60]))
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
    piece = next((piece for piece in talk.pieces if piece.uuid), None)
    if piece is None:
        return None
    for source in (reading.at[piece.uuid], piece.above):
        if source is not None and source.talk is not talk and source.talk.line < talk.line:
            return source.talk.id
    return None


def _told(reading: Reading, piece: Piece, number: int) -> Message:
    return _message(
        piece.id, piece.talk.id, piece.run, number, piece.role, piece.kind, piece.text,
        piece.copy_key, piece.digest, piece.line, piece.happened, None, _parent(reading, piece),
        piece.reply, piece.active, piece.model, piece.tokens_in, piece.tokens_out, piece.stop,
    )  # fmt: skip


def _parent(reading: Reading, piece: Piece) -> str | None:
    """The message before it. A parent that the file lacks is named all the same."""
    if piece.above is not None:
        return piece.above.id
    if not piece.uuid:
        return None
    uuid = reading.parents[piece.uuid]
    return f"{piece.talk.id}/{uuid}" if uuid and uuid not in reading.parents else None


def _calls(reading: Reading, talk: Talk, messages: Sequence[Message]) -> Iterator[ToolCall]:
    used: set[str] = set()
    elsewhere = _elsewhere(reading)
    for piece, message in zip(talk.pieces, messages, strict=True):
        for place, asked in enumerate(piece.calls):
            outcome = None
            if asked.id:
                outcome = reading.outcomes.get((talk.id, asked.id)) or elsewhere.get(asked.id)
            call_id = f"{talk.id}/{asked.id or f'{piece.line}.{place}'}"
            if call_id in used:
                call_id = f"{call_id}@{piece.line}.{place}"
            used.add(call_id)
            status: CallStatus = "unanswered"
            code = result = None
            if outcome is not None:
                outcome.called = True
                status, code, result = outcome.status, outcome.exit_code, outcome.piece.id
            yield _tool_call(
                call_id, talk.id, piece.run, piece.id, message.number, place, asked.tool,
                asked.arguments, status, piece.line, piece.copy_key, result, code, piece.active,
                piece.happened,
            )  # fmt: skip


def _elsewhere(reading: Reading) -> dict[str, Outcome]:
    """Outcomes by call alone: of two sessions in one file, one may hold the other's results."""
    if len(reading.talks) < 2:
        return {}
    return {call: outcome for (_, call), outcome in reading.outcomes.items()}


def _compactions(talk: Talk, messages: Sequence[Message]) -> Iterator[Compaction]:
    lines = [message.line for message in messages]
    for compaction in talk.compactions:
        yield replace(compaction, number=bisect_left(lines, compaction.line))


def _leftovers(reading: Reading) -> None:
    """Tells what of the file hangs in the air."""
    skips, parents = reading.skips, reading.parents
    for uuid, parent in parents.items():
        if parent is not None and parent not in parents:
            skips.append(Skip("broken_parent", reading.lines[uuid], parent[:60], lost=False))
    for (_, call), outcome in reading.outcomes.items():
        if not outcome.called:
            line = outcome.piece.line
            skips.append(Skip("result_without_call", line, call[:60], lost=False))
    skips += reading.counted()
