"""Paths: sequences of steps that come back in runs that ended well.

Found level by level: a sequence can only be frequent when both sequences one step shorter are.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dream.signals.evidence import Quote, judge
from dream.signals.steps import Step, StepRow, Walk, walks
from dream.types import Judgement, Rows, Scope

SHORTEST, LONGEST = 3, 10
"""Steps of a path."""
SESSIONS = 2
"""Sessions in which a path must have come."""
KEPT = 0.67
"""A path is left out for a longer one that holds it when that one keeps this share of sessions."""

_Sequence = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A path in one run: where it begins in the run's steps."""

    walk: int
    start: int


def paths(
    rows: Rows,
    since: datetime,
    failed: frozenset[str],
    corrected: Collection[str],
    openings: Mapping[str, Quote],
) -> tuple[Judgement, ...]:
    """One path judgement a run in which a path came, quoting what the person had asked for.

    Runs that were corrected by the next turn, or that began with no words of a person, are left
    out: the first did not end well, the second have no words to quote.
    """
    steps = walks(rows.rows("signals/steps", StepRow, since=since), failed)
    good = [
        walk
        for walk in steps
        if walk.ended_well and walk.run_id not in corrected and walk.run_id in openings
    ]
    found: list[Judgement] = []
    for project in sorted({walk.project for walk in good}):
        mine = [walk for walk in good if walk.project == project]
        for path, places in sorted(recurring(mine).items()):
            support = len({mine[place.walk].session_id for place in places})
            found += [_judged(mine[p.walk], p, path, support, openings) for p in places]
    return tuple(found)


def recurring(good: Sequence[Walk]) -> dict[_Sequence, list[Occurrence]]:
    """Each path worth keeping, with its first occurrence in every run that holds it."""
    texts = [tuple(step.text for step in walk.steps) for walk in good]
    sessions = [walk.session_id for walk in good]
    frequent: dict[_Sequence, list[Occurrence]] = {}
    for size in range(SHORTEST, LONGEST + 1):
        level = _level(texts, sessions, size, frequent)
        if not level:
            break
        frequent |= level
    worth = {path: places for path, places in frequent.items() if _is_worth(path, good, places)}
    return _maximal(worth, sessions)


def _level(
    texts: Sequence[_Sequence],
    sessions: Sequence[str],
    size: int,
    shorter: Mapping[_Sequence, list[Occurrence]],
) -> dict[_Sequence, list[Occurrence]]:
    found: dict[_Sequence, list[Occurrence]] = defaultdict(list)
    for number, text in enumerate(texts):
        seen: set[_Sequence] = set()
        for start in range(len(text) - size + 1):
            part = text[start : start + size]
            if part in seen:
                continue
            if size > SHORTEST and (part[1:] not in shorter or part[:-1] not in shorter):
                continue
            seen.add(part)
            found[part].append(Occurrence(number, start))
    return {
        path: places
        for path, places in found.items()
        if len({sessions[place.walk] for place in places}) >= SESSIONS
    }


def _is_worth(path: _Sequence, good: Sequence[Walk], places: Sequence[Occurrence]) -> bool:
    """At least three different steps, and one that changes or checks something."""
    first = places[0]
    steps = good[first.walk].steps[first.start : first.start + len(path)]
    return len(set(path)) >= SHORTEST and any(step.acts for step in steps)


def _maximal(
    found: Mapping[_Sequence, list[Occurrence]], sessions: Sequence[str]
) -> dict[_Sequence, list[Occurrence]]:
    support = {path: len({sessions[p.walk] for p in places}) for path, places in found.items()}
    covered: dict[_Sequence, int] = defaultdict(int)
    for path in sorted(found, key=len, reverse=True):
        inside = max(support[path], covered[path])
        for part in (path[1:], path[:-1]):
            if part in found:
                covered[part] = max(covered[part], inside)
    return {path: places for path, places in found.items() if covered[path] < KEPT * support[path]}


def _judged(
    walk: Walk, place: Occurrence, path: _Sequence, support: int, openings: Mapping[str, Quote]
) -> Judgement:
    steps = walk.steps[place.start : place.start + len(path)]
    detail: dict[str, Any] = {
        "steps": list(path),
        "arguments": [step.argument for step in steps],
        "calls": [step.call_id for step in steps],
        "pitfalls": sorted({pitfall for step in steps for pitfall in step.pitfalls}),
    }
    return judge(
        openings[walk.run_id],
        "path",
        Scope(walk.project),
        _score(steps, support),
        (
            f"{len(path)} steps in the same order in {support} sessions",
            "the run settled and was not corrected",
        ),
        detail,
        statement=" > ".join(path),
        polarity="do",
    )


def _score(steps: Sequence[Step], support: int) -> float:
    """More sessions and more different steps tell more; steps that failed at first tell less."""
    told = min(0.95, 0.4 + 0.08 * support + 0.03 * len({step.text for step in steps}))
    return told * (1 - 0.1 * min(3, sum(len(step.pitfalls) for step in steps)))
