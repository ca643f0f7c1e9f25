"""Everything that is known of all runs as columns, made once a night and shared by all rules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np

from dream.aim import Aim
from dream.audit.errors_of import ErrorClass
from dream.audit.outcomes import Facts, counts_of
from dream.audit.series import Flags, Floats, Ints
from dream.audit.worked import Worked

Codes = tuple[Ints, tuple[str, ...]]
"""Numbers, and what each of them means."""

KNOWN = frozenset({"project", "task", "size", "model", "agent"})
"""What a stratum may be made of. All of it was known before the run began."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one aim, for every run."""

    missed: Floats
    occasions: Floats


@dataclass(slots=True)
class Columns:
    """One entry a run, in the order of the facts. Not frozen: what was worked out is kept.

    Times are seconds since 1970, nan where nothing tells. day: ordinal of the local date on which
    the session began.
    """

    facts: Facts
    rows: Mapping[str, int]  # run id -> its place
    of_project: Mapping[str, Ints]  # project key -> places
    began: Floats
    started: Floats
    ended: Floats
    day: Ints
    session: Ints
    steps: Floats
    cut_off: Flags
    running: Flags
    _counts: dict[tuple[object, ...], Counts] = field(default_factory=dict)
    _strata: dict[tuple[str, ...], Codes] = field(default_factory=dict)
    _tools: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)

    def counts(self, aim: Aim) -> Counts:
        """How often every run missed an aim, and how often it could have."""
        key = (aim.kind, aim.target, aim.tools, aim.cluster)
        if key not in self._counts:
            self._counts[key] = self._errors(aim) if aim.kind == "errors" else self._others(aim)
        return self._counts[key]

    def _errors(self, aim: Aim) -> Counts:
        """As dream.audit.outcomes counts them, over whole columns."""
        known = self.facts.classes.get(aim.target)
        missed = self.failed_calls(known) if known else np.zeros(len(self.day))
        calls = self.calls(aim.tools or tuple(self.tools()))
        return Counts(missed, np.maximum(calls, missed))

    def _others(self, aim: Aim) -> Counts:
        pairs = list(counts_of(aim, self.facts))
        told = np.array(pairs, dtype=np.float64).reshape(len(pairs), 2)
        return Counts(told[:, 0].copy(), told[:, 1].copy())

    def failed_calls(self, one: ErrorClass) -> Floats:
        """Of one class, by run."""
        found = np.zeros(len(self.day))
        for run, calls in one.runs.items():
            if (row := self.rows.get(run)) is not None:
                found[row] = len(calls)
        return found

    def calls(self, tools: Iterable[str]) -> Floats:
        """How often every run called any of these tools."""
        known = self.tools()
        return sum((known[tool][0] for tool in tools if tool in known), np.zeros(len(self.day)))

    def tools(self) -> Mapping[str, tuple[Floats, Floats]]:
        """By tool, by name: how often every run called it, and how often that failed."""
        if not self._tools:
            names = sorted({tool for work in self.facts.work for tool in work.tools})
            self._tools = {name: (np.zeros(len(self.day)), np.zeros(len(self.day)))
                           for name in names}  # fmt: skip
            for row, work in enumerate(self.facts.work):
                for tool, count in work.tools.items():
                    self._tools[tool][0][row] = count
                for tool, count in work.failed.items():
                    self._tools[tool][1][row] = count
        return self._tools

    def strata(self, variables: Sequence[str]) -> Codes:
        """The kind of every run, by these variables."""
        key = tuple(variables)
        if key not in self._strata:
            self._strata[key] = _coded([stratum_of(each, key) for each in self.facts.work])
        return self._strata[key]


def columns(facts: Facts, zone: ZoneInfo) -> Columns:
    """The columns of all runs. Days are those of the zone."""
    works = facts.work
    began = [each.began for each in works]
    days = [moment.astimezone(zone).date().toordinal() if moment else 0 for moment in began]
    projects, keys = _coded([each.run.project_key for each in works])
    return Columns(
        facts,
        {each.run.run_id: place for place, each in enumerate(works)},
        {key: np.flatnonzero(projects == number) for number, key in enumerate(keys)},
        _seconds(began),
        _seconds([each.run.started for each in works]),
        _seconds([each.run.ended for each in works]),
        np.array(days, dtype=np.int64),
        _coded([each.run.session_id for each in works])[0],
        np.array([each.run.path for each in works], dtype=np.float64),
        np.array([each.aborted for each in works], dtype=np.bool_),
        np.array([each.run.state == "running" for each in works], dtype=np.bool_),
    )


def stratum_of(work: Worked, variables: Sequence[str]) -> str:
    """The kind of a run in words."""
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


def _coded(names: Sequence[str]) -> Codes:
    known = tuple(sorted(set(names)))
    number = {name: place for place, name in enumerate(known)}
    return np.array([number[name] for name in names], dtype=np.int64), known


def _seconds(moments: Sequence[datetime | None]) -> Floats:
    told = [moment.timestamp() if moment else np.nan for moment in moments]
    return np.array(told, dtype=np.float64)
