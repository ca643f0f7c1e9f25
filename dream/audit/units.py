"""A rule's own unit and the units without it, each with its runs on both sides, as columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dream.aim import Aim
from dream.audit.columns import Columns
from dream.audit.series import Flags, Ints, Series
from dream.audit.sides import Place, Span

MOST = 12
"""Control units of one kind; those with most errors first."""
BOTH: frozenset[Place] = frozenset({"before", "after"})
WITHHELD: frozenset[Place] = frozenset({"withheld"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. names: what its stratum numbers mean; runs: ids in the order of the columns."""

    series: Series
    names: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Framed:
    """What all units of one rule share. landed: ordinal of the landing's local day."""

    columns: Columns
    aim: Aim
    variables: tuple[str, ...]
    landed: int


def unit(
    name: str, framed: Framed, places: Mapping[str, Place], sides: frozenset[Place] = BOTH
) -> Unit:
    """The runs that stand on these sides.

    A run of the landing's own day counts for the day before when it stands before the moment, so
    that a side is told by its day alone.
    """
    chosen = [run for run in sorted(places) if places[run] in sides]
    rows = np.array([framed.columns.rows[run] for run in chosen], dtype=np.int64)
    after = np.array([places[run] != "before" for run in chosen], dtype=np.bool_)
    series = _series(name, framed, rows, after)
    return Unit(series, framed.columns.strata(framed.variables)[1], tuple(chosen))


def _series(name: str, framed: Framed, rows: Ints, after: Flags) -> Series:
    known, counts = framed.columns, framed.columns.counts(framed.aim)
    day = known.day[rows]
    border = framed.landed
    day = np.where(after, np.maximum(day, border), np.minimum(day, border - 1))
    return Series(
        unit=name,
        day=day,
        stratum=known.strata(framed.variables)[0][rows],
        session=known.session[rows],
        errors=counts.missed[rows],
        occasions=counts.occasions[rows],
        steps=known.steps[rows],
        cut_off=known.cut_off[rows],
    )


def other_classes(
    framed: Framed, own: Unit, brought: frozenset[str] = frozenset()
) -> Mapping[str, Series]:
    """Other errors in a rule's own runs: what a rule is not about moves without it.

    Not those of the same cause, nor those that the rule brought itself.
    """
    aim, facts = framed.aim, framed.columns.facts
    cause = aim.target.partition(": ")[0] if aim.kind == "errors" else ""
    rows = np.array([framed.columns.rows[run] for run in own.runs], dtype=np.int64)
    found = {}
    for one in facts.classes.values():
        if ": " in one.name or one.name in {cause, *brought}:
            continue
        another = Aim("errors", one.name, tools=tuple(sorted(one.tools)))
        counts = framed.columns.counts(another)
        if counts.missed[rows].any():
            found[one.name] = replace(
                own.series,
                unit=one.name,
                errors=counts.missed[rows],
                occasions=counts.occasions[rows],
            )
    return _most(found)


def other_projects(framed: Framed, span: Span, project: str) -> Mapping[str, Series]:
    """The same errors elsewhere, by project key; nothing for a rule that holds everywhere.

    The time alone decides on which side a run stands: nobody was told the rule there.
    """
    if not project:
        return {}
    known = framed.columns
    missed = known.counts(framed.aim).missed
    found = {}
    for key, rows in known.of_project.items():
        if key and key != project and missed[rows].any():
            found[key] = _by_time(key, framed, rows, span)
    return _most({key: one for key, one in found.items() if len(one)})


def _by_time(name: str, framed: Framed, rows: Ints, span: Span) -> Series:
    known = framed.columns
    began, started, ended = known.began[rows], known.started[rows], known.ended[rows]
    since, landed = span.since.timestamp(), span.landed.timestamp()
    as_of = span.as_of.timestamp()
    inside = (started >= since) & (started < min(span.until.timestamp(), as_of))
    inside &= ~known.running[rows] & ~(ended >= as_of)
    early = began < landed
    crosses = early & ((started >= landed) | (ended > landed))
    kept = inside & ~crosses
    return _series(name, framed, rows[kept], ~early[kept])


def _most(found: Mapping[str, Series]) -> Mapping[str, Series]:
    """Those with most errors, the most first."""
    ranked = sorted(found, key=lambda name: (-float(found[name].errors.sum()), name))
    return {name: found[name] for name in ranked[:MOST]}
