"""The archive as every later stage sees it: relations, each thing once, asked by a query's name.

Opening takes the manifest of the last published state, works out on keys alone which copy of a
message speaks for it, and lays views over the Parquet files. Text is read when a query asks for
it. Nothing here writes to the archive; any number of processes may do this while a night writes.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Self

import duckdb

from dream.archive import histories
from dream.archive import manifest as manifests
from dream.archive.manifest import Manifest
from dream.archive.query import Row, check_params, nouns, statement
from dream.archive.relations import PACKED, build, connect
from dream.errors import StateBroken

MEMORY = 112
"""MB that queries hold before they spill to the state folder: measured over 100,000 messages, where
more of it makes no night faster."""
ROOMY = 1024
"""MB that one may hold that found no way to do with less, as over sessions with huge texts."""

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

    def __init__(
        self,
        state: Path,
        manifest: Manifest,
        past: Manifest,
        memory: int,
        until: datetime | None = None,
    ) -> None:
        self._state = state
        self._manifests = manifest, past
        self._until = until
        self._open: dict[int, duckdb.DuckDBPyConnection] = {}
        self._memory = memory

    @classmethod
    @contextmanager
    def open(
        cls, state: Path, memory: int = MEMORY, until: datetime | None = None
    ) -> Iterator[Self]:
        """The archive of a state folder; an empty one where no night has been.

        memory: MB that queries may hold before they spill to the state folder. One that finds no
        way with so little is asked again with twice as much, up to ROOMY.
        until: as the archive was at this moment (UTC), without anything that came at it or later.
        Raises StateBroken when the manifest or a part that it names cannot be read.
        """
        past = manifests.load(histories.folder_of(state))
        archive = cls(state, manifests.load(state), past, memory, until)
        try:
            _ = archive._connection
            yield archive
        finally:
            archive._close()

    def rows(self, name: str, into: type[Row], **params: Any) -> Iterator[Row]:
        """The rows of dream/<name>.sql as nouns, one after the other, in its order.

        Any number of these may be open at once. Raises BadQuery when the query's parameters or
        columns are not those of the call, StateBroken when a part is not there or cannot be read.
        dream.archive.query says how a column becomes a field.
        """
        check_params(name, params)
        given, memory = 0, self._memory
        try:
            try:
                for row in self._rows(name, into, params):
                    yield row
                    given += 1
            except duckdb.OutOfMemoryException as error:
                self._make_room(memory, error)
                yield from islice(self.rows(name, into, **params), given, None)
        except _BROKEN as error:
            raise _unreadable(self._state, error) from error

    def write(self, name: str, **params: Any) -> None:
        """Runs a query of this stage that writes a file."""
        check_params(name, params)
        memory = self._memory
        try:
            self._connection.execute(statement(name), params)
        except duckdb.OutOfMemoryException as error:
            self._make_room(memory, error)
            self.write(name, **params)

    def _rows(self, name: str, into: type[Row], params: dict[str, Any]) -> Iterator[Row]:
        with self._connection.cursor() as cursor:
            cursor.execute(PACKED)
            cursor.execute(statement(name), params)
            columns = [column[0] for column in cursor.description or ()]
            yield from nouns(name, into, columns, _batches(cursor))

    def _make_room(self, had: int, why: duckdb.Error) -> None:
        """From now on with more memory than a query had; raises why where it had all there is."""
        if had >= ROOMY:
            raise why
        self._memory = max(self._memory, min(2 * had, ROOMY))

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """A connection with the memory of now. One with less stays open for who reads from it."""
        if self._memory in self._open:
            return self._open[self._memory]
        spill = self._spill(self._memory)
        with suppress(OSError):  # a state that may only be read: then nothing is spilled
            if self._manifests[0].parts:
                spill.parent.mkdir(mode=0o700, exist_ok=True)
        connection = connect(self._state, spill, self._memory)
        try:
            build(connection, self._state, *self._manifests, self._until)
        except duckdb.Error as error:
            connection.close()
            shutil.rmtree(spill, ignore_errors=True)
            if isinstance(error, duckdb.OutOfMemoryException) and self._memory < ROOMY:
                self._make_room(self._memory, error)
                return self._connection
            raise _unreadable(self._state, error) from error
        self._open[self._memory] = connection
        return connection

    def _spill(self, memory: int) -> Path:
        return self._state / "spill" / f"{os.getpid()}.{memory}"

    def _close(self) -> None:
        for memory, connection in self._open.items():
            connection.close()
            shutil.rmtree(self._spill(memory), ignore_errors=True)


def _batches(cursor: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Sequence[Any]]]:
    while batch := cursor.fetchmany(_BATCH):
        yield batch


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
