"""A small archive in memory: the relations that the review's and report's SQL reads."""

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeVar

import duckdb

from dream.archive.query import check_params, nouns, statement
from dream.records import Compaction, Deletion, Message, Run, Session, ToolCall
from dream.types import Rows

Row = TypeVar("Row")

WHEN = datetime(2026, 4, 8, 9, 0, tzinfo=UTC)
_SQL = {str: "VARCHAR", int: "BIGINT", bool: "BOOLEAN", datetime: "TIMESTAMPTZ"}
RELATIONS: Mapping[str, Mapping[str, type]] = {
    "sessions": {"project_key": str, "project_name": str},
    "runs": {},
    "messages": {"source_file": str, "copies": int},
    "calls": {"source_file": str},
    "compactions": {"source_file": str},
    "deletions": {"source_file": str},
    "sightings": {
        "copy_key": str,
        "message_id": str,
        "session_id": str,
        "run_id": str,
        "name": str,
        "source_file": str,
        "line": int,
        "digest": str,
        "reader": str,
        "gone": bool,
    },
    "coverage": {
        "source_file": str,
        "reader": str,
        "night": str,
        "status": str,
        "reason": str,
        "line": int,
        "detail": str,
        "lost": bool,
        "count": int,
    },
    "removals": {"session_id": str, "line": int, "kind": str, "mark": str, "source_file": str},
    "files": {
        "source_file": str,
        "reader": str,
        "first_night": str,
        "last_night": str,
        "gone": bool,
        "records": int,
        "messages": int,
    },
}
_NOUNS: Mapping[str, Any] = {
    "sessions": Session,
    "runs": Run,
    "messages": Message,
    "calls": ToolCall,
    "compactions": Compaction,
    "deletions": Deletion,
}


class Tables(Rows):
    """Rows over tables in memory; `add` puts one row in."""

    def __init__(self) -> None:
        self.db = duckdb.connect(config={"autoinstall_known_extensions": "false"})
        self.db.execute("SET TimeZone = 'UTC'")
        for name, extra in RELATIONS.items():
            columns = {**_columns(_NOUNS.get(name)), **{k: _SQL[v] for k, v in extra.items()}}
            listed = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
            self.db.execute(f"CREATE TABLE {name} ({listed})")

    def rows(self, name: str, into: type[Row], **params: Any) -> Iterator[Row]:
        """As Archive.rows: the .sql file's columns are the noun's fields."""
        check_params(name, params)
        result = self.db.cursor().execute(statement(name), params)
        columns = [column[0] for column in result.description or ()]
        yield from nouns(name, into, columns, iter([result.fetchall()]))

    def add(self, relation: str, noun: object = None, **values: Any) -> None:
        """One row: a noun's fields and what the archive adds to them."""
        row = (
            {f.name: getattr(noun, f.name) for f in fields(typing.cast("Any", noun))}
            if noun
            else {}
        )
        row |= values
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        insert = f"INSERT INTO {relation} ({names}) VALUES ({marks})"  # noqa: S608 (names are ours)
        self.db.execute(insert, list(row.values()))

    def say(
        self,
        text: str,
        *,
        session: str = "pi:a",
        native: str = "m1",
        role: Any = "human",
        name: str | None = None,
        happened: datetime = WHEN,
        source: str = "a.jsonl",
        line: int = 1,
        digest: str = "",
        run: str | None = None,
        number: int = 0,
        reader: str = "pi",
    ) -> Message:
        """A stored message and its sighting."""
        message = Message(
            message_id=f"{session}/{native}",
            session_id=session,
            run_id=run or f"{session}:1",
            number=number,
            role=role,
            kind="prompt" if role == "human" else "result",
            text=text,
            copy_key=sha256(f"{session}{native}{text}".encode()).hexdigest()[:32],
            digest=digest,
            line=line,
            happened=happened,
            name=name,
        )
        self.add("messages", message, source_file=source, copies=1)
        self.add(
            "sightings",
            **{key: getattr(message, key) for key in ("copy_key", "message_id", "session_id")},
            **{key: getattr(message, key) for key in ("run_id", "name", "line", "digest")},
            source_file=source,
            reader=reader,
            gone=False,
        )
        return message


def _columns(noun: Any) -> dict[str, str]:
    if noun is None:
        return {}
    hints = typing.get_type_hints(noun)
    return {field.name: _kind(hints[field.name]) for field in fields(noun)}


def _kind(hint: Any) -> str:
    if isinstance(hint, types.UnionType):
        hint = next(each for each in typing.get_args(hint) if each is not type(None))
    if typing.get_origin(hint) in (tuple, Sequence):
        return "VARCHAR[]"
    return _SQL.get(hint, "VARCHAR")
