"""Rows of a RUN2 archive, turned into the records of one unit: a run, or a session's loose ends."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from zstandard import ZstdError, frame_content_size

from dream.records import CallStatus, Message, Run, Skip, ToolCall, Transcript
from dream.sources.identity import copy_key, moment
from dream.sources.identity import millis as millis_of
from dream.sources.pi_message import Asked, Said, decode
from dream.sources.run2_payload import LIMIT, REF_MARK, Payloads, Unreadable, media, message_object
from dream.swift import swift

_message = swift(Message)
_transcript = swift(Transcript)
_call: Callable[..., ToolCall] = swift(ToolCall)  # from parts, whose types no checker can follow
Captured = Callable[[int, int], Mapping[int, object]]
"""Times of the message ends from one seq to another; for messages that carry none."""
_CERTAIN = 12
"""Characters. Some models count their calls anew in every reply: a shorter id is not the only one
of its session."""

Answer = tuple[str | None, CallStatus, int | None]
"""message_id of the result, what became of the call, exit code."""
_NO_ANSWER: Answer = (None, "unanswered", None)
_BROKEN_OFF: Answer = (None, "interrupted", None)

MessageRow = tuple[Any, ...]
"""uuid, role, first_seq, payload, dictionary, and what the rows are grouped by. Types unchecked."""


class Head(NamedTuple):
    """What is known of a unit before its messages are read."""

    unit: str
    token: str
    name: str  # "r3"; messages are "r3/m2", or "m17" where it is empty
    run: Run
    active: bool = True


@dataclass(slots=True)
class Means:
    """What decoding a unit takes: the archive's dictionaries, media and marks."""

    payloads: Payloads
    blobs: Path  # the folder of media files
    captured: Captured
    by_program: frozenset[int]  # first_seq of prompts that an extension sent in a person's place


class _Unit:
    """The records of one unit while its rows go by."""

    def __init__(self, rows: list[MessageRow], means: Means) -> None:
        self.rows = rows
        self.means = means
        self.skips: list[Skip] = []
        self.asked: list[tuple[tuple[Any, ...], ...]] = []  # a call's fields, in three parts
        self.answers: list[Answer] = []  # of each in asked
        self.own_ids: set[str] = set()
        self.open_calls: dict[str, int] = {}  # the agent's call id -> place in asked
        self.times: Mapping[int, object] | None = None


def transcript(head: Head, rows: list[MessageRow], means: Means) -> Transcript:
    """One unit. Every row counts for the short names, whether it can be decoded or not."""
    unit = _Unit(rows, means)
    messages: list[Message] = []
    run, name, active, by_program = head.run, head.name, head.active, means.by_program
    session_id, run_id = run.session_id, run.run_id
    prefix, start = f"{session_id}/", f"{name}/m" if name else ""
    above: str | None = None
    for place, row in enumerate(rows, start=1):
        decoded = _decoded(row, means)
        if decoded is None:
            decoded = _second_look(row, place, unit)
            if decoded is None:
                continue
        data, value = decoded
        uuid, seq = row[0], row[2]
        if REF_MARK in data:
            unit.skips.extend(media(value, means.blobs, seq))
        said = decode(value)
        (role, kind, text, millis, call_ids, calls, answers, _, _, _, model,
         tokens_in, tokens_out, stop, odd) = said  # fmt: skip
        happened = None if millis is None else moment(millis)
        if happened is None:
            happened, millis = _captured(unit, seq)
            if happened is None:  # its own copy only: two times "Go on." are two messages
                call_ids = (uuid,)
        key = copy_key(role, millis, text, call_ids)
        if by_program and seq in by_program and role == "human":
            role, kind = "injected", "meta"
        message_id = prefix + uuid
        message = _message(
            message_id, session_id, run_id, seq, role, kind, text, key, sha256(data).hexdigest(),
            seq, happened, f"{start}{place}" if start else f"m{seq}", above,
            message_id if role == "assistant" else None,
            active, model, tokens_in, tokens_out, stop,
        )  # fmt: skip
        messages.append(message)
        if name:
            above = message_id
        if calls:
            _ask(unit, message, calls)
        elif answers is not None:
            _answer(unit, message_id, seq, said)
        if odd:
            unit.skips.extend(Skip(part.reason, seq, part.detail, part.lost) for part in odd)
    return _transcript(
        head.unit, head.token, runs=(_ended(run, messages),), messages=messages,
        calls=_calls(unit), skips=unit.skips, records=len(messages),
    )  # fmt: skip


