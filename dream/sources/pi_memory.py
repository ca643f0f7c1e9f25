"""The memory ledger of a pi session as rows: each record with what became of it at the tip."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from dream.records import Memory
from dream.sources import om
from dream.sources.om_entries import Ledger, Noted
from dream.swift import swift

_memory = swift(Memory)
Status = Literal["active", "dropped", "shadowed", "off_branch"]
_HELD = ("active", "dropped")
"""What was dropped can still be seen: a fold that is not full does not look at drops."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and where an entry was written."""

    happened: datetime | None
    line: int


@dataclass(frozen=True, slots=True)
class _Tip:
    """The ledger at the tip of the session."""

    branch: frozenset[str]
    fold: om.Fold
    gone: frozenset[str]  # dropped ids
    seen: frozenset[str]  # observation ids that the model sees
    thoughts: frozenset[str]  # reflection ids that the model sees


def memories(
    session_id: str, ledger: Ledger, branch: Sequence[str], stamps: Mapping[str, Stamp]
) -> list[Memory]:
    """Every record of every valid ledger entry, in file order, told from the tip.

    branch: entry ids, root to tip. stamps: of every entry in ledger.noted. Of one ledger id twice
    in one entry the first is kept: it is the one that holds.
    """
    if not ledger.noted:
        return []
    shown = om.visible_projection(branch, ledger)
    fold = om.fold(branch, ledger)
    tip = _Tip(
        frozenset(branch),
        fold,
        frozenset(fold.dropped),
        frozenset(seen.id for seen in shown.observations),
        frozenset(thought.id for thought in shown.reflections),
    )
    rows: dict[str, Memory] = {}
    dropped: set[str] = set()
    for note in ledger.noted.values():
        for row in _rows(session_id, note, tip, stamps[note.entry_id], dropped):
            rows.setdefault(row.memory_id, row)
    return list(rows.values())


def _rows(
    session_id: str, note: Noted, tip: _Tip, stamp: Stamp, dropped: set[str]
) -> Iterator[Memory]:
    """dropped: ids that an earlier entry of the branch has dropped; grows."""
    on_branch = note.entry_id in tip.branch
    for seen in note.observations:
        status = _status(tip.fold.observed_in, note, seen.id, on_branch)
        if status == "active" and seen.id in tip.gone:
            status = "dropped"
        yield _memory(
            f"{session_id}/{seen.id}/{note.entry_id}", session_id, note.kind, seen.id,
            seen.content, status, status in _HELD and seen.id in tip.seen,
            tuple(f"{session_id}/{name}" for name in dict.fromkeys(seen.sources)), (),
            seen.relevance, note.covers, seen.timestamp, stamp.happened, stamp.line,
        )  # fmt: skip
    for thought in note.reflections:
        status = _status(tip.fold.reflected_in, note, thought.id, on_branch)
        yield _memory(
            f"{session_id}/{thought.id}/{note.entry_id}", session_id, note.kind, thought.id,
            thought.content, status, status in _HELD and thought.id in tip.thoughts, (),
            tuple(dict.fromkeys(thought.supports)), None, note.covers, None,
            stamp.happened, stamp.line,
        )  # fmt: skip
    for name in note.dropped:
        status = "off_branch" if not on_branch else "shadowed" if name in dropped else "active"
        yield _memory(
            f"{session_id}/{name}/{note.entry_id}", session_id, note.kind, name, "", status,
            False, (), (), None, note.covers, None, stamp.happened, stamp.line,
        )  # fmt: skip
    if on_branch:
        dropped.update(note.dropped)


def _status(holds: Mapping[str, str], note: Noted, ledger_id: str, on_branch: bool) -> Status:
    if not on_branch:
        return "off_branch"
    return "active" if holds[ledger_id] == note.entry_id else "shadowed"
