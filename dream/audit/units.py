"""A rule's own unit and the units without it, each with its runs on both sides, as columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from dream.aim import Aim
from dream.audit.outcomes import Facts, Outcome, missed_in, outcomes
from dream.audit.series import Series
from dream.audit.sides import Place
from dream.audit.worked import Worked

MOST = 12
"""Control units of one kind; those with most errors first."""


BOTH: frozenset[Place] = frozenset({"before", "after"})
WITHHELD: frozenset[Place] = frozenset({"withheld"})
PLACES = BOTH | WITHHELD


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit. names: what its stratum numbers mean; runs: ids in the order of the columns."""

    series: Series
    names: tuple[str, ...]
    runs: tuple[str, ...]


def stratum_of(work: Worked, variables: Sequence[str]) -> str:
    """The kind of a run, in words: all of it was known before the run began."""
    run, asked = work.run, work.request
    told = {
        "project": run.project_name,
        "task": asked.task.replace("_", " "),
        "size": asked.size,
        "model": run.model or "no model told",
        "agent": f"{run.agent} {_coarse(run.agent_version or '')}".strip(),
    }
    return ", ".join(told[name] for name in variables)


def _coarse(version: str) -> str:
    """2.1 of 2.1.90: the last number changes every few days, and no two sides would meet."""
    return ".".join(version.split(".")[:2])


def unit(
    name: str,
    listed: Iterable[Outcome],
    places: Mapping[str, Place],
    landed: datetime,
    zone: ZoneInfo,
    variables: Sequence[str],
    sides: frozenset[Place] = BOTH,
) -> Unit:
    """The runs of a unit that stand on these sides; numbers of strata are the same for all sides.

    Days are local ones. A run of the landing's own day counts for the day before when it began
    before the moment, so that a side is told by its day alone.
    """
    border = landed.astimezone(zone).date().toordinal()
    rows = []
    for each in listed:
        place, began = places[each.work.run.run_id], each.work.began
        if place not in PLACES or began is None:
            continue
        day = began.astimezone(zone).date().toordinal()
        day = min(day, border - 1) if place == "before" else max(day, border)
        rows.append((each, day))
    names = tuple(sorted({stratum_of(each.work, variables) for each, _ in rows}))
    number = {kind: place for place, kind in enumerate(names)}
    rows = [(each, day) for each, day in rows if places[each.work.run.run_id] in sides]
    kinds = [stratum_of(each.work, variables) for each, _ in rows]
    sessions: dict[str, int] = {}
    for each, _ in rows:
        sessions.setdefault(each.work.run.session_id, len(sessions))
    series = Series(
        unit=name,
        day=np.array([day for _, day in rows], dtype=np.int64),
        stratum=np.array([number[kind] for kind in kinds], dtype=np.int64),
        session=np.array([sessions[e.work.run.session_id] for e, _ in rows], dtype=np.int64),
        errors=np.array([each.missed for each, _ in rows], dtype=np.float64),
        occasions=np.array([each.occasions for each, _ in rows], dtype=np.float64),
        steps=np.array([each.work.run.path for each, _ in rows], dtype=np.float64),
        cut_off=np.array([each.work.aborted for each, _ in rows], dtype=np.bool_),
    )
    return Unit(series, names, tuple(each.work.run.run_id for each, _ in rows))


def other_classes(
    aim: Aim, facts: Facts, works: Sequence[Worked], brought: frozenset[str] = frozenset()
) -> Mapping[str, list[Outcome]]:
    """Other errors in a rule's own runs: what a rule is not about moves without it.

    Not those of the same cause, nor those that the rule brought itself.
    """
    cause = aim.target.partition(": ")[0] if aim.kind == "errors" else ""
    ids = {work.run.run_id for work in works}
    causes = [one for one in facts.classes.values() if ": " not in one.name]
    count = {
        one.name: sum(len(calls) for run, calls in one.runs.items() if run in ids)
        for one in causes
        if one.name not in {cause, *brought}
    }
    ranked = sorted((name for name in count if count[name]), key=lambda n: (-count[n], n))
    found = {}
    for name in ranked[:MOST]:
        another = Aim("errors", name, tools=tuple(sorted(facts.classes[name].tools)))
        found[name] = list(outcomes(another, facts, works))
    return found


def other_projects(
    aim: Aim, facts: Facts, projects: Mapping[str, Sequence[Worked]], project: str
) -> Mapping[str, list[Outcome]]:
    """The same errors elsewhere, by project key; nothing for a rule that holds everywhere.

    projects: the runs of the time that is looked at.
    """
    if not project:
        return {}
    missed = missed_in(aim, facts)
    count = {
        key: sum(work.run.run_id in missed for work in works)
        for key, works in projects.items()
        if key and key != project
    }
    ranked = sorted((key for key in count if count[key]), key=lambda key: (-count[key], key))
    return {key: list(outcomes(aim, facts, projects[key])) for key in ranked[:MOST]}
