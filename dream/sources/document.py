"""A file that is one JSON document, read record by record, each with the line it begins on.

Only the levels that hold records are walked here; a record itself is read whole. So a document that
breaks off gives every record before the break, and a record's line costs a count of line feeds.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from dream.errors import SourceUnreadable
from dream.records import Skip
from dream.sources.jsonl import LIMIT, whole_text

Way = tuple[str | int, ...]
"""Keys and places that lead to a value: ("messages", 3, "parts", 0)."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


class Piece(NamedTuple):
    """A value of the document."""

    way: Way
    line: int  # from 1, where it begins
    value: Any  # JSON
    stored: Any  # the same as it stands, half surrogate pairs included; what a digest is made of


class _Broken(Exception):
    """The text is no JSON from here on. Its one argument is the place."""


def pieces(
    path: Path, opened: Collection[Way], skips: list[Skip], limit: int = LIMIT
) -> Iterator[Piece]:
    """Every value of the file's document that stands in one of the opened levels, in order.

    opened: ways of objects and lists to walk into, with -1 for any place in a list; () is the
    document itself. What is opened gives no piece of its own. Whatever goes wrong is appended to
    skips. limit: bytes; a larger file is not read.
    Raises SourceUnreadable when the file cannot be opened or read.
    """
    text = _text(path, skips, limit)
    if not text:
        return
    walk = _Walk(text, opened)
    try:
        for piece in walk.value(()):
            yield _mended(piece, walk.halves, skips)
        rest = walk.space()
        if rest < len(text):
            skips.append(Skip("not_json", walk.line_of(rest), "behind the document"))
    except _Broken as broken:
        line = walk.line_of(broken.args[0])
        whole = text.endswith(("}", "]"))
        skips.append(Skip("damaged" if whole else "torn", line, "the rest of the document"))


def first_pieces(head: bytes, opened: Collection[Way]) -> Iterator[Piece]:
    """The same of a file's first bytes, as far as they go: for a reader's `claims`."""
    walk = _Walk(head.removeprefix(b"\xef\xbb\xbf").decode(errors="replace"), opened)
    try:
        yield from walk.value(())
    except _Broken:
        return


def _text(path: Path, skips: list[Skip], limit: int) -> str:
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= limit else b""
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    if size > limit:
        skips.append(Skip("too_long", 0, f"{size} bytes"))
    raw = raw.removeprefix(b"\xef\xbb\xbf").rstrip(b" \t\r\n\x00")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        skips.append(Skip("bad_encoding", 0, lost=False))
        return raw.decode(errors="replace")


def _mended(piece: Piece, halves: bool, skips: list[Skip]) -> Piece:
    """The piece without half surrogate pairs."""
    if not halves:
        return piece
    value = whole_text(piece.value)
    if value != piece.value:
        skips.append(Skip("lone_surrogate", piece.line, lost=False))
    return piece._replace(value=value)


class _Walk:
    """A place in the text that only moves on, and the line it is on."""

    def __init__(self, text: str, opened: Collection[Way]) -> None:
        self.text = text
        self.opened = frozenset(opened)
        self.halves = "\\ud" in text or "\\uD" in text  # there may be some
        self._at = 0
        self._counted = 0  # line feeds are counted up to here
        self._line = 1

    def line_of(self, place: int) -> int:
        """The line of a place that is not before the last one asked for."""
        self._line += self.text.count("\n", self._counted, place)
        self._counted = max(place, self._counted)
        return self._line

    def space(self) -> int:
        """Passes over white space; where that ends."""
        self._at = _SPACE.match(self.text, self._at).end()  # type: ignore[union-attr]  # never None
        return self._at

    def value(self, way: Way, shape: Way = ()) -> Iterator[Piece]:
        """The pieces of the value that begins here. shape: its way, with -1 for every place."""
        start = self.space()
        mark = self.text[start : start + 1]
        if mark in ("{", "[") and shape in self.opened:
            self._at += 1
            yield from self._inside(way, shape, "}" if mark == "{" else "]")
            return
        line = self.line_of(start)
        value = self._read(start)
        yield Piece(way, line, value, value)

    def _inside(self, way: Way, shape: Way, end: str) -> Iterator[Piece]:
        place = 0
        while not self._ends(end, place):
            if end == "]":
                yield from self.value((*way, place), (*shape, -1))
            else:
                key = self._key()
                yield from self.value((*way, key), (*shape, key))
            place += 1

    def _ends(self, end: str, place: int) -> bool:
        """Whether the list or object ends here. Passes over the comma between two members."""
        at = self.space()
        mark = self.text[at : at + 1]
        if mark == end:
            self._at += 1
            return True
        if place:
            if mark != ",":
                raise _Broken(at)
            self._at += 1
        return False

    def _key(self) -> str:
        start = self.space()
        key = self._read(start) if self.text.startswith('"', start) else None
        at = self.space()
        if type(key) is not str or not self.text.startswith(":", at):
            raise _Broken(at)
        self._at += 1
        return key

    def _read(self, start: int) -> Any:
        try:
            value, self._at = _DECODER.raw_decode(self.text, start)
        except (ValueError, RecursionError) as error:
            raise _Broken(start) from error
        return value
