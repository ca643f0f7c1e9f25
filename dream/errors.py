"""What can go wrong, one class for each thing a caller may handle.

DreamError                 a message for a person: what happened, what state is left, what to do now
├── UserMistake            exit 2: the person can mend it
│   ├── BadConfig          dream.yaml: file, line, key
│   ├── NotFound           an id, a run or a message that the archive does not know
│   └── Ambiguous          a short name that stands for several things
├── NightBusy              another night holds the lock (exit 0: nothing to do)
├── SourceUnreadable       one source; the night goes on without it
│   ├── NotAnArchive       another program's file
│   ├── TooNew             a layout newer than this reader
│   └── Damaged            broken pages or bytes
└── StateBroken            our own state cannot be used; nothing was written
"""

from pathlib import Path


class DreamError(Exception):
    """The message is for a person and stands on its own."""


class UserMistake(DreamError):
    """Something the person who typed the command can mend."""


class BadConfig(UserMistake):
    """A line of dream.yaml that cannot be meant."""

    def __init__(self, path: Path, line: int, what: str) -> None:
        place = f"{path}:{line}" if line else str(path)
        super().__init__(f"{place}: {what}\nNothing was read or written.")


class NotFound(UserMistake):
    """Asked for by name, and not in the archive."""


class Ambiguous(UserMistake):
    """A short name that several things have."""

    def __init__(self, name: str, choices: list[str]) -> None:
        shown = "\n".join(f"  {choice}" for choice in choices)
        super().__init__(f"{name} stands for several things; say which one:\n{shown}")


class NightBusy(DreamError):
    """A second night was started while one is running."""


class SourceUnreadable(DreamError):
    """One source cannot be read. `reason` is a word of records.SKIPS."""

    reason = "unreadable"

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


class NotAnArchive(SourceUnreadable):
    """A file of another program."""

    reason = "not_an_archive"


class TooNew(SourceUnreadable):
    """A layout newer than any this reader knows."""

    reason = "too_new"


class Damaged(SourceUnreadable):
    """Broken pages or bytes; `why` names the step that failed."""

    reason = "damaged"


class StateBroken(DreamError):
    """Our own state folder cannot be used as it is."""
