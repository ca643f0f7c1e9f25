"""Which judgements are the same one, met again.

A judgement that an earlier night put into a cluster stays there. A new one joins the old cluster
it is most like, measured against that cluster's earliest members, which new ones do not move; what
joins none makes clusters with its like. So the order of the input is of no account, and the
evidence of a new night never moves that of an old one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from dream.clusters.describe import describe, oppose
from dream.clusters.families import family, order
from dream.clusters.statements import founded, join
from dream.clusters.units import take_apart
from dream.types import Cluster, Judgement


def group(judgements: Sequence[Judgement], registry: Mapping[str, str]) -> list[Cluster]:
    """All judgements in clusters, each in one, sorted by id.

    registry: judgement id -> cluster id, from earlier nights. Errors, detours and paths are the
    same when their statements are equal; what people said is the same when it is alike and
    neither stance, number, path nor tool speak against it. Nothing is joined over projects.
    """
    clusters: list[Cluster] = []
    places: dict[tuple[str, str], list[Judgement]] = defaultdict(list)
    for judgement in sorted(judgements, key=order):
        places[family(judgement), judgement.scope.project].append(judgement)
    for (name, _), members in sorted(places.items()):
        if name == "statement":
            units = take_apart(members, registry)
            gathered = _gathered(members, join(units, registry))
            clusters.extend(oppose([describe(*each, units) for each in gathered], units))
        else:
            gathered = _gathered(members, join_equal(members, registry))
            clusters.extend(describe(*each) for each in gathered)
    return sorted(clusters, key=lambda cluster: cluster.id)


def join_equal(members: Sequence[Judgement], registry: Mapping[str, str]) -> dict[str, str]:
    """Judgement id -> cluster id for members, in order, that are the same by their statement."""
    old: dict[str, str] = {}
    for member in members:
        if member.id in registry:
            old.setdefault(member.statement, registry[member.id])
    named: dict[str, str] = {}
    for member in members:
        mine = registry.get(member.id)
        named[member.id] = mine or old.setdefault(member.statement, founded(member))
    return named


def _gathered(
    members: Sequence[Judgement], named: Mapping[str, str]
) -> list[tuple[str, tuple[Judgement, ...]]]:
    found: dict[str, list[Judgement]] = defaultdict(list)
    for member in members:
        found[named[member.id]].append(member)
    return [(name, tuple(its)) for name, its in found.items()]
