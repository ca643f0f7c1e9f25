r"""The life of a rule: the ledger's events of it, folded into what stands now.

Nothing here reads or writes the ledger. Events are told by their content, so the same one twice is
one event, and the fold does not ask in which order it is given them: two writers, a line cut off by
a crash and the merge of two copies of a ledger all come out the same.

    drafted -> proposed -> seen -> edited -> adopted -> landed -> superseded | retired | reverted
                             \-> rejected, snoozed: silent until `again_at` sessions bear it out
"""

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

import orjson

from dream.rule_events import RANK, Event, State, digest, moment, named

KnownBy = Literal["trailer", "mark", "lines", "file"]
"""How a landing is known: by the trailer of its commit, by the rule's id in the file, by its words,
or because we wrote the file where no repository is."""

_SILENT: tuple[State, ...] = ("rejected", "snoozed", "reverted", "retired")
_IN_FORCE: tuple[State, ...] = ("adopted", "landed")


@dataclass(frozen=True, slots=True)
class Landing:
    """A time in which one wording of a rule stood where agents are told it."""

    rule: str
    revision: str  # of the lines it is known by, 12 hex digits
    repository: str  # the root of its checkout, or the folder where no repository is
    project: str  # project key; "" for every project
    file: str  # relative to the repository
    landed: datetime  # UTC
    commit: str | None  # None: no commit holds it
    known_by: KnownBy
    ended: datetime | None = None  # UTC; None: it stands there still
    why: str = ""  # of its end: "superseded", "retired", "reverted"; "" while it stands
    plan: str = ""  # digest of what its adoption was meant to improve; "" when nobody said


@dataclass(frozen=True, slots=True)
class Life:
    """A rule as its events leave it. Of a list the oldest comes first."""

    id: str
    state: State = "drafted"
    since: datetime | None = None  # UTC, of the event that gave it its state
    actor: str = ""  # of that event
    reason: str = ""  # as a person gave it
    content: str = ""  # SHA-256 of the words that were proposed last
    folder: str = ""  # of that proposal, below skills_out; "" when there is none
    sessions: int = 0  # that bore it out when it was last proposed; 0: not told
    again_at: int = 0  # silent until so many sessions bear it out
    until: date | None = None  # silent until then
    seen: tuple[str, ...] = ()  # contents that a person has seen
    edit: Event | None = None  # the last event that put it into other words
    adopted: Event | None = None  # the last adoption that was not taken back
    plan: Mapping[str, Any] = field(default_factory=dict)  # what that is meant to improve
    revision_waits: bool = False  # it stands, and other words of it are proposed
    retire: Event | None = None  # an audit proposes to take it away, and nobody has answered
    landings: tuple[Landing, ...] = ()
    reasons: tuple[tuple[State, str], ...] = ()  # every reason a person gave, with its decision
    events: tuple[Event, ...] = ()

    def waits(self, today: date) -> bool:
        """Whether a person should decide about it now."""
        if self.retire is not None or self.revision_waits:
            return True
        if self.state == "snoozed":
            return self.until is not None and self.until <= today
        return self.state in ("proposed", "seen", "edited")

    def is_silenced(self, sessions: int, today: date) -> bool:
        """Whether it is not to be proposed again with the support of so many sessions."""
        if self.state not in _SILENT:
            return False
        if self.until is not None and self.until <= today:
            return False
        return not self.again_at or sessions < self.again_at


