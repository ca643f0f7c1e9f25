"""Lines of Codex rollouts. Times run on by a second a line; a turn's id tells when it began."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dream.records import Transcript
from dream.sources import codex

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
Row = dict[str, Any]


def uuid(second: float, number: int = 0) -> str:
    """An id of version 7, made so many seconds after START."""
    made = f"{round((START.timestamp() + second) * 1000):012x}"
    return f"{made[:8]}-{made[8:]}-7000-8000-{number:012x}"


def row(kind: str, /, **payload: Any) -> Row:
    return {"type": kind, "payload": payload}


def meta(thread: str, **more: Any) -> Row:
    return row("session_meta", id=thread, cwd="/home/me/shop", **more)


def event(kind: str, /, **more: Any) -> Row:
    return row("event_msg", type=kind, **more)


def item(kind: str, /, **more: Any) -> Row:
    return row("response_item", type=kind, **more)


def text(role: str, *blocks: str) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": words} for words in blocks])


def typed(words: str) -> list[Row]:
    """A prompt: the item that the model sees, and the client's event."""
    return [text("user", words), event("user_message", message=words)]


def said(words: str) -> list[Row]:
    return [event("agent_message", message=words), text("assistant", words)]


def called(call: str, output: str, name: str = "exec_command") -> list[Row]:
    return [
        item("function_call", name=name, arguments='{"cmd":"make"}', call_id=call),
        item("function_call_output", call_id=call, output=output),
    ]


def turn(name: str, *rows: Row, end: str = "task_complete") -> list[Row]:
    """A turn of the client with these rows in it."""
    return [event("task_started", turn_id=name), *rows, event(end, turn_id=name)]


def spent(read: int, written: int) -> Row:
    total = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return event("token_count", info={"total_token_usage": total, "last_token_usage": total})


def rollout(rows: Sequence[Row], *, at: float = 0, step: float = 1) -> bytes:
    """The rows as a file, the first one stamped `at` seconds after START."""
    stamped = (
        {"timestamp": (START + timedelta(seconds=at + place * step)).isoformat(), **one}
        for place, one in enumerate(rows)
    )
    return b"".join(json.dumps(one).encode() + b"\n" for one in stamped)


def read(path: Path) -> Transcript:
    (made,) = codex.read(path, {}, path.parent)
    return made


def made_of(folder: Path, rows: Sequence[Row], name: str = "rollout.jsonl") -> Transcript:
    path = folder / name
    path.write_bytes(rollout(rows))
    return read(path)


def skips(made: Transcript) -> dict[str, int]:
    """How often each reason stands, housekeeping and twins left out."""
    told: dict[str, int] = {}
    for skip in made.skips:
        if skip.reason != "housekeeping" and not skip.detail.startswith(("event_", "response_")):
            told[skip.reason] = told.get(skip.reason, 0) + skip.count
    return told
