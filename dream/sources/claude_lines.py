"""Each type of record in a Claude Code file, and what it adds to a reading.

Nothing raises: a part of another shape than known costs only itself and is a Skip.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dream.records import Compaction, MessageKind, Role, Skip
from dream.sources import claude_blocks as blocks
from dream.sources import claude_voices as voices
from dream.sources.claude_queue import Move
from dream.sources.claude_reading import Outcome, Piece, Reading, Talk
from dream.sources.claude_voices import Part
from dream.sources.jsonl import Line, digest_of

_NOTICES = frozenset(
    {
        "stop_hook_summary", "turn_duration", "microcompact_boundary", "api_error",
        "away_summary", "bridge_status", "informational", "scheduled_task_fire",
    }
)  # fmt: skip
"""Subtypes of system records that say nothing about the work."""


def take(reading: Reading, line: Line) -> None:
    """Adds one record."""
    record = line.value
    kind = record.get("type")
    if type(kind) is not str:
        reading.skips.append(Skip("no_type", line.number))
        return
    if type(uuid := record.get("uuid")) is str:
        reading.place(record, uuid, line.number)
    taker = TAKERS.get(kind)
    if taker is None:
        reading.count("unknown_type", kind, line)
    else:
        taker(reading, line)


def _fields(value: object) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _message(reading: Reading, line: Line, role: str) -> dict[str, Any] | None:
    message = line.value.get("message")
    if type(message) is not dict:
        reading.skips.append(Skip("bad_shape", line.number, "message"))
        return None
    if message.get("role", role) != role:
        reading.skips.append(Skip("unknown_role", line.number, str(message["role"])[:60]))
        return None
    return message


def _odd(reading: Reading, line: Line, odd: Iterable[blocks.Odd]) -> None:
    for reason, what in odd:
        if reason == "bad_shape":
            reading.skips.append(Skip(reason, line.number, what))
        else:
            reading.count(reason, what, line)


def _user(reading: Reading, line: Line) -> None:
    message = _message(reading, line, "user")
    if message is None:
        return
    talk = reading.talk(line)
    parts, odd = blocks.turn(line.value, message.get("content"))
    if odd:
        _odd(reading, line, odd)
    if talk.kind != "interactive":
        parts = _put_in(line.value, talk, parts)
    pieces = reading.add(line, talk, parts)
    alone = all(part.kind != "result" for part in parts)
    for piece, part in zip(pieces, parts, strict=False):
        if part.kind == "result":
            _answered(reading, line, piece, part)
        elif part.role == "human" and part.kind == "prompt":
            pieces[0].begins = alone  # beside a result it was typed while the agent worked
            talk.prompts += 1
            talk.moves.append(Move(line.number, "prompt", part.text))


def _put_in(record: Mapping[str, Any], talk: Talk, parts: list[Part]) -> list[Part]:
    """Prompts of a program: a sub-agent's come from an agent, a headless session's from a script.

    A headless session's prompt is a person's only where the record itself says so.
    """
    origin = _fields(record.get("origin"))
    if talk.kind == "headless" and origin.get("kind") == "human":
        return parts
    return [part._replace(role="injected") if part.role == "human" else part for part in parts]


def _answered(reading: Reading, line: Line, piece: Piece, part: Part) -> None:
    key = (piece.talk.id, part.answers or "")
    if key in reading.outcomes:
        reading.skips.append(Skip("duplicate_result", line.number, key[1][:60], lost=False))
    else:
        reading.outcomes[key] = Outcome(piece, part.status, part.exit_code)


def _assistant(reading: Reading, line: Line) -> None:
    message = _message(reading, line, "assistant")
    if message is None:
        return
    record = line.value
    talk = reading.talk(line)
    said = blocks.reply(message.get("content"))
    if said.odd:
        _odd(reading, line, said.odd)
    model = message.get("model")
    role: Role = "assistant"
    kind: MessageKind = "reply"
    if model == "<synthetic>" or record.get("isApiErrorMessage"):
        role, kind = "system", "api_error" if record.get("isApiErrorMessage") else "system"
    pieces = reading.add(line, talk, (Part(role, kind, said.text),), said.calls)
    if kind != "reply":
        return
    reply = _reply(reading, talk, record, message)
    usage = message.get("usage")
    if type(usage) is dict:
        reading.usage[reply] = blocks.tokens(usage)
    stop = message.get("stop_reason")
    for piece in pieces:
        piece.reply = reply
        piece.model = model if type(model) is str else None
        piece.stop = stop if type(stop) is str else None


def _reply(reading: Reading, talk: Talk, record: dict[str, Any], message: dict[str, Any]) -> str:
    """The name of the model reply that a line is part of.

    Lines with one message id and one request id are one reply, also with results between them:
    tools start while the model still speaks. Without a request id the message id alone proves
    nothing, for a relay may give every reply the same; then a line goes on with the reply only if
    it hangs on a line of it. A reply never goes on over a typed prompt.
    """
    own, request, uuid = message.get("id"), record.get("requestId"), record.get("uuid")
    if type(own) is not str:
        return str(uuid)
    request = request if type(request) is str else None
    key = (talk.id, own, request)
    begun = reading.replies.get(key)
    if begun is not None and begun[1] == talk.prompts:
        if request is not None:
            return begun[0]
        above = reading.above(record.get("parentUuid"))
        if above is not None and above.reply == begun[0]:
            return begun[0]
    name = f"{own}:{request}" if request and begun is None else f"{own}@{uuid}"
    reading.replies[key] = (name, talk.prompts)
    return name


def _system(reading: Reading, line: Line) -> None:
    record = line.value
    talk = reading.talk(line)
    subtype = record.get("subtype")
    if subtype == "compact_boundary":
        talk.compactions.append(_compaction(reading, line, talk))
    elif subtype == "local_command" and type(text := record.get("content")) is str:
        reading.add(line, talk, (Part("injected", "command", text),))
    elif type(subtype) is str and subtype in _NOTICES:
        reading.count("housekeeping", f"system/{subtype}", line)
    else:
        reading.count("unknown_type", f"system/{subtype}", line)


def _compaction(reading: Reading, line: Line, talk: Talk) -> Compaction:
    record = line.value
    about = _fields(record.get("compactMetadata"))
    trigger, before = about.get("trigger"), about.get("preTokens")
    first = _fields(about.get("preservedSegment")).get("headUuid")
    uuid = record.get("uuid")
    return Compaction(
        f"{talk.id}/{uuid if type(uuid) is str else f'L{line.number}'}",
        talk.id,
        trigger if trigger in ("auto", "manual") else "unknown",
        len(talk.pieces),
        before if type(before) is int else None,
        f"{talk.id}/{first}" if type(first) is str else None,
        reading.when(line)[0],
        line=line.number,
    )


def _progress(reading: Reading, line: Line) -> None:
    reading.talk(line)
    data = _fields(line.value.get("data"))
    kind = data.get("type")
    if kind == "agent_progress":
        agent = data.get("agentId")
        # What came of it stands in the result of the call that started it.
        reading.count("subagent", agent if type(agent) is str else "", line)
    else:
        reading.count("housekeeping", f"progress/{kind}", line)


def _attachment(reading: Reading, line: Line) -> None:
    talk = reading.talk(line)
    attached = _fields(line.value.get("attachment"))
    kind = attached.get("type")
    if kind != "queued_command":
        reading.count("housekeeping", f"attachment/{kind}", line)
        return
    prompt = attached.get("prompt")
    text = voices.joined(prompt) if type(prompt) is list else prompt
    if type(text) is not str:
        reading.skips.append(Skip("bad_shape", line.number, "queued_command"))
        return
    parts = [Part("injected", "meta", text)]
    if voices.sent_by_person(attached):
        parts = voices.said(text)
    if talk.kind != "interactive":
        parts = _put_in(attached, talk, parts)
    reading.add(line, talk, parts)
    talk.moves.append(Move(line.number, "attachment", text))


def _queue(reading: Reading, line: Line) -> None:
    record = line.value
    operation, content, reason = (record.get(key) for key in ("operation", "content", "reason"))
    text = voices.joined(content) if type(content) is list else content
    happened, millis = reading.when(line)
    move = Move(
        line.number,
        operation if type(operation) is str else "",
        text if type(text) is str else "",
        reason if type(reason) is str else None,
        happened,
        millis,
        digest_of(line.raw),
    )
    reading.talk(line).moves.append(move)
    reading.count("housekeeping", "queue-operation", line)


def _title(reading: Reading, line: Line) -> None:
    record = line.value
    kind = record["type"]
    where, text = {
        "summary": ("leafUuid", "summary"),
        "custom-title": ("sessionId", "customTitle"),
        "ai-title": ("sessionId", "aiTitle"),
    }[kind]
    target, title = record.get(where), record.get(text)
    if type(target) is str and type(title) is str:
        reading.titles.append((line.number, kind, target, title))
    else:
        reading.skips.append(Skip("bad_shape", line.number, kind))


def _housekeeping(reading: Reading, line: Line) -> None:
    reading.count("housekeeping", line.value["type"], line)


TAKERS: Mapping[str, Callable[[Reading, Line], None]] = {
    "user": _user,
    "assistant": _assistant,
    "system": _system,
    "progress": _progress,
    "attachment": _attachment,
    "queue-operation": _queue,
    "summary": _title,
    "custom-title": _title,
    "ai-title": _title,
    "file-history-snapshot": _housekeeping,
}
"""By the record's type. A type that is not here is counted by name."""
