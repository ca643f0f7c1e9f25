"""Writes a RUN2 archive of layout 2, as pi-experiencev2 lays it out."""

import hashlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson
import zstandard

SCHEMA = """
PRAGMA page_size = 4096;
PRAGMA auto_vacuum = 2;
PRAGMA journal_mode = WAL;
PRAGMA application_id = 1381322290;
PRAGMA user_version = 2;
CREATE TABLE sessions (
    ref INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    pi_session_id TEXT NOT NULL, cwd TEXT NOT NULL, title TEXT, agent_id TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (pi_session_id, cwd)
) STRICT;
CREATE INDEX sessions_cwd ON sessions (cwd);
CREATE TABLE branches (
    ref INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    session_ref INTEGER NOT NULL REFERENCES sessions (ref),
    previous_branch_ref INTEGER REFERENCES branches (ref), source_target_hint TEXT,
    reason TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (ref, session_ref)
) STRICT;
CREATE TABLE runs (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    session_ref INTEGER NOT NULL REFERENCES sessions (ref), branch_ref INTEGER NOT NULL,
    number INTEGER NOT NULL, agent_id TEXT NOT NULL, status TEXT NOT NULL CHECK (
        status IN ('running', 'completed', 'failed', 'interrupted', 'recovery_required')
    ),
    started_at TEXT NOT NULL, ended_at TEXT, updated_at TEXT NOT NULL, reason TEXT,
    overview TEXT, summary_error TEXT, goal TEXT NOT NULL DEFAULT '',
    UNIQUE (session_ref, number), UNIQUE (ordinal, session_ref),
    FOREIGN KEY (branch_ref, session_ref) REFERENCES branches (ref, session_ref)
) STRICT;
CREATE UNIQUE INDEX one_running_run ON runs (session_ref) WHERE status = 'running';
CREATE INDEX runs_time ON runs (started_at);
CREATE INDEX runs_session ON runs (session_ref, ordinal);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    session_ref INTEGER NOT NULL REFERENCES sessions (ref), run_ref INTEGER,
    branch_ref INTEGER NOT NULL, kind TEXT NOT NULL, captured_at INTEGER NOT NULL,
    message_id TEXT, payload TEXT NOT NULL CHECK (json_valid(payload)),
    fingerprint BLOB NOT NULL,
    FOREIGN KEY (run_ref, session_ref) REFERENCES runs (ordinal, session_ref),
    FOREIGN KEY (branch_ref, session_ref) REFERENCES branches (ref, session_ref)
) STRICT;
CREATE INDEX events_run ON events (run_ref, seq);
CREATE INDEX events_session ON events (session_ref, seq);
CREATE TABLE dicts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL, created_at TEXT NOT NULL,
    rows_at_build INTEGER NOT NULL
) STRICT;
CREATE TABLE messages (
    id TEXT PRIMARY KEY, session_ref INTEGER NOT NULL REFERENCES sessions (ref),
    run_ref INTEGER, branch_ref INTEGER NOT NULL, role TEXT NOT NULL,
    first_seq INTEGER NOT NULL UNIQUE REFERENCES events (seq), payload BLOB NOT NULL,
    dict_id INTEGER,
    FOREIGN KEY (run_ref, session_ref) REFERENCES runs (ordinal, session_ref),
    FOREIGN KEY (branch_ref, session_ref) REFERENCES branches (ref, session_ref)
) STRICT;
CREATE INDEX messages_run ON messages (run_ref, first_seq);
CREATE INDEX messages_session ON messages (session_ref, first_seq);
CREATE TABLE writers (
    session_ref INTEGER PRIMARY KEY REFERENCES sessions (ref), token TEXT NOT NULL,
    host TEXT NOT NULL, pid INTEGER NOT NULL
) STRICT;
CREATE TABLE deleted_runs (
    ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, deleted_at TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
"""
_GOAL = 512  # UTF-16 units in the original; the sample's goals are shorter


