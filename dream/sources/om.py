"""Folding an observational-memory ledger along one branch: what was known, what was seen.

A branch is its entries' ids from the root to a tip. Only what lies on it counts, so each tip has a
memory of its own. Everything here takes values and gives values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dream.sources.om_entries import Folded, Kind, Ledger, Noted, Observation, Reflection


@dataclass(frozen=True, slots=True)
class Fold:
    """The ledger at the end of a branch. Of equal ids the first valid record holds."""

    observations: Mapping[str, Observation]  # all recorded, in order of first recording
    reflections: Mapping[str, Reflection]
    dropped: tuple[str, ...]  # distinct, in order of first drop; some may never have been recorded
    observed_in: Mapping[str, str]  # ledger id -> id of the entry that holds
    reflected_in: Mapping[str, str]

    @property
    def active(self) -> tuple[Observation, ...]:
        """Recorded and not dropped. A drop is by id and for ever, wherever on the branch it is."""
        gone = set(self.dropped)
        return tuple(seen for seen in self.observations.values() if seen.id not in gone)


@dataclass(frozen=True, slots=True)
class Projection:
    """What a model is given of a ledger."""

    observations: tuple[Observation, ...] = ()
    reflections: tuple[Reflection, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """One record of an observation, with what became of its source entries on this branch."""

    observation: Observation
    entry_id: str  # of the entry that recorded it
    status: str  # active or dropped
    sources: tuple[str, ...]  # distinct, in the record's order
    missing: tuple[str, ...]  # sources that are not on the branch
    not_sources: tuple[str, ...]  # entries on the branch of a type that is no source


@dataclass(frozen=True, slots=True)
class Recall:
    """Everything on a branch under one ledger id. Nothing found: both lists are empty."""

    observations: tuple[Recalled, ...] = ()
    reflections: tuple[tuple[str, Reflection], ...] = ()  # with the id of the recording entry
    direct: int = 0  # how many of the observations have the id itself; the rest support
    missing_supports: tuple[str, ...] = ()

    @property
    def kind(self) -> str | None:
        """observation, reflection or mixed; None when nothing was found."""
        if self.reflections:
            return "mixed" if self.direct else "reflection"
        return "observation" if self.direct else None

    @property
    def collision(self) -> bool:
        """Several records under one id: the same words were noted again."""
        return self.direct + len(self.reflections) > 1

    @property
    def partial(self) -> bool:
        """Something that the records rest on is not there."""
        lost = any(seen.missing or seen.not_sources for seen in self.observations)
        return lost or bool(self.missing_supports)


SOURCE_TYPES = frozenset({"message", "custom_message", "branch_summary"})
"""Types of the entries that an observation may rest on."""


def fold(branch: Sequence[str], ledger: Ledger) -> Fold:
    """The plain fold: every valid entry of the branch, wherever its watermark is."""
    return _folded(_along(branch, ledger))


def watermark(branch: Sequence[str], ledger: Ledger, kind: Kind) -> str | None:
    """How far the source entries were read for this kind: the one that stands latest on the branch.

    Not the last one written; one that is not on the branch does not count.
    """
    places = _places(branch)
    marks = [note.covers for note in _along(branch, ledger) if note.kind == kind]
    return max((mark for mark in marks if mark in places), key=places.__getitem__, default=None)


def full_projection(branch: Sequence[str], ledger: Ledger, upto: str | None = None) -> Projection:
    """All that is active and was read at or before `upto` (None: the tip)."""
    places = _places(branch)
    bound = len(branch) - 1 if upto is None else places.get(upto, -1)
    return _projected(branch, ledger, bound, bound)


def visible_projection(branch: Sequence[str], ledger: Ledger) -> Projection:
    """What the model sees: the latest valid fold on the branch, not the fold of the ledger."""
    for latest in _folds(branch, ledger):
        return Projection(latest.observations, latest.reflections)
    return Projection()


def full_fold_boundary(branch: Sequence[str], ledger: Ledger) -> str | None:
    """First entry kept by the latest full fold on the branch; None when there was none."""
    places = _places(branch)
    kept = (one.first_kept for one in _folds(branch, ledger) if one.full)
    return next((entry for entry in kept if entry is not None and entry in places), None)


def at_fold(branch: Sequence[str], ledger: Ledger, first_kept: str, full: bool) -> Projection:
    """What a fold at the end of the branch shows when it keeps the entries from first_kept on.

    Between full folds reflections and drops stand still at the boundary of the latest full one.
    """
    if full:
        return full_projection(branch, ledger, first_kept)
    places = _places(branch)
    boundary = full_fold_boundary(branch, ledger)
    settled = -1 if boundary is None else places[boundary]
    return _projected(branch, ledger, places.get(first_kept, -1), settled)


def recall(
    branch: Sequence[str], ledger: Ledger, types: Mapping[str, str], ledger_id: str
) -> Recall:
    """Every record on the branch under this id, dropped ones too, and what reflections rest on.

    types: entry id -> entry type, of the whole file.
    """
    notes = list(_along(branch, ledger))
    state = _folded(notes)
    on_branch, gone = set(branch), set(state.dropped)
    found = [
        (note.entry_id, seen)
        for note in notes
        for seen in note.observations
        if seen.id == ledger_id
    ]
    thoughts = [
        (note.entry_id, thought)
        for note in notes
        for thought in note.reflections
        if thought.id == ledger_id
    ]
    direct = len(found)
    supports = dict.fromkeys(name for _, thought in thoughts for name in thought.supports)
    for name in supports:
        held = state.observations.get(name)
        if held is not None and (state.observed_in[name], held) not in found:
            found.append((state.observed_in[name], held))
    return Recall(
        tuple(_recalled(entry_id, seen, on_branch, gone, types) for entry_id, seen in found),
        tuple(thoughts),
        direct,
        tuple(name for name in supports if name not in state.observations),
    )


def _recalled(
    entry_id: str,
    seen: Observation,
    on_branch: set[str],
    gone: set[str],
    types: Mapping[str, str],
) -> Recalled:
    sources = tuple(dict.fromkeys(seen.sources))
    there = [name for name in sources if name in on_branch]
    return Recalled(
        seen,
        entry_id,
        "dropped" if seen.id in gone else "active",
        sources,
        tuple(name for name in sources if name not in on_branch),
        tuple(name for name in there if types.get(name) not in SOURCE_TYPES),
    )


def _along(branch: Sequence[str], ledger: Ledger) -> Iterator[Noted]:
    return (note for name in branch if (note := ledger.noted.get(name)) is not None)


def _folds(branch: Sequence[str], ledger: Ledger) -> Iterator[Folded]:
    """Latest first."""
    return (one for name in reversed(branch) if (one := ledger.folded.get(name)) is not None)


def _places(branch: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(branch)}


def _folded(notes: Sequence[Noted] | Iterator[Noted]) -> Fold:
    observations: dict[str, Observation] = {}
    reflections: dict[str, Reflection] = {}
    observed_in: dict[str, str] = {}
    reflected_in: dict[str, str] = {}
    dropped: dict[str, None] = {}
    for note in notes:
        for seen in note.observations:
            if seen.id not in observations:
                observations[seen.id] = seen
                observed_in[seen.id] = note.entry_id
        for thought in note.reflections:
            if thought.id not in reflections:
                reflections[thought.id] = thought
                reflected_in[thought.id] = note.entry_id
        dropped.update(dict.fromkeys(note.dropped))
    return Fold(observations, reflections, tuple(dropped), observed_in, reflected_in)


def _projected(branch: Sequence[str], ledger: Ledger, read: int, settled: int) -> Projection:
    """The fold of entries whose watermark is at or before a place on the branch.

    read: bound for observations; settled: for reflections and drops. Places; -1 lets none in.
    """
    places = _places(branch)
    beyond = len(branch)  # a watermark that is not on the branch is behind every bound
    within = [
        note
        for note in _along(branch, ledger)
        if places.get(note.covers, beyond) <= (read if note.kind == "observation" else settled)
    ]
    state = _folded(within)
    return Projection(state.active, tuple(state.reflections.values()))
