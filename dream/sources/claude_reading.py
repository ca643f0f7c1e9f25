"""What one pass over a Claude Code file gathers, before it is known how things end.

Whether a record was given up, which line of a reply holds its final usage and what became of a call
shows only later in the file, so these are gathered in a form that can still change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dream.records import CallStatus, Compaction, MessageKind, Role, SessionKind, Skip
from dream.sources import identity
from dream.sources.claude_queue import Move
from dream.sources.claude_voices import Asked, Part
from dream.sources.jsonl import Line, digest_of

NAME = "claude-code"

_UNREAD = frozenset(
    {
        "last-prompt", "mode", "permission-mode", "pr-link", "agent-name", "agent-color",
        "agent-setting", "bridge-session", "frame-link", "tag", "worktree-state",
    }
)  # fmt: skip
"""Record types met before that say nothing about the work: passing them over loses nothing."""


@dataclass(slots=True, eq=False)
class Piece:
    """One message to be."""

    talk: "Talk"
    id: str  # message_id
    line: int
    role: Role
    kind: MessageKind
    text: str
    copy_key: str
    digest: str
    happened: datetime | None
    uuid: str  # of the line; "" when it has none
    calls: tuple[Asked, ...] = ()
    answers: str | None = None  # the call it is the result of
    above: "Piece | None" = None  # the message before it in the tree
    begins: bool = False  # its line holds a prompt with which a run begins
    reply: str | None = None
    model: str | None = None
    stop: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    run: str = ""
    active: bool = True


@dataclass(slots=True, eq=False)
class Outcome:
    """What became of a call, by the first result that the file holds."""

    piece: Piece
    status: CallStatus
    exit_code: int | None
    called: bool = False  # the call itself is there


@dataclass(slots=True, eq=False)
class Talk:
    """One session to be."""

    id: str  # session_id
    line: int
    kind: SessionKind
    parent: str | None = None
    cwd: str = ""
    branch: str | None = None
    version: str | None = None
    first: object = None  # the time of its first record, in the record's own spelling
    last: object = None
    prompts: int = 0  # typed so far: no reply goes on over one
    pieces: list[Piece] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)


class Reading:
    """All that the lines taken so far have come to."""

    def __init__(self, own_id: str, *, subagent: bool, branch: str | None, skips: list[Skip]):
        self.own_id = own_id  # for records that name no session
        self.subagent = subagent  # the whole file is one sub-agent's
        self.branch = branch  # for sessions that name none
        self.skips = skips
        self.talks: dict[str, Talk] = {}
        self.pieces: dict[str, Piece] = {}  # by message_id
        self.parents: dict[str, str | None] = {}  # of every line with a uuid, message or not
        self.lines: dict[str, int] = {}  # the number of that line
        self.at: dict[str, Piece] = {}  # the first piece of a line, by its uuid
        self.outcomes: dict[tuple[str, str], Outcome] = {}  # by session and call
        self.replies: dict[tuple[str, str, str | None], tuple[str, int]] = {}
        self.usage: dict[str, tuple[int | None, int | None]] = {}  # by reply, the last one said
        self.titles: list[tuple[int, str, str, str]] = []  # line, type, leaf or session, title
        self._counts: dict[tuple[str, str], list[int]] = {}  # reason, name -> first line, how many

    def place(self, record: dict[str, Any], uuid: str, number: int) -> None:
        """Notes where a line stands in the tree. The first of several with one uuid holds."""
        if uuid in self.parents:
            return
        parent = record.get("parentUuid")
        if parent is None:
            logical = record.get("logicalParentUuid")  # the tree goes on over a compaction
            parent = logical if type(logical) is str and logical in self.parents else None
        self.parents[uuid] = parent if type(parent) is str else None
        self.lines[uuid] = number

    def above(self, uuid: object) -> Piece | None:
        """The message on the line with this uuid, or the nearest before it in the tree."""
        for _ in range(len(self.parents)):  # a ring of parents must not hold us
            if type(uuid) is not str:
                break
            if (piece := self.at.get(uuid)) is not None:
                return piece
            uuid = self.parents.get(uuid)
        return None

    def hang(self, talk: Talk) -> None:
        """Ties each message of a session to the one before it in the tree, if that is read."""
        for piece in talk.pieces:
            if piece.above is None and piece.uuid:
                above = self.above(self.parents.get(piece.uuid))
                if above is not None and above.talk is not talk:  # a copy of it may be our own
                    above = self.pieces.get(f"{talk.id}/{above.uuid}", above)
                piece.above = above if above is not piece else None

    def count(self, reason: str, name: str, line: Line, count: int = 1) -> None:
        """Something passed over that is told as one Skip a name."""
        counted = self._counts.setdefault((reason, name[:60]), [line.number, 0])
        counted[1] += count

    def counted(self) -> list[Skip]:
        return [
            Skip(reason, line, name, reason == "unknown_type" and name not in _UNREAD, count)
            for (reason, name), (line, count) in self._counts.items()
        ]

    def talk(self, line: Line) -> Talk:
        """The session a record belongs to. A sub-agent's records are a session of their own."""
        record = line.value
        own = record.get("sessionId")
        if type(own) is not str:
            own = self.own_id
        key, aside = own, False
        if self.subagent or record.get("isSidechain") is True:
            agent = record.get("agentId")
            key, aside = f"{own}:{agent if type(agent) is str else 'sidechain'}", True
        talk = self.talks.get(key)
        if talk is None:
            talk = Talk(f"{NAME}:{key}", line.number, "subagent" if aside else "interactive")
            talk.branch = self.branch
            talk.parent = f"{NAME}:{own}" if aside else None
            self.talks[key] = talk
        if "uuid" in record:
            talk.last = record.get("timestamp") or talk.last
            if talk.first is None:
                self._open(talk, record)
        return talk

    def _open(self, talk: Talk, record: dict[str, Any]) -> None:
        """Takes from a session's first record in the tree what holds for all of it."""
        talk.first = record.get("timestamp")
        if type(cwd := record.get("cwd")) is str:
            talk.cwd = cwd
        if type(branch := record.get("gitBranch")) is str and branch:
            talk.branch = branch
        if type(version := record.get("version")) is str:
            talk.version = version
        entry = record.get("entrypoint")
        if type(entry) is str and entry.startswith("sdk") and talk.kind == "interactive":
            talk.kind = "headless"
        forked = record.get("forkedFrom")
        if type(forked) is dict and type(source := forked.get("sessionId")) is str:
            talk.parent = f"{NAME}:{source}"

    def when(self, line: Line) -> tuple[datetime | None, int | None]:
        """A record's time, and the same in ms since 1970."""
        said = line.value.get("timestamp")
        happened = identity.moment(said)
        if happened is None:
            if said is not None:
                self.skips.append(Skip("bad_time", line.number, lost=False))
            return None, None
        return happened, round(happened.timestamp() * 1000)

    def add(
        self, line: Line, talk: Talk, parts: Sequence[Part], calls: tuple[Asked, ...] = ()
    ) -> list[Piece]:
        """A line's parts as pieces of its session; nothing when it is a second copy in the file.

        The first part goes by the line's uuid (or number), the others by that and their place.
        """
        uuid = line.value.get("uuid")
        base = uuid if type(uuid) is str and uuid else f"L{line.number}"
        happened, millis = self.when(line)
        digest = digest_of(line.raw)
        made: list[Piece] = []
        for place, part in enumerate(parts):
            own = base if not place else f"{base}#{'said' if part.kind == 'refusal' else place}"
            ids = (part.answers,) if part.answers else [call.id for call in calls]
            key = identity.copy_key(part.role, millis, part.text, ids)
            message_id: str | None = f"{talk.id}/{own}"
            if message_id in self.pieces:
                message_id = self._free(f"{talk.id}/{own}", key, line)
            if message_id is None:
                self.skips.append(Skip("duplicate", line.number, own[:60], lost=False))
                continue
            piece = Piece(
                talk, message_id, line.number, part.role, part.kind, part.text, key, digest,
                happened, base if base is uuid else "", calls, part.answers,
                made[0] if made else None,
            )  # fmt: skip
            self.pieces[message_id] = piece
            made.append(piece)
        talk.pieces += made
        if made and base is uuid:
            self.at.setdefault(base, made[0])
        return made

    def _free(self, message_id: str, copy_key: str, line: Line) -> str | None:
        """An id no other message of the file has; None when that one says the same."""
        name, turn = message_id, 0
        while (there := self.pieces.get(name)) is not None:
            if there.copy_key == copy_key:
                return None
            turn += 1
            name = f"{message_id}.L{line.number}" + (f".{turn}" if turn > 1 else "")
        return name
