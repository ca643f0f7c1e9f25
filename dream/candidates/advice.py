"""Our own words about an error that comes back.

An error's output is nobody's advice: whoever can make a tool print a line could otherwise write
rules. From the evidence come names only, and only names that the agent itself typed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import cast

import yaml

from dream.detector import Detector, parse
from dream.types import Judgement

_WORD = re.compile(r"(?![/~])[A-Za-z0-9._:=@+/-]{1,40}")
"""A word of a command that may stand in a rule: nothing that a shell would expand, no address, no
place of one machine alone."""
NAME = re.compile(r"[A-Za-z0-9@][A-Za-z0-9._+-]*(?: [A-Za-z0-9][A-Za-z0-9._:+-]*){0,2}")
LIMIT = 40
LINE = 60
NAMED, GENERAL = 0.85, 0.6
"""Weight of advice with names of this archive in it, and of what holds everywhere."""
_LOOKS = "cat cd echo find grep head ls mkdir pwd rg rm sed sleep tail test true wc which"
_LOOKING = frozenset(_LOOKS.split())
"""Programs that show something and are nobody's remedy."""
_ASKED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What the calls around a failed one say of it."""

    typed: bool  # the name that was not found stands in the call's own arguments
    next: tuple[str, ...] = ()  # programs that worked soon afterwards, in order
    same: tuple[str, ...] = ()  # of these, the ones that had words of the failed call with them
    lines: Mapping[str, str] = field(default_factory=dict)  # of these, the command as it was typed


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about a cause, with the names of this archive in it."""

    rule: str
    where: str
    weight: float  # how much it tells that this agent does not know anyway, 0 to 1
    shown: str = ""  # what the evidence shows of the remedy, beyond that the error comes back


@cache
def _catalogue() -> Mapping[str, Sequence[Mapping[str, object]]]:
    source = resources.files("dream.candidates").joinpath("advice.yaml")
    return cast(
        "Mapping[str, Sequence[Mapping[str, object]]]",
        yaml.safe_load(source.read_text(encoding="utf-8")),
    )


def cause(error: Judgement) -> str:
    """The error's class, as dream/signals/errors.yaml names it."""
    return str(error.detail.get("cause") or error.statement.split(":", 1)[0])


def known(name: str) -> bool:
    """Whether the catalogue has something to say about a cause."""
    return name in _catalogue()


def detector_of(name: str) -> Detector | None:
    """How breaches of a cause's advice are found, None when they can not be."""
    for entry in _catalogue().get(name, ()):
        if detector := entry.get("detector"):
            return parse(cast("Mapping[str, object]", detector))
    return None


def advice(members: Sequence[Judgement], after: Mapping[str, Aftermath]) -> Advice | None:
    """What to tell about the error that all members are, None when nothing general can be told.

    after: call id of a failed call -> what followed it.
    """
    if not members:
        return None
    names = {"program": _usual(members, _program), "key": _usual(members, partial(_key, after))}
    names["wrapper"] = names["program"].split(" ")[0]
    failed = frozenset(names.values())
    for entry in _catalogue().get(cause(members[0]), ()):
        rule, like = str(entry["rule"]), str(entry.get("instead", ""))
        asked = set(_ASKED.findall(rule))
        instead = partial(_instead, after, failed, re.compile(like) if like else None)
        name = _usual(members, instead) if "instead" in asked else ""
        whole = _usual(members, partial(_typed, after, name), safe_line) if like else ""
        filled = names | {"instead": whole or name}
        if all(filled.get(name) for name in asked):
            weight = NAMED if asked else GENERAL
            text = _ASKED.sub(lambda name, filled=filled: filled[name[1]], rule)  # type: ignore[misc]
            return Advice(text, str(entry["where"]), weight, _shown(members, instead, name, whole))
    return None


def _shown(
    members: Sequence[Judgement],
    instead: Callable[[Judgement], list[object]],
    name: str,
    whole: str,
) -> str:
    """In how many sessions the remedy worked; "" for advice that holds without one."""
    if not name:
        return ""
    every = {member.session_id for member in members}
    with_it = {member.session_id for member in members if name in instead(member)}
    return f"in {len(with_it)} of {len(every)} sessions `{whole or name}` worked soon afterwards"


def _program(error: Judgement) -> list[object]:
    return [error.detail.get("program")]


def _key(after: Mapping[str, Aftermath], error: Judgement) -> list[object]:
    """What was not found, if the agent itself had named it."""
    found = after.get(str(error.detail.get("call_id")))
    return [error.detail.get("key")] if found and found.typed else []


def _instead(
    after: Mapping[str, Aftermath],
    failed: frozenset[str],
    like: re.Pattern[str] | None,
    error: Judgement,
) -> list[object]:
    """What did the work instead: a program like that, or one that took up the failed words."""
    found = after.get(str(error.detail.get("call_id")))
    if found is None:
        return []
    near = [name for name in found.next if like.search(name)] if like else found.same
    return [name for name in near if name not in failed and name.split()[0] not in _LOOKING]


def _typed(after: Mapping[str, Aftermath], name: str, error: Judgement) -> list[object]:
    """The whole command in which a program was called: `uv sync` alone may not be enough."""
    found = after.get(str(error.detail.get("call_id")))
    return [found.lines[name]] if found and name in found.lines else []


def _usual(
    members: Sequence[Judgement],
    names: Callable[[Judgement], Iterable[object]],
    fit: Callable[[object], str] | None = None,
) -> str:
    """The name that half of the sessions or more have: the most frequent, of equals the earliest.

    "" when there is none. fit: how a name must be to stand in a rule, `safe` unless told.
    """
    fit = fit or safe
    first: dict[tuple[str, str], int] = {}
    for member in members:
        for place, name in enumerate(names(member)):
            key = (fit(name), member.session_id)
            first[key] = min(place, first.get(key, place))
    counts = Counter(name for name, _ in first if name)
    if not counts:
        return ""
    places: Counter[str] = Counter()
    for (name, _), place in first.items():
        places[name] += place
    name = min(counts, key=lambda each: (-counts[each], places[each], each))
    sessions = len({member.session_id for member in members})
    return name if 2 * counts[name] >= sessions else ""


def safe(name: object) -> str:
    """A program's or tool's name as it may stand in a rule; "" for anything else."""
    text = str(name or "").strip()
    return text if len(text) <= LIMIT and NAME.fullmatch(text) else ""


def safe_line(line: object) -> str:
    """A short command as it may stand in a rule, plain words alone; "" for anything else."""
    words = str(line or "").split(" ")
    plain = all(_WORD.fullmatch(word) and "://" not in word for word in words)
    return " ".join(words) if plain and len(" ".join(words)) <= LINE and safe(words[0]) else ""
