"""Opens somebody else's SQLite database so that nothing in its folder changes, ever.

A read-only open of a database in WAL mode leaves a -shm and a -wal beside it, and an open that
calls the file immutable passes over a -wal that holds its newest rows. So a file that stands
alone is read in place as immutable, and one with a journal is copied to a private folder first.
While it is read in place it is watched: the moment it moves, the reader starts again on a copy.
"""

import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dream.errors import Damaged, NotAnArchive, SourceUnreadable

MAGIC = b"SQLite format 3\x00"
_JOURNALS = ("-wal", "-journal")
_WAL_HEAD = 32  # bytes; a log that is begun anew has another head
READ = "mode=ro&immutable=1"
"""Without the mode SQLite opens the file to write, and makes it anew when it has just gone away."""

_TRIES = 20
_PAUSE = 0.05  # seconds between two tries to copy a file that is being written
_PIECE = 1 << 20

_TRUST_NOTHING = (
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    "PRAGMA ignore_check_constraints = ON",  # a row that breaks one costs only itself
    "PRAGMA temp_store = MEMORY",
    "PRAGMA mmap_size = 0",
)
REFUSALS = (sqlite3.Error, sqlite3.Warning, UnicodeError, OverflowError)
"""What a broken database may raise. Even the words of an error can hold broken text."""

Stamp = tuple[int, int, int] | None  # size, time of change, inode; None: not there


class Moved(Exception):
    """The file changed while it was read in place. What was read since the last look is void."""


class Database:
    """A connection that names the step which failed, and knows whether the file has moved."""

    def __init__(self, path: Path, connection: sqlite3.Connection, stamps: Sequence[Stamp]) -> None:
        self.path = path
        self._connection = connection
        self._stamps = stamps  # empty for a private copy, which cannot move

    def rows(self, step: str, sql: str, values: Sequence[object] = ()) -> Iterator[Any]:
        """The rows of one statement. step: what it reads, for the message when it fails.

        Raises Damaged when SQLite refuses, Moved when the file has changed underneath.
        """
        try:
            yield from self._connection.execute(sql, values)
        except REFUSALS as error:
            self.steady()
            raise Damaged(self.path, f"damaged; {step}: {error}") from error

    def value(self, step: str, sql: str) -> Any:
        """The first column of the first row; None without one."""
        for found, *_ in self.rows(step, sql):
            return found
        return None

    def tables(self) -> frozenset[str]:
        """Names of the real tables: a view or a virtual table runs code of the file's choosing."""
        sql = (
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            " AND upper(sql) NOT LIKE 'CREATE VIRTUAL%'"
        )
        return frozenset(str(name) for (name,) in self.rows("reading the list of tables", sql))

    def check(self, table: str) -> None:
        """Walks the pages of one table and its indexes. Raises Damaged at the first fault.

        Without this a broken page between two whole ones gives fewer rows and no error. What a
        row says is not looked at: a bad row costs only itself.
        """
        step = f"checking the pages of {table}"
        verdict = self.value(step, f"PRAGMA quick_check('{table}')")
        if verdict != "ok":
            self.steady()
            raise Damaged(self.path, f"damaged; {step}: {verdict}")

    def steady(self) -> None:
        """Raises Moved when the file is not as it was when it was opened."""
        if self._stamps and _stamps(self.path) != self._stamps:
            raise Moved


@contextmanager
def opened(path: Path, scratch: Path, *, copy: bool = False) -> Iterator[Database]:
    """The database at path, in place or, with a journal or by wish, as a private copy in scratch.

    Raises SourceUnreadable when it is no file, cannot be read or never holds still; NotAnArchive
    when it is no SQLite database.
    """
    path = path.resolve()  # the journals lie beside the file itself, not beside a link to it
    before = _stamps(path)
    _look(path)
    if copy or any(stamp is not None and stamp[0] for stamp in before[1:]):
        with _private_copy(path, scratch) as own, _connected(path, own) as connection:
            yield Database(path, connection, ())
    else:
        with _connected(path, path) as connection:
            yield Database(path, connection, before)


@contextmanager
def _connected(path: Path, file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that trusts nothing in the schema and makes no file beside the database."""
    connection = None
    try:
        connection = sqlite3.connect(_uri(file, READ), uri=True, isolation_level=None)
        for pragma in _TRUST_NOTHING:
            connection.execute(pragma)
    except REFUSALS as error:
        if connection is not None:
            connection.close()
        raise Damaged(path, f"damaged; opening it: {error}") from error
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _private_copy(path: Path, scratch: Path) -> Iterator[Path]:
    """The file and its journals in a folder of mode 0700 that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sqlite-", dir=scratch) as folder:
        own = Path(folder) / "copy.sqlite"
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_PAUSE)
            if _copied(path, own):
                break
        else:
            raise SourceUnreadable(
                path, "it kept changing while it was copied. It was left alone until next night."
            )
        _settle(path, own)
        yield own


def _settle(path: Path, own: Path) -> None:
    """Brings what stands in the copy's journals into the copy itself, or rolls it back."""
    try:
        connection = sqlite3.connect(_uri(own, "mode=rw"), uri=True, isolation_level=None)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.close()
    except REFUSALS as error:
        raise Damaged(path, f"damaged; reading its journal: {error}") from error
    if any(_stamps(own)[1:]):
        raise Damaged(path, "damaged; reading its journal: it could not be worked off")


def _uri(file: Path, mode: str) -> str:
    return f"file:{quote(os.fsencode(file))}?{mode}"


def _copied(path: Path, own: Path) -> bool:
    """One try. False when the file changed meanwhile, so that the copy may be of two moments."""
    before = _stamps(path)
    for suffix in ("", *_JOURNALS):
        target = Path(f"{own}{suffix}")
        target.unlink(missing_ok=True)
        try:
            _copy_file(Path(f"{path}{suffix}"), target)
        except OSError as error:
            if not suffix or not isinstance(error, FileNotFoundError):
                raise SourceUnreadable(path, f"it could not be copied: {error.strerror}") from error
    after = _stamps(path)
    if before == after:
        return True
    # A log that only grew since is no harm: the main file stood still, and what was copied of the
    # log ends with its last whole frame.
    log, own_log = Path(f"{path}-wal"), Path(f"{own}-wal")
    grew = before[0] == after[0] and before[2] == after[2] and before[1] is not None
    return grew and _head(log) == _head(own_log) != b""


def _copy_file(source: Path, target: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with source.open("rb") as from_file, os.fdopen(os.open(target, flags, 0o600), "wb") as to_file:
        while piece := from_file.read(_PIECE):
            to_file.write(piece)


def _head(path: Path) -> bytes:
    with suppress(OSError), path.open("rb") as file:
        return file.read(_WAL_HEAD)
    return b""


def _stamps(path: Path) -> tuple[Stamp, ...]:
    """Of the file and of each journal beside it, which count as missing while they are empty."""
    found: list[Stamp] = []
    for suffix in ("", *_JOURNALS):
        try:
            status = os.stat(f"{path}{suffix}")  # noqa: PTH116 - three a chunk of rows, so lean
        except OSError:
            found.append(None)
            continue
        empty = bool(suffix) and status.st_size == 0
        found.append(None if empty else (status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(found)


def _look(path: Path) -> None:
    """Refuses what is no database before SQLite sees it. A pipe would keep us waiting for ever."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise SourceUnreadable(path, "not a regular file")
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    if head != MAGIC:
        raise NotAnArchive(path, "not a SQLite database" if head else "an empty file")
