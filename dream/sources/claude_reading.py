"""The state of one pass over a Claude Code file: sessions, their messages, and what to account for.

The way from a line to its draft is the hottest of this reader, so it asks for each field once.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dream.records import MessageKind, Role, Skip
from dream.sources import identity
from dream.sources.claude_draft import Draft, Late, Outcome, Reply, Talk
from dream.sources.claude_tree import ROOT
from dream.sources.claude_voices import Part
from dream.sources.jsonl import Line, digest_of

NAME = "claude-code"

_UNREAD = frozenset(
    {
        "last-prompt", "mode", "permission-mode", "pr-link", "agent-name", "agent-color",
        "agent-setting", "bridge-session", "frame-link", "tag", "worktree-state",
    }
)  # fmt: skip
"""Record types met before that say nothing about the work: passing them over loses nothing."""


class Reading:
    """All that the lines taken so far have come to."""

    def __init__(self, own_id: str, *, subagent: bool, branch: str | None, skips: list[Skip]):
        self.own_id = own_id  # for records that name no session
        self.subagent = subagent  # the whole file is one sub-agent's
        self.branch = branch  # for sessions that name none
        self.skips = skips
        self.talks: dict[str, Talk] = {}  # by the session's own id
        self.outcomes: dict[tuple[str, str], Outcome] = {}  # by session and call
        self.replies: dict[tuple[str, str, str | None], Reply] = {}  # the latest of each name
        self.ended: list[Reply] = []  # those whose name came up again
        self.titles: list[tuple[int, str, str, str]] = []  # line, type, leaf or session, title
        self.late: list[Late] = []
        self._counts: dict[tuple[str, str], list[int]] = {}  # reason, name -> first line, how many

    def count(self, reason: str, name: str, line: Line) -> None:
        """Something passed over that is told as one Skip a name."""
        counted = self._counts.setdefault((reason, name[:60]), [line.number, 0])
        counted[1] += 1

    def counted(self) -> list[Skip]:
        return [
            Skip(reason, line, name, reason == "unknown_type" and name not in _UNREAD, count)
            for (reason, name), (line, count) in self._counts.items()
        ]

    def talk(self, record: dict[str, Any], number: int) -> Talk:
        """The session a record belongs to. A sub-agent's records are a session of their own."""
        get = record.get
        own = get("sessionId")
        if type(own) is not str:
            own = self.own_id
        aside = self.subagent or get("isSidechain") is True
        key = own
        if aside:
            agent = get("agentId")
            key = f"{own}:{agent if type(agent) is str else 'sidechain'}"
        talk = self.talks.get(key)
        if talk is None:
            session_id = f"{NAME}:{key}"
            talk = Talk(session_id, number, "interactive", f"{session_id}:start")
            talk.branch = self.branch
            if aside:
                talk.kind, talk.parent = "subagent", f"{NAME}:{own}"
            self.talks[key] = talk
        if talk.first is None and "uuid" in record:
            _open(talk, record)
        return talk

    def place(self, line: Line) -> Talk:
        """Notes where a line that is no message stands in the tree of its session."""
        number, _, _, record = line
        talk = self.talk(record, number)
        talk.last = record.get("timestamp")
        uuid = record.get("uuid")
        if type(uuid) is str and uuid not in talk.near:
            above, missing = self._above(talk, record)
            talk.near[uuid] = above
            if missing:
                self.late.append(Late(talk, missing, number, None))
        return talk

    def _above(self, talk: Talk, record: dict[str, Any]) -> tuple[Draft | None, str]:
        """The message before a record in the tree; the parent's uuid when that is not read yet."""
        uuid = record.get("parentUuid")
        if type(uuid) is str:
            try:
                return talk.near[uuid], ""
            except KeyError:
                pass
            for other in self.talks.values():
                if uuid in other.near:
                    return other.near[uuid], ""
            return None, uuid
        if uuid is None:  # the tree goes on over a compaction
            uuid = record.get("logicalParentUuid")
        return (talk.near.get(uuid) if type(uuid) is str else None), ""

    def tell(
        self, line: Line, talk: Talk, role: Role, kind: MessageKind, text: str,
        ids: Sequence[str] = (), begins: bool = False,
    ) -> Draft | None:  # fmt: skip
        """A line's message, or its first; None when it is a second copy in the file.

        ids: the calls it asks for, or the one it answers. begins: a run begins with it.
        """
        number, _, raw, record = line
        said = record.get("timestamp")
        talk.last = said
        happened, millis = self.when(said, number)
        key = identity.copy_key(role, millis, text, ids)
        own = record.get("uuid")
        if type(own) is not str or not own:
            own = f"L{number}"
        near = talk.near
        if own in near:
            free = self._free(talk, own, key, number)
            if free is None:
                return None
            own = free
        uuid, missing = record.get("parentUuid"), ""
        above = near.get(uuid) if type(uuid) is str else None
        if above is None:
            above, missing = self._above(talk, record)
        session, drafts = talk.id, talk.drafts
        parent, place = None, ROOT
        if above is not None:
            parent = above.message_id
            if above.session_id == session:
                place = above.number
                talk.latest = above.run_id
        if begins:
            talk.latest = f"{session}:{own}"
        draft = Draft(
            f"{session}/{own}", session, talk.latest, len(drafts), role, kind, text, key,
            digest_of(raw), number, happened, None, parent,
        )  # fmt: skip
        drafts.append(draft)
        talk.above.append(place)
        near[own] = draft
        if missing:
            self.late.append(Late(talk, missing, number, draft))
        return draft

    def tell_also(self, talk: Talk, first: Draft, place: int, part: Part) -> Draft:
        """A further part of a line. It goes by the line's id and its place among the parts."""
        own = first.message_id[len(talk.id) + 1 :]
        before = talk.drafts[-1]
        millis = None if first.happened is None else round(first.happened.timestamp() * 1000)
        ids = (part.answers,) if part.answers else ()
        draft = Draft(
            f"{first.message_id}#{'said' if part.kind == 'refusal' else place}", talk.id,
            first.run_id, len(talk.drafts), part.role, part.kind, part.text,
            identity.copy_key(part.role, millis, part.text, ids), first.digest, first.line,
            first.happened, None, before.message_id,
        )  # fmt: skip
        talk.drafts.append(draft)
        talk.above.append(before.number)
        talk.near[own] = draft  # what hangs on the line hangs on its last part
        return draft

    def _free(self, talk: Talk, own: str, copy_key: str, number: int) -> str | None:
        """An id no other message of the session has; None when one of that id says the same."""
        name, turn = own, 0
        while (there := talk.near.get(name)) is not None:
            first = there
            while "#" in first.message_id and first.number:
                first = talk.drafts[first.number - 1]
            if first.message_id == f"{talk.id}/{name}" and first.copy_key == copy_key:
                self.skips.append(Skip("duplicate", number, own[:60], lost=False))
                return None
            turn += 1
            name = f"{own}.L{number}" + (f".{turn}" if turn > 1 else "")
        return name

    def when(self, said: object, number: int) -> tuple[datetime | None, int | None]:
        """A record's time, and the same in ms since 1970."""
        try:
            happened: datetime | None = datetime.fromisoformat(said)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            happened = None
        if happened is None or happened.tzinfo is not UTC:
            happened = identity.moment(said)
            if happened is None:
                if said is not None:
                    self.skips.append(Skip("bad_time", number, lost=False))
                return None, None
        return happened, round(happened.timestamp() * 1000)


def fields(value: object) -> dict[str, Any]:
    """An inner object of a record, or an empty one where it is of another shape."""
    return value if type(value) is dict else {}


def _open(talk: Talk, record: dict[str, Any]) -> None:
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
