"""The turns of a Gemini CLI session file of either layout, in the order they were first written.

Older releases write one document with a list of messages; newer ones append a line a change: a turn
again and again as it grows, `$set` for what holds for the session, `$rewindTo` for a step back. A
`$set` may list the whole context the model has: that tells of turns no line has, and after a
compression of copies under new ids.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from dream.records import Skip
from dream.sources.linear import Counts
from dream.sources.shape import items, text

_ABOUT = frozenset(
    {
        "sessionId", "projectHash", "startTime", "lastUpdated", "kind", "summary", "directories",
        "messages", "memoryScratchpad", "activeExtensionName",
    }
)  # fmt: skip
"""What a file may say of its session."""


@dataclass(slots=True)
class Turn:
    """One entry of the conversation, in its latest version."""

    record: dict[str, Any]
    line: int
    digest: str
    listed: bool  # known from a `$set` alone
    lost: int = 0  # which rewind took it back, from 1; 0: it stands


class Replay:
    """What the records taken so far have come to."""

    def __init__(self, skips: list[Skip], counts: Counts) -> None:
        self.about: dict[str, Any] = {}
        self.turns: dict[str, Turn] = {}  # by id
        self.line = 0  # of the first record that says what session this is
        self._skips = skips
        self._counts = counts
        self._same: dict[tuple[str, str], str] = {}  # type and words -> id of the first such turn
        self._copies: dict[str, str] = {}  # id of a copy -> that of the turn it copies
        self._rewinds = 0

    def take(self, record: dict[str, Any], line: int, digest: str) -> None:
        """A line of the newer layout."""
        if "$rewindTo" in record:
            self._rewind(record["$rewindTo"], line)
        elif type(changes := record.get("$set")) is dict:
            self.say(changes, line)
            self._list(changes, line, digest)
        elif type(record.get("id")) is str:
            self.turn(record, line, digest)
        elif "sessionId" in record or "projectHash" in record:
            self.say(record, line)
            self._list(record, line, digest)
        elif type(record.get("type")) is str:
            self._skips.append(Skip("bad_shape", line, "a message without an id"))
        else:
            self._skips.append(Skip("no_type", line))

    def turn(self, record: dict[str, Any], line: int, digest: str, *, listed: bool = False) -> None:
        """A turn, or a later version of one. listed: it stands in a `$set`.

        What a `$set` lists of a known turn is what the model still sees of it, which may be less.
        """
        own = text(record.get("id"))
        known = self.turns.get(own)
        if known is not None:
            if known.listed or not listed:
                known.record, known.line, known.digest = record, line, digest
                known.listed = listed
            return
        same = (text(record.get("type")), words(record.get("content")))
        if listed and same[1] and same in self._same:
            self._copies[own] = self._same[same]
            self._counts.add("duplicate", "a turn listed anew under another id", line)
            return
        self._same.setdefault(same, own)
        self.turns[own] = Turn(record, line, digest, listed)

    def say(self, changes: Mapping[str, Any], line: int) -> None:
        """What holds for the whole session from here on."""
        self.line = self.line or line
        for key, value in changes.items():
            if key not in _ABOUT:
                self._counts.add("unknown_type", f"session {key}", line)
            elif key != "messages":
                self.about[key] = value

    def _list(self, changes: Mapping[str, Any], line: int, digest: str) -> None:
        for record in items(changes.get("messages")):
            if type(record) is dict and type(record.get("id")) is str:
                self.turn(record, line, digest, listed=True)
            else:
                self._skips.append(Skip("bad_shape", line, "a message without an id"))

    def _rewind(self, target: object, line: int) -> None:
        """The turn of that id and all after it were taken back."""
        own = self._copies.get(text(target), text(target))
        if own not in self.turns:
            self._skips.append(Skip("broken_parent", line, own[:60], lost=False))
            return
        self._rewinds += 1
        found = False
        for name, turn in self.turns.items():
            found = found or name == own
            if found and not turn.lost:
                turn.lost = self._rewinds


_READ = frozenset({"text", "thought", "functionCall", "functionResponse", "inlineData", "fileData"})
"""Keys of a part; one of them says what the part is."""


def odd(record: dict[str, Any]) -> Iterator[str]:
    """Names of what stands in a turn in another shape than known."""
    for key in ("content", "displayContent"):
        content = record.get(key)
        for part in content if type(content) is list else [content]:
            if type(part) is dict and _READ.isdisjoint(part):
                yield f"{key} part {next(iter(part), '')}"
            elif type(part) not in (str, dict, NoneType):
                yield key
    called = record.get("toolCalls")
    if type(called) not in (list, NoneType):
        yield "toolCalls"
    for call in items(called):
        if type(call) is not dict:
            yield "toolCalls"


def words(content: object) -> str:
    """The text of a content: a string, or the texts of its parts joined by a line feed."""
    return "\n".join(texts(content))


def texts(content: object) -> list[str]:
    """The texts of a content, part by part. Thinking and media are no text."""
    if type(content) is str:
        return [content] if content else []
    found = []
    for part in content if type(content) is list else [content]:
        if type(part) is str:
            found.append(part)
        elif type(part) is dict and part.get("thought") is not True:
            found += [said] if type(said := part.get("text")) is str else []
    return found
