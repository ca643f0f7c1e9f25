"""Rows on their way to the disk: lines of JSON, then Parquet, and a folder that appears as a whole.

Every part holds the rows of many files. It is written beside its place, brought to the disk, and
renamed; only then does the manifest name it. Memory holds a few megabytes of it at a time.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import duckdb

from dream.archive.bounds import bounded
from dream.archive.lines import cleaned, encoded, mended, sizes
from dream.archive.manifest import PARTS, Part, folder_of, sync
from dream.archive.query import statement
from dream.archive.schema import TABLES, Table
from dream.archive.sieve import Sieve
from dream.errors import StateBroken
from dream.records import Transcript

_BATCH = 6_000_000
"""Characters that wait in memory before they are sieved and encoded."""

_PART = re.compile(r"(\d{6,})(\.tmp)?", re.ASCII)
"""How a part's folder is called, and while it is made."""


class PartWriter:
    """Gathers transcripts, and makes a part of them. Guards its scratch files and a DuckDB."""

    def __init__(self, state: Path, key: bytes, next_row: int) -> None:
        self.next_row = next_row
        self.redacted: Counter[str] = Counter()
        self._state = state
        self._scratch = state / "tmp" / "lines"
        self._scratch.mkdir(parents=True)
        self._key = key
        self._sieve = Sieve()
        self._engine = engine(state)
        self._files: dict[str, BinaryIO] = {}
        self._longest: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()
        self._waiting: list[tuple[int, Transcript]] = []
        self._waiting_size = 0
        self.size = 0

    def add(self, scan: int, transcript: Transcript) -> None:
        """Raises StateBroken when the disk will not take it."""
        size, _ = sizes(transcript)
        self._waiting.append((scan, transcript))
        self._waiting_size += size
        self.size += size
        if self._waiting_size >= _BATCH:
            self._drain()

    def publish(self, number: int) -> Part:
        """Everything added so far as the part of this number. It is on the disk afterwards."""
        self._drain()
        target = folder_of(self._state, number)
        fresh = target.with_suffix(".tmp")
        try:
            fresh.mkdir(mode=0o700)
            for name, file in sorted(self._files.items()):
                file.close()
                self._copy(TABLES[name], Path(file.name), fresh / f"{name}.parquet")
                Path(file.name).unlink()
            part = finished(number, fresh, target, self._rows)
        except (OSError, duckdb.Error) as error:
            raise full(self._state, error) from error
        self._files, self._longest, self._rows = {}, Counter(), Counter()
        self.size = 0
        return part

    def close(self) -> None:
        for file in self._files.values():
            with suppress(OSError):  # what a full disk did not take is thrown away all the same
                file.close()
        self._engine.close()
        self._sieve.close()

    def _drain(self) -> None:
        rows, kinds = cleaned(self._waiting, self._sieve, self._key)
        bounded(rows)
        self._waiting, self._waiting_size = [], 0
        self.redacted += kinds
        try:
            for name, some in rows.items():
                if some:
                    self._write(name, encoded(some, self.next_row))
                    self.next_row += len(some)
        except OSError as error:
            raise full(self._state, error) from error

    def _write(self, name: str, lines: Sequence[bytes]) -> None:
        if name not in self._files:
            self._files[name] = (self._scratch / f"{name}.ndjson").open("wb")
        self._longest[name] = max(self._longest[name], *map(len, lines))
        self._rows[name] += len(lines)
        self._files[name].writelines(line + b"\n" for line in lines)

    def _copy(self, table: Table, lines: Path, target: Path) -> None:
        """Lines of JSON to Parquet. A line that does not fit its columns is mended, once."""
        values = {
            "lines": str(lines),
            "columns": dict(table.columns),
            "longest": self._longest[table.name] * 2 + 1024,
            "target": str(target),
        }
        try:
            self._engine.execute(statement("archive/part"), values)
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            fits = lines.with_suffix(".mended")
            with lines.open("rb") as file, fits.open("wb") as out:
                out.writelines(mended(table, line) + b"\n" for line in file)
            fits.replace(lines)
            self._engine.execute(statement("archive/part"), values)


def engine(state: Path) -> duckdb.DuckDBPyConnection:
    """A DuckDB of our own in memory, that keeps within bounds and asks the network nothing."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": "1",  # a second one is no faster here, and holds as much again in memory
            "memory_limit": "1GB",  # what one line of the longest kind may take
            "preserve_insertion_order": "false",  # one thread keeps it; this bounds a row group
            "temp_directory": str(state / "tmp" / "spill"),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def finished(number: int, fresh: Path, target: Path, rows: Counter[str]) -> Part:
    """Brings a folder of Parquet files to the disk and gives it its name."""
    size = 0
    for file in sorted(fresh.iterdir()):
        with file.open("rb+") as written:
            os.fsync(written.fileno())
            size += written.seek(0, os.SEEK_END)
    sync(fresh)
    fresh.rename(target)
    sync(target.parent)
    return Part(number, sorted(name for name in rows if rows[name]), rows.total(), size)


def full(state: Path, error: Exception) -> StateBroken:
    return StateBroken(
        f"The archive in {state} could not be written: {error}\n"
        "What earlier nights stored is as it was. Make room on that disk, or set another `state:` "
        "in dream.yaml, and start the night again: it goes on where this one ended."
    )


def sweep(state: Path, named: Collection[int]) -> None:
    """Removes what a killed night left: scratch files, and parts that the manifest never named.

    What bears no name of ours is somebody else's, and stays.
    """
    shutil.rmtree(state / "tmp", ignore_errors=True)
    for folder in sorted((state / PARTS).iterdir()):
        ours = _PART.fullmatch(folder.name)
        if ours and (ours[2] or int(ours[1]) not in named):
            shutil.rmtree(folder)
    for folder in sorted((state / "spill").glob("*")):
        process = folder.name.partition(".")[0]
        if process.isdecimal() and not _lives(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
