"""The records of a deviation log, CSV or JSONL, each with its line; what is none is named.

Every line of the file stands for itself: a quote that is left open spoils its line and no other.
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

import yaml

Record = Mapping[str, str]
"""What a line tells, by our own names of columns."""

LARGEST = 256 * 1024 * 1024
"""Bytes of a log that are read."""

NO_DENOMINATOR = (
    "it tells shares and no counts. A share without the number of turns that it was taken from "
    "cannot be compared: not comparable, no denominator"
)


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was not taken, and why."""

    file: str
    line: int  # from 1
    why: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A file taken apart. refused: why nothing of it was taken; "" when it was."""

    records: tuple[tuple[int, Record], ...] = ()  # with their lines, from 1
    bad: tuple[BadLine, ...] = ()
    unknown: tuple[str, ...] = ()  # columns that say nothing to us
    refused: str = ""


@cache
def vocabulary() -> Mapping[str, Any]:
    """The words of logs, each already folded."""
    path = resources.files("dream.audit") / "deviation_words.yaml"
    raw = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
    told: dict[str, Any] = {}
    for name, value in raw.items():
        if isinstance(value, dict):
            told[name] = {folded(word): own for own, words in value.items() for word in words}
        else:
            told[name] = tuple(value) if name in ("needed", "shares") else set(map(folded, value))
    return told


def folded(text: str) -> str:
    """A word as it is compared: without case, blanks, dashes and low lines."""
    return re.sub(r"[\s_-]+", "", text.strip().casefold()) or text.strip()


def read_lines(path: Path) -> Lines:
    """The records of one log. Nothing is raised: what cannot be read is refused with a reason."""
    try:
        if not path.is_file():
            return Lines(refused="it is not there, or no regular file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return Lines(refused=f"it cannot be read: {error.strerror}")
    if len(data) > LARGEST:
        return Lines(refused=f"it is larger than {LARGEST:,} bytes")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # as spreadsheets save it
    text = data.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    lines = [(n, line.rstrip("\r")) for n, line in enumerate(text.split("\n"), 1)]
    lines = [(n, line) for n, line in lines if line.strip("\x00\t\r ")]
    if not lines:
        return Lines(refused="it is empty")
    if lines[0][1].lstrip()[0] in "{[":
        return _jsonl(str(path), lines, text)
    return _csv(str(path), lines)


def _jsonl(file: str, lines: Sequence[tuple[int, str]], text: str) -> Lines:
    if _parsed(lines[0][1]) is None and (whole := _parsed(text)) is not None:
        return Lines(refused=_no_log(_keys(whole), "it is one JSON document"))
    values = [(number, _parsed(line)) for number, line in lines]
    records = [(n, value) for n, value in values if isinstance(value, dict)]
    bad = [BadLine(file, n, "no JSON object") for n, value in values if not isinstance(value, dict)]
    names = {key: _own(key) for _, value in records for key in value}
    if missing := _missing(names):
        keys = [key for _, value in values for key in _keys(value)]
        return Lines(refused=_no_log(keys, missing))
    told = tuple(
        (n, {own: _text(value[key]) for key in value if (own := names[key])})
        for n, value in records
    )  # fmt: skip
    return Lines(told, tuple(bad), _unknown(names))


def _csv(file: str, lines: Sequence[tuple[int, str]]) -> Lines:
    first = lines[0][1]
    parted = [(mark, cells) for mark in ",;\t" if (cells := _cells(first, mark))]
    if not parted:
        return Lines(refused="its first line is no list of columns")
    mark, header = max(parted, key=lambda each: sum(bool(_own(cell)) for cell in each[1]))
    names = {cell: _own(cell) for cell in header}
    if missing := _missing(names):
        return Lines(refused=_no_log(header, missing))
    if len(set(header)) < len(header):
        return Lines(refused="two of its columns have the same name")
    records: list[tuple[int, Record]] = []
    bad: list[BadLine] = []
    for number, line in lines[1:]:
        cells = _cells(line, mark)
        if cells is None:
            bad.append(BadLine(file, number, "a quote that is not closed, or text behind one"))
        elif len(cells) != len(header):
            why = f"{len(cells)} cells where there are {len(header)} columns"
            bad.append(BadLine(file, number, why))
        else:
            pairs = zip(header, cells, strict=True)
            records.append(
                (number, {own: cell.strip() for key, cell in pairs if (own := names[key])})
            )
    return Lines(tuple(records), tuple(bad), _unknown(names))


def _cells(line: str, mark: str) -> list[str] | None:
    try:
        return next(csv.reader([line], delimiter=mark, strict=True))
    except (csv.Error, StopIteration):
        return None


def _own(column: str) -> str:
    """Our own name of a column; "" for one that we do not know."""
    own: str = vocabulary()["columns"].get(folded(column), "")
    return own


def _missing(names: Mapping[str, str]) -> str:
    """What is wrong with the columns; "" when each that is needed is there once."""
    own = [name for name in names.values() if name]
    twice = sorted({name for name in own if own.count(name) > 1})
    if twice:
        return f"several of its columns tell the same: {', '.join(twice)}"
    lacking = [name for name in vocabulary()["needed"] if name not in own]
    return f"it has no column for: {', '.join(lacking)}" if lacking else ""


def _no_log(names: Sequence[str], why: str) -> str:
    """Why a file is no log. One that tells shares only is told what it lacks."""
    pieces = vocabulary()["shares"]
    if any(piece in name.casefold() for name in names for piece in pieces):
        return NO_DENOMINATOR
    return f"{why}; a deviation log is CSV or JSONL, a line a turn"


def _unknown(names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted(name for name, own in names.items() if not own))


def _keys(value: object) -> list[str]:
    """Every key of a JSON value, however deep."""
    found, waiting = list[str](), [value]
    while waiting:
        match waiting.pop():
            case dict() as inner:
                found += map(str, inner)
                waiting += inner.values()
            case list() as inner:
                waiting += inner
            case _:
                continue
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer():
            return str(int(value))
        case str():
            return value.strip()
    return json.dumps(value, ensure_ascii=False)
