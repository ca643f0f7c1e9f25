"""Where the history ends that a forked Codex thread begins with, and whose each turn of it is.

A fork's file holds its own header, then its parent's header and history, stamped anew: all in one
burst, at the moment of the fork. Ids that hold their time (UUID version 7) and the start that newer
releases record tell a turn that is older than the thread. Where neither is there, the burst itself
tells: what stands in it up to its last turn's beginning is copied.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dream.sources import identity
from dream.sources.jsonl import Line

_BURST = 1000
"""Milliseconds: a copy writes its lines faster, and no model answers as fast."""


def born(name: object) -> int | None:
    """When a UUID of version 7 was made, ms since 1970; None for any other id."""
    if type(name) is not str or len(name) != 36 or name[14] != "7" or name[8] != "-":
        return None
    try:
        return int(name[:8] + name[9:13], 16)
    except ValueError:
        return None


def thread_born(meta: Mapping[str, Any]) -> int | None:
    """When a thread began, ms since 1970."""
    made = born(meta.get("id"))
    return identity.millis(meta.get("timestamp")) if made is None else made


def turn_born(payload: Mapping[str, Any]) -> int | None:
    """When a turn began, ms since 1970; the last one of the second that is told."""
    made = born(payload.get("turn_id"))
    if made is not None:
        return made
    second = payload.get("started_at")
    return second * 1000 + 999 if type(second) is int and abs(second) < 10**11 else None


def first_own(lines: Iterable[Line], after: int, since: int | None) -> int:
    """The number of the first line behind `after` that is the thread's own; one past the last
    line when all of it is copied.

    since: when the thread began, ms since 1970.
    """
    number, begun, before, exact = after, 0, None, False
    for line in lines:
        if line.number <= after:
            continue
        number = line.number
        starts = _starts(line.value)
        made = turn_born(starts) if starts is not None else None
        if made is not None and since is not None:
            if made >= since:
                return number
            exact = True
        if exact:  # then the thread's own turns can be told as well
            continue
        stamp = identity.millis(line.value.get("timestamp"))
        if stamp is not None:
            if before is not None and stamp - before >= _BURST:
                return number if starts is not None or not begun else begun
            before = stamp
        if starts is not None:
            begun = number
    return number + 1 if exact or not begun else begun


def _starts(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    payload = record.get("payload")
    if type(payload) is dict and payload.get("type") in ("task_started", "turn_started"):
        return payload
    return None
