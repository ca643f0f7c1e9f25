"""A session whose records stand in one line, told message by message.

There is no tree: the only paths beside the one it ended on are those that were taken back whole, by
an undo, a rewind or a step back in time. Runs are cut at prompts that a person typed.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from dream.records import (
    Branch,
    CallStatus,
    Compaction,
    Message,
    MessageKind,
    Role,
    Run,
    SessionKind,
    Skip,
    ToolCall,
)
from dream.sources import identity
from dream.sources.claude_runs import runs_of
from dream.swift import swift

_message, _tool_call = swift(Message), swift(ToolCall)


class Place(NamedTuple):
    """Where a record stands, and when it was written."""

    line: int  # from 1; 0 where it has none
    digest: str
    happened: datetime | None = None  # UTC
    millis: int | None = None  # the same, since 1970
    lost: int = 0  # which of the session's undos took it back, from 1; 0: it stands


class Usage(NamedTuple):
    """What a reply says of itself. It goes to the last of its messages."""

    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    stop: str | None = None


UNSAID = Usage()


class Linear:
    """What was told so far."""

    def __init__(self, session_id: str, kind: SessionKind) -> None:
        self.id = session_id
        self.kind = kind
        self.messages: list[Message] = []
        self.calls: list[ToolCall] = []
        self.compactions: list[Compaction] = []
        self._ids: set[str] = set()
        self._call_ids: set[str] = set()
        self._tips: dict[int, Message] = {}  # the last message that stands, and of each undo
        self._lost: list[int] = []  # by number: Place.lost
        self.undone: dict[int, tuple[str, str | None]] = {}  # by Place.lost: why, and a summary
        self._weighed = 0  # messages up to the last one that a person, a tool or the model made

    def tell(
        self, own: str, role: Role, kind: MessageKind, text: str, place: Place, *,
        ids: Sequence[str] = (), reply: str | None = None, usage: Usage = UNSAID,
    ) -> Message:  # fmt: skip
        """The next message. own: the source's id. ids: what else tells it from others.

        What a program put in under a person's role is told as such where no person talks.
        """
        if role == "human" and self.kind != "interactive":
            role = "injected"
        above = self._tips.get(place.lost) or self._tips.get(0)
        message_id = identity.once(f"{self.id}/{own}", f".L{place.line}", self._ids)
        run = f"{self.id}:start" if above is None else above.run_id
        if role == "human" and kind == "prompt":
            run = f"{self.id}:{message_id[len(self.id) + 1 :]}"
        message = _message(
            message_id, self.id, run, len(self.messages), role, kind, text,
            identity.copy_key(role, place.millis, text, ids), place.digest, place.line,
            place.happened, None, None if above is None else above.message_id, reply,
            not place.lost, usage.model, usage.tokens_in, usage.tokens_out, usage.stop,
        )  # fmt: skip
        self.messages.append(message)
        self._lost.append(place.lost)
        self._tips[place.lost] = message
        if role in ("human", "assistant", "tool"):
            self._weighed = len(self.messages)
        return message

    def ask(
        self, asking: Message, own: str, tool: str, arguments: str, status: CallStatus,
        place: Place, *, result: Message | None = None, exit_code: int | None = None,
        order: int = 0,
    ) -> None:  # fmt: skip
        """A call that a told message asks for. order: among the calls of that message."""
        named = own or f"{asking.line}.{asking.number}.{order}"
        call_id = identity.once(f"{self.id}/{named}", f".L{place.line}", self._call_ids)
        self.calls.append(
            _tool_call(
                call_id, self.id, asking.run_id, asking.message_id, asking.number, order, tool,
                arguments, status, place.line, asking.copy_key,
                None if result is None else result.message_id, exit_code, asking.active,
                place.happened,
            )
        )  # fmt: skip

    def compacted(
        self, own: str, trigger: str, place: Place, *, before: int | None = None,
        kept: str | None = None,
    ) -> None:  # fmt: skip
        """The context was replaced before the next message. Said twice in a row it is one."""
        last = self.compactions[-1] if self.compactions else None
        if last is not None and last.number >= self._weighed:
            if last.tokens_before is None and before is not None:
                self.compactions[-1] = replace(last, tokens_before=before)
            return
        self.compactions.append(
            Compaction(
                f"{self.id}/{own}", self.id, trigger, len(self.messages), before, kept,
                place.happened, not place.lost, place.line,
            )
        )  # fmt: skip

    def runs(self) -> list[Run]:
        """In the order of their first messages. One that ends with a call that a person broke off
        was interrupted.
        """
        made = runs_of(self.id, self.messages, {call.message_id for call in self.calls})
        broken = {call.result_id for call in self.calls if call.status == "interrupted"}
        last = {message.run_id: message.message_id for message in self.messages}
        return [
            replace(run, state="interrupted") if last[run.run_id] in broken else run for run in made
        ]

    def behind(self, lost: int, above: Message | None) -> None:
        """Where the next message that this undo took back hangs, if not behind the last one of it.

        lost: as in Place; not 0.
        """
        if above is not None:
            self._tips[lost] = above

    def branches(self) -> list[Branch]:
        """The path that stands, then the one that each undo ended, in the order of the ends."""
        by_id = {message.message_id: message for message in self.messages}
        lost_of = dict(zip(by_id, self._lost, strict=True))
        ends = dict(zip(self._lost, self.messages, strict=True))  # the last one of each holds
        made: list[Branch] = []
        if (standing := ends.pop(0, None)) is not None:
            made.append(self._branch(standing, self._lost.count(0), None))
        for lost, tip in sorted(ends.items(), key=lambda end: end[1].number):
            path = [tip]
            while (above := path[-1].parent) is not None:
                path.append(by_id[above])
            fork = next((one.message_id for one in path if not lost_of[one.message_id]), None)
            made.append(self._branch(tip, len(path), fork, *self.undone.get(lost, ("reset", None))))
        return made

    def _branch(
        self, tip: Message, length: int, fork: str | None, reason: str | None = None,
        summary: str | None = None,
    ) -> Branch:  # fmt: skip
        return Branch(
            tip.message_id, self.id, tip.active, length, fork, reason, summary, tip.happened,
            tip.line,
        )  # fmt: skip


class Counts:
    """What is passed over and told as one Skip a name, with the first line and how many."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], list[int]] = {}

    def add(self, reason: str, name: str, line: int) -> None:
        """reason: unknown_type, whose content is lost, or one whose content says nothing."""
        self._counts.setdefault((reason, name[:60]), [line, 0])[1] += 1

    def skips(self) -> list[Skip]:
        return [
            Skip(reason, line, name, reason == "unknown_type", count)
            for (reason, name), (line, count) in self._counts.items()
        ]
