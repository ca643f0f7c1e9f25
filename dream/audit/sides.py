"""Which side of a landing each run stands on, or why on none; and what a side comes to."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal

from dream.audit.outcomes import Outcome
from dream.audit.rule_page import Side
from dream.audit.usage import Force, Told
from dream.audit.worked import Worked

Place = Literal[
    "before", "after", "withheld", "elsewhere",
    "no time", "running", "too early", "later", "crosses", "not told", "told early", "unknown",
]  # fmt: skip
"""before, after: compared. withheld: after, and by lot not told. elsewhere: of another project, a
control. All else stands on no side, for that reason."""

WORDS: Mapping[Place, str] = {
    "no time": "nothing tells when it was",
    "running": "still running",
    "too early": "before the time that is looked at",
    "later": "after the time that is looked at",
    "crosses": "its session or itself crosses the landing",
    "not told": "after the landing, and not told the rule",
    "told early": "before the landing, and told the rule already",
    "unknown": "nothing tells whether it was told the rule",
}


@dataclass(frozen=True, slots=True)
class Span:
    """The times that an audit looks at, UTC; `until` and `as_of` are the first moments after."""

    since: datetime
    landed: datetime
    until: datetime  # horizon, or an earlier cut
    as_of: datetime


def placed(
    outcomes: Iterable[Outcome], span: Span, force: Force, *, project: str
) -> dict[str, Place]:
    """Run id -> its place. project: the rule's; "" for a rule that holds everywhere."""
    return {each.work.run.run_id: _place(each, span, force, project) for each in outcomes}


def _place(outcome: Outcome, span: Span, force: Force, project: str) -> Place:
    work = outcome.work
    began, started = work.began, work.run.started
    if began is None or started is None:
        return "no time"
    if started >= span.as_of:
        return "later"
    if work.run.state == "running" or (work.run.ended and work.run.ended >= span.as_of):
        return "running"
    if started < span.since:
        return "too early"
    if started >= span.until:
        return "later"
    if project and work.run.project_key != project:
        return "elsewhere"
    if crosses(work, span.landed):
        return "crosses"
    return _by_telling(force.of(outcome), after=began >= span.landed)


def _by_telling(told: Told, *, after: bool) -> Place:
    if told == "unknown":
        return "unknown"
    if after:
        return {"told": "after", "withheld": "withheld", "not told": "not told"}[told]  # type: ignore[return-value]  # each is a place
    return "told early" if told == "told" else "before"


def crosses(work: Worked, landed: datetime) -> bool:
    """Whether a run, or the session it is in, began before a landing and went on after it."""
    began, started, ended = work.began, work.run.started, work.run.ended
    if began is None or started is None or began >= landed:
        return False
    return started >= landed or (ended is not None and ended > landed)


def pruned(
    places: Mapping[str, Place], outcomes: Iterable[Outcome], landed: datetime
) -> dict[str, tuple[int, int]]:
    """Why runs stand on no side, in words: how many before the landing, how many after."""
    found: Counter[tuple[str, bool]] = Counter()
    for each in outcomes:
        place = places[each.work.run.run_id]
        if place in WORDS:
            started = each.work.run.started
            found[(WORDS[place], bool(started and started >= landed))] += 1
    reasons = sorted({reason for reason, _ in found})
    return {reason: (found[(reason, False)], found[(reason, True)]) for reason in reasons}


def side(outcomes: Sequence[Outcome], corrected: Mapping[str, int]) -> Side:
    """What runs come to. Medians are over those that tell."""
    runs = [each.work.run for each in outcomes]
    tokens = [
        (run.tokens_in or 0) + (run.tokens_out or 0)
        for run in runs
        if run.tokens_in is not None or run.tokens_out is not None
    ]
    minutes = [
        (run.ended - run.started).total_seconds() / 60 for run in runs if run.ended and run.started
    ]
    return Side(
        runs=len(runs),
        sessions=len({run.session_id for run in runs}),
        days=len({each.work.day for each in outcomes}),
        errors=sum(each.missed for each in outcomes),
        occasions=sum(each.occasions for each in outcomes),
        aborted=sum(each.work.aborted for each in outcomes),
        turns=_median([run.turns for run in runs]),
        minutes=_median(minutes),
        tokens=_median(tokens),
        corrections=sum(corrected.get(run.run_id, 0) for run in runs),
    )


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None
