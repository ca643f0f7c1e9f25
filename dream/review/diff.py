"""One file's change as git writes it, so that `git apply` takes it."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

CONTEXT = 3

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")
_NUMBERS = re.compile(rb"^@@ -[0-9,]+ \+[0-9,]+ @@$", re.MULTILINE)
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r"}


def git_diff(path: str, before: bytes | None, after: bytes) -> bytes:
    """A unified diff of one file; before None: the file is new. b"" when nothing changes.

    path: relative to the repository, with "/". Bytes go through as they are, line ends too.
    """
    if before == after:
        return b""
    old, new = _name(f"a/{path}"), _name(f"b/{path}")
    head = [b"diff --git " + old + b" " + new]
    if before is None:
        head.append(b"new file mode 100644")
        old = b"/dev/null"
    if after or before:
        head += [b"--- " + _tabbed(old), b"+++ " + _tabbed(new)]
    return b"\n".join(head) + b"\n" + b"".join(_hunks(git_lines(before or b""), git_lines(after)))


def shape(diff: bytes) -> str:
    """SHA-256 of a diff without its line numbers: the same while it applies at another place."""
    return hashlib.sha256(_NUMBERS.sub(b"@@", diff)).hexdigest() if diff else ""


def malformed(diff: bytes) -> str:
    """Why the hunks of a diff cannot be meant as they stand; "" when their counts are right."""
    lines = git_lines(diff)
    places = [n for n, line in enumerate(lines) if line.startswith(b"@@ ")]
    if not places:
        return "malformed: it has no hunk" if diff else ""
    for place, end in zip(places, (*places[1:], len(lines)), strict=True):
        head = _HUNK.match(lines[place])
        if head is None:
            return f"malformed: line {place + 1} is no heading of a hunk"
        old, new = (int(count or b"1") for count in head.groups())
        body = [_mark(line) for line in takewhile(_mark, lines[place + 1 : end])]
        found = tuple(sum(mark in marks for mark in body) for marks in (" -", " +"))
        if found != (old, new):
            told = f"promises {old} old and {new} new lines, {found[0]} and {found[1]} follow"
            return f"malformed: the heading on line {place + 1} {told}"
    return ""


def _mark(line: bytes) -> str:
    """What a line is in a hunk: kept, old, new, a remark; "" outside of one."""
    first = line[:1].decode("latin-1")
    return " " if first == "\n" else first if first in "+- \\" else ""


def git_lines(data: bytes) -> list[bytes]:
    """Lines with their ends, as git sees them: only a line feed ends one."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _hunks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[bytes]:
    for group in _groups(_steps(before, after)):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (
            _range(first.old, last.old_end - first.old),
            _range(first.new, last.new_end - first.new),
        )
        for step in group:
            if step.equal:
                yield from (_line(b" ", line) for line in before[step.old : step.old_end])
            else:
                yield from (_line(b"-", line) for line in before[step.old : step.old_end])
                yield from (_line(b"+", line) for line in after[step.new : step.new_end])


class _Step(NamedTuple):
    """A stretch of lines, from each side; both ends count from 0, the second is not in it."""

    equal: bool
    old: int
    old_end: int
    new: int
    new_end: int


def _steps(before: Sequence[bytes], after: Sequence[bytes]) -> list[_Step]:
    """Equal and changed stretches in order. Only what differs is compared: a file may be long."""
    head = _equal(before, after)
    tail = _equal(before[head:][::-1], after[head:][::-1])
    old, new = len(before) - tail, len(after) - tail
    matcher = SequenceMatcher(None, before[head:old], after[head:new], autojunk=False)
    steps = [_Step(True, 0, head, 0, head)]
    for tag, i, j, k, m in matcher.get_opcodes():
        steps.append(_Step(tag == "equal", head + i, head + j, head + k, head + m))
    return [*steps, _Step(True, old, len(before), new, len(after))]


def _groups(steps: Sequence[_Step]) -> Iterator[list[_Step]]:
    """Changes with their context; those with little between them stand in one hunk."""
    group: list[_Step] = []
    for place, step in enumerate(steps):
        length = step.old_end - step.old
        is_last = place == len(steps) - 1
        if not step.equal:
            group.append(step)
        elif not group:
            kept = min(length, CONTEXT)
            group = [step._replace(old=step.old_end - kept, new=step.new_end - kept)]
        elif is_last or length > 2 * CONTEXT:
            kept = min(length, CONTEXT)
            yield [*group, step._replace(old_end=step.old + kept, new_end=step.new + kept)]
            group = [step._replace(old=step.old_end - CONTEXT, new=step.new_end - CONTEXT)]
        else:
            group.append(step)


def _equal(before: Sequence[bytes], after: Sequence[bytes]) -> int:
    """How many lines are the same from the start."""
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count


def _range(start: int, count: int) -> bytes:
    """A hunk's place: lines from 1; an empty one names the line before it."""
    first = start + 1 if count else start
    return b"%d" % first if count == 1 else b"%d,%d" % (first, count)


def _line(mark: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return mark + line
    return mark + line + b"\n\\ No newline at end of file\n"


def _name(path: str) -> bytes:
    """A path as git quotes it: C-like between quotation marks when it is not plain ASCII."""
    raw = path.encode("utf-8", "surrogateescape")
    if _PLAIN.fullmatch(raw):
        return raw
    return b'"' + b"".join(_quoted(byte) for byte in raw) + b'"'


def _quoted(byte: int) -> bytes:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    if byte in b'"\\':
        return b"\\" + bytes((byte,))
    return bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte


def _tabbed(name: bytes) -> bytes:
    """Git ends a name that has a space with a tab, so that the name's end is certain."""
    return name + b"\t" if b" " in name else name
