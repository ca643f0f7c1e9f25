"""What became of what was put forward. Touches nothing; the same rules for every way."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from dream.audit.share import share
from dream.backtest.nouns import WAYS, Item, Met, Missed, Outcome, Rule, Score, Way
from dream.backtest.ways import can_be_put, words_of
from dream.types import Cluster, Judgement

LEAST = 5
"""Sessions of its project that must have followed for an item to count: met or not, the others
were looked at for too short a time."""
RECURRING_SESSIONS, RECURRING_DAYS = 3, 2
"""From which a judgement counts as recurring: it came again after it could have been known."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A session with the moment it began."""

    session_id: str
    project_key: str
    started: datetime


class Hindsight:
    """All that came, judged once. clusters: of all of it, made without knowing any night."""

    def __init__(
        self, judgements: Sequence[Judgement], clusters: Sequence[Cluster], begun: Iterable[Begun]
    ) -> None:
        self.judgements = {each.id: each for each in judgements}
        self.clusters = {each.id: each for each in clusters}
        self.home = {member: each.id for each in clusters for member in each.members}
        self._words: dict[object, list[Judgement]] = defaultdict(list)
        for each in judgements:
            self._words[words_of(each)].append(each)
        self._begun: dict[str, list[datetime]] = defaultdict(list)
        for one in begun:
            self._begun[one.project_key].append(one.started)
        for times in self._begun.values():
            times.sort()

    def homes(self, evidence: Iterable[str]) -> str:
        """The cluster that holds most of the evidence, of equals the first; "" for none."""
        held = Counter(self.home[name] for name in evidence if name in self.home)
        return min(held, key=lambda name: (-held[name], name)) if held else ""

    def same(self, item: Item, rule: Rule) -> list[Judgement]:
        """Every judgement, of any time, that is what the item says."""
        if rule == "cluster":
            home = self.homes(item.evidence)
            members = self.clusters[home].members if home else ()
            return [self.judgements[member] for member in members]
        found = [self.judgements[name] for name in item.evidence if name in self.judgements]
        return [each for words in {words_of(one) for one in found} for each in self._words[words]]

    def followed(self, project: str, moment: datetime, until: datetime | None = None) -> int:
        """Sessions of the project that began from a moment on (and up to another)."""
        times = self._begun.get(project, [])
        end = len(times) if until is None else bisect_left(times, until)
        return max(0, end - bisect_left(times, moment))


def outcome(item: Item, hindsight: Hindsight) -> Outcome:
    """What became of one item."""
    follow = hindsight.followed(item.project, item.moment)
    rules: tuple[Rule, ...] = ("cluster", "words")
    met = {rule: _met(item, hindsight.same(item, rule), hindsight) for rule in rules}
    return Outcome(item, follow, met)


def _met(item: Item, same: Iterable[Judgement], hindsight: Hindsight) -> Met:
    """A session that had it before the night does not count, however long it goes on."""
    first: dict[str, datetime] = {}
    for each in same:
        if each.happened is not None:
            earlier = first.get(each.session_id, each.happened)
            first[each.session_id] = min(earlier, each.happened)
    later = sorted(moment for moment in first.values() if moment >= item.moment)
    if not later:
        return Met(0)
    days = (later[0] - item.moment).total_seconds() / 86400
    within = hindsight.followed(item.project, item.moment, later[0])
    return Met(len(later), round(days, 2), within)


def scores(outcomes: Sequence[Outcome], least: int = LEAST) -> tuple[Score, ...]:
    """Each way by each rule."""
    rules: tuple[Rule, ...] = ("cluster", "words")
    return tuple(_score(way, rule, outcomes, least) for rule in rules for way in WAYS)


def _score(way: Way, rule: Rule, outcomes: Sequence[Outcome], least: int) -> Score:
    mine = [each for each in outcomes if each.item.way == way]
    counting = [each for each in mine if each.follow >= least]
    met = [each.met[rule] for each in counting if each.met[rule].sessions]
    return Score(
        way,
        rule,
        put=len(mine),
        early=len(mine) - len(counting),
        met=share(len(met), len(counting)),
        days=median(each.days or 0.0 for each in met) if met else None,
        within=median(each.within or 0 for each in met) if met else None,
    )


def recurring(hindsight: Hindsight) -> dict[str, datetime]:
    """The clusters that came again and again and could be proposed, each with when it came for the
    last time in a session that had not had it before.
    """
    found = {}
    for name, cluster in sorted(hindsight.clusters.items()):
        often = cluster.sessions >= RECURRING_SESSIONS and cluster.days >= RECURRING_DAYS
        if often and can_be_put(hindsight.judgements[cluster.members[0]]):
            first: dict[str, datetime] = {}
            for member in cluster.members:
                each = hindsight.judgements[member]
                if each.happened is not None:
                    first.setdefault(each.session_id, each.happened)
            found[name] = max(first.values())
    return found


def missed(
    hindsight: Hindsight, names: Iterable[str], proposed: Collection[str], gates: Mapping[str, str]
) -> tuple[Missed, ...]:
    """Of recurring clusters those that were never proposed, the most frequent first.

    gates: judgement id -> what the last night said of its cluster.
    """
    found = []
    for name in names:
        if name not in proposed:
            one = hindsight.clusters[name]
            said = Counter(gates[member] for member in one.members if member in gates)
            gate = min(said, key=lambda each: (-said[each], each)) if said else ""
            told = (one.kind, one.statement, one.scope.project, one.sessions, one.days, gate)
            found.append(Missed(*told))
    return tuple(sorted(found, key=lambda one: (-one.sessions, -one.days, one.kind, one.text)))
