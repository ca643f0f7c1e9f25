"""Lines of a JSONL file, with an account of everything that is not one good record a line.

Only a line feed ends a line: U+2028 and its kin are text. orjson reads almost every line; what it
refuses goes a second, slower way through the standard library, which forgives NaN, lone
surrogates, bytes that are not UTF-8 and records glued together. What stays unreadable is a Skip.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from dream.errors import SourceUnreadable
from dream.records import Skip
from dream.sources import HEAD

LIMIT = 64 * 1024 * 1024
"""Bytes of one line, unless the caller says otherwise."""

_BLANK = b" \t\r\n\x00"
_DECODER = json.JSONDecoder()
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SAMPLE = 20
"""So many lines without one record, and a file is no JSONL."""


class Line(NamedTuple):
    """One record. Records glued together share number and offset, and have their own bytes."""

    number: int  # of the line, from 1
    offset: int  # of the line's first byte in the file
    raw: bytes  # the record's own bytes, without line feed and padding; what a digest is made of
    value: dict[str, Any]  # JSON


def lines(path: Path, skips: list[Skip], limit: int = LIMIT) -> Iterator[Line]:
    """Every record of the file, in order. All that is none is appended to skips.

    limit: bytes; a longer line is passed over without being held in memory.
    Raises SourceUnreadable when the file cannot be opened or read.
    """
    number = offset = 0
    loads = orjson.loads
    blank, line = _BLANK, tuple.__new__  # Line(...) itself costs as much again as a short line
    try:
        with path.open("rb") as file:
            if what := _document(file, limit):
                skips.append(Skip("foreign_format", 0, what))
                return
            for whole in _lines(file, limit):
                number += 1
                start, offset = offset, offset + len(whole)
                if len(whole) > limit and whole[-1] != 10:
                    offset += _rest(file)
                    skips.append(Skip("too_long", number, f"{offset - start} bytes"))
                    continue
                raw = whole.strip(blank)
                try:
                    value = loads(raw)
                except orjson.JSONDecodeError:
                    yield from _second_way(whole, number, start, skips)
                    continue
                if type(value) is dict:
                    yield line(Line, (number, start, raw, value))
                else:
                    skips.append(Skip("not_a_record", number, type(value).__name__))
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error


def is_document(path: Path, limit: int = LIMIT) -> bool:
    """Whether the file is one JSON document: over many lines, or on one line that broke off.

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    try:
        with path.open("rb") as file:
            if _document(file, limit):
                return True
            first, second = _next_text(file, limit), _next_text(file, limit)
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    return bool(first) and not second and _parsed(first) is None


def record(path: Path, number: int, digest: str, limit: int = LIMIT) -> Line | None:
    """The record on line `number` whose bytes have this digest, or None: it is not there now."""
    for line in lines(path, [], limit):
        if line.number == number and digest_of(line.raw) == digest:
            return line
        if line.number > number:
            return None
    return None


def digest_of(raw: bytes) -> str:
    """SHA-256 of a record's own bytes, in hex."""
    return hashlib.sha256(raw).hexdigest()


