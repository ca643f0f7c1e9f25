"""The same thing asked again: in the same session, in others, or as a routine of the person.

Near-equal wording is told by shared content words. Pairs are found by the rarest words of each
request (prefix filter: no pair over the limit is missed), so thousands of requests cost seconds.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.signals.turns import Said
from dream.text import fold, plain, words

ROUTINE = 3
"""Sessions of one project in which an act is asked for, from which it is a routine."""
_SHORT = 14
"""Words; an act counts in a request no longer than this."""
_BRIEF = 3
"""Content words; so short a request says little by itself."""
_CODE = re.compile(r"[/\\_.@#:\d]|^--?")


@dataclass(frozen=True, slots=True)
class Ask:
    """One turn, reduced to what it is compared by."""

    message_id: str
    session_id: str
    project: str
    earlier: int
    content: frozenset[str]
    acts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often a turn's request was made."""

    sessions: int  # distinct sessions with near-equal wording, its own included
    here: int  # near-equal requests before it in its own session
    brief: bool
    act: str = ""  # a routine act it asks for
    share: float = 0.0  # of the project's sessions that ask for that act


@cache
def _lists() -> Mapping[str, object]:
    source = resources.files("dream.signals").joinpath("asks.yaml").read_text(encoding="utf-8")
    return cast("dict[str, object]", yaml.safe_load(source))


@cache
def _words(name: str) -> frozenset[str]:
    listed = str(_lists()[name]).split()
    return frozenset(listed) | frozenset(map(fold, listed))


@cache
def _acts() -> Mapping[str, re.Pattern[str]]:
    listed = cast("dict[str, list[str]]", _lists()["acts"])
    return {
        name: re.compile("|".join(f"(?:{part})" for part in parts))
        for name, parts in listed.items()
    }


def acts(sentence: str) -> dict[str, tuple[int, int]]:
    """The routine acts asked for in a short sentence, each with its span in it."""
    low = plain(sentence)
    if len(low.split()) > _SHORT or len(low) > 160:
        return {}
    found = ((name, pattern.search(low)) for name, pattern in _acts().items())
    return {name: match.span() for name, match in found if match}


def reduce(said: Said) -> Ask:
    """A turn as it is compared. Content is empty when it only points or agrees."""
    own = [said.turn.text[start:end] for start, end in said.spans]
    tokens = {word for part in own for word in words(part)}
    content = {word for word in tokens if word not in _words("light") and not _CODE.search(word)}
    if content <= _words("pointing"):
        content = set()
    asked: set[str] = set()
    if len(own) <= 3:
        for sentence in own:
            asked |= acts(sentence).keys()
    turn = said.turn
    return Ask(
        turn.message_id,
        turn.session_id,
        turn.project_key,
        turn.earlier,
        frozenset(content),
        tuple(sorted(asked)),
    )


def repeats(asks: Iterable[Ask]) -> Mapping[str, Repeat]:
    """Message id -> how often its request came, for those that came more than once."""
    by_project: dict[str, list[Ask]] = defaultdict(list)
    for ask in asks:
        by_project[ask.project].append(ask)
    found: dict[str, Repeat] = {}
    for project in sorted(by_project):
        found |= _in_project(by_project[project])
    return found


def _in_project(asks: Sequence[Ask]) -> dict[str, Repeat]:
    sessions = {ask.session_id for ask in asks}
    askers: dict[str, set[str]] = defaultdict(set)
    alike: dict[frozenset[str], list[Ask]] = defaultdict(list)
    for ask in asks:
        alike[ask.content].append(ask)
        for act in ask.acts:
            askers[act].add(ask.session_id)
    alike.pop(frozenset(), None)
    contents = sorted(alike, key=sorted)
    near = _near(contents)
    places = {content: number for number, content in enumerate(contents)}
    found: dict[str, Repeat] = {}
    for ask in asks:
        close = [contents[n] for n in near[places[ask.content]]] if ask.content else []
        others = [other for content in (ask.content, *close) for other in alike.get(content, ())]
        everywhere = {other.session_id for other in others} | {ask.session_id}
        here = sum(o.session_id == ask.session_id and o.earlier < ask.earlier for o in others)
        routine = [act for act in ask.acts if len(askers[act]) >= ROUTINE]
        act = max(routine, key=lambda name: len(askers[name]), default="")
        if act or here or len(everywhere) > 1:
            share = len(askers[act]) / len(sessions) if act else 0.0
            brief = len(ask.content) <= _BRIEF
            found[ask.message_id] = Repeat(len(everywhere), here, brief, act, share)
    return found


def _needed(size: int) -> float:
    """The share of all words of two requests that must be common, by the shorter one's size."""
    return 1.0 if size <= 2 else 0.75 if size <= 5 else 0.6


def _near(contents: Sequence[frozenset[str]]) -> list[list[int]]:
    """For each content the others that are near it and not equal, by number."""
    frequency = Counter(word for content in contents for word in content)
    rarest: dict[str, list[int]] = defaultdict(list)
    near: list[list[int]] = [[] for _ in contents]
    for number, content in enumerate(contents):
        ordered = sorted(content, key=lambda word: (frequency[word], word))
        size = len(ordered)
        kept = ordered[: size - math.ceil(_needed(size) * size) + 1]
        for other in sorted({place for word in kept for place in rarest[word]}):
            theirs = contents[other]
            common = len(content & theirs)
            if common >= _needed(min(size, len(theirs))) * (size + len(theirs) - common):
                near[number].append(other)
                near[other].append(number)
        for word in kept:
            rarest[word].append(number)
    return near
