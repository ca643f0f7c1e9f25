"""The cause of a failed call, so that equal causes get equal signatures.

What differs between two runs of the same mistake is left out: paths, numbers, hashes, quotes,
times, hosts, colours. An exit code alone is no cause.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.signals.doings import Doing, doing, is_kind, name

LIMIT = 15_000
"""Characters of an output that are looked at, two thirds from its head and the rest its tail."""
UNKNOWN = "other"
"""The cause when no entry of errors.yaml fits; the key is then the line itself, made plain."""
SERVER = "mcp_server_fault"
"""The same for a tool that a server of its own offers."""

_LONG_LINE = re.compile(r"([^\n]{400})([^\n]+)")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FRAME = re.compile(
    r"^(?:Exit code:? \d+|Chunk ID: .*|Wall time: .*|Process exited with code \d+|Output:|"
    r"Original token count: .*|Total output lines: .*|Command exited with code \d+|</?\w+>|"
    r"[\s$>#=━─-]*|> .*|\(no output\))$"
)
_ERROR_WORD = re.compile(
    r"\b(?:error|fatal|failed|failure|cannot|can't|could not|unable|invalid|not found|denied"
    r"|unknown|missing|exception|panic|no such|unexpected|refused|aborted)\b",
    re.I,
)
_NOISE = re.compile(r"^\s*(?:at |File \"|hint:|note:|warning:|npm (?:notice|warn)|\d+ \|)", re.I)
_VARIABLE = (
    (re.compile(r"https?://\S+|\b[\w.-]+@[\w.-]+\b"), "<address>"),
    (re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”|‘[^’\n]*’"), "<quoted>"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*[/\\])+[\w.@~-]*"), "<path>"),
    (re.compile(r"\b(?:[0-9a-f]{7,64}|[0-9a-f-]{32,36})\b"), "<hash>"),
    (re.compile(r"\b[\w-]+\.(?:com|org|net|io|dev|local|internal)\b"), "<host>"),
    (re.compile(r"\d+(?:[.:,]\d+)*\s?(?:ms|s|sec|seconds|MB|KB|GB|%)?\b"), "<n>"),
)
_EARLY = frozenset(
    [
        *("user_interrupted", "sibling_call_failed", "bounded_wait_timeout", "blocked_by_guard"),
        *("wrapper_unknown_command", "dependencies_not_installed", "wrong_cwd", "disk_full"),
    ]
)


@dataclass(frozen=True, slots=True)
class Signature:
    """What failed and why, without what differs between two runs of the same mistake."""

    cause: str  # a name of errors.yaml, or UNKNOWN
    key: str  # what tells two causes of one kind apart; "" when nothing does
    program: str  # as dream.signals.doings names it
    counts: bool  # False: a refusal, a wait, nothing to do: no error of the work
    start: int  # span of the telling line in the text; start == end: no line tells
    end: int

    def __str__(self) -> str:
        return f"{self.cause}: {self.key}" if self.key else self.cause


@dataclass(frozen=True, slots=True)
class _Cause:
    name: str
    counts: bool
    checks: bool  # one of the ways a check of the work fails
    only: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]


@cache
def _causes() -> tuple[_Cause, ...]:
    source = resources.files("dream.signals").joinpath("errors.yaml").read_text(encoding="utf-8")
    listed = cast("list[Mapping[str, object]]", yaml.safe_load(source))
    return tuple(
        _Cause(
            str(entry["cause"]),
            entry.get("counts") != "no",
            entry.get("checks") == "yes",
            frozenset(str(entry.get("only", "")).split()),
            tuple(re.compile(part, re.M) for part in cast("list[str]", entry["patterns"])),
        )
        for entry in listed
    )


@cache
def _ordered(checking: bool) -> tuple[_Cause, ...]:
    """For a check of the work the ways it fails come before what its output may mention."""
    if not checking:
        return _causes()
    early = [cause for cause in _causes() if cause.name in _EARLY]
    checks = [cause for cause in _causes() if cause.checks]
    rest = [cause for cause in _causes() if cause not in early and cause not in checks]
    return tuple(early + checks + rest)


@cache
def version(cause: str) -> str:
    """Another one when what makes a failed call one of this cause changes, 8 hex digits.

    cause: as Signature has it, or a whole signature; one that is in no list has the list's own.
    """
    name = cause.partition(": ")[0]
    parts = [part for part in _causes() if part.name == name] or list(_causes())
    told = repr(
        [(p.name, p.counts, sorted(p.only), [q.pattern for q in p.patterns]) for p in parts]
    )
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def signature(tool: str, arguments: str, text: str) -> Signature:
    """The cause of one failed call, from its tool, its arguments (JSON text) and its output."""
    what = doing(tool, arguments)
    seen = _shortened(plain_output(text))
    found = _known(what, seen)
    if found is not None:
        return found
    start, end = _telling_line(seen)
    key = made_plain(seen[start:end]) if end > start else ""
    cause = SERVER if what.family.startswith("mcp__") else UNKNOWN
    return Signature(cause, key, what.program, True, start, end)


def plain_output(text: str) -> str:
    """The same length, without colours and control characters: spaces stand in their place."""
    return _ANSI.sub(lambda found: " " * len(found[0]), text)


def _shortened(text: str) -> str:
    """Head and tail of a long text, and the head of each long line, in their places.

    What is left out is line breaks: the text keeps its length.
    """
    if len(text) > LIMIT:
        head, tail = LIMIT * 2 // 3, LIMIT // 3
        text = text[:head] + "\n" * (len(text) - head - tail) + text[-tail:]
    return _LONG_LINE.sub(lambda found: found[1] + "\n" * len(found[2]), text)


def _known(what: Doing, text: str) -> Signature | None:
    # A poll of a running command says nothing of what runs; most often that is a check.
    polls = what.family == "shell" and not what.line.strip()
    checking = polls or any(is_kind(name(part), "checking") for part in what.parts)
    for cause in _ordered(checking):
        if cause.only and what.family not in cause.only:
            continue
        for pattern in cause.patterns:
            match = pattern.search(text)
            if match:
                start, end = _line_around(text, match.start())
                key = _key(match.groupdict().items())
                return Signature(cause.name, key, what.program, cause.counts, start, end)
    return None


def _key(groups: Iterable[tuple[str, str | None]]) -> str:
    return next((value for group, value in groups if value and group.startswith("key")), "")


def _line_around(text: str, place: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return _trimmed(text, start, len(text) if end < 0 else end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _telling_line(text: str) -> tuple[int, int]:
    """The first line with a word for an error; else the last that is no frame; else none."""
    last = (0, 0)
    place = 0
    for line in text.split("\n"):
        if line.strip() and not _FRAME.match(line.strip()) and not _NOISE.match(line):
            last = _trimmed(text, place, place + len(line))
            if _ERROR_WORD.search(line):
                return last
        place += len(line) + 1
    return last


def made_plain(line: str) -> str:
    """A line without what differs between two runs: paths, numbers, quotes, hosts, hashes."""
    for pattern, mark in _VARIABLE:
        line = pattern.sub(mark, line)
    return " ".join(line.split())[:160]
