"""Average linkage over few pairs: what is not alike enough to be a pair counts as 0."""

import heapq
from collections import defaultdict
from collections.abc import Collection, Mapping

Pair = tuple[int, int]  # the smaller number first


def link(
    count: int, pairs: Mapping[Pair, float], apart: Collection[Pair], at_least: float
) -> list[tuple[int, ...]]:
    """Things 0 .. count-1 in groups whose mean likeness is at_least or more when they are joined.

    pairs: likeness 0 to 1 of the pairs worth knowing. apart: pairs that never share a group,
    however alike. The most alike groups join first; of equal ones those with the smallest
    numbers, so the result follows from the arguments alone. Sorted by smallest number.
    Source: UPGMA (Sokal & Michener 1958) with cannot-link pairs.
    """
    near: dict[int, dict[int, float]] = defaultdict(dict)
    banned: dict[int, set[int]] = defaultdict(set)
    for (one, other), value in pairs.items():
        near[one][other] = near[other][one] = value
    for one, other in apart:
        banned[one].add(other)
        banned[other].add(one)
    groups: dict[int, tuple[int, ...]] = {number: (number,) for number in range(count)}
    queue = [(-value, *pair) for pair, value in pairs.items() if value >= at_least]
    heapq.heapify(queue)
    fresh = count
    while queue:
        _, one, other = heapq.heappop(queue)
        if one not in groups or other not in groups or other in banned[one]:
            continue
        sizes = len(groups[one]), len(groups[other])
        groups[fresh] = tuple(sorted(groups.pop(one) + groups.pop(other)))
        _ban(banned, one, other, fresh)
        for third in near[one].keys() | near[other].keys():
            if third not in groups or third == fresh:
                continue
            total = sizes[0] * near[one].get(third, 0.0) + sizes[1] * near[other].get(third, 0.0)
            value = total / sum(sizes)
            near[fresh][third] = near[third][fresh] = value
            if value >= at_least:
                heapq.heappush(queue, (-value, *_by_first(groups, fresh, third)))
        fresh += 1
    return sorted(groups.values())


def _ban(banned: dict[int, set[int]], one: int, other: int, fresh: int) -> None:
    banned[fresh] = banned[one] | banned[other]
    for third in banned[fresh]:
        banned[third].add(fresh)


def _by_first(groups: Mapping[int, tuple[int, ...]], one: int, other: int) -> Pair:
    """The pair with the group of the smaller first member in front."""
    return (one, other) if groups[one][0] < groups[other][0] else (other, one)
