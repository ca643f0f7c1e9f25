"""Where words go: a result to stdout, progress and notes to stderr, and no trick to the terminal.

Archive text may hold escape sequences that recolour, retitle or overwrite a terminal, and marks
that reorder a line. Everything printed passes `visible`, which shows them as what they are.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import Any, TextIO

from dream.progress import Progress, Silent

TRICKS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters but tab and line feed, marks of direction, invisible tags, half surrogates."""


def visible(text: str) -> str:
    """Text that a terminal shows and does not obey; what it would obey is spelled out."""
    if not TRICKS.search(text):
        return text
    from dream.templates.hidden import shown

    return shown(text)


def as_json(value: Any) -> str:
    """A result as JSON text: nouns as objects, times as ISO 8601, paths as text."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    return TRICKS.sub(_json_escape, text)


def size(count: int) -> str:
    """Bytes for people: 512 B, 1.4 MB, in steps of 1000."""
    if count < 1000:
        return f"{count} B"
    power = 3 if count >= 10**9 else 2 if count >= 10**6 else 1
    return f"{count / 1000**power:.1f} {('kB', 'MB', 'GB')[power - 1]}"


@dataclass(frozen=True, slots=True)
class Console:
    """Both streams and the switches of the command line. `out` and `err` are open text streams."""

    out: TextIO
    err: TextIO
    quiet: bool = False
    verbose: bool = False
    colour: bool = False  # allowed; what goes into a file or a pipe has none all the same

    @property
    def coloured(self) -> bool:
        """Whether a result may hold colours."""
        return self.colour and self.out.isatty()

    @property
    def width(self) -> int:
        """Cells of a line of the result: the terminal's, or 80 where there is none."""
        return get_terminal_size((80, 24)).columns if self.out.isatty() else 80

    def result(self, text: str) -> None:
        """What was asked for. Ends with one line feed."""
        self.out.write(visible(text).rstrip("\n") + "\n")

    def styled(self, text: str) -> None:
        """A result that may hold colours, from a maker that has spelled all tricks out itself."""
        self.out.write(text if self.coloured else visible(text))

    def json(self, value: Any) -> None:
        self.out.write(as_json(value) + "\n")

    def note(self, text: str) -> None:
        """Something to know beside the result; not under --quiet."""
        if not self.quiet:
            self.err.write(visible(text) + "\n")

    def problem(self, text: str) -> None:
        """Why it was not done; under --quiet too."""
        self.err.write(visible(text) + "\n")

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A bar on a terminal, a line for each stage elsewhere, nothing under --quiet."""
        if self.quiet:
            yield Silent()
        elif self.err.isatty():
            from dream.progress_bar import bar

            with bar(self.err, colour=self.colour) as shown:
                yield shown
        else:
            lines = Lines(self)
            yield lines
            lines.close()


class Lines:
    """Progress for a log: one line when a stage has ended; under --verbose also each note."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.name = ""
        self.done = 0
        self.began = 0.0

    def stage(self, name: str, total: int | None = None) -> None:
        self.close()
        self.name, self.done, self.began = name, 0, monotonic()

    def step(self, count: int = 1, note: str = "") -> None:
        self.done += count
        if note and self.console.verbose:
            self.console.note(f"  {note}")

    def close(self) -> None:
        if self.name:
            count = f" {self.done}" if self.done else ""
            self.console.note(f"{self.name}:{count} in {monotonic() - self.began:.1f} s")
        self.name = ""


def stdio(*, quiet: bool, verbose: bool, colour: bool) -> Console:
    """The console of this process. What an output cannot encode is escaped, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return Console(sys.stdout, sys.stderr, quiet, verbose, colour)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, date):  # a datetime is one
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
