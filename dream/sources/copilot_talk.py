"""The state of one pass over a file of Copilot CLI events: sessions and what they hold so far."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from dream.records import CallStatus, Compaction, MessageKind, Role, SessionKind, Skip
from dream.sources import identity
from dream.sources.claude_draft import Draft, Outcome
from dream.sources.jsonl import Line, digest_of

NAME = "copilot-cli"


class Asked(NamedTuple):
    """A tool call that a reply asks for."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object


@dataclass(slots=True, eq=False)
class Talk:
    """One session to be."""

    id: str  # session_id
    line: int
    run: str  # the run that the next message belongs to
    kind: SessionKind = "interactive"
    parent: str | None = None
    cwd: str = ""
    branch: str | None = None
    version: str | None = None
    title: str | None = None
    model: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    opened: datetime | None = None  # when a person could begin to type
    submitted: datetime | None = None  # when the next prompt was sent off, as a hook was told
    worked: bool = False  # the model has answered
    typed: int = 0  # prompts of a person
    handed: int = 0  # prompts that were there before a person could type
    drafts: list[Draft] = field(default_factory=list)
    asked: list[tuple[Draft, tuple[Asked, ...]]] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)


class Reading:
    """All that the events taken so far have come to."""

    def __init__(self, own_id: str, branch: str | None, skips: list[Skip]) -> None:
        self.own_id = own_id  # until a session.start names the session
        self.branch = branch  # for a session that names none
        self.skips = skips
        self.talks: dict[str, Talk] = {}  # by agent; "" is the session itself
        self.near: dict[str, Draft | None] = {}  # by event: its message, or the nearest above it
        self.outcomes: dict[str, Outcome] = {}  # by call
        self.denied: dict[str, CallStatus] = {}  # by call
        self.requests: dict[str, str] = {}  # request for a permission -> call
        self.by_person: set[str] = set()  # calls that a person made
        self.compacting = ""  # what the compaction under way was started by
        self._counts: dict[tuple[str, str], list[int]] = {}  # reason, name -> first line, how many

    def count(self, reason: str, name: str, number: int) -> None:
        """Something passed over that is told as one Skip a name."""
        counted = self._counts.setdefault((reason, name[:60]), [number, 0])
        counted[1] += 1

    def counted(self) -> list[Skip]:
        return [
            Skip(reason, line, name, reason == "unknown_type", count)
            for (reason, name), (line, count) in self._counts.items()
        ]

    def talk(self, line: Line, data: dict[str, Any]) -> Talk:
        """Whose an event is. A sub-agent's events are a session of their own."""
        agent = line.value.get("agentId") or data.get("parentToolCallId")
        if type(agent) is not str:
            agent = ""
        talk = self.talks.get(agent)
        if talk is None:
            own = f"{NAME}:{self.own_id}"
            key = f"{own}:{agent}" if agent else own
            talk = self.talks[agent] = Talk(key, line.number, f"{key}:start", branch=self.branch)
            if agent:
                talk.kind, talk.parent = "subagent", own
                talk.cwd = self.talks[""].cwd if "" in self.talks else ""
        return talk

    def place(self, line: Line, talk: Talk) -> datetime | None:
        """Notes where an event that is no message stands; its time."""
        happened = self.when(line, talk)
        own, above = line.value.get("id"), self._above(line)
        if type(own) is str and own:
            self.near.setdefault(own, above)
        return happened

    def _above(self, line: Line) -> Draft | None:
        parent = line.value.get("parentId")
        if type(parent) is not str:
            return None
        if parent not in self.near:
            if self.near:  # a slice may begin anywhere
                self.skips.append(Skip("broken_parent", line.number, parent[:60], lost=False))
            return None
        return self.near[parent]

    def when(self, line: Line, talk: Talk) -> datetime | None:
        said = line.value.get("timestamp")
        try:
            happened: datetime | None = datetime.fromisoformat(said)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            happened = None
        if happened is None or happened.tzinfo is not UTC:
            happened = identity.moment(said)
            if happened is None and said is not None:
                self.skips.append(Skip("bad_time", line.number, lost=False))
        if happened is not None:
            talk.started = talk.started or happened
            talk.ended = happened
        return happened

    def tell(
        self, line: Line, talk: Talk, role: Role, kind: MessageKind, text: str,
        ids: Sequence[str] = (), begins: bool = False,
    ) -> Draft | None:  # fmt: skip
        """An event's message; None when it is a second copy in the file.

        ids: the calls it asks for, or the one it answers. begins: a run begins with it.
        """
        number, _, raw, record = line
        happened, above = self.when(line, talk), self._above(line)
        millis = None if happened is None else round(happened.timestamp() * 1000)
        key = identity.copy_key(role, millis, text, ids)
        own = record.get("id")
        if type(own) is not str or not own:
            own = f"L{number}"
        there = self.near.get(own)
        if there is not None and there.copy_key == key:
            self.skips.append(Skip("duplicate", number, own[:60], lost=False))
            return None
        if own in self.near:
            own = f"{own}.L{number}"
        turn = 0
        while own in self.near:  # records glued together
            turn += 1
            own = f"L{number}.{turn}"
        if begins:
            talk.run = f"{talk.id}:{own}"
        if above is None or above.session_id != talk.id:  # the event before was another agent's
            above = talk.drafts[-1] if talk.drafts else None
        draft = Draft(
            f"{talk.id}/{own}", talk.id, talk.run, len(talk.drafts), role, kind, text, key,
            digest_of(raw), number, happened, None, above.message_id if above else None,
        )  # fmt: skip
        talk.drafts.append(draft)
        self.near[own] = draft
        return draft


def passed(reading: Reading, line: Line, talk: Talk) -> datetime | None:
    """Accounts for an event that adds no message; its time."""
    reading.count("housekeeping", str(line.value["type"]), line.number)
    return reading.place(line, talk)


def fields(value: object) -> dict[str, Any]:
    """An inner object of an event, or an empty one where it is of another shape."""
    return value if type(value) is dict else {}


def word(value: object) -> str:
    return value if type(value) is str else ""
