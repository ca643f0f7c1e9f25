"""The state of one pass over a Codex rollout: threads, their messages, and what to account for."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dream.records import MessageKind, Role, Skip
from dream.sources import codex_copied, identity, jsonl
from dream.sources.claude_draft import Draft
from dream.sources.codex_outcome import Outcome
from dream.sources.codex_thread import NAME, Answer, Thread
from dream.sources.jsonl import Line, digest_of


class Reading:
    """All that the lines taken so far have come to."""

    def __init__(self, path: Path, own_id: str, branch: str | None, skips: list[Skip]) -> None:
        self.path = path
        self.own_id = own_id  # for a file that begins without a header
        self.branch = branch  # for a thread that names none
        self.skips = skips
        self.threads: dict[str, Thread] = {}  # by Codex's own id
        self.own: Thread | None = None
        self.here: Thread | None = None  # whose record is being read
        self.back = 0  # the line from which on the records are the own thread's again
        self.held: tuple[Line, list[str]] | None = None  # a user's item before its event
        self.answers: dict[str, Answer] = {}  # by call
        self.ended: dict[str, Outcome] = {}  # by call, as the event of its end has it
        self.spent = (0, 0, 0)  # tokens read, written and in all, as last told
        self.owed = (0, 0)  # tokens told of before any reply
        self.context = 0  # tokens that the model read last
        self._counts: dict[tuple[str, str], list[int]] = {}  # reason, name -> first line, how many

    def count(self, reason: str, name: str, number: int) -> None:
        """Something passed over that is told as one Skip a name."""
        counted = self._counts.get((reason, name))
        if counted is None:
            counted = self._counts[reason, name] = [number, 0]
        counted[1] += 1

    def counted(self) -> list[Skip]:
        return [
            Skip(reason, line, name[:80], reason == "unknown_type", count)
            for (reason, name), (line, count) in self._counts.items()
        ]

    def thread(self, number: int) -> Thread:
        """Whose the record on this line is."""
        if self.back and number >= self.back:
            self.here, self.back = self.own, 0
        if self.here is None:
            self.here = self.own = self._open(self.own_id, number)
        return self.here

    def _open(self, key: str, number: int) -> Thread:
        session = f"{NAME}:{key}"
        thread = Thread(key, session, number, branch=self.branch, scope=key)
        thread.run = f"{session}:start"
        self.threads[key] = thread
        return thread

    def head(self, line: Line, meta: Mapping[str, Any]) -> None:
        """A header: of the thread itself, of it resumed, or of one whose history is copied here."""
        key = meta.get("id")
        if type(key) is not str or not key:
            self.skips.append(Skip("bad_shape", line.number, "session_meta"))
            return
        known = self.threads.get(key)
        if known is not None:
            if not known.copied:
                self.here, self.back = known, 0
                if not known.headed:
                    known.head(meta, self.branch)
            return
        fork = self.own is not None and not self.own.drafts
        if fork and not self.back and self.own is not None:
            since = self.own.born
            lines = jsonl.lines(self.path, [])
            self.back = codex_copied.first_own(lines, line.number, since)
        thread = self._open(key, line.number)
        thread.head(meta, self.branch)
        thread.copied = fork
        if thread.started is None and not fork:
            thread.started = line.value.get("timestamp")
        self.own = self.own or thread
        if not fork:
            self.own = thread
        self.here = thread

    def turn(self, number: int, payload: Mapping[str, Any]) -> None:
        """A turn begins; in copied history it tells whose the records are."""
        thread, name = self.thread(number), payload.get("turn_id")
        made = codex_copied.turn_born(payload)
        if thread.copied and made is not None:
            older = [
                one
                for one in self.threads.values()
                if one.copied and one.born is not None and one.born <= made
            ]
            if older:
                thread = self.here = max(older, key=lambda one: one.born or 0)
        if type(name) is str and name:
            thread.begin(name, made)
        else:
            thread.cut()
            thread.open = True
            thread.run = f"{thread.id}:L{number}"

    def tell(
        self, line: Line, thread: Thread, role: Role, kind: MessageKind, text: str,
        ids: Sequence[str] = (), begins: bool = False,
    ) -> Draft | None:  # fmt: skip
        """A message; None when it is a second copy in the file.

        ids: the call it asks for, or the one it answers. begins: a run begins with it.
        There are no ids in the format. A message is told by its turn, and in it by its call or by
        how often the same was said before: a copy in a fork has other times, but the same turns.
        """
        number, _, raw, record = line
        stamp = record.get("timestamp")
        if not ids:
            times, last = thread.said.get((role, text), (0, None))
            if times and stamp is not None and last == stamp:
                self.skips.append(Skip("duplicate", number, kind, lost=False))
                return None
            thread.said[role, text] = (times + 1, stamp)
            ids = (str(times),)
        happened = self.when(stamp, number)
        key = identity.copy_key(role, _moment(thread, happened), text, (thread.scope, *ids))
        name = key[:16]
        if name in thread.names:
            self.skips.append(Skip("duplicate", number, kind, lost=False))
            return None
        if thread.copied and thread.turn_born is not None:
            happened = identity.moment(thread.turn_born)
        session, drafts = thread.id, thread.drafts
        if begins:
            thread.run = f"{session}:{name}"
        draft = Draft(
            f"{session}/{name}", session, thread.run, len(drafts), role, kind, text, key,
            digest_of(raw), number, happened, None, thread.tip,
        )  # fmt: skip
        thread.tip = draft.message_id
        thread.names.add(name)
        drafts.append(draft)
        return draft

    def reply(self, line: Line, thread: Thread, text: str, ids: Sequence[str] = ()) -> Draft | None:
        """A part of what the model says. All up to the next bill or result is one reply."""
        draft = self.tell(line, thread, "assistant", "reply", text, ids)
        if draft is None:
            return None
        if thread.reply is None:
            thread.reply = draft.message_id[len(thread.id) + 1 :]
        draft.reply_id, draft.model, thread.spoke = thread.reply, thread.model, draft
        if self.owed != (0, 0):
            _bill(draft, self.owed)
            self.owed = (0, 0)
        return draft

    def bill(self, thread: Thread, read: int, written: int, both: int) -> None:
        """A running total of tokens: what is new in it belongs to the reply before it.

        A total that went down is one of a new count. Where only the sum is told, it counts as read.
        """
        thread.reply = None
        then = self.spent
        if both == then[2]:
            return
        self.spent = (read, written, both)
        if both < then[2]:
            then = (0, 0, 0)
        new = max(read - then[0], 0), max(written - then[1], 0)
        if not any(new):
            new = both - then[2], 0
        if thread.spoke is not None:
            _bill(thread.spoke, new)
        else:
            self.owed = (self.owed[0] + new[0], self.owed[1] + new[1])

    def when(self, said: object, number: int) -> datetime | None:
        """A record's time."""
        try:
            happened: datetime | None = datetime.fromisoformat(said)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            happened = None
        if happened is None or happened.tzinfo is not UTC:
            happened = identity.moment(said)
            if happened is None and said is not None:
                self.skips.append(Skip("bad_time", number, lost=False))
        return happened


def _bill(draft: Draft, new: tuple[int, int]) -> None:
    if new[0]:
        draft.tokens_in = new[0] + (draft.tokens_in or 0)
    if new[1]:
        draft.tokens_out = new[1] + (draft.tokens_out or 0)


def _moment(thread: Thread, happened: datetime | None) -> int | None:
    """What of its time belongs to a message's identity, ms since 1970: that of its turn."""
    if thread.turn or happened is None:
        return thread.turn_born
    return round(happened.timestamp() * 1000)
