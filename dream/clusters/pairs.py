"""Which of many sentences are alike, without comparing each with each."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from dream.clusters.linkage import Pair
from dream.likeness import dot

COMMON = 200
"""A word that more sentences have leads to a pair only together with a second such word."""
LEADS = 8
"""Words of a sentence, the weightiest, that lead to others."""
PART = 0.5
"""Share of the likeness asked for that the leading words alone must give."""

Lead = str | tuple[str, str]


def alike(
    vectors: Sequence[Mapping[str, float]], words: Sequence[Collection[str]], at_least: float
) -> dict[Pair, float]:
    """The likeness of the pairs of vectors of length 1 that reach at_least and share a lead.

    words: for each vector those of its features that may lead to others. A lead is one of its
    LEADS weightiest words, or two of them where one is COMMON. What shares no lead, or only ones
    that give less than PART of at_least, is not looked at: among 20,000 sentences of a project
    that would be two hundred million comparisons.
    """
    strong = [_weightiest(vector, its) for vector, its in zip(vectors, words, strict=True)]
    spread = Counter(word for its in strong for word in its)
    leads = [_leads(vector, its, spread) for vector, its in zip(vectors, strong, strict=True)]
    crowd = Counter(lead for its in leads for lead in its)
    holders: dict[Lead, list[tuple[int, float]]] = defaultdict(list)
    found: dict[Pair, float] = {}
    for number, its in enumerate(leads):
        part: dict[int, float] = defaultdict(float)
        for lead, weight in its.items():
            if crowd[lead] > COMMON:
                continue
            for other, theirs in holders[lead]:
                part[other] += weight * theirs
            holders[lead].append((number, weight))
        for other, value in part.items():
            if value >= PART * at_least:
                whole = dot(vectors[other], vectors[number])
                if whole >= at_least:
                    found[other, number] = whole
    return dict(sorted(found.items()))


def _weightiest(vector: Mapping[str, float], words: Collection[str]) -> list[str]:
    return sorted(words, key=lambda word: (-vector[word], word))[:LEADS]


def _leads(
    vector: Mapping[str, float], words: Sequence[str], spread: Mapping[str, int]
) -> dict[Lead, float]:
    """Each lead with the length that it has in the vector."""
    common = sorted(word for word in words if spread[word] > COMMON)
    found: dict[Lead, float] = {word: vector[word] for word in words if word not in common}
    for one, other in combinations(common, 2):
        found[one, other] = (vector[one] ** 2 + vector[other] ** 2) ** 0.5
    return found
