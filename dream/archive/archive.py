"""The archive as every later stage sees it: relations, each thing once, asked by a query's name.

Opening takes the manifest of the last published state, works out on keys alone which copy of a
message speaks for it, and lays views over the Parquet files. Text is read when a query asks for
it. Nothing here writes to the archive; any number of processes may do this while a night writes.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import duckdb
import orjson

from dream.archive import histories
from dream.archive import manifest as manifests
from dream.archive.manifest import Manifest, folder_of
from dream.archive.projects import known_places, project_of
from dream.archive.query import Row, check_params, nouns, statement
from dream.archive.schema import TABLES, Table
from dream.errors import StateBroken

INDEX = (
    *("session_numbers", "run_numbers", "keys", "ranks", "owners", "canon", "moved"),
    *("canon_calls", "session_heads", "run_heads"),
)
"""Tables worked out on opening, each from those before it."""

VIEWS = (
    *("sessions", "runs", "messages", "calls", "branches", "compactions", "memories", "labels"),
    *("deletions", "sightings", "coverage", "files", "removals", "distances", "run_distances"),
    *("checkpoints", "checkouts", "rule_commits", "commits", "rule_changes", "rule_texts"),
    *("rules_seen", "standings", "head_moves", "history_coverage"),
)
"""The relations that queries of all stages may read."""

MEMORY = "1GB"

_BATCH = 2_000  # rows fetched at a time

_BROKEN = (
    *(duckdb.IOException, duckdb.SerializationException, duckdb.OutOfMemoryException),
    *(duckdb.InvalidInputException, duckdb.InternalException, duckdb.FatalException),
)
"""What a part with broken bytes, or one that is too much for the memory, gives in a query."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that sessions ran in."""

    cwd: str


class Archive:
    """Guards a DuckDB in memory with the relations of one published state."""

    def __init__(self, state: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self._state = state
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, state: Path, memory: str = MEMORY) -> Iterator[Self]:
        """The archive of a state folder; an empty one where no night has been.

        memory: what queries may hold before they spill to the state folder, in DuckDB's words.
        Raises StateBroken when the manifest or a part that it names cannot be read.
        """
        manifest = manifests.load(state)
        spill = state / "spill" / str(os.getpid())
        with suppress(OSError):  # a state that may only be read: then nothing is spilled
            if manifest.parts:
                spill.parent.mkdir(mode=0o700, exist_ok=True)
        connection = _connect(state, spill, memory)
        try:
            try:
                _build(connection, state, manifest)
            except duckdb.Error as error:
                raise _unreadable(state, error) from error
            yield cls(state, connection)
        finally:
            connection.close()
            shutil.rmtree(spill, ignore_errors=True)

    def rows(self, name: str, into: type[Row], **params: Any) -> Iterator[Row]:
        """The rows of dream/<name>.sql as nouns, one after the other, in its order.

        Any number of these may be open at once. Raises BadQuery when the query's parameters or
        columns are not those of the call, StateBroken when a part is not there or cannot be read.
        dream.archive.query says how a column becomes a field.
        """
        check_params(name, params)
        cursor = self._connection.cursor()
        try:
            cursor.execute(statement(name), params)
            columns = [column[0] for column in cursor.description or ()]
            yield from nouns(name, into, columns, _batches(cursor))
        except _BROKEN as error:
            raise _unreadable(self._state, error) from error
        finally:
            cursor.close()

    def write(self, name: str, **params: Any) -> None:
        """Runs a query of this stage that writes a file."""
        check_params(name, params)
        with self._connection.cursor() as cursor:
            cursor.execute(statement(name), params)


def _batches(cursor: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Sequence[Any]]]:
    while batch := cursor.fetchmany(_BATCH):
        yield batch


