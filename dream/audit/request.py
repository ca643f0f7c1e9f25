"""What a request asks for and how large it is, by what was known before the work began.

Runs are only compared within the same kind and size of task. Both are told by the request alone:
what a run then did (calls, time) may itself be an effect of a rule.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, cast

import yaml

from dream.text import plain, sentences

TaskType = Literal["ask", "fix", "build", "write", "ship", "go_on", "other"]
"""ask: to know something. fix: put right. build: make or make over. write: words for people.
ship: commit, push, merge. go_on: a short yes. other: none of these is told."""
Size = Literal["small", "medium", "large"]

LOOKED_AT = 2_000
"""Characters of a request that tell its kind; a longer one goes on with what was pasted."""
HEAD = 6
"""Sentences at its beginning that are looked at, one after the other."""
SHORT = 60
"""Characters of a whole request that can be a mere yes."""
LONG = 1_500
"""Characters from which a request is a large task: a plan, a list of findings."""
BRIEF = 400
"""Characters under which one that names no file and goes on in a session is a small task."""
MANY_FILES = 3
"""Files from which on a request is a large task."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_FILE = re.compile(
    r"(?<![\w@])@[\w./-]{2,200}|(?<![\w./-])[\w./-]{1,200}\.[A-Za-z][A-Za-z0-9]{0,9}\b"
    r"|(?<![\w./:-])(?:[\w.-]{1,80}/){2,12}[\w.-]{1,80}"
)
_NO_FILE = re.compile(
    r"\.(?:com|org|net|io|dev|g|e|i|md5|0|1|2|3|4|5|6|7|8|9)$|^\d|//|^(?:e\.g|i\.e)"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What was known of a run before it began."""

    task: TaskType
    size: Size
    length: int  # characters of the whole request
    files: int  # different files that it names
    fresh: bool  # the first request of a session that continues no other


def request(text: str, *, length: int, fresh: bool) -> Request:
    """Reads a request. text: its beginning, at least LOOKED_AT characters of it; length: of all.

    The same words give the same answer in every session; nothing of what came later is asked.
    """
    files = len(files_in(text))
    return Request(_task(text), _size(length, files, fresh=fresh), length, files, fresh)


def files_in(text: str) -> frozenset[str]:
    """The files and folders that a text names, as it writes them; addresses are none."""
    found = (match[0].rstrip(".") for match in _FILE.finditer(text))
    return frozenset(name for name in found if not _NO_FILE.search(name))


def _size(length: int, files: int, *, fresh: bool) -> Size:
    if length >= LONG or files >= MANY_FILES:
        return "large"
    return "small" if length < BRIEF and not files and not fresh else "medium"


def _task(text: str) -> TaskType:
    low = plain(_FENCE.sub(" ", text[:LOOKED_AT]))
    whole = low.strip()
    if len(whole) <= SHORT and _words("go_on").search(whole):
        return "go_on"
    told = (low[start:end].strip() for start, end in sentences(low)[:HEAD])
    wanted = [found for said in told if (found := _wanted(said))]
    return next((found for found in wanted if found != "ask"), "ask" if wanted else "other")


def _wanted(said: str) -> TaskType | None:
    """What one sentence wants: work of some kind, an answer; None when it only tells something.

    Handing on counts where it comes first: "fix it and commit" is a fix, "commit and update the
    changelog" hands on. "Can you add a test?" is work in the form of a question.
    """
    polite = _words("polite").match(said)
    rest = said[polite.end() :].strip() if polite else said
    if _words("ask").search(rest) and not (polite and not _words("ask").match(rest)):
        return "ask"
    places = {kind: at.start() for kind in _WORK if (at := _words(kind).search(rest))}
    if places and places.get("ship") == min(places.values()):
        return "ship"
    return next((kind for kind in _WORK if kind in places), "ask" if polite else None)


_WORK: tuple[TaskType, ...] = ("fix", "write", "build", "ship")


@cache
def _words(kind: str) -> re.Pattern[str]:
    source = resources.files("dream.audit").joinpath("request_words.yaml")
    lists = cast("dict[str, list[str]]", yaml.safe_load(source.read_text(encoding="utf-8")))
    return re.compile("|".join(f"(?:{part})" for part in lists[kind]))
