"""The archive's relations in a DuckDB of the test's own, filled from records: for the signals
stage alone, so that its tests do not wait for a night."""

import dataclasses
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import orjson

import dream
from dream.records import Branch, Memory, Message, Run, Session, ToolCall, Transcript

Row = TypeVar("Row")
_HOUSE = Path(dream.__file__).parent
_TYPES = {"str": "VARCHAR", "int": "BIGINT", "bool": "BOOLEAN", "datetime": "TIMESTAMPTZ"}
_TABLES: Mapping[str, type[Any]] = {
    "sessions": Session,
    "runs": Run,
    "messages": Message,
    "calls": ToolCall,
    "memories": Memory,
    "branches": Branch,
}
_KEYS = {
    "sessions": "session_id",
    "runs": "run_id",
    "messages": "message_id",
    "calls": "call_id",
    "memories": "memory_id",
    "branches": "branch_id",
}


class Relations:
    """`rows` as the archive has it, over records handed in. Copies by id are one; no more."""

    def __init__(self, transcripts: Iterable[Transcript], project: str = "/repo/shop") -> None:
        self._connection = duckdb.connect(
            ":memory:", config={"threads": "2", "autoinstall_known_extensions": "false"}
        )
        self._connection.execute("SET TimeZone = 'UTC'")
        listed = list(transcripts)
        for table, noun in _TABLES.items():
            rows = [row for each in listed for row in getattr(each, table)]
            self._fill(table, noun, rows, project)

    def rows(self, name: str, into: type[Row], **params: Any) -> Iterator[Row]:
        text = (_HOUSE / f"{name}.sql").read_text(encoding="utf-8")
        cursor = self._connection.cursor()
        cursor.execute(text, params)
        columns = [column[0] for column in cursor.description or ()]
        assert sorted(columns) == sorted(f.name for f in dataclasses.fields(into))  # type: ignore[arg-type]  # a noun
        while batch := cursor.fetchmany(1000):
            for row in batch:
                yield into(**{c: _utc(v) for c, v in zip(columns, row, strict=True)})

    def _fill(self, table: str, noun: type[Any], rows: Sequence[Any], project: str) -> None:
        columns = {field.name: _sql_type(str(field.type)) for field in dataclasses.fields(noun)}
        if table == "sessions":
            columns["project_key"] = "VARCHAR"
        listed: dict[str, dict[str, Any]] = {}
        for row in rows:
            value = dataclasses.asdict(row)
            if table == "sessions":
                value["project_key"] = project or row.cwd
            if table == "messages":
                value["text"] = row.text.encode("utf-8", "replace").decode()
            listed.setdefault(value[_KEYS[table]], value)
        declared = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        self._connection.execute(f"CREATE TABLE {table} ({declared})")
        if not listed:
            return
        shape = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items()) + "}"
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            for value in listed.values():
                file.write(orjson.dumps(value) + b"\n")
            file.flush()
            source = f"read_json('{file.name}', columns={shape}, format='newline_delimited', "
            source += "maximum_object_size=100000000)"
            self._connection.execute(f"INSERT INTO {table} SELECT * FROM {source}")  # noqa: S608 - our own file


def _sql_type(hint: str) -> str:
    if "tuple" in hint:
        return "VARCHAR[]"
    for name, kind in _TYPES.items():
        if "Literal" not in hint and name in hint:
            return kind
    return "VARCHAR"


def _utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value
