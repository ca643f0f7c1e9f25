"""What an OpenCode session comes to, wherever its records are stored: the records' nouns.

A message is an envelope: its parts are the records, and each becomes a message of ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dream.digests import canonical_digest
from dream.records import Session, SessionKind, Skip
from dream.sources import identity
from dream.sources import opencode_parts as parts
from dream.sources.claude_voices import Part
from dream.sources.linear import Counts, Linear, Place, Usage
from dream.sources.shape import fields, items, number, text

NAME = "opencode"


@dataclass(slots=True)
class Stored:
    """A part, or what a message says of itself."""

    value: dict[str, Any]
    line: int  # from 1; 0 where it stands in a file or a row of its own
    digest: str  # "" until it is asked for
    stored: Any = None  # what the digest is made of


@dataclass(slots=True)
class Envelope:
    """One message as it is stored."""

    info: Stored | None = None
    parts: list[Stored] = field(default_factory=list)


@dataclass(slots=True)
class Export:
    """A session as it is stored."""

    skips: list[Skip]
    counts: Counts = field(default_factory=Counts)
    info: dict[str, Any] = field(default_factory=dict)
    envelopes: dict[int, Envelope] = field(default_factory=dict)
    records: int = 0

    def envelope(self, place: int) -> Envelope:
        """The message at that place, a new one where there is none yet."""
        return self.envelopes.setdefault(place, Envelope())


def kind_of(info: Mapping[str, Any], envelopes: Sequence[Envelope]) -> SessionKind:
    """Whom the client talks to: a person, the agent that started the session, or nobody.

    `opencode run` forbids a session to ask questions, and puts an argument with a blank in it
    between quotation marks.
    """
    if info.keys() <= {"id"}:  # what it says of itself is lost
        return "unknown"
    if text(info.get("parentID")):
        return "subagent"
    for rule in map(fields, items(info.get("permission"))):
        if rule.get("permission") == "question" and rule.get("action") == "deny":
            return "headless"
    said = [part for part in _prompts(envelopes) if part.role == "human"]
    quoted = all(_is_argument(part.text) for part in said)
    return "headless" if said and quoted else "interactive"


def _prompts(envelopes: Sequence[Envelope]) -> Iterator[Part]:
    for envelope in envelopes:
        if envelope.info is not None and envelope.info.value.get("role") == "user":
            for part in envelope.parts:
                if part.value.get("type") == "text":
                    yield from parts.typed(part.value)


def _is_argument(said: str) -> bool:
    bare = said.strip()
    inside = bare[1:-1]
    quoted = len(bare) > 2 and bare[0] == bare[-1] == '"' and " " in inside
    return quoted and '"' not in inside.replace('\\"', "")


class Told:
    """A session as it is told, envelope by envelope."""

    def __init__(
        self, session_id: str, info: Mapping[str, Any], kind: SessionKind, skips: list[Skip],
        counts: Counts,
    ) -> None:  # fmt: skip
        self.linear = Linear(session_id, kind)
        self._skips = skips
        self._counts = counts
        self._undone = fields(info.get("revert"))
        self._lost = 0
        self._first: dict[str, str] = {}  # id of a message -> that of the first row made of it
        self._shell: set[str] = set()  # messages that stand for a person's shell command
        self._context: int | None = None  # tokens of the last reply

    def envelope(self, envelope: Envelope, order: int) -> None:
        """One message with its parts. order: its place in the session, from 0."""
        for part in envelope.parts:
            if part.value.get("type") == "text" and type(part.value.get("text")) is not str:
                self._skips.append(Skip("bad_shape", part.line, "text"))
        if envelope.info is None:
            for part in envelope.parts:
                self._skips.append(Skip("bad_shape", part.line, "a part without its message"))
            return
        info = envelope.info.value
        own = name_of(info.get("id"), f"M{order}")
        if own == self._undone.get("messageID") and not self._undone.get("partID"):
            self._lost = 1
        before = len(self.linear.messages)
        if info.get("role") == "user":
            self._user(own, envelope)
        elif info.get("role") == "assistant":
            self._assistant(own, envelope)
        else:
            said, lost = str(info.get("role"))[:60], 1 + len(envelope.parts)
            self._skips.append(Skip("unknown_role", envelope.info.line, said, count=lost))
        if before < len(self.linear.messages):
            self._first[own] = self.linear.messages[before].message_id

    def _user(self, own: str, envelope: Envelope) -> None:
        assert envelope.info is not None  # noqa: S101 - for the type checker
        created = fields(envelope.info.value.get("time")).get("created")
        for place, part in enumerate(envelope.parts):
            kind = part.value.get("type")
            if kind not in ("text", "compaction", "subtask"):
                self._pass_over(part)
                continue
            named, where = self._place(own, place, part, created)
            if kind == "text":
                for turn, said in enumerate(parts.typed(part.value)):
                    suffix = f"#{turn}" if turn else ""
                    self.linear.tell(named + suffix, said.role, said.kind, said.text, where)
                    if said.kind == "shell":
                        self._shell.add(own)
            elif kind == "compaction":
                self._compacted(named, part, where)
            else:
                said_to = text(part.value.get("prompt"))
                self.linear.tell(named, "injected", "command", said_to, where)

    def _compacted(self, named: str, part: Stored, where: Place) -> None:
        auto = part.value.get("auto")
        trigger = "unknown" if type(auto) is not bool else "auto" if auto else "manual"
        kept = self._first.get(text(part.value.get("tail_start_id")))
        self.linear.compacted(named, trigger, where, before=self._context, kept=kept)

    def _assistant(self, own: str, envelope: Envelope) -> None:
        assert envelope.info is not None  # noqa: S101 - for the type checker
        info = envelope.info.value
        usage = usage_of(info)
        spoken = [
            place
            for place, part in enumerate(envelope.parts)
            if part.value.get("type") == "tool"
            or (part.value.get("type") == "text" and text(part.value.get("text")))
        ]
        created = fields(info.get("time")).get("created")
        summary = info.get("summary") is True or info.get("agent") == "compaction"
        for place, part in enumerate(envelope.parts):
            kind = part.value.get("type")
            if kind not in ("text", "tool", "retry"):
                self._pass_over(part)
                continue
            named, where = self._place(own, place, part, created)
            says = usage if spoken and place == spoken[-1] else Usage(usage.model)
            if kind == "text":
                self._text(own, named, part, where, summary, says)
            elif kind == "tool":
                if text(info.get("parentID")) in self._shell:
                    self._shell_command(named, part, where)
                else:
                    self._tool(own, named, part, where, says)
            else:
                said = parts.notice(fields(part.value.get("error")))
                self.linear.tell(named, said.role, said.kind, said.text, where)
        self._ended(own, envelope.info, bool(spoken), usage)

    def _ended(self, own: str, reply: Stored, spoken: bool, usage: Usage) -> None:
        """What a reply says of its end; one without a word of its own keeps its usage here."""
        error = fields(reply.value.get("error"))
        silent = not spoken and (not error or usage.tokens_out)
        if silent or error:
            where = self._at(reply, fields(reply.value.get("time")).get("created"))
            if silent:
                self.linear.tell(own, "assistant", "reply", "", where, reply=own, usage=usage)
            if error:
                said = parts.notice(error)
                self.linear.tell(f"{own}#error", said.role, said.kind, said.text, where)
        if usage.tokens_in is not None:
            self._context = usage.tokens_in + (usage.tokens_out or 0)

    def _text(
        self, own: str, named: str, part: Stored, where: Place, summary: bool, usage: Usage
    ) -> None:
        said = text(part.value.get("text"))
        if not said:
            return
        if summary:
            self.linear.tell(named, "injected", "summary", said, where, usage=usage)
        else:
            self.linear.tell(named, "assistant", "reply", said, where, reply=own, usage=usage)

    def _tool(self, own: str, named: str, part: Stored, where: Place, usage: Usage) -> None:
        call = parts.called(part.value, self.linear.kind)
        if call.odd:
            self._counts.add("unknown_type", f"status {call.odd}", part.line)
        if call.started is not None:
            where = self._at(part, call.started)
        asking = self.linear.tell(
            named, "assistant", "reply", "", where, ids=(call.id,), reply=own, usage=usage
        )
        result = None
        if call.result is not None:
            ended = self._at(part, call.ended if call.ended is not None else call.started)
            result = self.linear.tell(
                f"{named}#result", "tool", "result", call.result, ended, ids=(call.id,)
            )
            if call.said:
                self.linear.tell(f"{named}#said", "human", "refusal", call.said, ended)
        self.linear.ask(
            asking, call.id, call.tool, call.arguments, call.status, where, result=result,
            exit_code=call.exit_code,
        )  # fmt: skip

    def _shell_command(self, named: str, part: Stored, where: Place) -> None:
        """What a person ran, and what came of it: no call of the model's."""
        state = fields(part.value.get("state"))
        command = text(fields(state.get("input")).get("command"))
        said = "\n".join(line for line in (command, text(state.get("output"))) if line)
        self.linear.tell(named, "injected", "shell", said, where)

    def _pass_over(self, part: Stored) -> None:
        """Reasoning is neither said to anyone nor done."""
        kind = part.value.get("type")
        self._reach(part)
        if type(kind) is str and kind != "reasoning":
            self._counts.add(parts.unread(kind), f"part {kind}", part.line)
        elif kind != "reasoning":
            self._skips.append(Skip("no_type", part.line))

    def _reach(self, part: Stored) -> None:
        undone = self._undone.get("partID")
        if undone and part.value.get("id") == undone:
            self._lost = 1

    def _place(self, own: str, place: int, part: Stored, created: object) -> tuple[str, Place]:
        self._reach(part)
        begun = fields(part.value.get("time")).get("start", created)
        named = name_of(part.value.get("id"), f"{own}.P{place}")
        return named, self._at(part, begun)

    def _at(self, part: Stored, said: object) -> Place:
        happened = identity.moment(said)
        if happened is None and said is not None:
            self._skips.append(Skip("bad_time", part.line, lost=False))
        if not part.digest:
            part.digest = canonical_digest(part.stored)
        return Place(part.line, part.digest, happened, identity.millis(said), self._lost)


