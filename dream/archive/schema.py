"""The tables of the archive: one for each kind of record that a transcript holds.

They follow dream.records by themselves, so that a field added there is stored from that day on.
Each row also has `row`, a number no other row of this state has, and `scan`, the reading it came
from (one unit of one file, read on one night).
"""

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import NoneType
from typing import Any

from dream.records import Transcript


@dataclass(frozen=True, slots=True)
class Removal:
    """A secret that was taken out of a row. The mark tells equal secrets apart within this state
    and is never shown outside of it.
    """

    session_id: str  # "" where the row belongs to none
    line: int
    kind: str  # "github-token"
    mark: str  # keyed hash, 16 hex digits


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the noun it holds. columns: name to DuckDB type, row and scan first."""

    name: str
    noun: type[Any]
    columns: Mapping[str, str]
    texts: tuple[str, ...]  # fields that secrets are taken out of


TEXTS: Mapping[str, tuple[str, ...]] = {
    "Session": ("cwd", "git_branch", "title"),
    "Message": ("text",),
    "ToolCall": ("tool", "arguments"),
    "Branch": ("reason", "summary"),
    "Memory": ("text",),
    "Label": ("text",),
    "Checkpoint": ("branch",),
    "Checkout": ("root", "default_branch"),
    "Commit": ("subject",),
    "RuleChange": ("path",),
    "RuleText": ("text",),
    "RuleSeen": ("root", "path"),
    "Standing": ("branch",),
    "HeadMove": ("worktree", "branch"),
    "Deletion": ("reason",),
    "Skip": ("detail",),
}
"""Fields whose words come from people, models and programs. All others are ids, numbers, and words
from short lists."""

JSON_TEXTS = frozenset({"arguments"})
"""Fields that hold the JSON text of an object."""

_TYPES = {str: "VARCHAR", int: "BIGINT", bool: "BOOLEAN", datetime: "TIMESTAMPTZ"}


def _tables() -> Mapping[str, Table]:
    found = {"removals": _table("removals", Removal)}
    for name, hint in typing.get_type_hints(Transcript).items():
        if typing.get_origin(hint) is Sequence and dataclasses.is_dataclass(of := _part(hint)):
            found[name] = _table(name, typing.cast(type[Any], of))
    return dict(sorted(found.items()))


def _table(name: str, noun: type[Any]) -> Table:
    columns = {"row": "BIGINT", "scan": "BIGINT"}
    hints = typing.get_type_hints(noun)
    columns |= {part.name: _column(hints[part.name]) for part in dataclasses.fields(noun)}
    return Table(name, noun, columns, TEXTS.get(noun.__name__, ()))


def _column(hint: Any) -> str:
    """The DuckDB type for a field. KeyError for one that the archive cannot hold."""
    origin = typing.get_origin(hint)
    if origin is typing.Literal:
        return "VARCHAR"
    if origin is tuple:
        return _column(_part(hint)) + "[]"
    if origin is not None:  # X | None
        (hint,) = (part for part in typing.get_args(hint) if part is not NoneType)
        return _column(hint)
    return _TYPES[hint]


def _part(hint: Any) -> Any:
    return typing.get_args(hint)[0]


TABLES = _tables()
"""Every table by its name, in name order."""
