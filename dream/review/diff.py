"""One file's change as git writes it, so that `git apply` takes it."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

CONTEXT = 3

_PLAIN = re.compile(rb"[ !#-\[\]-~]*")
_NUMBERS = re.compile(rb"^@@ -[0-9,]+ \+[0-9,]+ @@$", re.MULTILINE)
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


def git_lines(data: bytes) -> list[bytes]:
    """Lines with their ends, as git sees them: only a line feed ends one."""
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _hunks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[bytes]:
    """Equal lines at both ends are cut off first: what changes is small, the file need not be."""
    head = _equal(before, after)
    tail = _equal(before[head:][::-1], after[head:][::-1])
    start = max(head - CONTEXT, 0)
    old = before[start : min(len(before) - tail + CONTEXT, len(before))]
    new = after[start : min(len(after) - tail + CONTEXT, len(after))]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (
            _range(start + first[1], last[2] - first[1]),
            _range(start + first[3], last[4] - first[3]),
        )
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (_line(b" ", line) for line in old[i:j])
            else:
                yield from (_line(b"-", line) for line in old[i:j])
                yield from (_line(b"+", line) for line in new[k:m])


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