class Archive:
    """A new archive. Times are UTC; ids follow from the order of the calls and nothing else."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path)
        self.connection.executescript(SCHEMA)
        self._compressors = {0: zstandard.ZstdCompressor()}
        self._made = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Everything into the main file: the last connection to go takes the log along."""
        self.connection.commit()
        self.connection.close()

    def dictionary(self, held: bytes, created: datetime, rows: int) -> int:
        """A raw-content dictionary for payloads to come."""
        number = self._insert(
            "INSERT INTO dicts (bytes, created_at, rows_at_build) VALUES (?, ?, ?)",
            held, iso(created), rows,
        )  # fmt: skip
        raw = zstandard.ZstdCompressionDict(held, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self._compressors[number] = zstandard.ZstdCompressor(dict_data=raw)
        return number

    def session(
        self, pi_id: str, cwd: str, created: datetime, updated: datetime, title: str | None = None
    ) -> int:
        """A row of sessions; its ref."""
        return self._insert(
            "INSERT INTO sessions (id, pi_session_id, cwd, title, agent_id, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, 'pi', ?, ?)",
            self._uuid(), pi_id, cwd, title, iso(created), iso(updated),
        )  # fmt: skip

    def branch(
        self,
        session: int,
        created: datetime,
        reason: str = "root",
        left: int | None = None,
        target: str | None = None,
    ) -> int:
        """A row of branches; its ref."""
        return self._insert(
            "INSERT INTO branches (id, session_ref, previous_branch_ref, source_target_hint,"
            " reason, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            self._uuid(), session, left, target, reason, iso(created),
        )  # fmt: skip

    def run(
        self,
        session: int,
        branch: int,
        number: int,
        started: datetime,
        ended: datetime | None,
        goal: str = "",
        status: str = "completed",
    ) -> int:
        """A row of runs; its ordinal."""
        return self._insert(
            "INSERT INTO runs (id, session_ref, branch_ref, number, agent_id, status, started_at,"
            " ended_at, updated_at, goal) VALUES (?, ?, ?, ?, 'pi', ?, ?, ?, ?, ?)",
            self._uuid(), session, branch, number, status, iso(started),
            None if ended is None else iso(ended), iso(ended or started), goal[:_GOAL],
        )  # fmt: skip

    def event(
        self,
        session: int,
        branch: int,
        run: int | None,
        kind: str,
        happened: datetime,
        message: str | None = None,
        **payload: Any,
    ) -> int:
        """A row of events; its seq."""
        told = orjson.dumps({"type": kind, **payload}).decode()
        mark = hashlib.sha256(f"{kind}{told}".encode()).digest()[:8]
        return self._insert(
            "INSERT INTO events (id, session_ref, run_ref, branch_ref, kind, captured_at,"
            " message_id, payload, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._uuid(), session, run, branch, kind, millis(happened), message, told, mark,
        )  # fmt: skip

    def message(
        self,
        session: int,
        branch: int,
        run: int | None,
        message: dict[str, Any],
        happened: datetime,
        dictionary: int | None = 0,
    ) -> int:
        """A message and the event that names it; its first_seq. dictionary None: raw JSON."""
        uuid = self._uuid()
        seq = self.event(session, branch, run, "message_end", happened, uuid)
        data = orjson.dumps(message)
        if dictionary is not None:
            data = self._compressors[dictionary].compress(data)
        self.connection.execute(
            "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (uuid, session, run, branch, message["role"], seq, data, dictionary),
        )
        return seq

    def delete_run(self, ordinal: int, deleted: datetime, reason: str) -> None:
        """What the extension does: the run's rows go, a tombstone stays."""
        (uuid,) = self.connection.execute(
            "SELECT id FROM runs WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        for sql in (
            "DELETE FROM messages WHERE run_ref = ?",
            "DELETE FROM events WHERE run_ref = ?",
            "DELETE FROM runs WHERE ordinal = ?",
        ):
            self.connection.execute(sql, (ordinal,))
        self.connection.execute(
            "INSERT INTO deleted_runs VALUES (?, ?, ?, ?)", (ordinal, uuid, iso(deleted), reason)
        )

    def _insert(self, sql: str, *values: object) -> int:
        made = self.connection.execute(sql, values).lastrowid
        assert made is not None  # noqa: S101 - sqlite3 types it for statements that insert nothing
        return made

    def _uuid(self) -> str:
        self._made += 1
        return uuid(f"run2 {self._made}")


def uuid(seed: str) -> str:
    """A version 4 UUID that follows from its seed."""
    hexed = hashlib.sha256(seed.encode()).hexdigest()
    return f"{hexed[:8]}-{hexed[8:12]}-4{hexed[13:16]}-a{hexed[17:20]}-{hexed[20:32]}"


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and a Z, as JavaScript writes it."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def millis(moment: datetime) -> int:
    """Since 1970."""
    return round(moment.timestamp() * 1000)
