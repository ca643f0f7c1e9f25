"""What one pass over a Claude Code file gathers, before it is known how things end.

Whether a record was given up, which line of a reply holds its final usage and what became of a call
shows only later in the file. So a message is a draft first, that can still change, and becomes a
records.Message when the file is read.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from dream.records import CallStatus, Compaction, Message, MessageKind, Role, SessionKind
from dream.sources.claude_queue import Move
from dream.sources.claude_voices import Asked


@dataclass(slots=True, eq=False)
class Draft:
    """A message to be: the fields of records.Message, in their order."""

    message_id: str
    session_id: str
    run_id: str
    number: int
    role: Role
    kind: MessageKind
    text: str
    copy_key: str
    digest: str
    line: int
    happened: datetime | None = None
    name: str | None = None
    parent: str | None = None
    reply_id: str | None = None
    active: bool = True
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    stop: str | None = None


def finished(draft: Draft) -> Message:
    """The draft itself as the frozen noun. Python lets it: both have the same slots."""
    draft.__class__ = Message  # type: ignore[assignment]
    return draft  # type: ignore[return-value]  # it is one from here on


class Outcome(NamedTuple):
    """What became of a call, by the first result that the file holds."""

    result: Draft
    status: CallStatus
    exit_code: int | None


@dataclass(slots=True, eq=False)
class Reply:
    """One reply of the model, over all its lines."""

    name: str  # reply_id
    prompts: int  # typed before it: no reply goes on over one
    last: Draft
    tokens: tuple[int | None, int | None] = (None, None)  # the last ones said


@dataclass(slots=True, eq=False)
class Talk:
    """One session to be."""

    id: str  # session_id
    line: int
    kind: SessionKind
    latest: str  # the run that the last message belongs to
    parent: str | None = None
    cwd: str = ""
    branch: str | None = None
    version: str | None = None
    first: object = None  # the time of its first record, in the record's own spelling
    last: object = None
    prompts: int = 0  # typed so far
    drafts: list[Draft] = field(default_factory=list)
    above: list[int] = field(default_factory=list)  # by number: that of the one before it, or ROOT
    near: dict[str, Draft | None] = field(default_factory=dict)
    """By uuid of a line: its message, or the nearest one before it in the tree."""
    asked: list[tuple[Draft, tuple[Asked, ...]]] = field(default_factory=list)
    answered: list[tuple[Draft, str]] = field(default_factory=list)  # with the call's own id
    moves: list[Move] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)


class Late(NamedTuple):
    """A line whose parent was not read before it."""

    talk: Talk
    parent: str
    line: int
    draft: Draft | None  # None: the line is no message
