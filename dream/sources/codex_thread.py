"""What one pass over a Codex rollout gathers of a thread, before it is known how things end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from dream.records import CallStatus, Compaction, SessionKind
from dream.sources import codex_copied, codex_voices
from dream.sources.claude_draft import Draft
from dream.sources.codex_outcome import Outcome

NAME = "codex"

_UUID = 36  # characters

State = Literal["settled", "interrupted", "stopped"]


class Asked(NamedTuple):
    """A tool call that the model asked for."""

    draft: Draft
    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object
    status: CallStatus | None = None  # of a call that the provider ran: there is no result


class Answer(NamedTuple):
    """The first result of a call."""

    draft: Draft
    outcome: Outcome


class Undone(NamedTuple):
    """Prompts with all behind them that a person took back."""

    first: int  # number of the first message taken back
    last: int
    happened: datetime | None
    line: int


@dataclass(slots=True, eq=False)
class Thread:
    """One session to be."""

    key: str  # Codex's own id
    id: str  # session_id
    line: int
    kind: SessionKind = "unknown"
    headed: bool = False  # its header was read
    parent: str | None = None  # session_id
    cwd: str = ""
    branch: str | None = None
    version: str | None = None
    title: str | None = None
    copied: bool = False  # what this file holds of it is another thread's copy
    born: int | None = None  # ms since 1970
    started: object = None  # a time in the file's own spelling
    model: str | None = None
    run: str = ""  # the run that the next message belongs to
    turn: str = ""  # the client's id of the turn; "" before any
    turn_born: int | None = None  # ms since 1970
    scope: str = ""  # what tells this turn from every other one of any thread
    open: bool = False  # the turn has not ended
    states: dict[str, State] = field(default_factory=dict)  # how a run's turn ended
    drafts: list[Draft] = field(default_factory=list)
    tip: str | None = None  # message_id of the last message that was not taken back
    names: set[str] = field(default_factory=set)  # of messages, within the thread
    asked: list[Asked] = field(default_factory=list)
    compactions: list[tuple[str, Compaction]] = field(default_factory=list)  # with the run
    undone: list[Undone] = field(default_factory=list)
    reply: str | None = None  # reply_id while the model has not been billed for it
    spoke: Draft | None = None  # the last record of a reply
    prompts: dict[str, str] = field(default_factory=dict)  # text -> message_id
    # Of the turn:
    said: dict[tuple[str, str], tuple[int, object]] = field(default_factory=dict)
    """By role and text: how often, and the last time in the record's own spelling."""
    voiced: dict[str, str] = field(default_factory=dict)  # a reply's text -> "item" or "event"
    prompt: str | None = None  # of an event whose item has not come
    stopped: bool = False  # the interruption is told
    shrunk: bool = False  # a compaction is told, and its event has not come

    @property
    def led(self) -> bool:
        """Whether a person types in it. Without a header it may as well be a reviewer's."""
        return self.headed and self.kind in ("interactive", "unknown")

    def head(self, meta: Mapping[str, Any], branch: str | None) -> None:
        """Takes what a session_meta says of the thread; the first one of several holds."""
        self.kind, self.headed = codex_voices.kind_of(meta), True
        parent = codex_voices.parent_of(meta)
        self.parent = f"{NAME}:{parent}" if parent and parent != self.key else None
        self.born = codex_copied.thread_born(meta)
        self.started = meta.get("timestamp")
        if type(cwd := meta.get("cwd")) is str:
            self.cwd = cwd
        if type(version := meta.get("cli_version")) is str:
            self.version = version
        git = meta.get("git")
        on = git.get("branch") if type(git) is dict else None
        self.branch = on if type(on) is str and on else branch

    def begin(self, turn: str, born: int | None) -> None:
        """A turn of the client begins: a run."""
        self.turn, self.turn_born, self.open = turn, born, True
        self.scope = turn if len(turn) == _UUID else f"{self.key}/{turn}"
        self.run = f"{self.id}:{turn}"
        self._clear()

    def cut(self) -> None:
        """What comes next belongs to no turn of the client."""
        self.turn, self.turn_born, self.open, self.scope = "", None, False, self.key
        self._clear()

    def end(self, state: State) -> None:
        if self.open:
            self.states[self.run] = state
        self.open, self.reply = False, None

    def _clear(self) -> None:
        self.said.clear()
        self.voiced.clear()
        self.reply = self.prompt = None
        self.stopped = self.shrunk = False
