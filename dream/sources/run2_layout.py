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


_DELETED = "SELECT ordinal, id, deleted_at, reason FROM deleted_runs ORDER BY ordinal"
_CAPTURED = """
SELECT seq, captured_at FROM events
WHERE seq BETWEEN ? AND ? AND kind = 'message_end' ORDER BY seq
"""

V2 = Layout(
    sessions="""
SELECT ref, id, pi_session_id, cwd, title, created_at, updated_at FROM sessions ORDER BY ref
""",
    branches="""
SELECT ref, id, session_ref, previous_branch_ref, source_target_hint, reason, created_at
FROM branches ORDER BY ref
""",
    runs="""
SELECT ordinal, id, ordinal, session_ref, branch_ref, number, status, started_at, ended_at,
    updated_at
FROM runs ORDER BY ordinal
""",
    counts="""
SELECT run_ref, count(*), max(first_seq) FROM messages GROUP BY run_ref ORDER BY run_ref
""",
    messages="""
SELECT m.id, m.role, m.first_seq, m.payload, m.dict_id, r.ordinal
FROM runs AS r LEFT JOIN messages AS m ON m.run_ref = r.ordinal
WHERE r.ordinal BETWEEN ? AND ? ORDER BY r.ordinal, m.first_seq
""",
    loose="""
SELECT id, role, first_seq, payload, dict_id, session_ref
FROM messages WHERE run_ref IS ? ORDER BY session_ref, first_seq
""",
    dictionaries="SELECT id, bytes FROM dicts ORDER BY id",
    deleted=_DELETED,
    happenings="""
SELECT seq, id, session_ref, run_ref, kind, captured_at, payload FROM events
WHERE
    kind IN ('archive.recording_stopped', 'session_start', 'session_tree', 'session_compact')
    OR (kind = 'input' AND instr(payload, '"extension"') > 0)
ORDER BY seq
""",
    captured=_CAPTURED,
    next_prompt="""
SELECT min(first_seq) FROM messages WHERE session_ref = ? AND role = 'user' AND first_seq > ?
""",
)
V1 = Layout(
    sessions="""
SELECT id, id, pi_session_id, cwd, title, created_at, updated_at FROM sessions
ORDER BY created_at, id
""",
    branches="""
SELECT id, id, session_id, previous_branch_id, source_target_hint, reason, created_at
FROM branches ORDER BY created_at, rowid
""",
    runs="""
SELECT ordinal, id, id, session_id, branch_id, number, status, started_at, ended_at, updated_at
FROM runs ORDER BY ordinal
""",
    counts="""
SELECT run_id, count(*), max(first_seq) FROM messages GROUP BY run_id ORDER BY run_id
""",
    messages="""
SELECT m.id, m.role, m.first_seq, CAST(m.payload AS BLOB), NULL, r.ordinal
FROM runs AS r LEFT JOIN messages AS m ON m.run_id = r.id
WHERE r.ordinal BETWEEN ? AND ? ORDER BY r.ordinal, m.first_seq
""",
    loose="""
SELECT id, role, first_seq, CAST(payload AS BLOB), NULL, session_id
FROM messages WHERE run_id IS ? ORDER BY session_id, first_seq
""",
    dictionaries=None,
    deleted=_DELETED,
    happenings="""
SELECT seq, id, session_id, run_id, kind, captured_at, payload FROM events
WHERE
    kind IN ('archive.recording_stopped', 'session_start', 'session_tree', 'session_compact')
    OR (kind = 'input' AND instr(payload, '"extension"') > 0)
ORDER BY seq
""",
    captured=_CAPTURED,
    next_prompt="""
SELECT min(first_seq) FROM messages WHERE session_id = ? AND role = 'user' AND first_seq > ?
""",
)
LAYOUTS = {1: V1, 2: V2}
