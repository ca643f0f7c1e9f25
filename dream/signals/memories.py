"""What an agent noted in its memory ledger: a pointer to a person's words, never evidence itself.

A model wrote the note. So a note only raises what stands in the person's own message, or points
at it with a low score; where no person's sentence carries it, it counts for nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dream.signals.evidence import Quote, judge, sha256
from dream.signals.own_words import own_words
from dream.signals.scopes import scope
from dream.text import words
from dream.types import Judgement, Rows

_SHARED = 0.34
"""Share of a sentence's words that a note must have for the note to speak of it."""
_RAISE = 0.05
_POINTED = 0.35
"""Score of a sentence that only a note calls important."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A note and one message of a person it was made from, as signals/memories.sql gives it."""

    memory_id: str
    memory_kind: str
    note: str
    message_id: str
    session_id: str
    run_id: str
    copy_key: str
    kind: str
    text: str
    happened: datetime | None
    project_key: str


def remembered(rows: Rows, since: datetime, said: Sequence[Judgement]) -> tuple[Judgement, ...]:
    """said: what people said. Returns it with notes as reasons, and the pointers beside it."""
    raised: dict[str, set[str]] = {}
    pointers: dict[str, Judgement] = {}
    by_message: dict[str, list[Judgement]] = {}
    for judgement in said:
        by_message.setdefault(judgement.message_id, []).append(judgement)
    for noted in rows.rows("signals/memories", Noted, since=since):
        told = _about(noted, by_message.get(noted.message_id, ()))
        if told is not None:
            raised.setdefault(told.id, set()).add(noted.memory_id)
        elif noted.message_id not in by_message:
            pointer = _pointer(noted)
            if pointer is not None:
                pointers.setdefault(pointer.id, pointer)
    return (*(_raised(each, raised) for each in said), *pointers.values())


def _about(noted: Noted, said: Iterable[Judgement]) -> Judgement | None:
    note = frozenset(words(noted.note))
    close = [(_shared(each.quote, note), each) for each in said]
    best = max(close, key=lambda pair: (pair[0], pair[1].id), default=None)
    return best[1] if best is not None and best[0] >= _SHARED else None


def _shared(sentence: str, note: frozenset[str]) -> float:
    mine = frozenset(words(sentence))
    return len(mine & note) / len(mine) if mine else 0.0


def _raised(judgement: Judgement, raised: Mapping[str, set[str]]) -> Judgement:
    notes = raised.get(judgement.id)
    if not notes:
        return judgement
    return replace(
        judgement,
        score=round(min(1.0, judgement.score + _RAISE), 4),
        reasons=(*judgement.reasons, "the agent noted it in its memory"),
        detail={**judgement.detail, "memories": sorted(notes)},
    )


def _pointer(noted: Noted) -> Judgement | None:
    """The sentence of the message that the note speaks of; None when the note has other words."""
    note = frozenset(words(noted.note))
    spans = own_words(noted.text)
    close = [(_shared(noted.text[start:end], note), (start, end)) for start, end in spans]
    share, span = max(close, key=lambda pair: (pair[0], -pair[1][0]), default=(0.0, (0, 0)))
    if share < _SHARED or len(words(noted.text[span[0] : span[1]])) < 3:
        return None
    quote = Quote(
        noted.message_id,
        noted.session_id,
        noted.run_id,
        noted.copy_key,
        noted.happened,
        sha256(noted.text),
        span[0],
        span[1],
        noted.text[span[0] : span[1]],
    )
    return judge(
        quote,
        "memory",
        scope(quote.words, noted.project_key),
        _POINTED,
        ("only the agent's own memory calls it important",),
        {"memories": [noted.memory_id], "memory_kind": noted.memory_kind},
    )