def _connect(state: Path, spill: Path, memory: str) -> duckdb.DuckDBPyConnection:
    """A DuckDB that reads our parts and nothing else, and whose settings no query can change."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": "2",
            "memory_limit": memory,
            "temp_directory": str(spill),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_external_file_cache": "false",  # parts are read once a night, mostly
        },
    )
    homes = (state, histories.folder_of(state))
    ours = {"folders": [*(str(home / manifests.PARTS) for home in homes), str(spill)]}
    connection.execute("SET allowed_directories = $folders", ours)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET lock_configuration = true")
    return connection


def _build(connection: duckdb.DuckDBPyConnection, state: Path, manifest: Manifest) -> None:
    home = histories.folder_of(state)
    past = manifests.load(home)
    for table in TABLES.values():
        files = _files(state, manifest, table)
        if table.name in histories.TABLES:
            files += _files(home, past, table)
        _stored(connection, table.name, table, files)
    skips = TABLES["skips"]
    _stored(connection, "history_skips", skips, _files(home, past, skips))
    for name, values in (facts(manifest) | histories.facts(past)).items():
        _create(connection, "TABLE", f"index/{name}", values)
    folders = connection.execute(statement("archive/folders")).fetchall()
    _create(connection, "TABLE", "index/places", _places(state, [cwd for (cwd,) in folders]))
    for name in INDEX:
        _create(connection, "TABLE", f"index/{name}")
    for name in VIEWS:
        _create(connection, "VIEW", f"views/{name}")


def _files(state: Path, manifest: Manifest, table: Table) -> list[str]:
    return [
        str(folder_of(state, part.part) / f"{table.name}.parquet")
        for _, part in sorted(manifest.parts.items())
        if table.name in part.tables
    ]


def _stored(
    connection: duckdb.DuckDBPyConnection, name: str, table: Table, files: list[str]
) -> None:
    if files:
        stored = connection.read_parquet(files, union_by_name=True)
    else:
        stored = connection.sql(statement("archive/index/nothing"), params=_shape(table))
    stored.create_view(f"stored_{name}")


def _create(
    connection: duckdb.DuckDBPyConnection,
    what: Literal["TABLE", "VIEW"],
    name: str,
    values: Mapping[str, Sequence[object]] | None = None,
) -> None:
    relation = connection.sql(statement(f"archive/{name}"), params=values)
    if what == "TABLE":
        relation.create(name.rpartition("/")[2])
    else:
        relation.create_view(name.rpartition("/")[2])


def _shape(table: Table) -> dict[str, str]:
    """A table's columns in the words of from_json."""
    columns = {
        name: [kind.removesuffix("[]")] if kind.endswith("[]") else kind
        for name, kind in table.columns.items()
    }
    return {"shape": orjson.dumps([columns]).decode()}


def facts(manifest: Manifest) -> dict[str, dict[str, list[object]]]:
    """The manifest as columns: what the tables of these names in index/ are made of."""
    entries = sorted(manifest.files.values(), key=lambda entry: entry.source_file)
    numbers = {entry.source_file: number for number, entry in enumerate(entries)}
    totals = [[0, 0] for _ in entries]
    scans = sorted(manifest.scans.values(), key=lambda scan: scan.scan)
    for scan in scans:
        if scan.live:
            totals[numbers[scan.source_file]][0] += scan.records
            totals[numbers[scan.source_file]][1] += scan.messages
    files: dict[str, list[object]] = {
        name: [getattr(entry, name) for entry in entries]
        for name in (
            *("source_file", "reader", "status", "first_night", "last_night", "read_night"),
            *("gone", "reason", "detail"),
        )
    }
    files |= {
        "file": list(range(len(entries))),
        "records": [records for records, _ in totals],
        "messages": [messages for _, messages in totals],
    }
    read: dict[str, list[object]] = {
        name: [getattr(scan, name) for scan in scans]
        for name in ("scan", "live", "gone", "unit", "night")
    }
    read["file"] = [numbers[scan.source_file] for scan in scans]
    absent = sorted(manifest.missing.values(), key=lambda one: one.source)
    missing: dict[str, list[object]] = {
        name: [getattr(one, name) for one in absent] for name in ("source", "detail", "night")
    }
    return {"file_facts": files, "scan_facts": read, "missing_sources": missing}


def _places(state: Path, cwds: Sequence[str]) -> dict[str, list[object]]:
    """The project of each folder as the nights found it; of one they did not, by its name alone."""
    found = known_places(state)
    projects = [found.get(cwd) or project_of(cwd, None) for cwd in cwds]
    return {
        "cwd": list(cwds),
        "key": [project.key for project in projects],
        "name": [project.name for project in projects],
        "root": [None if project.root is None else str(project.root) for project in projects],
    }


def _unreadable(state: Path, error: duckdb.Error) -> StateBroken:
    if isinstance(error, duckdb.OutOfMemoryException):
        return StateBroken(
            f"A question to the archive in {state} needs more memory than it may take: "
            f"{str(error).splitlines()[0]}\nNothing was changed, and a second try will not help. "
            "Please report it: the archive is meant to keep within bounds."
        )
    return StateBroken(
        f"The archive in {state} could not be read: {error}\n"
        "Nothing was changed. If a part is missing, put it back from a backup; or move the folder "
        "away and start anew: what the sources still hold is read again."
    )
