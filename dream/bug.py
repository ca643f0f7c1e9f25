"""Our own mistakes: a short word to the person, the whole trace into a file for who mends it."""

import os
import platform
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

from dream import __version__
from dream.commands import Call, Exit
from dream.errors import DreamError


def note_bug(call: Call, error: Exception) -> Exit:
    """Write the trace, say where it is, and give the exit code of a bug."""
    kind = type(error).__name__
    where = write_trace(_folder(call), _trace(call, error))
    call.console.problem(
        f"Dream met a mistake of its own ({kind}) and stopped. What was finished before is kept "
        f"and whole.\nThe details are in {where}\n"
        f"Please report it with that file; look through it first, it may name your folders."
    )
    return Exit.BUG


def write_trace(folder: Path, trace: str) -> Path:
    """The trace as a new private file in folder, or in the temporary folder if that cannot be."""
    for place in (folder, Path(tempfile.gettempdir())):
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(prefix="bug-", suffix=".log", dir=place)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(trace)
        except OSError:
            continue
        return Path(name)
    return Path(os.devnull)


def _folder(call: Call) -> Path:
    try:
        return call.config().state / "logs"
    except (DreamError, OSError):
        return call.place.state() / "logs"


def _trace(call: Call, error: Exception) -> str:
    from dream.archive.redact import redact

    lines = traceback.format_exception(error)
    head = (
        f"dream {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{datetime.now(UTC).isoformat(timespec='seconds')}\n"
        f"command: {getattr(call.args.run, '__name__', '')}\n\n"
    )
    return head + redact("".join(lines)).text
