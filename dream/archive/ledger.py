"""What was decided and done, one event a line, only ever added to.

Everything else in the state folder can be made anew from the sources while they last; this cannot.
It is written under the night's lock, and read without one.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import orjson

from dream.errors import StateBroken

NAME = "ledger.jsonl"
Event = Mapping[str, Any]
"""JSON with at least `event` (its kind) and `happened` (ISO time with a zone, of the caller)."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "night": ("night",),
    "proposed": ("id", "night", "folder", "content", "diff"),
}
"""What events of these kinds hold besides, each a text. Of other kinds nothing is known here."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """events: in the order they were written. torn: lines that are no event, as a crash or a hand
    leaves them; they stay in the file.
    """

    events: tuple[Event, ...]
    torn: int


def append(state: Path, event: Event) -> None:
    """Adds one event; it is on the disk when this returns.

    Raises ValueError for what is no event, StateBroken when it cannot be written.
    """
    append_all(state, (event,))


def append_all(state: Path, events: Iterable[Event]) -> None:
    """Adds some events with one write. A line that a crash cut off before them stays apart."""
    lines = []
    for event in events:
        if not _is_event(event):
            raise ValueError(f"an event needs `event` and `happened`, and has {sorted(event)}")
        lines.append(orjson.dumps(dict(event), option=orjson.OPT_SORT_KEYS) + b"\n")
    if not lines:
        return
    path = state / NAME
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "rb+", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                lines.insert(0, b"\n")
            whole = b"".join(lines)
            if file.write(whole) != len(whole):
                raise OSError("only a part was written; the disk may be full")
            os.fsync(file.fileno())
    except OSError as error:
        raise StateBroken(
            f"The ledger {path} could not be written: {error}\nWhat it held before is as it was. "
            "Make room or give the right to write, then do the same again."
        ) from error


def read(state: Path) -> Ledger:
    """The whole ledger; an empty one where nothing was written yet."""
    try:
        lines = (state / NAME).read_bytes().split(b"\n")
    except FileNotFoundError:
        return Ledger((), 0)
    except OSError as error:
        raise StateBroken(f"The ledger {state / NAME} cannot be read: {error}") from error
    found: list[Event] = []
    torn = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            event = orjson.loads(line)
        except orjson.JSONDecodeError:
            torn += 1
            continue
        if isinstance(event, dict) and _is_event(event):
            found.append(event)
        else:
            torn += 1
    return Ledger(tuple(found), torn)


def events(state: Path) -> tuple[Event, ...]:
    """Every event, in the order written. `read` also says how many lines are torn."""
    return read(state).events


def has(state: Path, kind: str) -> bool:
    """Whether there is an event of this kind."""
    return any(event["event"] == kind for event in events(state))


def latest(past: Iterable[Event], kind: str, by: str) -> dict[str, Event]:
    """Of the events of one kind the last one for each value of the field `by`."""
    return {event[by]: event for event in past if event["event"] == kind and by in event}


def _is_event(event: Event) -> bool:
    """Whether whoever reads it later finds in it what its kind promises."""
    kind, happened = event.get("event"), event.get("happened")
    if not (isinstance(kind, str) and isinstance(happened, str)):
        return False
    if not all(isinstance(event.get(word), str) for word in WORDS.get(kind, ())):
        return False
    try:
        when = datetime.fromisoformat(happened)
        date.fromisoformat(event.get("night", "2000-01-01"))
        return when.tzinfo is not None and 1 < when.astimezone(UTC).year < 9999
    except (TypeError, ValueError, OverflowError):
        return False
