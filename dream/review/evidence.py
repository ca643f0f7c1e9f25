"""Evidence against the stored words: a quote that does not stand there is no evidence.

This is the program's own check, made before a page is written and again by `dream verify`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dream.config import Gates
from dream.types import Candidate, Dropped, Judgement, Rows

SPOKEN = frozenset({"correction", "preference", "constraint", "repeated_ask", "refusal"})
"""Kinds that only a person's own words can found."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A stored message that a judgement points to."""

    message_id: str
    session_id: str
    run_id: str
    name: str | None  # "r3/m2"
    role: str
    kind: str
    text: str
    happened: datetime | None
    source_file: str
    line: int
    digest: str
    agent: str
    project: str


@dataclass(frozen=True, slots=True)
class Witness:
    """A judgement whose quote stands where it says."""

    judgement: Judgement
    cited: Cited


def stored(rows: Rows, ids: Iterable[str]) -> Mapping[str, tuple[Cited, ...]]:
    """Every stored message with one of these ids."""
    found: dict[str, tuple[Cited, ...]] = {}
    for cited in rows.rows("review/cited", Cited, ids=sorted(set(ids))):
        found[cited.message_id] = (*found.get(cited.message_id, ()), cited)
    return found


def flaw(judgement: Judgement, cited: Cited) -> str:
    """What is wrong with a quote against the message it is said to stand in; "" when nothing is."""
    text = cited.text
    if hashlib.sha256(text.encode(errors="replace")).hexdigest() != judgement.text_sha256:
        return "the stored words are others than when it was found"
    if not 0 <= judgement.start < judgement.end <= len(text):
        return "its place is outside the stored words"
    if text[judgement.start : judgement.end] != judgement.quote:
        return "the quote does not stand at its place"
    if judgement.kind in SPOKEN and cited.role != "human":
        return f"it is no person's words but of the role {cited.role}"
    return ""


def witness(judgement: Judgement, messages: Sequence[Cited]) -> Witness | str:
    """The judgement with the message that bears it out, or what is wrong."""
    flaws = ["its message is not in the archive"]
    for cited in messages:
        if not (wrong := flaw(judgement, cited)):
            return Witness(judgement, cited)
        flaws.append(wrong)
    return flaws[-1]


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate with the evidence that stood up, in the candidate's order."""

    candidate: Candidate  # support counted again when evidence was dropped
    witnesses: tuple[Witness, ...]
    against: tuple[Witness, ...]


def case(
    candidate: Candidate,
    judgements: Mapping[str, Judgement],
    messages: Mapping[str, Sequence[Cited]],
    gates: Gates,
) -> tuple[Case | None, tuple[Dropped, ...]]:
    """The candidate with what stood up, None when it fell below its gate; and what did not."""
    bearing, lost = _sorted_out(candidate, candidate.evidence, judgements, messages)
    opposing, lost_against = _sorted_out(candidate, candidate.against, judgements, messages)
    dropped = lost + lost_against
    if lost:
        sessions = len({seen.judgement.session_id for seen in bearing})
        days = len({seen.judgement.happened.date() for seen in bearing if seen.judgement.happened})
        need_sessions, need_days = _needed(candidate, bearing, gates)
        if sessions < need_sessions or days < need_days:
            why = f"left with {sessions} of {need_sessions} sessions, {days} of {need_days} days"
            return None, (*dropped, Dropped(candidate.id, "", why))
        candidate = replace(candidate, sessions=sessions, days=days)
    if not bearing:
        return None, (*dropped, Dropped(candidate.id, "", "no evidence is left"))
    kept = tuple(seen.judgement.id for seen in bearing)
    opposed = tuple(seen.judgement.id for seen in opposing)
    return Case(replace(candidate, evidence=kept, against=opposed), bearing, opposing), dropped


def _sorted_out(
    candidate: Candidate,
    ids: Sequence[str],
    judgements: Mapping[str, Judgement],
    messages: Mapping[str, Sequence[Cited]],
) -> tuple[tuple[Witness, ...], tuple[Dropped, ...]]:
    kept: list[Witness] = []
    lost: list[Dropped] = []
    for each in ids:
        found: Witness | str = "it is not among tonight's judgements"
        if each in judgements:
            found = witness(judgements[each], messages.get(judgements[each].message_id, ()))
        if isinstance(found, Witness):
            kept.append(found)
        else:
            lost.append(Dropped(candidate.id, each, found))
    return tuple(kept), tuple(lost)


def _needed(candidate: Candidate, kept: Sequence[Witness], gates: Gates) -> tuple[int, int]:
    """Sessions and days the candidate must keep: its gate, or what it had if that was less."""
    spoken = any(seen.judgement.kind in SPOKEN for seen in kept)
    if candidate.kind == "skill":
        sessions, days = gates.skill_sessions, 0
    elif spoken:
        sessions, days = gates.rule_sessions, gates.rule_days
    else:
        sessions, days = gates.error_sessions, gates.error_days
    return min(candidate.sessions, sessions), min(candidate.days, days)
