"""What a reader of agents' archives offers: the sources stage holds them, the archive asks them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from dream.records import Transcript

HEAD = 4096
"""How many bytes of a file `claims` is shown."""


class Reader(Protocol):
    """What a module in dream/sources offers. Add one to READERS and the night reads it.

    A module has functions without self; that is how a type checker wants a module's shape written.
    """

    NAME: str  # the agent's or archive's name in dream.yaml, "claude-code"
    VERSION: int  # raised when the same bytes are read differently than before

    def find(self, root: Path) -> Iterator[Path]:
        """Files below root (or root itself, a file) that may be this reader's, in name order."""

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether a file that begins with head is this reader's."""

    def read(self, path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
        """Every unit of the file whose token differs from known[unit], one transcript each.

        scratch: a private folder for copies, emptied by the caller. Nothing beside path is
        touched. Bad parts are Skips; raises SourceUnreadable when nothing at all can be read.
        """


@runtime_checkable
class Looking(Reader, Protocol):
    """What a reader also offers whose sources are more than one file."""

    def look(self, path: Path) -> str:
        """Other than before when path must be read again; "" where its size and time tell that."""
