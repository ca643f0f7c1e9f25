"""Sentences of people that ask for the same thing."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping

from dream.clusters.linkage import Pair, link
from dream.clusters.units import Units
from dream.types import Judgement

SAME = 0.39
"""Mean likeness from which sentences are one judgement (tests/clusters/test_quality.py)."""


def founded(judgement: Judgement) -> str:
    """The id of the cluster whose first member this is."""
    return "c-" + judgement.id.removeprefix("j-")


def join(units: Units, registry: Mapping[str, str]) -> dict[str, str]:
    """Judgement id -> cluster id for every member of the units.

    Old members stay. A new one of a unit that has old ones goes with the first of them; a new
    unit goes to the old cluster it is most like on average, or founds one with others like it.
    """
    homes: dict[int, str] = {}
    for number, unit in enumerate(units.all):
        known = [registry[member.id] for member in unit.members if member.id in registry]
        if known:
            homes[number] = known[0]
    near = _neighbours(units.pairs)
    held = {number: name for name, its in units.old.items() for number in its}
    left = []
    for number in range(len(units.all)):
        if number in homes:
            continue
        wanted = {held[other] for other in near[number] if other in held}
        home = _best(units, near[number], wanted, _apart(units, number, near[number]))
        if home:
            homes[number] = home
        else:
            left.append(number)
    for its in _linked(units, left):
        name = founded(units.all[its[0]].members[0])
        homes |= dict.fromkeys(its, name)
    return {member: registry.get(member, homes[n]) for member, n in units.of.items()}


def _neighbours(pairs: Mapping[Pair, float]) -> dict[int, dict[int, float]]:
    near: dict[int, dict[int, float]] = defaultdict(dict)
    for (one, other), value in pairs.items():
        near[one][other] = near[other][one] = value
    return near


def _apart(units: Units, number: int, others: Collection[int]) -> set[int]:
    return {other for other in others if (min(number, other), max(number, other)) in units.clashes}


def _best(units: Units, near: Mapping[int, float], wanted: set[str], apart: set[int]) -> str:
    """The cluster of `wanted` that is most like, "" when none is alike enough or all clash."""
    scores = []
    for name in wanted:
        its = units.old[name]
        if not apart.intersection(its):
            mean = math.fsum(near.get(other, 0.0) for other in its) / len(its)
            scores.append((-mean, name))
    negative, name = min(scores, default=(0.0, ""))
    return name if -negative >= SAME else ""


def _linked(units: Units, left: list[int]) -> list[tuple[int, ...]]:
    place = {number: index for index, number in enumerate(left)}
    pairs = {
        (place[one], place[other]): value
        for (one, other), value in units.pairs.items()
        if one in place and other in place
    }
    apart = [
        (place[one], place[other])
        for one, other in units.clashes
        if one in place and other in place
    ]
    groups = link(len(left), pairs, apart, SAME)
    return [tuple(left[index] for index in its) for its in groups]
