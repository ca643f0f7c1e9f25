"""One night at a time, by a lock of the operating system that dies with its process.

Nothing is guessed from process numbers: a crash or a restart releases the lock, and a slow night
that lives keeps it. Who holds it since when stands in a file beside it, for the message only.
"""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import filelock
import orjson

from dream.errors import NightBusy, StateBroken

LOCK = "night.lock"
HOLDER = "night.holder"

_inside: dict[Path, int] = {}
"""Folders whose lock this process holds, with the thread that took it."""


@dataclass(frozen=True, slots=True)
class Held:
    """The lock, while it is ours. left_over: who died holding it, in words; "" for nobody."""

    left_over: str = ""


@contextmanager
def night_lock(state: Path, since: str) -> Iterator[Held]:
    """Holds the lock of a state folder, which is made when it is not there.

    since: when this night began, for whoever comes meanwhile. The thread that holds it may take it
    again. Raises NightBusy at once when it is held elsewhere, StateBroken where none can be had.
    """
    lock = _lock(state)
    state = state.resolve()
    if _inside.get(state) == threading.get_ident():
        yield Held()
        return
    try:
        if state in _inside:
            raise filelock.Timeout(str(state / LOCK))
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise NightBusy(
            f"A night is already running: {_holder(state) or 'another process'} holds the lock "
            f"{state / LOCK}.\nNothing was read or written here; that night does the work."
        ) from None
    except (OSError, NotImplementedError) as error:
        raise StateBroken(
            f"No lock can be had in {state}: {error}.\nNothing was read or written. The state "
            "folder must lie on a local disk that can be written; set `state:` in dream.yaml."
        ) from error
    _inside[state] = threading.get_ident()
    try:
        left_over = _holder(state)
        (state / HOLDER).write_bytes(
            orjson.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since})
        )
        yield Held(left_over)
    finally:
        (state / HOLDER).unlink(missing_ok=True)
        del _inside[state]
        lock.release()


def _lock(state: Path) -> filelock.BaseFileLock:
    """The one lock object of this process for the folder. No soft lock: that outlives a crash."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StateBroken(
            f"The state folder {state} cannot be made: {error}.\nNothing was read or written. Set "
            "`state:` in dream.yaml to a folder that can be written."
        ) from error
    return filelock.FileLock(
        state / LOCK, timeout=0, thread_local=False, is_singleton=True, fallback_to_soft=False
    )


def _holder(state: Path) -> str:
    try:
        told = orjson.loads((state / HOLDER).read_bytes())
        return f"process {told['pid']} on {told['host']}, since {told['since']},"
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return ""