def token(path: Path) -> str:
    """Changes when the file must be read again: size, time of change, the first bytes.

    Raises SourceUnreadable when the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
        status = path.stat()
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    return f"{status.st_size}:{status.st_mtime_ns}:{hashlib.sha256(head).hexdigest()}"


def first_record(head: bytes) -> dict[str, Any] | None:
    """The first whole record among a file's first bytes, for a reader's `claims`."""
    for raw in head.removeprefix(_UTF8_MARK).split(b"\n"):
        try:
            value = orjson.loads(raw.strip(_BLANK))
        except orjson.JSONDecodeError:
            continue
        if isinstance(value, dict):
            return value
    return None


def _document(file: BinaryIO, limit: int) -> str:
    """What a file is that is no JSONL at all, or "". Leaves the file at its start.

    A pretty-printed document would give one bad line after another, and some that happen to parse.
    Only a file whose first two lines are both no JSON is looked at more closely.
    """
    if file.read(2) in _UTF16_MARKS:
        return "text in UTF-16"
    file.seek(0)
    first, second = _next_text(file, limit), _next_text(file, limit)
    found = False
    if second and _parsed(first) is None and _parsed(second) is None:
        more = [text for _ in range(_SAMPLE) if (text := _next_text(file, limit))]
        records = any(isinstance(value := _parsed(text), dict) and value for text in more)
        hopeless = not records and (first in (b"{", b"[") or len(more) == _SAMPLE)
        found = hopeless or _is_one_value(file, limit)
    file.seek(0)
    return "one JSON document over many lines" if found else ""


def _lines(file: BinaryIO, limit: int) -> Iterable[bytes]:
    """Lines, or the first limit + 1 bytes of one that is too long.

    A file within the limit has no line over it, and the file's own iterator is twice as fast.
    """
    if os.fstat(file.fileno()).st_size <= limit:
        return file
    return iter(lambda: file.readline(limit + 1), b"")


def _next_text(file: BinaryIO, limit: int) -> bytes:
    """The next line that is neither blank nor too long."""
    while whole := file.readline(limit + 1):
        if len(whole) > limit and whole[-1] != 10:
            _rest(file)
        elif raw := whole.removeprefix(_UTF8_MARK).strip(_BLANK):
            return raw
    return b""


def _is_one_value(file: BinaryIO, limit: int) -> bool:
    file.seek(0)
    return _parsed(file.read(limit + 1).removeprefix(_UTF8_MARK).strip(_BLANK)) is not None


def _parsed(raw: bytes) -> Any:
    """The value, or None when it is no JSON (or null, which is no record either)."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None


def _rest(file: BinaryIO) -> int:
    """Passes over the rest of a line that is too long; how many bytes that was."""
    passed = 0
    while piece := file.readline(1 << 20):
        passed += len(piece)
        if piece[-1] == 10:
            break
    return passed


def _second_way(whole: bytes, number: int, offset: int, skips: list[Skip]) -> Iterator[Line]:
    """A line that orjson refused: mended if it can be, else one Skip that says why not."""
    raw = whole.removeprefix(_UTF8_MARK).strip(_BLANK)
    if not raw:
        if b"\x00" in whole:
            skips.append(Skip("not_json", number, "only NUL bytes"))
        return
    lost = "not_json" if whole[-1] == 10 else "torn"
    text = raw.decode(errors="replace")
    found, end = _decode(text)
    if not found:
        skips.append(Skip(lost, number, f"{len(raw)} bytes"))
        return
    if end < len(text):
        skips.append(Skip(lost, number, "the rest of the line"))
    if len(found) > 1:
        skips.append(Skip("glued", number, f"{len(found)} records", lost=False))
    for value, part in found:
        own = raw if len(found) == 1 and end == len(text) else part.encode()
        if "\ufffd" in part and part.encode() not in raw:
            skips.append(Skip("bad_encoding", number, lost=False))
        yield from _mended(Line(number, offset, own, value), part, skips)


def _mended(line: Line, part: str, skips: list[Skip]) -> Iterator[Line]:
    """The record without half surrogate pairs; nothing when it is no record."""
    if type(line.value) is not dict:
        skips.append(Skip("not_a_record", line.number, type(line.value).__name__))
    elif not _SURROGATE.search(part):
        yield line
    else:
        try:
            whole = whole_text(line.value)
        except RecursionError:
            skips.append(Skip("not_json", line.number, "nested too deep"))
            return
        if whole != line.value:
            skips.append(Skip("lone_surrogate", line.number, lost=False))
        yield line._replace(value=whole)


def _decode(text: str) -> tuple[list[tuple[Any, str]], int]:
    """Values on one line with the text each was read from, and where reading had to stop.

    More than one value is taken only when each further one begins with a brace: a stray comma or
    bracket means that what came before it was not whole either.
    """
    found: list[tuple[Any, str]] = []
    start = 0
    while start < len(text):
        if found and text[start] != "{":
            return [], 0
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        found.append((value, text[start:end]))
        start = end
        while start < len(text) and text[start] in " \t\r\x00":
            start += 1
    return found, start


def whole_text(value: Any) -> Any:
    """The value with half surrogate pairs replaced by U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [whole_text(part) for part in value]
    if isinstance(value, dict):
        return {whole_text(key): whole_text(part) for key, part in value.items()}
    return value
