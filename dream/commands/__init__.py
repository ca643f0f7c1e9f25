"""The commands, one module each: add_x declares it, run_x does it and gives the exit code.

A module imports argparse and little else at its top, so that `dream --help` answers at once; what a
command works with is imported when it runs.
"""

import argparse
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from pathlib import Path
from typing import TypeAlias

from dream.config import Config
from dream.console import Console
from dream.place import Place

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What add_parser is on; argparse has no public name for it."""


class Exit(IntEnum):
    """What a caller may tell from the exit code alone."""

    DONE = 0
    LOOK = 1  # done, and a person should look
    MISTAKE = 2  # not done; the person can mend it
    BUG = 3  # not done; we must mend it
    STOPPED = 130  # Ctrl-C
    PIPE = 141  # nobody reads the output any more
    TERMINATED = 143


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command: what was typed, where, and who listens."""

    args: argparse.Namespace
    place: Place
    console: Console

    @property
    def config_path(self) -> Path | None:
        path: Path | None = self.args.config
        return path

    @property
    def json(self) -> bool:
        return bool(self.args.json)

    def near(self, path: Path) -> str:
        """A path for people: as seen from where they stand, when it lies below."""
        below = path.is_relative_to(self.place.cwd)
        return str(path.relative_to(self.place.cwd) if below else path)

    def config(self) -> Config:
        """The settings of this call. Raises BadConfig."""
        from dream.config_file import load

        return load(self.config_path, self.place)


def day(text: str) -> date:
    """An argument that names a day. argparse shows the message."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; write 2026-05-31") from error