def plan_digest(plan: Mapping[str, Any]) -> str:
    """SHA-256 of what an adoption is meant to improve; "" when nobody said."""
    raw = orjson.dumps(dict(plan), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(raw).hexdigest() if plan else ""


def lives(events: Iterable[Event]) -> Mapping[str, Life]:
    """Every rule by its id, in id order. events: of a ledger, in any order, any number of times."""
    once = {digest(each): each for each in events if named(each)}
    ordered = sorted(
        once.items(), key=lambda item: (moment(item[1]), RANK[item[1]["event"]], item[0])
    )
    found: dict[str, Life] = {}
    for _, each in ordered:
        rule = named(each)
        life = found.get(rule, Life(rule))
        with suppress(ValueError, TypeError):  # a hand has been at it; it stays in the history
            life = _after(life, each)
        found[rule] = replace(life, events=(*life.events, each))
    return dict(sorted(found.items()))


def landings(events: Iterable[Event]) -> tuple[Landing, ...]:
    """Every landing of every rule, by rule and time."""
    return tuple(landing for life in lives(events).values() for landing in life.landings)


def _after(life: Life, event: Event) -> Life:
    """The life with one more event. One that makes no sense where it stands changes nothing."""
    kind = event["event"]
    match kind:
        case "drafted":
            return life if life.since else _moved(life, event, "drafted")
        case "proposed":
            return _proposed(life, event)
        case "seen":
            return _seen(life, event)
        case "edited":
            edited = replace(life, edit=event)
            return edited if life.state in _IN_FORCE else _moved(edited, event, "edited")
        case "rejected" | "snoozed":
            return _put_off(life, event)
        case "adopted":
            return _adopted(life, event)
        case "imported":
            return life if life.since else replace(life, since=moment(event))
        case "retire":
            standing = life.state in _IN_FORCE or any(not each.ended for each in life.landings)
            return replace(life, retire=event) if standing else life
        case "kept":
            return replace(_reasoned(life, event, "landed"), retire=None)
        case "landed":
            return _landed(life, event)
    return _ended(life, event)


def _moved(life: Life, event: Event, state: State) -> Life:
    made = _reasoned(life, event, state)
    return replace(
        made,
        state=state,
        since=moment(event),
        actor=str(event.get("actor", "")),
        reason=str(event.get("reason", "")),
    )


def _reasoned(life: Life, event: Event, state: State) -> Life:
    reason = str(event.get("reason", ""))
    return replace(life, reasons=(*life.reasons, (state, reason))) if reason else life


def _proposed(life: Life, event: Event) -> Life:
    sessions = _count(event, "sessions")
    content = str(event.get("content", ""))
    made = replace(
        life, content=content, folder=str(event.get("folder", "")), sessions=sessions or 0
    )
    if life.state in _IN_FORCE:
        adopted = str((life.adopted or {}).get("content", ""))
        return replace(made, revision_waits=bool(adopted) and content != adopted)
    if life.is_silenced(sessions, moment(event).date()):
        return made
    if life.state in ("seen", "edited") and content == life.content:
        return made
    return replace(_moved(made, event, "proposed"), again_at=0, until=None)


def _seen(life: Life, event: Event) -> Life:
    content = str(event.get("content", ""))
    made = replace(life, seen=tuple(dict.fromkeys((*life.seen, content))))
    return _moved(made, event, "seen") if life.state in ("drafted", "proposed") else made


def _put_off(life: Life, event: Event) -> Life:
    """Rejected or snoozed. Of a rule that stands only the words that wait are."""
    if life.state in _IN_FORCE:
        return replace(_reasoned(life, event, event["event"]), revision_waits=False)
    until = event.get("until")
    return replace(
        _moved(life, event, event["event"]),
        again_at=_count(event, "again_at"),
        until=date.fromisoformat(str(until)) if until else None,
    )


def _adopted(life: Life, event: Event) -> Life:
    plan = event.get("plan")
    return replace(
        _moved(life, event, "adopted"),
        adopted=event,
        plan=dict(plan) if isinstance(plan, Mapping) else {},
        revision_waits=False,
        again_at=0,
        until=None,
    )


def _landed(life: Life, event: Event) -> Life:
    landing = _landing(life, event)
    rest = list(life.landings)
    for place, other in enumerate(rest):
        if _is_same(other, landing):
            first = min(other.landed, landing.landed)
            rest[place] = replace(landing, landed=first, plan=other.plan or landing.plan)
            break
    else:
        rest.append(landing)
    made = replace(life, landings=tuple(sorted(rest, key=lambda each: each.landed)))
    return made if landing.ended else _moved(made, event, "landed")


def _landing(life: Life, event: Event) -> Landing:
    ended = event.get("ended")
    return Landing(
        rule=life.id,
        revision=str(event.get("revision", "")),
        repository=str(event.get("repository", "")),
        project=str(event.get("project", "")),
        file=str(event.get("file", "")),
        landed=_time(event.get("landed")) or moment(event),
        commit=str(event["commit"]) if event.get("commit") else None,
        known_by=event.get("known_by", "mark"),
        ended=_time(ended),
        why=str(event.get("why", "")) if ended else "",
        plan=str(event.get("plan", "")) or plan_digest(life.plan),
    )


def _is_same(one: Landing, other: Landing) -> bool:
    """Whether both tell of the same landing: of the same words there at the same time."""
    same = (one.repository, one.revision) == (other.repository, other.revision)
    early, late = sorted((one, other), key=lambda each: each.landed)
    return same and (early.ended is None or late.landed < early.ended)


def _ended(life: Life, event: Event) -> Life:
    """superseded, retired, reverted: of one landing when it names one, else of all that stand."""
    why: State = event["event"]
    place, revision = event.get("repository"), event.get("revision")
    end = _time(event.get("ended")) or moment(event)
    made = tuple(
        replace(each, ended=max(end, each.landed), why=why)
        if each.ended is None
        and place in (None, each.repository)
        and revision in (None, each.revision)
        else each
        for each in life.landings
    )
    ended = replace(life, landings=made, retire=life.retire if why == "superseded" else None)
    if any(each.ended is None for each in made):
        return ended
    gone = replace(ended, again_at=_count(event, "again_at"))
    if why != "superseded":
        gone = replace(gone, adopted=None)
    return _moved(gone, event, why)


def _count(event: Event, name: str) -> int:
    told = event.get(name, 0)
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else 0


def _time(told: object) -> datetime | None:
    return datetime.fromisoformat(str(told)).astimezone(UTC) if told else None
