"""What people said in one project, taken apart for comparing, each thing once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dream.clusters.linkage import Pair
from dream.clusters.pairs import alike
from dream.likeness import Conflict, Saying, conflict, features, say, weigh
from dream.types import Judgement, Scope

FLOOR = 0.25
"""Sentences less alike than this are taken as not alike at all."""
REPRESENTATIVES = 8
"""Different sentences, the earliest, that stand for an old cluster when others are compared."""

SHARED = 2
"""Telling words that two different sentences must share to be alike at all."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Judgements of equal words, stance and scope: one thing to compare, however often said."""

    members: tuple[Judgement, ...]  # by time and id
    saying: Saying
    scope: Scope


@dataclass(frozen=True, slots=True)
class Units:
    """All units, by their first member, and how those worth comparing stand to each other."""

    all: tuple[Unit, ...]
    vectors: tuple[Mapping[str, float], ...]  # of length 1, one a unit
    of: Mapping[str, int]  # judgement id -> unit
    old: Mapping[str, tuple[int, ...]]  # cluster of an earlier night -> its representatives
    pairs: Mapping[Pair, float]  # likeness, FLOOR or more, among new units and representatives
    clashes: Mapping[Pair, Conflict]  # the pairs that can not be the same judgement, and why


def take_apart(members: Sequence[Judgement], registry: Mapping[str, str]) -> Units:
    """Members, by time and id, of one project; registry as `group` takes it."""
    sayings: dict[tuple[str, str], Saying] = {}
    same: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for member in members:
        text = (member.statement, member.polarity)
        sayings[text] = sayings.get(text) or say(*text)
        same[sayings[text].tokens, member.polarity, member.scope].append(member)
    units = tuple(
        Unit(tuple(its), sayings[its[0].statement, its[0].polarity], its[0].scope)
        for its in same.values()
    )
    weights = weigh(unit.saying for unit in units)
    vectors = tuple(features(unit.saying, weights) for unit in units)
    old = _representatives(units, registry)
    shown = _worth_comparing(units, old, registry)
    words = [units[number].saying.telling() for number in shown]
    close = alike([vectors[number] for number in shown], words, FLOOR)
    pairs = {
        (shown[one], shown[other]): value
        for (one, other), value in close.items()
        if _enough(units[shown[one]].saying, units[shown[other]].saying)
    }
    clashes: dict[Pair, Conflict] = {}
    for one, other in pairs:
        a, b = units[one], units[other]
        why = "scope" if elsewhere(a, b) else conflict(a.saying, b.saying, weights)
        if why:
            clashes[one, other] = why
    of = {member.id: number for number, unit in enumerate(units) for member in unit.members}
    return Units(units, vectors, of, old, pairs, clashes)


def _enough(one: Saying, other: Saying) -> bool:
    """Whether two sentences share enough to be compared: one word alone is a topic at most."""
    mine, theirs = _stems(one), _stems(other)
    return mine == theirs or len(mine & theirs) >= SHARED


def _stems(saying: Saying) -> frozenset[str]:
    """Its telling words, a file's without its ending: changelog.md is the changelog."""
    return frozenset(token.rsplit(".", 1)[0] or token for token in saying.telling())


def _representatives(
    units: Sequence[Unit], registry: Mapping[str, str]
) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = defaultdict(list)
    for number, unit in enumerate(units):
        for name in sorted({registry[m.id] for m in unit.members if m.id in registry}):
            found[name].append(number)
    return {name: tuple(its[:REPRESENTATIVES]) for name, its in found.items()}


def _worth_comparing(
    units: Sequence[Unit], old: Mapping[str, tuple[int, ...]], registry: Mapping[str, str]
) -> list[int]:
    new = {n for n, unit in enumerate(units) if all(m.id not in registry for m in unit.members)}
    return sorted(new.union(*old.values()))


def elsewhere(one: Unit, other: Unit) -> bool:
    """Whether two units speak of different files or tools.

    A path that only one of them has is the same place when the other names it in its words:
    "update the changelog" is about CHANGELOG.md.
    """
    if one.scope.tool and other.scope.tool and one.scope.tool != other.scope.tool:
        return True
    if one.scope.path == other.scope.path:
        return False
    if one.scope.path and other.scope.path:
        return True
    path, words = (
        (one.scope.path, other.saying.tokens)
        if one.scope.path
        else (other.scope.path, one.saying.tokens)
    )
    name = path.rstrip("/").rsplit("/", 1)[-1].lower()
    return not {path.lower(), name, name.split(".", 1)[0]} & set(words)
