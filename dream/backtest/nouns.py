"""What a backtest speaks of: what was put forward, what became of it, and what was passed over."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from dream.audit.share import Share

Way = Literal["dream", "exact text", "most frequent", "most sessions"]
"""Who puts forward: the nights themselves, or a ranking that anybody would try first. exact text:
words that repeat to the letter, by how often. most frequent: clusters, by their judgements. most
sessions: clusters, by the sessions they came in."""
WAYS: tuple[Way, ...] = ("dream", "exact text", "most frequent", "most sessions")

Rule = Literal["cluster", "words"]
"""By what a later judgement is the same. cluster: it is in the cluster that holds most of the
evidence, where the whole archive is judged once and knows no night. words: to the letter."""


@dataclass(frozen=True, slots=True)
class Item:
    """What one way put forward on one night, told by its evidence."""

    way: Way
    night: date
    moment: datetime  # UTC; what the night knew had come before
    kind: str  # rule, skill or check; of the other ways the judgements' kind
    text: str
    project: str  # key
    evidence: tuple[str, ...]  # judgement ids
    id: str = ""  # the candidate's; "" for the other ways


@dataclass(frozen=True, slots=True)
class Met:
    """How often an item was met again, in sessions that had nothing of it before."""

    sessions: int
    days: float | None = None  # to the first one; None when there was none
    within: int | None = None  # sessions of the project that began until then, the first included


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an item. follow: sessions of its project that began afterwards."""

    item: Item
    follow: int
    met: Mapping[Rule, Met]


@dataclass(frozen=True, slots=True)
class Score:
    """How one way fared, by one rule."""

    way: Way
    rule: Rule
    put: int  # items put forward
    early: int  # of these, too few sessions followed to say; left out of all that follows
    met: Share  # of the others, met again
    days: float | None  # median to the first meeting
    within: float | None  # median of sessions to it


@dataclass(frozen=True, slots=True)
class Missed:
    """A judgement that came again and again, and that no night proposed. gate: what the last night
    said of it, "" where it did not see it as one.
    """

    kind: str
    text: str
    project: str
    sessions: int
    days: int
    gate: str


@dataclass(frozen=True, slots=True)
class Backtest:
    """The whole of it."""

    first: date
    last: date
    step: int  # days from night to night
    nights: int
    least: int  # sessions that must have followed for an outcome to count
    scores: tuple[Score, ...]
    outcomes: tuple[Outcome, ...]
    recurring: int  # judgements that came often enough to be worth proposing
    in_time: Share  # of these, proposed before they came for the last time
    missed: tuple[Missed, ...]
    undated: int  # messages without a time: no night of the past knows them

    def score(self, way: Way, rule: Rule = "cluster") -> Score:
        """That of one way by one rule."""
        return next(each for each in self.scores if (each.way, each.rule) == (way, rule))
