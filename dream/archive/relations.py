"""A DuckDB with the relations of one published state: the parts that count, and each thing once.

Which copy of a message speaks for it is worked out on keys alone; text is read when a query asks.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal

import duckdb
import orjson

from dream.archive import histories
from dream.archive import manifest as manifests
from dream.archive.manifest import Manifest, folder_of
from dream.archive.projects import known_places, project_of
from dream.archive.query import header, statement
from dream.archive.schema import TABLES, Table

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

CUT = (
    *("messages", "calls", "sessions", "runs", "branches", "compactions", "memories", "labels"),
    *("deletions", "checkpoints"),
)
"""Tables of which an archive of an earlier moment holds less."""

PACKED = "USE packed"
"""Names the database in memory that holds the relations; every cursor has to be told."""


def connect(state: Path, spill: Path, memory: int) -> duckdb.DuckDBPyConnection:
    """A DuckDB that reads our parts and nothing else, and whose settings no query can change."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": "1",
            "allocator_flush_threshold": "8MB",  # what a query freed goes back at once
            "allocator_bulk_deallocation_flush_threshold": "8MB",
            "memory_limit": f"{memory}MB",
            "temp_directory": str(spill),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_external_file_cache": "false",  # parts are read once a night, mostly
        },
    )
    connection.execute("ATTACH ':memory:' AS packed (COMPRESS)")  # a third less, as fast
    connection.execute(PACKED)
    homes = (state, histories.folder_of(state))
    ours = {"folders": [*(str(home / manifests.PARTS) for home in homes), str(spill)]}
    connection.execute("SET allowed_directories = $folders", ours)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET lock_configuration = true")
    return connection


def build(
    connection: duckdb.DuckDBPyConnection,
    state: Path,
    manifest: Manifest,
    past: Manifest,
    until: datetime | None = None,
) -> None:
    """Lays the relations over the parts. past: the manifest of the histories of repositories.

    until: only what had come before this moment is stored at all, so that everything else follows
    from less; None: all of it. Histories know their own times and are not cut.
    """
    home = histories.folder_of(state)
    for table in TABLES.values():
        files = _files(state, manifest, table)
        if table.name in histories.TABLES:
            files += _files(home, past, table)
        cut = until is not None and table.name in CUT
        _stored(connection, f"whole_{table.name}" if cut else f"stored_{table.name}", table, files)
    skips = TABLES["skips"]
    _stored(connection, "stored_history_skips", skips, _files(home, past, skips))
    if until is not None:
        _cut(connection, until)
    for name, values in (facts(manifest) | histories.facts(past)).items():
        _create(connection, "TABLE", f"index/{name}", values)
    folders = connection.execute(statement("archive/folders")).fetchall()
    _create(connection, "TABLE", "index/places", _places(state, [cwd for (cwd,) in folders]))
    for name in INDEX:
        _create(connection, "TABLE", f"index/{name}")
    connection.execute("CHECKPOINT packed")  # packs what is not packed yet
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
        # What an earlier version stored lacks what this one knows: there it is not told.
        nulls = [
            duckdb.ConstantExpression(None).cast(duckdb.sqltype(kind)).alias(column)
            for column, kind in table.columns.items()
            if column not in stored.columns
        ]
        if nulls:
            stored = stored.select(duckdb.StarExpression(), *nulls)
    else:
        stored = connection.sql(statement("archive/index/nothing"), params=_shape(table))
    stored.create_view(name)


def _cut(connection: duckdb.DuckDBPyConnection, until: datetime) -> None:
    """The stored relations as they were at a moment, in place of the whole ones."""
    for name in ("within", *CUT):
        query = f"archive/until/{name}"
        params = {"until": until} if header(query).params else None
        relation = connection.sql(statement(query), params=params)
        if name == "within":
            relation.create(name)
        else:
            relation.create_view(f"stored_{name}")


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
