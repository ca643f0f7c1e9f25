"""Where the turns of a SpecStory file begin and end.

A turn begins at its head, `_**User (2026-03-02 09:00Z)**_`, which stands alone on a line behind a
rule (`---`), or behind a turn of the same speaker. Nothing in the format is escaped, so a head may
also be quoted: in a code block or inside a tool's block it begins nothing. People forget to close
code blocks, and then the next head is a real one; what tells the two apart is where the block's
closing marks would stand. A part that closes on its own what it opens needs none from before it.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_HEAD = re.compile(rb"_\*\*(\w[\w ]*?)( - sidechain)?((?: \(.*\))?)\*\*_\s*")
_STAMP = re.compile(
    r"\d{4}-\d\d-\d\d[ T_]\d\d[:-]\d\d(?:[:-]\d\d)?(?:\.\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
)
_MARKS = re.compile(rb"\s*(`{3,}|~{3,})(.*)", re.DOTALL)
_OPEN, _CLOSE = b"<tool-use ", b"</tool-use>"

SPEAKERS = frozenset({"User", "Agent", "Assistant"})


class Turn(NamedTuple):
    """What one speaker said. Indexes are of lines, from 0."""

    who: str  # a word of SPEAKERS, or another one, which this reader does not know
    sidechain: bool  # of a sub-agent
    stamp: str  # the time in the head, as it stands there; "" without
    model: str | None
    start: int  # the head
    end: int  # behind the last line; blank lines and the rule at the end are left out
    doubtful: bool  # begins inside a block that was never closed


class _Head(NamedTuple):
    line: int  # index of its line
    who: str
    sidechain: bool
    inside: str  # of the brackets


def turns(lines: Sequence[bytes]) -> list[Turn]:
    """The turns in order. What stands before the first one is no turn's."""
    found = list(_Scan(lines).heads())
    made = []
    for place, (head, doubtful) in enumerate(found):
        end = found[place + 1][0].line if place + 1 < len(found) else len(lines)
        stamp = _STAMP.search(head.inside)
        made.append(
            Turn(
                head.who, head.sidechain, stamp[0] if stamp else "", _model(head),
                head.line, _end(lines, head.line, end), doubtful,
            )
        )  # fmt: skip
    return made


def after(fence: bytes, line: bytes) -> bytes:
    """The marks of the code block that is open behind this line, b"" for none."""
    marks = _MARKS.fullmatch(line) if b"```" in line or b"~~~" in line else None
    if marks is None:
        return fence
    if not fence:
        return b"" if marks[1][:1] == b"`" and b"`" in marks[2] else marks[1]
    closes = marks[1].startswith(fence) and not marks[2].strip()
    return b"" if closes else fence


def block_end(lines: Sequence[bytes], start: int, end: int) -> int:
    """Behind the line that closes the tool's block that begins at start; 0 when none does.

    A closing line inside a code block counts only when none stands outside of one: SpecStory makes
    the marks around a result longer than any in it, but older versions did not.
    """
    fence, inside = b"", 0
    for index in range(start, end):
        line = lines[index]
        if index > start and line.startswith(_OPEN) and len(fence) <= len(b"```"):
            break
        if line.rstrip().endswith(_CLOSE):
            if not fence:
                return index + 1
            inside = inside or index + 1
        fence = after(fence, line)
    return inside


class _Scan:
    """One walk over the lines; looks ahead only at a head inside an open block."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._lines = lines
        self._all = [head for index in range(len(lines)) if (head := self._read(index))]
        ruled = [head.line for head in self._all if self._ruled(head.line)]
        self._borders = [0, *ruled, len(lines)]
        self._closers: dict[bytes, int] = {}
        self._whole: dict[int, bool] = {}

    def heads(self) -> Iterator[tuple[_Head, bool]]:
        """Each head that begins a turn, and whether a code block was open before it."""
        waiting = {head.line: head for head in self._all}
        who, fence, passed = "", b"", 0
        for index, line in enumerate(self._lines):
            if index < passed:
                continue
            head = waiting.get(index)
            if head and self._may_begin(head, who) and not self._quoted(index, fence):
                yield head, bool(fence and not self._loosely_closed(index))
                who, fence = head.who, b""
            elif not who:  # nothing is quoted before the first turn
                continue
            elif not fence and who != "User" and line.startswith(_OPEN):
                passed = block_end(self._lines, index, len(self._lines))
            else:
                fence = after(fence, line)

    def _read(self, index: int) -> _Head | None:
        line = self._lines[index]
        if not line.startswith(b"_**") or (found := _HEAD.fullmatch(line)) is None:
            return None
        who, sidechain, inside = (part.decode(errors="replace") for part in found.groups(b""))
        known = who in SPEAKERS or "model " in inside or _STAMP.search(inside)
        return (
            _Head(index, who, bool(sidechain) or "sidechain" in inside, inside) if known else None
        )

    def _may_begin(self, head: _Head, who: str) -> bool:
        if not who or self._ruled(head.line):
            return True
        before, behind = head.line - 1, head.line + 1
        around = (*self._lines[before : head.line], *self._lines[behind : behind + 1])
        return head.who == who and not any(line.strip() for line in around)

    def _before(self, index: int) -> int:
        """The last line before index that is not blank; -1 for none."""
        index -= 1
        while index >= 0 and not self._lines[index].strip():
            index -= 1
        return index

    def _ruled(self, index: int) -> bool:
        before = self._before(index)
        return before >= 0 and self._lines[before].rstrip() == b"---"

    def _loosely_closed(self, index: int) -> bool:
        """Whether the words before the rule end with closing marks, as people type them."""
        last = self._before(self._before(index)) if self._ruled(index) else self._before(index)
        words = self._lines[last].strip() if last >= 0 else b""
        return words.endswith((b"```", b"~~~")) and words[:1] not in (b"`", b"~")

    def _quoted(self, index: int, fence: bytes) -> bool:
        if not fence or self._loosely_closed(index):
            return False
        closer = self._closer(fence, index)
        return closer < len(self._lines) and not self._is_whole(bisect(self._borders, closer))

    def _closer(self, fence: bytes, index: int) -> int:
        """The next line that closes a block with these marks; past the end for none."""
        found = self._closers.get(fence, -1)
        if found < index:
            found = index
            while found < len(self._lines) and after(fence, self._lines[found]):
                found += 1
            self._closers[fence] = found
        return found

    def _is_whole(self, border: int) -> bool:
        """Whether the part before this border closes every code block that it opens."""
        if border not in self._whole:
            fence = b""
            for line in self._lines[self._borders[border - 1] : self._borders[border]]:
                fence = after(fence, line)
            self._whole[border] = not fence
        return self._whole[border]


def _model(head: _Head) -> str | None:
    if head.who == "User":
        return None
    words = _STAMP.sub("", head.inside).strip().removeprefix("(").partition(")")[0]
    name = words.partition(",")[0].strip().removeprefix("model ").strip()
    return None if name in ("", "sidechain") else name


def _end(lines: Sequence[bytes], start: int, end: int) -> int:
    """One rule closes a turn; at the end of a file the oldest layout leaves several."""
    last = end == len(lines)
    end = _shorter(lines, start, end)
    while end - 1 > start and lines[end - 1].rstrip() == b"---":
        end = _shorter(lines, start, end - 1)
        if not last:
            break
    return end


def _shorter(lines: Sequence[bytes], start: int, end: int) -> int:
    while end - 1 > start and not lines[end - 1].strip():
        end -= 1
    return end
