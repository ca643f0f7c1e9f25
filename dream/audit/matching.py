"""Coarsened exact matching: weights that give one side the other's mix, and how alike they are.

Source: Iacus, King & Porro 2012; the weights and differences are those of MatchIt for the effect on
the treated, which here are the runs after a landing.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import stdev


def weights(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> tuple[list[float], list[float]]:
    """The kind of every run on each side -> its weight; 0 where the other side lacks its kind.

    A run after counts for one. Those before are weighted by kind; their weights add up to as many
    as were kept.
    """
    here, there = Counter(before), Counter(after)
    kept_before = sum(count for kind, count in here.items() if kind in there)
    kept_after = sum(count for kind, count in there.items() if kind in here)
    scale = kept_before / kept_after if kept_after else 0.0
    early = [there[kind] / here[kind] * scale for kind in before]
    return early, [float(kind in here) for kind in after]


def difference(
    before: Sequence[float],
    weights_before: Sequence[float],
    after: Sequence[float],
    weights_after: Sequence[float],
    scale: float,
) -> float | None:
    """Standardized mean difference, after less before. None where a side has no weight."""
    early, late = math.fsum(weights_before), math.fsum(weights_after)
    if early <= 0 or late <= 0 or scale <= 0:
        return None
    return (_sum(after, weights_after) / late - _sum(before, weights_before) / early) / scale


def spread(before: Sequence[float], after: Sequence[float]) -> float:
    """The standard deviation after; where all runs after are the same, that before.

    A yes or no has that of its share, as in MatchIt.
    """
    for side in (after, before):
        if len(side) > 1 and (found := _deviation(side)) > 0:
            return found
    return 0.0


def _deviation(values: Sequence[float]) -> float:
    if set(values) <= {0.0, 1.0}:
        share = math.fsum(values) / len(values)
        return math.sqrt(share * (1 - share))
    return stdev(values)


def effective(weights: Sequence[float]) -> float:
    """How many runs of one weight would tell as much (Kish)."""
    squares = math.fsum(each * each for each in weights)
    return math.fsum(weights) ** 2 / squares if squares else 0.0


def _sum(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True))