def name_of(value: object, instead: str) -> str:
    """A record's own id; some archives hide all ids behind one word."""
    own = text(value)
    return own if own and "REDACTED" not in own else instead


def usage_of(info: Mapping[str, Any]) -> Usage:
    """What a reply read, from the cache or not, and what it wrote, thoughts included."""
    tokens = fields(info.get("tokens"))
    cache = fields(tokens.get("cache"))
    read, wrote = number(tokens.get("input")), number(tokens.get("output"))
    if read is not None:
        read += (number(cache.get("read")) or 0) + (number(cache.get("write")) or 0)
    if wrote is not None:
        wrote += number(tokens.get("reasoning")) or 0
    return Usage(text(info.get("modelID")) or None, read, wrote, text(info.get("finish")) or None)


def session(linear: Linear, info: Mapping[str, Any], branch: str | None) -> Session:
    """The session itself, from what it says of itself and what was told."""
    time, parent = fields(info.get("time")), text(info.get("parentID"))
    ends = [identity.moment(time.get("updated")), *(one.happened for one in linear.messages)]
    return Session(
        linear.id, NAME, linear.kind, text(info.get("directory")), branch,
        text(info.get("title")) or None, f"{NAME}:{parent}" if parent else None,
        identity.moment(time.get("created")),
        max((end for end in ends if end is not None), default=None),
        text(info.get("version")) or None,
    )  # fmt: skip
