"""What a RUN2 archive holds beside the messages, as records: runs, sessions, branches, gaps."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from dream.records import Branch, Run, Session, Skip
from dream.sources.identity import moment
from dream.sources.run2_index import Index, Key, RunRow, SessionRow
from dream.swift import swift

_run_of = swift(Run)
_STATES = frozenset({"completed", "failed", "interrupted", "recovery_required"})


class Unit(NamedTuple):
    """A run that is done being recorded."""

    row: RunRow
    run: Run
    active: bool
    token: str  # changes with everything that can change the run's records


def units(index: Index) -> Iterator[Unit]:
    """In the order of the archive."""
    rows_of = Counter(index.sessions.values())
    for row in index.runs:
        session_id = index.sessions.get(row.session)
        if session_id is None or not _done(row):
            continue
        active = row.branch not in index.left_whole
        marks = (row.status, row.updated, row.ended, row.messages, row.last_seq, int(active))
        run = _run(index, row, session_id, several=rows_of[session_id] > 1)
        yield Unit(row, run, active, " ".join(map(str, marks)))


def _done(row: RunRow) -> bool:
    """A status of a later release is believed to be an end only when an end is written down."""
    return row.status in _STATES or (row.status != "running" and row.ended is not None)


def _run(index: Index, row: RunRow, session_id: str, *, several: bool) -> Run:
    # `completed` says that recording ended. Nobody saw the end of a run that has no ended_at.
    state: Literal["settled", "interrupted", "stopped"] = "stopped"
    if row.status == "interrupted":
        state = "interrupted"
    elif row.status == "completed" and row.ended is not None and row.key not in index.recovered:
        state = "settled"
    # A session resumed in another folder counts its runs from 1 again; ordinals do not.
    number = row.number if type(row.number) is int and not several else row.ordinal
    return _run_of(
        f"run2:{row.uuid}", session_id, number, f"r{row.ordinal}", state,
        moment(row.started), moment(row.ended), row.ordinal,
    )  # fmt: skip


def not_read(index: Index) -> list[Skip]:
    """The runs that are left for another night, were deleted, or are of a kind unknown here."""
    skips = [Skip("deleted", gone.line, gone.name) for gone in index.deleted]
    for row in index.runs:
        name = f"r{row.ordinal}"
        if row.session not in index.sessions:
            skips.append(Skip("bad_shape", row.ordinal, f"{name} belongs to no session"))
        elif row.status == "running":
            skips.append(Skip("running", row.ordinal, name, lost=False))
        elif row.status not in _STATES:
            what = f"{name} has the unknown status {str(row.status)[:40]}"
            skips.append(Skip("bad_shape", row.ordinal, what, lost=not _done(row)))
    return skips


def sessions(index: Index) -> list[Session]:
    """One record a pi session, however many folders it was resumed in; the first is its own."""
    rows_of: dict[str, list[SessionRow]] = defaultdict(list)
    for row in index.session_rows:
        rows_of[index.sessions[row.key]].append(row)
    found: list[Session] = []
    for session_id, rows in rows_of.items():
        titles = [row.title for row in sorted(rows, key=lambda row: str(row.updated)) if row.title]
        cwd = rows[0].cwd
        found.append(
            Session(
                session_id,
                "pi",
                cwd=cwd if isinstance(cwd, str) else "",
                title=str(titles[-1]) if titles else None,
                parent_id=index.parents.get(session_id),
                started=min(_times(row.created for row in rows), default=None),
                ended=max(_times(row.updated for row in rows), default=None),
            )
        )
    return found


def branches(index: Index) -> list[Branch]:
    """One record a row. The newest branch of a session is the one it ended on.

    The archive knows entries of the agent's tree by name only and not what hangs below them. So
    which messages of a branch that was left are off the active path cannot be told here, unless
    nothing of it was kept; the session file can. Its fork point is the entry gone back to.
    """
    rows = [row for row in index.branch_rows if row.session in index.sessions]
    newest = {index.sessions[row.session]: row.key for row in rows}
    next_of = {row.left: row for row in reversed(rows) if row.left is not None}
    lengths: Counter[Key] = Counter()
    for run in index.runs:
        lengths[run.branch] += run.messages
    found: list[Branch] = []
    for place, row in enumerate(rows, start=1):
        session_id = index.sessions[row.session]
        after = next_of.get(row.key)
        kept = after is not None and isinstance(after.target, str)
        found.append(
            Branch(
                f"{session_id}/{row.uuid}",
                session_id,
                active=newest[session_id] == row.key,
                length=lengths[row.key],
                fork_point=f"{session_id}/{after.target}" if after is not None and kept else None,
                reason=str(row.reason),
                summary=index.summaries.get(row.key),
                happened=moment(row.created),
                line=row.key if type(row.key) is int else place,
            )
        )
    return found


def _times(values: Iterable[object]) -> Iterator[datetime]:
    return (time for value in values if (time := moment(value)) is not None)
