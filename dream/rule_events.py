"""Events of a rule in the ledger: their kinds, how one is made, how they are ordered."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import orjson

Event = Mapping[str, Any]
State = Literal[
    "drafted",  # made of the evidence, not yet shown to anybody
    "proposed",
    "seen",  # by a person, whole
    "edited",  # a person has put it into other words
    "adopted",  # a person said so; where it lands is not seen yet
    "landed",  # it stands where agents are told it
    "superseded",  # by other words, which are not known to have landed
    "retired",  # taken away because an audit said so
    "reverted",  # taken away, by `dream undo`, git or hand
    "rejected",
    "snoozed",
]
STATES: tuple[State, ...] = get_args(State)
OTHERS = ("retire", "kept", "imported")
"""Further events of a rule: an audit proposes to take it away; a person keeps it all the same; a
rule that a person wrote is registered."""

RANK: Mapping[str, int] = {kind: n for n, kind in enumerate((*STATES, *OTHERS))}
"""Of events of one moment the earlier kind comes first."""


def digest(event: Event) -> str:
    """An event's id, from its content: 16 hex digits."""
    raw = orjson.dumps(dict(event), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(raw).hexdigest()[:16]


def event(
    kind: str, rule: str, happened: datetime, actor: str, past: Iterable[Event] = (), **facts: Any
) -> Event:
    """An event for the ledger. past: those it was decided upon, of all rules.

    It comes after all of the same rule's in `past`, also where a clock was put back: then `order`
    holds a time after theirs, and `happened` what the clock said.
    """
    made = {"event": kind, "id": rule, "happened": happened.isoformat(), "actor": actor, **facts}
    last = max((moment(each) for each in past if named(each) == rule), default=None)
    if last is not None and moment(made) <= last:
        made["order"] = (last + timedelta(microseconds=1)).isoformat()
    return made


def moment(happened: Event) -> datetime:
    """Where an event stands among others, UTC."""
    told = str(happened.get("order") or happened["happened"])
    return datetime.fromisoformat(told).astimezone(UTC)


def named(happened: Event) -> str:
    """The rule an event is about; "" when it is about none."""
    return str(happened.get("id", "")) if happened.get("event") in RANK else ""
