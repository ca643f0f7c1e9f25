"""Plays the nights of the past over the archive as it was. Writes nothing, knows every stage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dream.archive.archive import Archive
from dream.audit.share import share
from dream.backtest.nouns import WAYS, Backtest, Item
from dream.backtest.outcome import (
    LEAST,
    Begun,
    Hindsight,
    missed,
    outcome,
    recurring,
    scores,
)
from dream.backtest.rules_then import rules_then
from dream.backtest.ways import Known, Ranking
from dream.candidates.draft import choose, possible
from dream.candidates.facts import gather
from dream.clusters import group
from dream.config import Config
from dream.in_force.facts import History, load
from dream.progress import Progress
from dream.review.projects import trees
from dream.review.tree import Tree
from dream.signals.detect import detect
from dream.types import Candidate, Drafts, Judgement

EVER = datetime(1970, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Busy:
    """An hour in which something was said."""

    hour: datetime
    messages: int


@dataclass(slots=True)
class _Past:
    """What goes on from night to night."""

    registry: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)  # candidate ids
    proposed: set[str] = field(default_factory=set)  # cluster ids
    items: list[Item] = field(default_factory=list)
    rankings: tuple[Ranking, ...] = field(
        default_factory=lambda: tuple(Ranking(way) for way in WAYS if way != "dream")
    )
    known: Known | None = None
    drafts: Drafts = field(default_factory=lambda: Drafts((), ()))


def nights_between(first: date, last: date, step: int) -> tuple[date, ...]:
    """Every step days, the first one included."""
    return tuple(first + timedelta(days) for days in range(0, (last - first).days + 1, step))


def moment_of(night: date, zone: ZoneInfo) -> datetime:
    """What a night of the past knows came before its date began where the person is."""
    return datetime.combine(night, time(), zone).astimezone(UTC)


def bounds(config: Config) -> tuple[date, date] | None:
    """The first night that knew anything and the last after which something came; None for none."""
    zone = ZoneInfo(config.timezone)
    with Archive.open(config.state) as archive:
        hours = [each.hour.astimezone(zone).date() for each in archive.rows("backtest/busy", Busy)]
    return (hours[0] + timedelta(1), hours[-1]) if hours else None


def replay(config: Config, nights: Sequence[date], step: int, progress: Progress) -> Backtest:
    """The nights in their order, then what became of what they proposed.

    Each sees the archive as it was, the rules that stood by then, and what the nights before it
    had proposed. A night before which nothing new came is the one before it.
    """
    zone = ZoneInfo(config.timezone)
    with Archive.open(config.state) as archive:
        history = load(archive)
        known = trees(archive, config.projects)
        busy = [each.hour for each in archive.rows("backtest/busy", Busy)]
        begun = tuple(archive.rows("backtest/sessions", Begun))
        undated = next(archive.rows("backtest/undated", Undated)).messages
        progress.stage("nights", len(nights))
        past = _Past()
        before = EVER
        for night in nights:
            moment = moment_of(night, zone)
            if any(before < hour + HOUR and hour < moment for hour in busy):
                _night(config, archive, history, known, night, past)
            before = moment
            progress.step(note=night.isoformat())
        progress.stage("looking back")
        since = moment_of(nights[0], zone) - timedelta(config.window_days)
        found = detect(archive, since, zone=zone)
    return _told(nights, step, past, Hindsight(found, group(found, {}), begun), undated)


@dataclass(frozen=True, slots=True)
class Undated:
    """How many messages have no time."""

    messages: int


def _night(
    config: Config,
    archive: Archive,
    history: History,
    known: dict[str, Tree],
    night: date,
    past: _Past,
) -> None:
    zone = ZoneInfo(config.timezone)
    moment = moment_of(night, zone)
    since = datetime.combine(night, time(), UTC) - timedelta(config.window_days)
    books = rules_then(archive, history, known, moment).values()
    own = {text: EVER for book in books for _, text in book.own}
    existing = [rule for book in books for rule in book.rules]
    with Archive.open(config.state, until=moment) as then:
        found = detect(then, since, zone=zone, own=own)
        clusters = group(found, past.registry)
        by_id = {judgement.id: judgement for judgement in found}
        facts = gather(then, clusters, by_id, since)
    drafted = possible(clusters, by_id, config.gates, existing, facts)
    past.drafts = choose(drafted, clusters, by_id, config.gates, past.shown)
    past.known = Known(night, moment, by_id, clusters)
    past.registry |= {member: one.id for one in clusters for member in one.members}
    for candidate in past.drafts.candidates:
        if candidate.valid_until is None or candidate.valid_until >= night:
            _put(past, candidate, night, moment, by_id)
    for ranking in past.rankings:
        ranking.fill(past.known, len(past.items))


def _put(
    past: _Past,
    candidate: Candidate,
    night: date,
    moment: datetime,
    by_id: dict[str, Judgement],
) -> None:
    """One item a cluster: a rule and the check beside it are one thing."""
    past.shown.add(candidate.id)
    if past.proposed.isdisjoint(candidate.clusters):
        past.proposed.update(candidate.clusters)
        text, project = candidate.body, candidate.scope.project
        evidence = tuple(sorted(name for name in candidate.evidence if name in by_id))
        past.items.append(
            Item("dream", night, moment, candidate.kind, text, project, evidence, candidate.id)
        )


def _told(
    nights: Sequence[date], step: int, past: _Past, hindsight: Hindsight, undated: int
) -> Backtest:
    items = [*past.items, *(item for ranking in past.rankings for item in ranking.items)]
    outcomes = tuple(outcome(item, hindsight) for item in items)
    last_time = recurring(hindsight)
    put = {}
    for item in reversed(past.items):
        put[hindsight.homes(item.evidence)] = item.moment
    in_time = sum(name in put and put[name] <= last for name, last in last_time.items())
    return Backtest(
        nights[0],
        nights[-1],
        step,
        len(nights),
        LEAST,
        scores(outcomes),
        outcomes,
        len(last_time),
        share(in_time, len(last_time)),
        missed(hindsight, last_time, put, dict(_gates(past))),
        undated,
    )


def _gates(past: _Past) -> Iterator[tuple[str, str]]:
    """Judgement id -> why the last night did not propose its cluster."""
    clusters = {each.id: each for each in past.known.clusters} if past.known else {}
    for miss in reversed(past.drafts.near_misses):
        if miss.cluster in clusters:
            yield from ((member, miss.gate) for member in clusters[miss.cluster].members)
