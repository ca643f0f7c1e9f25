"""SQL by name, and its rows as nouns.

A query is a .sql file beside the stage that owns it; its name is its path below dream/ without the
ending. Its columns must be the fields of the noun, in any order. How a column becomes a field:

- a field that is a frozen dataclass of its own (a Judgement's Scope) takes a STRUCT, or JSON text
- a tuple takes a LIST, its parts likewise (`tuple[Step, ...]` a LIST of STRUCT); NULL is ()
- a Mapping takes a STRUCT, a MAP, or JSON text; a Path takes text
- a time comes out in UTC with its zone; a TIMESTAMP without a zone is taken as UTC
- everything else is handed over as DuckDB gives it
"""

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import orjson

Row = TypeVar("Row")
Turn = Callable[[Any], Any]

HOUSE = Path(__file__).resolve().parent.parent
"""The folder that query names are relative to."""

_PARTS = ("grain", "reads", "params", "into")


@dataclass(frozen=True, slots=True)
class Header:
    """The comment a .sql file begins with."""

    about: str  # what a row is, in a sentence
    grain: str
    reads: tuple[str, ...]
    params: tuple[str, ...]  # names, as they stand in the query with a $ before them
    into: str  # the noun, or "table x", "view x", "the file $target"


class BadQuery(Exception):
    """A .sql file and its noun or its caller do not agree. Our own bug, never the user's."""


@cache
def statement(name: str) -> str:
    """The text of a query. BadQuery when there is none of that name."""
    try:
        return (HOUSE / f"{name}.sql").read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadQuery(f"there is no dream/{name}.sql") from None


@cache
def header(name: str) -> Header:
    """The header of a query. BadQuery when a part is missing, named twice or out of order."""
    lines = []
    for line in statement(name).splitlines():
        if not line.startswith("--"):
            break
        lines.append(line[2:].strip())
    about: list[str] = []
    said: dict[str, str] = {}
    for line in lines:
        part, colon, rest = line.partition(":")
        if colon and part in _PARTS:
            if part in said:
                raise BadQuery(f"dream/{name}.sql says {part} twice")
            said[part] = rest.strip()
        elif said:
            said[next(reversed(said))] += f" {line}"
        else:
            about.append(line)
    if tuple(said) != _PARTS or not about:
        raise BadQuery(
            f"dream/{name}.sql needs a sentence, then {', '.join(_PARTS)}; has {[*said]}"
        )
    return Header(
        " ".join(about), said["grain"], _names(said["reads"]), _names(said["params"]), said["into"]
    )


def check_params(name: str, given: Mapping[str, Any]) -> None:
    """BadQuery when the values handed over are not those the header names."""
    wanted = header(name).params
    if sorted(wanted) != sorted(given):
        raise BadQuery(f"dream/{name}.sql takes {sorted(wanted)}, and got {sorted(given)}")


def nouns(
    name: str, into: type[Row], columns: Sequence[str], batches: Iterator[Sequence[Sequence[Any]]]
) -> Iterator[Row]:
    """Each row as one `into`. BadQuery when the columns are not its fields."""
    parts = {part.name: index for index, part in enumerate(dataclasses.fields(_dataclass(into)))}
    if sorted(parts) != sorted(columns):
        raise BadQuery(
            f"the columns of dream/{name}.sql are not the fields of {into.__name__}:\n"
            f"  columns: {', '.join(columns)}\n  fields:  {', '.join(parts)}"
        )
    place = {column: index for index, column in enumerate(columns)}
    order = [place[part] for part in parts]
    found = _turns(typing.cast(Any, into))
    turns = [(index, turn) for index, turn in enumerate(found) if turn is not None]
    straight = order == list(range(len(order)))
    for batch in batches:
        for row in batch:
            values = list(row) if straight else [row[index] for index in order]
            for index, turn in turns:
                values[index] = turn(values[index])
            yield into(*values)


@cache
def _turns(into: type[Any]) -> tuple[Turn | None, ...]:
    hints = typing.get_type_hints(into)
    return tuple(_turn(hints[part.name]) for part in dataclasses.fields(into))


def _turn(hint: Any) -> Turn | None:
    """How a value becomes a field of this type; None when it already is one."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return None
    if origin is tuple:
        inner = _turn(typing.get_args(hint)[0])
        return lambda value: tuple(value or ()) if inner is None else tuple(map(inner, value or ()))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: orjson.loads(value) if isinstance(value, str) else dict(value or {})
    if origin is not None:
        kinds = [part for part in typing.get_args(hint) if part is not NoneType]
        turn = _turn(kinds[0]) if len(kinds) == 1 else None
        return None if turn is None else lambda value: None if value is None else turn(value)
    if hint is datetime:
        return _utc
    if hint is Path:
        return Path
    return _nested(hint) if dataclasses.is_dataclass(hint) else None


def _nested(noun: Any) -> Turn:
    """A STRUCT or JSON text as a noun inside a noun."""
    names = [part.name for part in dataclasses.fields(noun)]
    turns = dict(zip(names, _turns(noun), strict=True))

    def make(value: Any) -> Any:
        given = orjson.loads(value) if isinstance(value, str) else value
        return noun(**{name: turn(given[name]) if (turn := turns[name]) else given[name]
                       for name in names})  # fmt: skip

    return make


def _utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _dataclass(into: type[Any]) -> type[Any]:
    if not dataclasses.is_dataclass(into):
        raise BadQuery(f"{into.__name__} is no noun: rows become frozen dataclasses")
    return into


def _names(said: str) -> tuple[str, ...]:
    """Names before any words in brackets, parted by commas: "since (timestamp, UTC), tool"."""
    bare, depth = [], 0
    for letter in said:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter != ")":
            bare.append(letter)
    found = (name.strip() for name in "".join(bare).split(","))
    return tuple(name.split()[0] for name in found if name and name not in ("none", "-"))
