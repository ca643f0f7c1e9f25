"""What a Kimi CLI session comes to, once its contexts and its log are read: the records' nouns."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from dream.records import Message, Run, SessionKind, Skip
from dream.sources import identity
from dream.sources import kimi_calls as calls
from dream.sources import kimi_voices as voices
from dream.sources.claude_voices import Part
from dream.sources.jsonl import digest_of
from dream.sources.kimi_story import Entry, Story
from dream.sources.kimi_wire import Typed, Wire, millis
from dream.sources.linear import UNSAID, Counts, Linear, Place, Usage
from dream.sources.shape import items, text

NAME = "kimi-cli"

_MARKS = frozenset({"_checkpoint", "_usage", "_system_prompt", "user"})


def kind_of(child: bool, story: Story, wire: Wire) -> SessionKind:
    """Who leads the session. Where nothing shows a person it stays unknown."""
    if child:
        return "subagent"
    if wire.acts or any(one.text.startswith("/") for one in wire.typed):
        return "interactive"
    if any(voices.is_away(entry.line.value) for entry in story.entries):
        return "headless"
    return "interactive" if len(wire.typed) > 1 else "unknown"


@dataclass(slots=True)
class Told:
    """A session as it is told, record by record."""

    linear: Linear
    wire: Wire
    skips: list[Skip]
    counts: Counts
    shrinks: list[tuple[object, bool]]  # when each compaction ended, and whether it was by hand
    asked: list[calls.Asked] = field(default_factory=list)
    stopped: set[str] = field(default_factory=set)  # ids of runs that a person stopped
    open: dict[str, calls.Asked] = field(default_factory=dict)  # the latest call of each id
    last: dict[int, Message] = field(default_factory=dict)  # id() of an entry -> its last message
    seen: Counter[str] = field(default_factory=Counter)  # by a record's digest
    names: set[str] = field(default_factory=set)

    def entry(self, entry: Entry) -> None:
        """One record of the session."""
        record, line = entry.line.value, entry.number
        role = record.get("role")
        if voices.is_mark(record):
            self._mark(role, line)
            return
        above = None if entry.above is None else self.last.get(id(entry.above))
        if entry.lost:
            self.linear.behind(entry.lost, above)
        before = len(self.linear.messages)
        telling = _Telling(self, entry, self._name(entry), digest_of(entry.line.raw))
        if role == "user":
            _user(telling)
        elif role == "assistant":
            _assistant(telling)
        elif role == "tool":
            _result(telling)
        elif role == "system":
            telling.part(Part("system", "system", voices.words(record.get("content"))))
        else:
            self.skips.append(Skip("unknown_role", line, str(role)[:60]))
        made = self.linear.messages
        if (last := made[-1] if len(made) > before else above) is not None:
            self.last[id(entry)] = last

    def ask(self) -> None:
        """All calls, in their order; what became of each is known by now."""
        for one in self.asked:
            self.linear.ask(
                one.message, one.id, one.tool, one.arguments, one.status, one.place,
                result=one.result, exit_code=one.exit_code, order=one.order,
            )  # fmt: skip

    def runs(self) -> list[Run]:
        return [
            replace(run, state="interrupted") if run.run_id in self.stopped else run
            for run in self.linear.runs()
        ]

    def _mark(self, role: object, line: int) -> None:
        if type(role) is str:
            name = "a checkpoint's words" if role == "user" else role
            self.counts.add("housekeeping" if role in _MARKS else "unknown_type", name, line)
        else:
            self.skips.append(Skip("no_type", line))

    def _name(self, entry: Entry) -> str:
        """An id that stays when the session goes on: by the record, and how often it came."""
        digest = digest_of(entry.line.raw)
        own = identity.entry_id(self.linear.id, f"{digest}:{self.seen[digest]}", self.names)
        self.seen[digest] += 1
        self.names.add(own)
        return own


@dataclass(slots=True)
class _Telling:
    """The record that is being told."""

    told: Told
    entry: Entry
    own: str
    digest: str
    parts: int = 0  # told of it so far

    def place(self, seconds: object) -> Place:
        at = millis(seconds)
        return Place(self.entry.number, self.digest, identity.moment(at), at, self.entry.lost)

    def part(
        self, part: Part, seconds: object = None, *, ids: tuple[str, ...] = (),
        reply: str | None = None, usage: Usage = UNSAID,
    ) -> Message:  # fmt: skip
        """Without a time nothing but the session tells equal words of two sessions apart."""
        place, linear = self.place(seconds), self.told.linear
        named = f"{self.own}#{self.parts}" if self.parts else self.own
        self.parts += 1
        known = ids if place.millis is not None else (linear.id, named, *ids)
        return linear.tell(
            named, part.role, part.kind, part.text, place, ids=known, reply=reply, usage=usage
        )


def _user(telling: _Telling) -> None:
    told, entry = telling.told, telling.entry
    seconds = _began(telling)
    _pass_over(telling)
    parts, typed = spoken(entry.line.value, told.wire)
    if typed is not None:
        seconds = typed.seconds
    for part in parts:
        message = telling.part(part, seconds)
        if typed is not None and typed.stopped and part.role == "human":
            told.stopped.add(message.run_id)


def _began(telling: _Telling) -> object:
    """Where the record begins a context that took the place of another; its time, if known."""
    told, turn, line = telling.told, telling.entry.began, telling.entry.number
    if turn is None:
        return None
    if turn.lost:
        told.linear.undone[turn.lost] = (turn.change, turn.said or None)
    elif turn.change == "cleared":
        told.counts.add("housekeeping", "a context that was cleared", line)
    else:
        seconds, by_hand = told.shrinks.pop(0) if told.shrinks else (None, None)
        trigger = "unknown" if by_hand is None else "manual" if by_hand else "auto"
        kept = None if turn.kept is None else told.last.get(id(turn.kept))
        told.linear.compacted(
            telling.own, trigger, telling.place(seconds), before=turn.tokens,
            kept=None if kept is None else kept.message_id,
        )  # fmt: skip
        return seconds
    return None


def spoken(record: dict[str, Any], wire: Wire) -> tuple[list[Part], Typed | None]:
    """What stands in a user record, and the input that it is.

    Without a log all that has no mark goes for typed, and the session for one of nobody knows whom.
    """
    said = voices.texts(record.get("content"))
    whole = "\n".join(said)
    if made := voices.made_by_client(record):
        return [Part("injected", made, whole)], wire.tied(whole)
    if not wire.records:
        return [Part("human", "prompt", whole)], None
    if typed := wire.tied(whole):
        return [_input(typed, whole)], typed
    if len(said) > 1 and (typed := wire.tied(said[0])):
        return [_input(typed, said[0]), Part("injected", "meta", "\n".join(said[1:]))], typed
    before, request = voices.behind_skill(whole)
    if request and (typed := wire.tied(request, command=True)):
        return [Part("injected", "command", before), _input(typed, request)], typed
    return [Part("injected", "meta", whole)], None


def _input(typed: Typed, said: str) -> Part:
    return Part("injected", "command", said) if typed.driven else Part("human", "prompt", said)


def _assistant(telling: _Telling) -> None:
    told, record = telling.told, telling.entry.line.value
    _pass_over(telling)
    asked = list(calls.asked(record))
    said = voices.texts(record.get("content"))
    step = told.wire.step([*(one.id for one in asked if one.id), *said])
    seconds, usage = (None, UNSAID) if step is None else (step.seconds, step.usage)
    ids = tuple(one.id for one in asked)
    message = telling.part(
        Part("assistant", "reply", "\n".join(said)), seconds, ids=ids, reply=telling.own,
        usage=usage,
    )  # fmt: skip
    for order, one in enumerate(asked):
        waits = calls.Asked(message, one.id, one.tool, one.arguments, order, telling.place(seconds))
        told.asked.append(waits)
        told.open[one.id] = waits


def _result(telling: _Telling) -> None:
    told, entry, record = telling.told, telling.entry, telling.entry.line.value
    _pass_over(telling)
    call = text(record.get("tool_call_id"))
    said, ended = voices.texts(record.get("content")), told.wire.end(call)
    waits = told.open.get(call)
    result = telling.part(
        Part("tool", "result", "\n".join(said)), None if ended is None else ended.seconds,
        ids=(call,),
    )  # fmt: skip
    if waits is None or waits.result is not None:
        reason = "result_without_call" if waits is None else "duplicate_result"
        told.skips.append(Skip(reason, entry.number, call[:60], lost=False))
        return
    refusal = told.wire.refused.get(call)
    failed = None if ended is None else ended.failed
    waits.result = result
    waits.status, waits.exit_code = calls.became(waits.tool, said, failed, refusal, entry.lost > 0)
    if refusal and waits.status == "refused":
        telling.part(Part("human", "refusal", refusal), None if ended is None else ended.seconds)


def _pass_over(telling: _Telling) -> None:
    """Parts that are no words. Reasoning is neither said to anyone nor done."""
    content = telling.entry.line.value.get("content")
    for part in items(content):
        kind = part.get("type") if type(part) is dict else None
        if type(kind) is not str:
            telling.told.skips.append(Skip("bad_shape", telling.entry.number, "content"))
        elif kind == "text" and type(part.get("text")) is not str:
            telling.told.skips.append(Skip("bad_shape", telling.entry.number, "text"))
        elif kind not in ("text", "think"):
            reason = "housekeeping" if kind in voices.MEDIA else "unknown_type"
            telling.told.counts.add(reason, f"part {kind}", telling.entry.number)
    if content is not None and type(content) not in (str, list):
        telling.told.skips.append(Skip("bad_shape", telling.entry.number, "content"))
