"""A SpecStory chat on its way into records: turn by turn, in the order of the file."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256

from dream.records import CallStatus, Message, MessageKind, Role, Run, Skip, ToolCall
from dream.sources import claude_voices, specstory_blocks
from dream.sources.identity import copy_key, entry_id, moment
from dream.sources.specstory_turns import SPEAKERS, Turn

_BUTTON = re.compile(r'@agent [^\sa-z:"][^\s:"]*: "[^\n]*"')
_AGAIN = {
    "Try Again", "Retry", "重试", "重試", "再试一次", "再試一次", "再試行",
    "もう一度お試しください", "다시 시도", "Wiederholen", "Erneut versuchen", "Réessayer",
    "Reintentar", "Riprova", "Tentar Novamente", "Повторить", "Повторить попытку", "Yeniden Dene",
    "Zkusit znovu", "Spróbuj ponownie", "Újra",
}  # fmt: skip
"""The button under a failed reply, in the languages of the editor."""
_LOCAL = re.compile(r"(?:Z|[+-]\d\d:?\d\d)\Z")
_MARK = re.compile(r"<!-- message-id: \S+ -->\n?")
_OLD_TOOL = re.compile(r"^Tool use: \*\*[^*\n]+\*\*\s*$", re.MULTILINE)

Voice = tuple[Role, MessageKind, str]


class Chat:
    """What has been read so far of one session."""

    def __init__(self, session_id: str, agent: str, begun: datetime | None) -> None:
        self.session_id, self.agent = session_id, agent
        self.now = begun  # the last time that the file states
        self.messages: list[Message] = []
        self.calls: list[ToolCall] = []
        self.skips: list[Skip] = []
        self.untold: Counter[str] = Counter()
        self.run_id = f"{session_id}:start"
        self._taken: set[str] = set()
        self._seen: Counter[tuple[str, str, datetime | None]] = Counter()

    def take(self, turn: Turn, number: int, lines: Sequence[bytes]) -> None:
        """A turn, the number-th of the file, from 1. lines: of the whole file."""
        self._tell_the_time(turn)
        # The time tells two turns apart that an edited chat has in one place, in two files.
        own = f"{number}" if self.now is None else f"{number} {self.now.isoformat()}"
        if turn.doubtful:
            self._note(turn.start, "bad_shape", "a code block before it is never closed")
        if turn.who in ("Agent", "Assistant"):
            self._reply(turn, own, lines)
            return
        if turn.who not in SPEAKERS:
            self._note(turn.start, "unknown_role", turn.who[:60])
        text = _MARK.sub("", _text(lines, turn.start + 1, turn.end), count=1)
        for place, (role, kind, words) in enumerate(self._voices(turn, text)):
            name = entry_id(self.session_id, f"{own} {place}", self._taken)
            if role == "human" and kind == "prompt":
                self.run_id = f"{self.session_id}:{name}"
            self._add(name, role, kind, words, lines, turn.start, turn.end)

    def runs(self) -> list[Run]:
        """In order. Number 0 is what stands before the first prompt, if anything does."""
        spans: dict[str, list[Message]] = {}
        for message in self.messages:
            spans.setdefault(message.run_id, []).append(message)
        first = 0 if f"{self.session_id}:start" in spans else 1
        return [_run(number, span) for number, span in enumerate(spans.values(), first)]

    def told(self) -> list[Skip]:
        """All skips, with what the format does not tell at the end."""
        if self.messages:
            self.untold["whether its context was compacted"] = 1
        untold = [Skip("not_told", 0, what, False, count) for what, count in self.untold.items()]
        return [*self.skips, *untold]

    def _tell_the_time(self, turn: Turn) -> None:
        stated = moment(turn.stamp.replace("_", " ")) if turn.stamp else None
        if stated is None:
            self.untold["the time of a turn; the last one stated stands in"] += 1
            if turn.stamp:
                self._note(turn.start, "bad_time", turn.stamp)
        else:
            if not _LOCAL.search(turn.stamp):
                self.untold["the time zone of a turn; taken as UTC"] += 1
            self.now = stated

    def _voices(self, turn: Turn, text: str) -> list[Voice]:
        if turn.who != "User":
            return [("injected", "meta", text)]
        if turn.sidechain:
            return [("injected", "subagent", text)]
        if self.agent == "claude-code":
            return [(part.role, part.kind, part.text) for part in claude_voices.said(text)]
        if is_button(text):
            return [("injected", "command", text)]
        return [("human", "prompt", text)]

    def _reply(self, turn: Turn, where: str, lines: Sequence[bytes]) -> None:
        role: Role = "injected" if turn.sidechain else "assistant"
        kind: MessageKind = "subagent" if turn.sidechain else "reply"
        asking: Message | None = None
        reply_id, places = None, 0
        for place, piece in enumerate(specstory_blocks.pieces(lines, turn.start, turn.end)):
            own = entry_id(self.session_id, f"{where} {place}", self._taken)
            if not piece.block:
                behind = piece.start if place else piece.start + 1
                text = specstory_blocks.said(_text(lines, behind, piece.end))
                self._count_old_tools(text)
                reply_id, places = reply_id or f"{self.session_id}/{own}", 0
                asking = self._add(
                    own, role, kind, text, lines, piece.start, piece.end,
                    model=turn.model, reply_id=reply_id,
                )  # fmt: skip
                continue
            if piece.open:
                self._note(piece.start, "bad_shape", "the block of a tool is never closed")
            assert asking is not None  # noqa: S101 - the first piece is prose
            self._call(own, asking, places, lines, piece)
            places += 1

    def _call(
        self, name: str, asking: Message, place: int, lines: Sequence[bytes],
        piece: specstory_blocks.Piece,
    ) -> None:  # fmt: skip
        shown = specstory_blocks.run(_text(lines, piece.start, piece.end))
        result = self._add(
            name, "tool", "result", shown.text, lines, piece.start, piece.end
        )  # fmt: skip
        if shown.silent:
            self.untold["what a shell command put out, and whether it went well"] += 1
        elif shown.status == "unanswered":
            self.untold["what came of a tool call"] += 1
        answered: CallStatus = shown.status
        self.calls.append(
            ToolCall(
                f"{result.message_id}/call", self.session_id, result.run_id, asking.message_id,
                asking.number, place, shown.tool, shown.arguments, answered, result.line,
                result.copy_key, None if answered == "unanswered" else result.message_id,
                happened=result.happened,
            )
        )  # fmt: skip

    def _add(
        self, name: str, role: Role, kind: MessageKind, text: str, lines: Sequence[bytes],
        start: int, end: int, *, model: str | None = None, reply_id: str | None = None,
    ) -> Message:  # fmt: skip
        # No moment is exact here: which of several equal texts it is keeps them apart, and is the
        # same in every copy of the file.
        self._taken.add(name)
        same = (role, text, self.now)
        self._seen[same] += 1
        millis = None if self.now is None else round(self.now.timestamp() * 1000)
        message = Message(
            f"{self.session_id}/{name}", self.session_id, self.run_id, len(self.messages),
            role, kind, text,
            copy_key(role, millis, text, (self.session_id, str(self._seen[same]))),
            sha256(b"\n".join(lines[start:end])).hexdigest(), start + 1, self.now,
            parent=self.messages[-1].message_id if self.messages else None,
            reply_id=reply_id, model=model,
        )  # fmt: skip
        self.messages.append(message)
        return message

    def _count_old_tools(self, text: str) -> None:
        if "Tool use: **" in text and (found := len(_OLD_TOOL.findall(text))):
            self.untold["the borders of a tool call of the older layout; read as prose"] += found

    def _note(self, index: int, reason: str, detail: str) -> None:
        self.skips.append(Skip(reason, index + 1, detail, lost=False))


def is_button(text: str) -> bool:
    """Whether a text is what VS Code writes in a person's place when a button is pressed.

    `@agent Continue: "Continue to iterate?"` is a button and the question it answered.
    """
    if not text.startswith("@agent "):
        return False
    words = text.strip()
    return words.removeprefix("@agent ") in _AGAIN or _BUTTON.fullmatch(words) is not None


def _text(lines: Sequence[bytes], start: int, end: int) -> str:
    while start < end and not lines[start].strip():
        start += 1
    return b"\n".join(lines[start:end]).decode(errors="replace")


def _run(number: int, span: Sequence[Message]) -> Run:
    first = span[0]
    times = [message.happened for message in span if message.happened is not None]
    last = next((one for one in reversed(span) if one.role != "injected"), first)
    return Run(
        first.run_id, first.session_id, number,
        state="stopped" if last.role == "human" else "settled",
        started=first.happened, ended=max(times, default=None), line=first.line,
    )  # fmt: skip
