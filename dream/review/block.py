"""The marked block of a rule file: the only lines there that are ours.

Everything works on bytes, so that a byte-order mark, the line ends, a missing last line feed and
whatever stands outside the marks stay as they are.
"""

import codecs
import re
from dataclasses import dataclass

from dream.review.diff import git_lines
from dream.review.tree import Refused

BEGIN = b"<!-- dream:begin -->"
END = b"<!-- dream:end -->"

ID = re.compile(rb"<!--[ \t]*((?:rule|skill|check)-[0-9a-f]{8})[ \t]*-->")
"""The mark at the end of each of our lines, which tells its candidate."""

_OURS = re.compile(rb"<{7}(?: .*)?")
_THEIRS = re.compile(rb">{7}(?: .*)?")


@dataclass(frozen=True, slots=True)
class _Marks:
    begin: int  # index of the line
    end: int


def with_rule(data: bytes | None, identity: str, rule: str) -> bytes | Refused:
    """The file with the rule in its block, made at the end if there is none.

    data: the file's bytes, None when there is no file. rule: one line, without its id.
    A line of the block with the same id is replaced; nothing else changes. A rule that stands
    outside the marks gives the same bytes back: what a person moved is theirs.
    """
    data = data or b""
    if trouble := _unfit(data):
        return trouble
    end = _end(data)
    line = f"{rule} <!-- {identity} -->".encode()
    lines = git_lines(data)
    marks = _marks(lines)
    if isinstance(marks, Refused):
        return marks
    if (place := _place(lines, identity)) is not None:
        if marks is None or not marks.begin < place < marks.end:
            return data
        lines[place] = line + end
    elif marks is not None:
        lines.insert(marks.end, line + end)
    else:
        return _appended(data, end.join((BEGIN, line, END)), end)
    return b"".join(lines)


def in_style(data: bytes | None, text: bytes) -> bytes:
    """A whole file's new text as the file is saved: its byte-order mark, line ends and last end.

    So a change of words changes their lines alone, whatever editor the file went through.
    """
    if data is None:
        return text
    text = text.replace(b"\n", _end(data))
    if not data.endswith(b"\n"):
        text = text.removesuffix(b"\n").removesuffix(b"\r")
    return codecs.BOM_UTF8 + text if data.startswith(codecs.BOM_UTF8) else text


def stands(data: bytes | None, identity: str) -> bool:
    """Whether a file already has the rule, in its block or wherever a person put it."""
    return data is not None and any(hit == identity.encode() for hit in ID.findall(data))


def merge_marks(data: bytes) -> tuple[tuple[int, int], ...]:
    """Where a merge was left open: first and last line of each place, from 1."""
    found, begun = [], 0
    lines = git_lines(data)
    for number, line in enumerate(lines, 1):
        bare = line.rstrip(b"\r\n")
        if _OURS.fullmatch(bare):
            begun = begun or number
        elif begun and _THEIRS.fullmatch(bare):
            found.append((begun, number))
            begun = 0
    return (*found, (begun, len(lines))) if begun else tuple(found)


def _end(data: bytes) -> bytes:
    """The end that most lines have."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def _unfit(data: bytes) -> Refused | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\x00" in data:
        return Refused("it is not text in UTF-8")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return Refused(f"it is not text in UTF-8 (line {data.count(10, 0, error.start) + 1})")
    if places := merge_marks(data):
        named = ", ".join(f"{first}-{last}" for first, last in places)
        return Refused(f"a merge was left open there, on lines {named}")
    return None


def _marks(lines: list[bytes]) -> _Marks | Refused | None:
    """Where the block is; None without one; Refused when it cannot be told."""
    begins = [n for n, line in enumerate(lines) if line.strip() == BEGIN]
    ends = [n for n, line in enumerate(lines) if line.strip() == END]
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0] < ends[0]:
        return _Marks(begins[0], ends[0])
    named = ", ".join(str(n + 1) for n in sorted((*begins, *ends)))
    return Refused(f"its marks of Dream's block do not make one block (lines {named})")


def _place(lines: list[bytes], identity: str) -> int | None:
    for number, line in enumerate(lines):
        if identity.encode() in ID.findall(line):
            return number
    return None


def _appended(data: bytes, block: bytes, end: bytes) -> bytes:
    """The block after everything else; a file without a last line feed stays without one."""
    text = data.removeprefix(codecs.BOM_UTF8)
    if not text:
        return data + block + end
    if not text.endswith(b"\n"):
        return data + end * 2 + block
    blank = text.endswith((b"\n\n", b"\n\r\n")) or not text.strip(b"\r\n")
    return data + (b"" if blank else end) + block + end
