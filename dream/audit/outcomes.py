"""What came out of each run for an aim: how often it was missed, and how often it could have been.

Everything is asked of the archive once, for all rules of a night; a rule then only counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dream.aim import Aim
from dream.audit.errors_of import ErrorClass, corrections, error_classes, said
from dream.audit.holes import Known
from dream.audit.presence import Presence, Sign, presence
from dream.audit.worked import Worked, worked
from dream.detector import RecordedCall
from dream.practice import Tally, read, tallies
from dream.types import Cluster, Judgement, Rows


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a night knows of runs, before any rule is looked at."""

    work: tuple[Worked, ...]  # by id
    classes: Mapping[str, ErrorClass]
    corrected: Mapping[str, int]  # run id -> corrections in it
    presence: Presence
    known: tuple[Known, ...] = ()
    breaches: Mapping[str, Mapping[str, Tally]] = field(default_factory=dict)  # target, run id
    again: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # cluster, run id


def by_project(works: Iterable[Worked]) -> Mapping[str, tuple[Worked, ...]]:
    """Runs by the key of their project."""
    found: defaultdict[str, list[Worked]] = defaultdict(list)
    for work in works:
        found[work.run.project_key].append(work)
    return {key: tuple(found[key]) for key in sorted(found)}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run under one aim."""

    work: Worked
    missed: int  # errors, breaches, corrections
    occasions: int  # that could have been; 0: the aim did not apply


def gather(
    rows: Rows,
    judgements: Sequence[Judgement],
    clusters: Iterable[Cluster],
    aims: Sequence[Aim],
    signs: Sequence[Sign],
    since: datetime,
) -> Facts:
    """Asks the archive for what these aims and signs need. Calls are read only for practices."""
    wanted = {one.cluster for one in aims if one.kind == "said"}
    members = {one.id: one.members for one in clusters if one.id in wanted}
    return Facts(
        work=tuple(worked(rows, since)),
        classes=error_classes(judgements),
        corrected=corrections(judgements),
        presence=presence(rows, signs),
        known=tuple(rows.rows("audit/known", Known)),
        breaches=_breaches(rows, aims, since),
        again={name: said(judgements, ids) for name, ids in members.items()},
    )


def _breaches(
    rows: Rows, aims: Iterable[Aim], since: datetime
) -> Mapping[str, Mapping[str, Tally]]:
    """By target the tallies of each run; the practices of one target are added up."""
    named = {
        f"{number}|{one.target}": read(payload)
        for one in aims
        if one.kind == "breaches"
        for number, payload in enumerate(one.practices)
    }
    if not named:
        return {}
    found: defaultdict[str, dict[str, Tally]] = defaultdict(dict)
    calls = rows.rows("recorded_calls", RecordedCall, since=since)
    for tally in tallies(named, calls):
        target = tally.practice.partition("|")[2]
        before = found[target].get(tally.run_id)
        found[target][tally.run_id] = tally if before is None else _both(before, tally)
    return found


def _both(one: Tally, other: Tally) -> Tally:
    return Tally(
        one.practice,
        one.run_id,
        one.occasions + other.occasions,
        one.broken + other.broken,
        (*one.calls, *other.calls),
    )


def outcomes(aim: Aim, facts: Facts, works: Iterable[Worked] | None = None) -> Iterator[Outcome]:
    """These runs, in their order; all of the facts, unless told."""
    listed = facts.work if works is None else works
    for work, (missed, occasions) in zip(listed, counts_of(aim, facts, listed), strict=True):
        yield Outcome(work, missed, occasions)


def counts_of(
    aim: Aim, facts: Facts, works: Iterable[Worked] | None = None
) -> Iterator[tuple[int, int]]:
    """The same without the runs: how often each missed it, and how often it could have."""
    count = _COUNTS[aim.kind]
    for work in facts.work if works is None else works:
        yield count(aim, facts, work)


def _errors(aim: Aim, facts: Facts, work: Worked) -> tuple[int, int]:
    found = facts.classes.get(aim.target)
    missed = len(found.runs.get(work.run.run_id, ())) if found else 0
    calls = sum(work.tools.get(tool, 0) for tool in aim.tools or work.tools)
    return missed, max(calls, missed)


def _breached(aim: Aim, facts: Facts, work: Worked) -> tuple[int, int]:
    tally = facts.breaches.get(aim.target, {}).get(work.run.run_id)
    return (tally.broken, tally.occasions) if tally else (0, 0)


def _said(aim: Aim, facts: Facts, work: Worked) -> tuple[int, int]:
    """A run in which a person has to say it again. Where none speaks, nobody could."""
    times = facts.again.get(aim.cluster, {}).get(work.run.run_id, 0)
    return times, max(int(work.run.asked), times)


def _nothing(aim: Aim, facts: Facts, work: Worked) -> tuple[int, int]:
    del aim, facts, work
    return 0, 0


_COUNTS = {"errors": _errors, "breaches": _breached, "said": _said, "nothing": _nothing}
