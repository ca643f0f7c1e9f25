"""What a RUN2 archive says about itself beside the messages: its runs, sessions and branches.

These tables are small and are read whole each night. Here they become one value by the archive's
own keys; run2_records makes of it what leaves the reader.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from dream.records import Compaction, Deletion, Skip
from dream.sources.identity import moment

Key = object
"""What the layout joins by."""
Rows = Iterable[Sequence[Any]]
"""As SQLite gives them. Types are the archive's word and are checked where they matter."""

_FILE_ID = re.compile(r"_([A-Za-z0-9._-]+)\.jsonl$")
_TRIGGERS = {"manual": "manual", "overflow": "auto", "threshold": "auto"}


class SessionRow(NamedTuple):
    """One pi session in one folder."""

    key: Key
    uuid: object
    pi_id: str
    cwd: object
    title: object
    created: object
    updated: object


class BranchRow(NamedTuple):
    """A stretch of a session between two navigations in its tree."""

    key: Key
    uuid: object
    session: Key
    left: Key  # key of the branch that was left for this one, or None
    target: object  # the agent's id of the entry that was gone back to, or None
    reason: object
    created: object


class RunRow(NamedTuple):
    """One run, with what the table of messages says about it."""

    ordinal: int
    uuid: str
    key: Key
    session: Key
    branch: Key
    number: object
    status: object
    started: object
    ended: object
    updated: object
    messages: int
    last_seq: object


@dataclass(slots=True)
class Index:
    """Everything but messages, by the archive's own keys."""

    sessions: dict[Key, str] = field(default_factory=dict)  # -> session_id
    session_rows: list[SessionRow] = field(default_factory=list)
    branch_rows: list[BranchRow] = field(default_factory=list)
    runs: list[RunRow] = field(default_factory=list)  # by ordinal
    loose: dict[Key, int] = field(default_factory=dict)  # key of a run that is not there -> count
    deleted: list[Deletion] = field(default_factory=list)
    recovered: set[Key] = field(default_factory=set)  # runs whose recording somebody else ended
    left_whole: set[Key] = field(default_factory=set)  # branches of which nothing was kept
    parents: dict[str, str] = field(
        default_factory=dict
    )  # session_id -> the one it was forked from
    summaries: dict[Key, str] = field(default_factory=dict)  # branch -> what a model said of it
    compactions: list[Compaction] = field(default_factory=list)
    by_program: list[tuple[Key, int]] = field(default_factory=list)  # session, seq of an input
    skips: list[Skip] = field(default_factory=list)

    def take_sessions(self, rows: Rows) -> None:
        """A row without the agent's own id is nobody's session."""
        for row in map(SessionRow._make, rows):
            if not isinstance(row.pi_id, str) or not row.pi_id:
                self.skips.append(Skip("bad_shape", 0, "a session without an id"))
                continue
            self.sessions[row.key] = f"pi:{row.pi_id}"
            self.session_rows.append(row)

    def take_deleted(self, rows: Rows) -> None:
        """Tombstones. They come before the runs."""
        for ordinal, uuid, deleted, reason in rows:
            if type(ordinal) is int:
                gone = Deletion(
                    f"run2:{uuid}", f"r{ordinal}", moment(deleted), str(reason), ordinal
                )
                self.deleted.append(gone)

    def take_runs(self, rows: Rows, counts: Rows) -> None:
        """Runs, and under which keys messages stand that belong to none of them."""
        rest = {key: (count, last) for key, count, last in counts}
        for row in rows:
            if type(row[0]) is not int or type(row[1]) is not str:
                self.skips.append(Skip("bad_shape", 0, "a run without ordinal or id"))
                continue
            self.runs.append(RunRow._make((*row, *rest.pop(row[2], (0, 0)))))
        # Words of a run that was deleted must not come back through messages that stayed behind.
        for gone in self.deleted:
            rest.pop(gone.line, None)
            rest.pop(gone.run_id.removeprefix("run2:"), None)
        self.loose = {key: count for key, (count, _) in rest.items()}

    def take_branches(self, rows: Rows) -> None:
        """Branches, and which of them were left for the very root of the tree."""
        for row in map(BranchRow._make, rows):
            self.branch_rows.append(row)
            if row.reason == "tree_navigation" and row.left is not None and row.target is None:
                self.left_whole.add(row.left)

    def take_happenings(self, rows: Rows) -> None:
        """The few kinds of events that say more than the tables do; after the branches."""
        for seq, uuid, session, run, kind, captured, payload in rows:
            session_id = self.sessions.get(session)
            if session_id is None or type(seq) is not int:
                continue
            told = _object(payload)
            if kind == "archive.recording_stopped":
                self.recovered.add(run)
            elif kind == "session_start":
                self._forked(session_id, told)
            elif kind == "session_tree":
                self._left(session, told)
            elif kind == "input":
                if told.get("source") == "extension":
                    self.by_program.append((session, seq))
            else:
                trigger = _TRIGGERS.get(str(told.get("reason")), "unknown")
                name, happened = f"{session_id}/{uuid}", moment(captured)
                self.compactions.append(
                    Compaction(name, session_id, trigger, seq, happened=happened, line=seq)
                )

    def _forked(self, session_id: str, told: Mapping[str, Any]) -> None:
        """The session file that a fork was made from; its name ends with that session's id."""
        before = told.get("previousSessionFile")
        found = _FILE_ID.search(before) if isinstance(before, str) else None
        if told.get("reason") == "fork" and found and f"pi:{found[1]}" != session_id:
            self.parents.setdefault(session_id, f"pi:{found[1]}")

    def _left(self, session: Key, told: Mapping[str, Any]) -> None:
        """A summary written when a branch was left: it tells of that branch, not of the new one."""
        entry = told.get("summaryEntry")
        if not isinstance(entry, dict) or not isinstance(entry.get("summary"), str):
            return
        for row in reversed(self.branch_rows):
            if row.session == session and row.target == entry.get("id") and row.left is not None:
                self.summaries.setdefault(row.left, entry["summary"])
                return


def _object(payload: object) -> dict[str, Any]:
    try:
        told = orjson.loads(payload) if isinstance(payload, str | bytes) else None
    except orjson.JSONDecodeError:
        told = None
    return told if isinstance(told, dict) else {}
