"""What anybody would try first, on the same judgements: the lines that a night is measured by."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from dream.backtest.nouns import Item, Way
from dream.candidates.advice import cause, known
from dream.types import Cluster, Judgement

Words = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What a night of the past knows: the same for every way."""

    night: date
    moment: datetime
    judgements: Mapping[str, Judgement]
    clusters: Sequence[Cluster]


@dataclass(slots=True)
class Ranking:
    """One way over all nights. Guards what it has put forward already."""

    way: Way
    _put: set[object] = field(default_factory=set)
    items: list[Item] = field(default_factory=list)

    def fill(self, seen: Known, count: int) -> None:
        """Puts forward its best that are new, until it has put forward count in all."""
        for key, item in _ranked(self.way, seen):
            if len(self.items) >= count:
                return
            if key not in self._put:
                self._put.add(key)
                self.items.append(item)


def can_be_put(judgement: Judgement) -> bool:
    """Whether anything could be proposed about it, by whoever: a red test is the work itself, and a
    detour says what cost time and not what to do. The same for every way.
    """
    return judgement.kind != "detour" and (
        judgement.kind != "tool_error" or known(cause(judgement))
    )


def words_of(judgement: Judgement) -> Words:
    """What is equal when a judgement repeats another to the letter, but for case and blanks."""
    by_steps = judgement.kind == "path"
    text = judgement.statement if by_steps else judgement.quote
    family = judgement.kind if by_steps or judgement.kind == "tool_error" else "said"
    return judgement.scope.project, family, " ".join(text.lower().split())


def _ranked(way: Way, seen: Known) -> list[tuple[object, Item]]:
    if way == "exact text":
        return _exact(seen)
    by_sessions = way == "most sessions"
    ranked = sorted(
        seen.clusters,
        key=lambda each: (-(each.sessions if by_sessions else len(each.members)), each.id),
    )
    return [
        (each.id, _item(way, seen, each.kind, each.statement, each.members))
        for each in ranked
        if can_be_put(seen.judgements[each.members[0]])
    ]


def _exact(seen: Known) -> list[tuple[object, Item]]:
    """Words that came twice or more, the most frequent first. A path is told by no words."""
    same: dict[Words, list[str]] = defaultdict(list)
    for name, judgement in sorted(seen.judgements.items()):
        if judgement.kind != "path" and can_be_put(judgement):
            same[words_of(judgement)].append(name)
    ranked = sorted(same, key=lambda words: (-len(same[words]), words))
    return [
        (
            words,
            _item(
                "exact text",
                seen,
                seen.judgements[same[words][0]].kind,
                seen.judgements[same[words][0]].quote,
                same[words],
            ),
        )
        for words in ranked
        if len(same[words]) > 1
    ]


def _item(way: Way, seen: Known, kind: str, text: str, evidence: Collection[str]) -> Item:
    project = next(seen.judgements[name].scope.project for name in evidence)
    return Item(way, seen.night, seen.moment, kind, text, project, tuple(sorted(evidence)))
