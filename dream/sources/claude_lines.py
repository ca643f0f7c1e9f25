"""Each type of record in a Claude Code file, and what it adds to a reading.

Nothing raises: a part of another shape than known costs only itself and is a Skip.
"""

from collections.abc import Callable, Mapping

from dream.records import Compaction, Skip
from dream.sources import claude_voices as voices
from dream.sources.claude_draft import Talk
from dream.sources.claude_queue import Move
from dream.sources.claude_reading import Reading, fields
from dream.sources.claude_said import assistant, put_in, user
from dream.sources.claude_voices import Part
from dream.sources.jsonl import Line, digest_of

_NOTICES = frozenset(
    {
        "stop_hook_summary", "turn_duration", "microcompact_boundary", "api_error",
        "away_summary", "bridge_status",
    }
)  # fmt: skip
"""Subtypes of system records that say nothing about the work."""


def take(reading: Reading, line: Line) -> None:
    """Adds one record."""
    kind = line.value.get("type")
    if type(kind) is not str:
        reading.skips.append(Skip("no_type", line.number))
        return
    taker = TAKERS.get(kind)
    if taker is not None:
        taker(reading, line)
        return
    if "uuid" in line.value:
        reading.place(line)
    reading.count("unknown_type", kind, line)


def _system(reading: Reading, line: Line) -> None:
    record = line.value
    subtype = record.get("subtype")
    if subtype == "local_command" and type(text := record.get("content")) is str:
        reading.tell(line, reading.talk(record, line.number), "injected", "command", text)
        return
    talk = reading.place(line)
    if subtype == "compact_boundary":
        talk.compactions.append(_compaction(reading, line, talk))
    elif type(subtype) is str and subtype in _NOTICES:
        reading.count("housekeeping", f"system/{subtype}", line)
    else:
        reading.count("unknown_type", f"system/{subtype}", line)


def _compaction(reading: Reading, line: Line, talk: Talk) -> Compaction:
    record = line.value
    about = fields(record.get("compactMetadata"))
    trigger, before = about.get("trigger"), about.get("preTokens")
    first = fields(about.get("preservedSegment")).get("headUuid")
    uuid = record.get("uuid")
    return Compaction(
        f"{talk.id}/{uuid if type(uuid) is str else f'L{line.number}'}",
        talk.id,
        trigger if trigger in ("auto", "manual") else "unknown",
        len(talk.drafts),
        before if type(before) is int else None,
        f"{talk.id}/{first}" if type(first) is str else None,
        reading.when(record.get("timestamp"), line.number)[0],
        line=line.number,
    )


def _progress(reading: Reading, line: Line) -> None:
    reading.place(line)
    data = fields(line.value.get("data"))
    kind = data.get("type")
    if kind == "agent_progress":
        agent = data.get("agentId")
        # What came of it stands in the result of the call that started it.
        reading.count("subagent", agent if type(agent) is str else "", line)
    else:
        reading.count("housekeeping", f"progress/{kind}", line)


def _attachment(reading: Reading, line: Line) -> None:
    attached = fields(line.value.get("attachment"))
    kind = attached.get("type")
    if kind != "queued_command":
        reading.place(line)
        reading.count("housekeeping", f"attachment/{kind}", line)
        return
    prompt = attached.get("prompt")
    text = voices.joined(prompt) if type(prompt) is list else prompt
    if type(text) is not str:
        reading.place(line)
        reading.skips.append(Skip("bad_shape", line.number, "queued_command"))
        return
    talk = reading.talk(line.value, line.number)
    parts = (
        voices.said(text) if voices.sent_by_person(attached) else [Part("injected", "meta", text)]
    )
    if talk.kind != "interactive":
        parts = put_in(attached, talk, parts)
    first = reading.tell(line, talk, *parts[0][:3])
    if first is not None:
        for place, part in enumerate(parts[1:], 1):
            reading.tell_also(talk, first, place, part)
        talk.moves.append(Move(line.number, "attachment", text))


def _queue(reading: Reading, line: Line) -> None:
    record = line.value
    operation, content, reason = (record.get(key) for key in ("operation", "content", "reason"))
    text = voices.joined(content) if type(content) is list else content
    happened, millis = reading.when(record.get("timestamp"), line.number)
    move = Move(
        line.number,
        operation if type(operation) is str else "",
        text if type(text) is str else "",
        reason if type(reason) is str else None,
        happened,
        millis,
        digest_of(line.raw),
    )
    reading.talk(record, line.number).moves.append(move)
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
    "user": user,
    "assistant": assistant,
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
