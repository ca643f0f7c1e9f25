"""What a cluster says of itself: its typical words, its support, and who contradicts it."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from dream.clusters.families import KINDS
from dream.clusters.units import Units
from dream.likeness import dot
from dream.types import Cluster, Judgement, Polarity, Scope

OPPOSED = 0.35
"""Likeness of two clusters' contradicting sentences from which they speak of one thing."""


def describe(name: str, members: Sequence[Judgement], units: Units | None = None) -> Cluster:
    """A cluster of members, by time and id. units: for sentences, to find the typical one."""
    typical = _typical(members, units)
    times = [member.happened.astimezone(UTC) for member in members if member.happened]
    kinds = Counter(member.kind for member in members)
    return Cluster(
        id=name,
        kind=min(kinds, key=lambda kind: (-kinds[kind], KINDS.index(kind))),
        statement=typical.statement,
        polarity=_polarity(members),
        scope=_scope(members),
        language=typical.language,
        members=tuple(member.id for member in members),
        sessions=len({member.session_id for member in members}),
        days=len({time.date() for time in times}),
        first=min(times, default=None),
        last=max(times, default=None),
    )


def _typical(members: Sequence[Judgement], units: Units | None) -> Judgement:
    """The member nearest to the middle, where each session counts once for each thing it said."""
    if units is None:
        return members[0]
    said = {(units.of[member.id], member.session_id) for member in members}
    votes = Counter(number for number, _ in said)
    middle: dict[str, list[float]] = defaultdict(list)
    for number, count in sorted(votes.items()):
        for name, value in units.vectors[number].items():
            middle[name].append(count * value)
    centre = {name: math.fsum(values) for name, values in middle.items()}
    best = max(votes, key=lambda number: (round(dot(units.vectors[number], centre), 9), -number))
    return next(member for member in members if units.of[member.id] == best)


def _polarity(members: Sequence[Judgement]) -> Polarity:
    meant = {(member.polarity, member.session_id) for member in members}
    counts: Counter[Polarity] = Counter(p for p, _ in meant if p != "none")
    ranked: list[Polarity] = sorted(counts, key=lambda polarity: (-counts[polarity], polarity))
    return ranked[0] if ranked else "none"


def _scope(members: Sequence[Judgement]) -> Scope:
    """What all members agree on; a path or tool that most of them leave open stays open."""
    paths = {member.scope.path for member in members}
    tools = {member.scope.tool for member in members}
    return Scope(
        project=members[0].scope.project,
        path=paths.pop() if len(paths) == 1 else "",
        tool=tools.pop() if len(tools) == 1 else "",
    )


def oppose(clusters: Sequence[Cluster], units: Units) -> list[Cluster]:
    """The same clusters, each naming those that ask for the opposite.

    Two clusters are opposed when sentences of theirs contradict in stance or number, are alike
    enough to be about one thing, and are most of what is alike between the two.
    """
    home = {units.of[member]: cluster.id for cluster in clusters for member in cluster.members}
    between: dict[tuple[str, str], float] = defaultdict(float)
    against: dict[tuple[str, str], float] = defaultdict(float)
    telling: set[tuple[str, str]] = set()
    for (one, other), value in sorted(units.pairs.items()):
        couple = (min(home[one], home[other]), max(home[one], home[other]))
        if couple[0] == couple[1]:
            continue
        between[couple] += value
        if units.clashes.get((one, other)) in {"stance", "value"}:
            against[couple] += value
            if value >= OPPOSED:
                telling.add(couple)
    opposed: dict[str, set[str]] = defaultdict(set)
    for one_id, other_id in telling:
        if 2 * against[one_id, other_id] >= between[one_id, other_id]:
            opposed[one_id].add(other_id)
            opposed[other_id].add(one_id)
    return [replace(c, opposed=tuple(sorted(opposed[c.id]))) for c in clusters]
