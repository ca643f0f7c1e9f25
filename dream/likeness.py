"""How alike two sentences are, and whether they speak against each other.

Likeness is lexical: weighted words and the letter groups inside them. It does not see stance, and
no measure of likeness does; so `conflict` answers that on its own, and who merges asks both.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, cast

import yaml

from dream.text import fold, plain, stance, words
from dream.types import Polarity

Conflict = Literal["", "stance", "value", "scope"]
"""stance: one asks for what the other asks against. value: the same demand with another number.
scope: the same words about something else."""

WORDS = 0.65
"""Share of the likeness that whole words decide; letter groups decide the rest."""
LIGHT = 0.12
"""Weight of a word that says little, against 1 for a word of average rarity."""
GRAM = 3
"""Letters in a group."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence taken apart for comparing."""

    tokens: tuple[str, ...]  # as dream.text.words gives them
    signs: Mapping[str, int]  # token -> +1 wanted, -1 unwanted, 0 neither or both
    numbers: frozenset[str]
    sides: tuple[frozenset[int], ...]  # for each contrast, which of its sides are named

    def telling(self) -> frozenset[str]:
        """Its tokens that are not light, or all when all are."""
        return frozenset(self.tokens) - _light() or frozenset(self.tokens)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each token tells among a set of sayings."""

    rarity: Mapping[str, float] = field(default_factory=dict)  # about 1 on average
    unseen: float = 1.0

    def of(self, token: str) -> float:
        """The weight of one token; light words weigh little however rare they are."""
        return LIGHT if token in _light() else self.rarity.get(token, self.unseen)


@cache
def _lists() -> dict[str, object]:
    source = resources.files("dream").joinpath("likeness.yaml").read_text(encoding="utf-8")
    return cast("dict[str, object]", yaml.safe_load(source))


@cache
def _light() -> frozenset[str]:
    return frozenset(token for word in str(_lists()["light"]).split() for token in words(word))


@cache
def _contrasts() -> tuple[tuple[str, tuple[frozenset[str], ...]], ...]:
    listed = cast("list[dict[str, object]]", _lists()["contrasts"])
    return tuple(
        (
            str(contrast["kind"]),
            tuple(
                frozenset(fold(name) for name in side.split())
                for side in cast("list[str]", contrast["sides"])
            ),
        )
        for contrast in listed
    )


@cache
def _marks() -> re.Pattern[str]:
    """Everything that changes the sign of what follows, the more special first."""
    against = "|".join(cast("list[str]", _lists()["against"]))
    kinds = {"toward": _lists()["toward"], "against": against}
    kinds |= {name: _lists()[name] for name in ("except", "after_when", "when", "ends")}
    named = "|".join(f"(?P<{name}>{pattern})" for name, pattern in kinds.items())
    return re.compile(f"{named}|(?P<again>(?={_lists()['again']}))")


def say(text: str, polarity: Polarity = "none") -> Saying:
    """Take a sentence apart. polarity: what the detector made of it, "none" to go by the words."""
    tokens = words(text)
    signs = _signs(text, polarity)
    low = plain(text)
    present = set(tokens) | {fold(word) for word in re.findall(r"[\w.*-]+", low)}
    sides = tuple(
        frozenset(
            number
            for number, side in enumerate(named)
            if side & present or any(not name.isascii() and name in low for name in side)
        )
        for _, named in _contrasts()
    )
    return Saying(tokens, signs, frozenset(filter(str.isdecimal, tokens)), sides)


def _signs(text: str, polarity: Polarity) -> dict[str, int]:
    total: Counter[str] = Counter()
    low = plain(text)
    for sign, start, end in _segments(low):
        for token in words(low[start:end]):
            total[token] += sign
    signs = {token: (value > 0) - (value < 0) for token, value in total.items()}
    meant = stance(text) if polarity == "none" else polarity
    unsaid = -1 not in signs.values() and not re.search(str(_lists()["toward"]), plain(text))
    if meant == "do_not" and unsaid:
        return dict.fromkeys(signs, -1)
    return signs


def sign_at(text: str, place: int) -> int:
    """Whether what stands at a place is wanted (+1), unwanted (-1) or only says when (0)."""
    segments = _segments(plain(text))
    return next((sign for sign, start, end in segments if start <= place < end), 0)


def _segments(low: str) -> list[tuple[int, int, int]]:
    """The text cut where its sign changes: +1 wanted, -1 unwanted, 0 only says when; its span."""
    found: list[tuple[int, int, int]] = []
    sign, place = 1, 0
    for mark in _marks().finditer(low):
        kind = mark.lastgroup
        if kind == "again" and (sign >= 0 or not _told(low[place : mark.start()])):
            continue
        found.append((0 if kind == "after_when" else sign, place, mark.start()))
        sign, place = _sign_after(str(kind), sign), mark.end()
    found.append((sign, place, len(low)))
    return found


def _told(segment: str) -> bool:
    return any(token not in _light() for token in words(segment))


def _sign_after(kind: str, sign: int) -> int:
    if kind == "against":
        return -1
    if kind == "when":
        return 0
    if kind == "except":
        return 1 if sign < 0 else -1
    return 1


def weigh(sayings: Iterable[Saying]) -> Weights:
    """Weights from how many of the sayings hold a token. The order does not matter."""
    spread: Counter[str] = Counter()
    count = 0
    for saying in sayings:
        count += 1
        spread.update(set(saying.tokens))
    top = math.log(count + 1) + 1
    rarity = {
        token: (math.log((count + 1) / (seen + 1)) + 1) / top for token, seen in spread.items()
    }
    return Weights(rarity)


def features(saying: Saying, weights: Weights) -> dict[str, float]:
    """The saying as a vector of length 1: its words, and the letter groups of its telling words."""
    held = Counter(saying.tokens)
    whole = {token: weights.of(token) * (1 + math.log(n)) for token, n in held.items()}
    grams: dict[str, float] = defaultdict(float)
    for token, weight in whole.items():
        if weight > LIGHT or len(held) <= 2:
            for gram in _grams(token):
                grams[f"\t{gram}"] += weight
    share = WORDS if grams else 1.0
    return _scaled(whole, math.sqrt(share)) | _scaled(grams, math.sqrt(1 - share))


def _grams(token: str) -> list[str]:
    if not token.isascii():
        return list(token)
    edged = f"^{token}$"
    return [edged[place : place + GRAM] for place in range(max(1, len(edged) - GRAM + 1))]


def _scaled(vector: Mapping[str, float], length: float) -> dict[str, float]:
    norm = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {name: value * length / norm for name, value in vector.items()} if norm else {}


def dot(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """The cosine of two vectors of length 1; the same whichever comes first."""
    return math.fsum([a[name] * b[name] for name in a.keys() & b.keys()])  # exact: order is free


def likeness(a: Saying, b: Saying, weights: Weights) -> float:
    """0 (nothing in common) to 1 (the same words), the same whichever comes first."""
    return min(1.0, dot(features(a, weights), features(b, weights)))


def conflict(a: Saying, b: Saying, weights: Weights) -> Conflict:
    """Whether two sayings that use like words can not mean the same, and in what way."""
    for (kind, _), mine, theirs in zip(_contrasts(), a.sides, b.sides, strict=True):
        if mine and theirs and not mine & theirs:
            return cast("Conflict", kind)
    shared = a.signs.keys() & b.signs.keys()
    against = math.fsum(weights.of(t) for t in shared if a.signs[t] * b.signs[t] < 0)
    agreed = math.fsum(weights.of(t) for t in shared if a.signs[t] * b.signs[t] > 0)
    if against > LIGHT and against >= agreed:
        return "stance"
    if a.numbers and b.numbers and not a.numbers & b.numbers and agreed > LIGHT:
        return "value"
    return ""


def closest(one: Saying, others: Sequence[Saying], weights: Weights) -> tuple[int, float]:
    """Which of the others is most like one, and how like: (-1, 0.0) when there is none."""
    scores = [(likeness(one, other, weights), -number) for number, other in enumerate(others)]
    best, number = max(scores, default=(0.0, 1))
    return -number, best
