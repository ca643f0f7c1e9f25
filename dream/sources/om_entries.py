"""The entries of an observational-memory ledger: what a valid one looks like, layout V3.

An entry is valid or ignored as a whole: one bad record in it and none of its records count. Older
layouts carry the word memory too and are only recognised, never folded.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, TypeVar

from dream.swift import swift

Kind = Literal["observation", "reflection", "drop"]

KINDS: Mapping[str, Kind] = {
    "om.observations.recorded": "observation",
    "om.reflections.recorded": "reflection",
    "om.observations.dropped": "drop",
}
"""Custom types of layout V3."""

LEGACY_ENTRY = "om.observation"  # layout V2
LEGACY_DETAILS = "observational-memory"  # type of compaction details in layouts V1 and V2
DETAILS = "om.folded"  # the same in layout V3
RELEVANCE = frozenset({"low", "medium", "high", "critical"})
_LEDGER_ID = re.compile(r"[0-9a-f]{12}")
_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing an agent noted. Its id is the start of its content's SHA-256."""

    id: str
    content: str
    timestamp: str  # local time of the machine, without a zone
    relevance: str  # one of RELEVANCE
    sources: tuple[str, ...]  # ids of entries, not empty
    tokens: float  # as the ledger counted them


_seen = swift(Observation)


@dataclass(frozen=True, slots=True)
class Reflection:
    """What an agent made of several observations."""

    id: str
    content: str  # one line
    supports: tuple[str, ...]  # ids of observations, not empty
    tokens: float


@dataclass(frozen=True, slots=True)
class Noted:
    """One valid entry of the ledger. Of its three lists the one of its kind is filled."""

    entry_id: str
    kind: Kind
    covers: str  # watermark: id of the last source entry that was read for it
    observations: tuple[Observation, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    dropped: tuple[str, ...] = ()

    def repeated(self) -> list[str]:
        """Ledger ids that stand in this entry more than once; only the first of each holds."""
        seen, thoughts = self.observations, self.reflections
        names = [*(one.id for one in seen), *(one.id for one in thoughts), *self.dropped]
        if len(names) == len(set(names)):
            return []
        return sorted(name for name, count in Counter(names).items() if count > 1)


@dataclass(frozen=True, slots=True)
class Folded:
    """What a compaction showed the model in place of the entries before first_kept."""

    entry_id: str
    full: bool
    first_kept: str | None
    observations: tuple[Observation, ...] = ()
    reflections: tuple[Reflection, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """All valid ledger entries and folds of a file, on whatever branch, by entry id."""

    noted: Mapping[str, Noted] = field(default_factory=dict)
    folded: Mapping[str, Folded] = field(default_factory=dict)


def noted(entry_id: str, custom_type: str, data: object) -> Noted | None:
    """The entry, or None when a part of it is not as it must be. custom_type: a key of KINDS."""
    covers = data.get("coversUpToId") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(covers, str) or not covers:
        return None
    kind = KINDS[custom_type]
    if kind == "observation":
        seen = _every(data.get("observations"), _observation)
        return Noted(entry_id, kind, covers, observations=seen) if seen else None
    if kind == "reflection":
        thoughts = _every(data.get("reflections"), _reflection)
        return Noted(entry_id, kind, covers, reflections=thoughts) if thoughts else None
    ids = _names(data.get("observationIds"))
    return Noted(entry_id, kind, covers, dropped=ids) if ids else None


def folded(entry_id: str, first_kept: str | None, details: object) -> Folded | None:
    """A compaction's details in layout V3; None for any others. Both lists may be empty."""
    if not isinstance(details, dict) or details.get("type") != DETAILS:
        return None
    version, full = details.get("version"), details.get("fullFold")
    if version != 1 or isinstance(version, bool) or not isinstance(full, bool):
        return None
    seen = _every(details.get("observations"), _observation)
    thoughts = _every(details.get("reflections"), _reflection)
    if seen is None or thoughts is None:
        return None
    return Folded(entry_id, full, first_kept, seen, thoughts)


def is_legacy(details: object) -> bool:
    """Whether a compaction's details are memory of layout V1 or V2."""
    return isinstance(details, dict) and details.get("type") == LEGACY_DETAILS


def _every(
    listed: object, record: Callable[[Mapping[str, Any]], _Record | None]
) -> tuple[_Record, ...] | None:
    """All records of a list; None when it is no list or one of them is bad."""
    if not isinstance(listed, list):
        return None
    records: list[_Record] = []
    for value in listed:
        made = record(value) if isinstance(value, dict) else None
        if made is None:
            return None
        records.append(made)
    return tuple(records)


def _observation(value: Mapping[str, Any]) -> Observation | None:
    head = _head(value)
    stamp, relevance = value.get("timestamp"), value.get("relevance")
    sources = _names(value.get("sourceEntryIds"))
    if head is None or not sources or type(stamp) is not str or not stamp:
        return None
    if type(relevance) is not str or relevance not in RELEVANCE:
        return None
    ledger_id, content, tokens = head
    return _seen(ledger_id, content, stamp, relevance, sources, tokens)


def _reflection(value: Mapping[str, Any]) -> Reflection | None:
    head = _head(value)
    supports = _names(value.get("supportingObservationIds"))
    if head is None or not supports or "\n" in head[1] or "\r" in head[1]:
        return None
    ledger_id, content, tokens = head
    return Reflection(ledger_id, content, supports, tokens)


def _head(value: Mapping[str, Any]) -> tuple[str, str, float] | None:
    """Id, content and token count, which both kinds have.

    The count is never compared with one of our own: releases counted in two ways.
    """
    ledger_id, content, tokens = value.get("id"), value.get("content"), value.get("tokenCount")
    if type(ledger_id) is not str or not _LEDGER_ID.fullmatch(ledger_id):
        return None
    if type(content) is not str or not content:
        return None
    if type(tokens) is not int and type(tokens) is not float:
        return None
    return (ledger_id, content, tokens) if 0 <= tokens < inf else None


def _names(value: object) -> tuple[str, ...]:
    """A list of texts that are not empty; () when it is anything else."""
    if type(value) is not list:
        return ()
    for name in value:
        if type(name) is not str or not name:
            return ()
    return tuple(value)