def _decoded(row: MessageRow, means: Means) -> tuple[bytes, dict[str, Any]] | None:
    """Almost every row. None for one with anything odd, which is found out the slower way."""
    uuid, role, seq, data, dictionary, _ = row
    try:
        if dictionary is not None:
            if not 0 <= frame_content_size(data) <= LIMIT:
                return None
            data = means.payloads.decoders[dictionary].decompress(data)
        value = orjson.loads(data)
        plain = value["role"] == role and type(seq) is int and type(uuid) is str
    except (KeyError, TypeError, ValueError, ZstdError):
        return None
    return (data, value) if plain and type(data) is bytes else None


def _second_look(row: MessageRow, place: int, unit: _Unit) -> tuple[bytes, dict[str, Any]] | None:
    """What can be made of an odd row, or None and a Skip that says why not."""
    uuid, role, seq, payload, dictionary, _ = row
    if type(seq) is not int or type(uuid) is not str:
        unit.skips.append(Skip("bad_shape", 0, f"message {place} without id or first_seq"))
        return None
    try:
        data = unit.means.payloads.json_bytes(payload, dictionary)
        value, mended = message_object(data, role)
    except Unreadable as why:
        unit.skips.append(Skip(why.reason, seq, why.detail))
        return None
    if mended:
        unit.skips.append(Skip("lone_surrogate", seq, lost=False))
    return data, value


def _ask(unit: _Unit, message: Message, calls: tuple[Asked, ...]) -> None:
    """Keeps each call in parts, between which what becomes of it will be put."""
    session_id, seq = message.session_id, message.line
    shared = (message.run_id, message.message_id, seq)
    middle = (seq, message.copy_key)
    end = (message.active, message.happened)
    # Those of a reply that was broken off never ran.
    fallback = _BROKEN_OFF if message.stop == "aborted" else _NO_ANSWER
    for place, (own, tool, arguments) in enumerate(calls):
        unit.open_calls[own] = len(unit.asked)
        name = own
        if len(own) < _CERTAIN or own in unit.own_ids:
            name = f"{own}@{seq}.{place}"
        unit.own_ids.add(name)
        start = (f"{session_id}/{name}", session_id, *shared, place, tool, arguments)
        unit.asked.append((start, middle, end))
        unit.answers.append(fallback)


def _answer(unit: _Unit, message_id: str, seq: int, said: Said) -> None:
    """The first result of a call holds; one without a call is nobody's."""
    call = unit.open_calls.get(said.answers or "")
    if call is None:
        unit.skips.append(Skip("result_without_call", seq, said.tool or "", lost=False))
    elif unit.answers[call][0] is not None:
        unit.skips.append(Skip("duplicate_result", seq, said.tool or "", lost=False))
    else:
        unit.answers[call] = message_id, said.outcome or "ok", said.exit_code


def _calls(unit: _Unit) -> list[ToolCall]:
    return [
        _call(*start, status, *middle, result_id, code, *end)
        for (start, middle, end), (result_id, status, code) in zip(
            unit.asked, unit.answers, strict=True
        )
    ]


def _captured(unit: _Unit, seq: int) -> tuple[datetime | None, int | None]:
    """When the archive took a message down that does not say when it was made."""
    if unit.times is None:
        places = [row[2] for row in unit.rows if type(row[2]) is int]
        unit.times = unit.means.captured(min(places), max(places))
    stamp = unit.times.get(seq)
    happened = moment(stamp)
    return happened, None if happened is None else millis_of(stamp)


def _ended(run: Run, messages: list[Message]) -> Run:
    """The run with what only its messages tell: an end nobody wrote down, a stop by a person."""
    ended, state = run.ended, run.state
    if ended is None:
        ended = max((m.happened for m in messages if m.happened is not None), default=None)
    if state == "settled":
        for message in reversed(messages):
            if message.role == "assistant" or message.kind in {"interrupt", "api_error"}:
                if message.stop == "aborted" or message.kind == "interrupt":
                    state = "interrupted"
                break
    same = ended is run.ended and state == run.state
    return run if same else replace(run, state=state, ended=ended)
