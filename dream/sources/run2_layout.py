"""The two layouts of a RUN2 archive, as the statements that read each into the same columns.

Layout 1 names everything by uuid and holds JSON text; layout 2 names it by number and compresses.
A key is whatever the layout joins by: opaque here, compared and never shown.
"""

from dataclasses import dataclass

APPLICATION_ID = 0x52554E32  # "RUN2"
NEEDED = ("sessions", "runs", "messages")
"""Without these nothing can be read; each other table is missed with a note."""


@dataclass(frozen=True, slots=True)
class Layout:
    """SQL for SQLite. Parameters by place; every result is ordered."""

    sessions: str  # key, uuid, pi session, cwd, title, created, updated
    branches: str  # key, uuid, session key, key of the branch left, target, reason, created
    runs: (
        str  # ordinal, uuid, key, session key, branch key, number, status, started, ended, updated
    )
    counts: str  # key of a run or NULL, messages, last first_seq
    messages: str  # uuid, role, first_seq, payload, dict, ordinal; of runs from ? to ?
    loose: str  # uuid, role, first_seq, payload, dict, session key; of the run key ?
    dictionaries: str | None  # id, bytes
    deleted: str  # ordinal, uuid, time, reason
    happenings: str  # seq, uuid, session key, run key, kind, time, payload
    captured: str  # seq, time; of message ends from ? to ?
    next_prompt: str  # first_seq of the next message with role user; of session ? after ?


_V2_RUN = "ordinal, id, ordinal, session_ref, branch_ref, number, status"
_V1_RUN = "ordinal, id, id, session_id, branch_id, number, status"
_HAPPENINGS = (
    " FROM events WHERE kind IN"
    " ('archive.recording_stopped', 'session_start', 'session_tree', 'session_compact')"
    " OR (kind = 'input' AND instr(payload, '\"extension\"') > 0) ORDER BY seq"
)
_CAPTURED = (
    "SELECT seq, captured_at FROM events"
    " WHERE seq BETWEEN ? AND ? AND kind = 'message_end' ORDER BY seq"
)
_DELETED = "SELECT ordinal, id, deleted_at, reason FROM deleted_runs ORDER BY ordinal"


def _messages(run: str, own: str, payload: str) -> str:
    """A run without messages gives one row whose uuid and payload are NULL."""
    return (
        f"SELECT m.id, m.role, m.first_seq, {payload}, r.ordinal"  # noqa: S608
        f" FROM runs AS r LEFT JOIN messages AS m ON m.{run} = r.{own}"
        " WHERE r.ordinal BETWEEN ? AND ? ORDER BY r.ordinal, m.first_seq"
    )


def _loose(session: str, run: str, payload: str) -> str:
    return (
        f"SELECT id, role, first_seq, {payload}, {session}"  # noqa: S608
        f" FROM messages WHERE {run} IS ? ORDER BY {session}, first_seq"
    )


def _next_prompt(session: str) -> str:
    return (
        f"SELECT min(first_seq) FROM messages WHERE {session} = ? AND role = 'user'"  # noqa: S608
        " AND first_seq > ?"
    )


V2 = Layout(
    sessions="SELECT ref, id, pi_session_id, cwd, title, created_at, updated_at FROM sessions"
    " ORDER BY ref",
    branches="SELECT ref, id, session_ref, previous_branch_ref, source_target_hint, reason,"
    " created_at FROM branches ORDER BY ref",
    runs=f"SELECT {_V2_RUN}, started_at, ended_at, updated_at FROM runs ORDER BY ordinal",  # noqa: S608
    counts="SELECT run_ref, count(*), max(first_seq) FROM messages GROUP BY run_ref"
    " ORDER BY run_ref",
    messages=_messages("run_ref", "ordinal", "m.payload, m.dict_id"),
    loose=_loose("session_ref", "run_ref", "payload, dict_id"),
    dictionaries="SELECT id, bytes FROM dicts ORDER BY id",
    deleted=_DELETED,
    happenings="SELECT seq, id, session_ref, run_ref, kind, captured_at, payload" + _HAPPENINGS,
    captured=_CAPTURED,
    next_prompt=_next_prompt("session_ref"),
)
V1 = Layout(
    sessions="SELECT id, id, pi_session_id, cwd, title, created_at, updated_at FROM sessions"
    " ORDER BY created_at, id",
    branches="SELECT id, id, session_id, previous_branch_id, source_target_hint, reason,"
    " created_at FROM branches ORDER BY created_at, rowid",
    runs=f"SELECT {_V1_RUN}, started_at, ended_at, updated_at FROM runs ORDER BY ordinal",  # noqa: S608
    counts="SELECT run_id, count(*), max(first_seq) FROM messages GROUP BY run_id ORDER BY run_id",
    messages=_messages("run_id", "id", "CAST(m.payload AS BLOB), NULL"),
    loose=_loose("session_id", "run_id", "CAST(payload AS BLOB), NULL"),
    dictionaries=None,
    deleted=_DELETED,
    happenings="SELECT seq, id, session_id, run_id, kind, captured_at, payload" + _HAPPENINGS,
    captured=_CAPTURED,
    next_prompt=_next_prompt("session_id"),
)
LAYOUTS = {1: V1, 2: V2}
