"""A run as the steps it took: what was done to what kind of thing, not with which words."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from dream.shell import Command
from dream.signals.doings import doing, is_kind, name

_TEST = re.compile(r"(?:^|[/._-])(?:tests?|specs?|__tests__)(?:[/._-]|$)|_test\.\w+$", re.I)
_KINDS = (
    ("docs", re.compile(r"\.(?:md|mdx|rst|txt|adoc)$|(?:^|/)(?:docs?|CHANGELOG|README)\b", re.I)),
    ("lock file", re.compile(r"(?:lock\.(?:json|yaml)|\.lock|go\.sum)$", re.I)),
    ("workflow", re.compile(r"(?:^|/)\.github/|\.gitlab-ci|Jenkinsfile", re.I)),
    ("migration", re.compile(r"(?:^|/)migrations?/", re.I)),
    ("query", re.compile(r"\.sql$", re.I)),
    ("style", re.compile(r"\.(?:css|scss|less)$", re.I)),
    ("config", re.compile(r"\.(?:json|ya?ml|toml|ini|cfg|env|conf)$|(?:^|/)\.\w+rc$", re.I)),
)
_CHANGING = frozenset(["edit", "write"])
_SILENT = frozenset(["notes", "read", "search", "list"])


@dataclass(frozen=True, slots=True)
class StepRow:
    """One call of a settled run, as signals/steps.sql gives it."""

    session_id: str
    run_id: str
    call_id: str
    message_id: str
    tool: str
    arguments: str
    status: str
    exit_code: int
    happened: datetime | None
    project_key: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done. text is what is compared; argument is what differs from run to run."""

    text: str  # "edit test", "run go test", "run git push"
    argument: str
    call_id: str
    acts: bool  # it changes something or checks something
    failed: bool
    pitfalls: tuple[str, ...] = ()  # steps that failed since the step before it


@dataclass(frozen=True, slots=True)
class Walk:
    """A run's steps that worked, in order; the same step twice in a row is one.

    A step that failed stands as a pitfall of the next one that worked: so "edit, test (fails),
    edit, test" is the path "edit, test", with the failed test as what may happen on the way.
    """

    session_id: str
    run_id: str
    project: str
    happened: datetime | None
    steps: tuple[Step, ...]
    ended_well: bool  # the last thing that was changed or checked went well


def walks(rows: Iterable[StepRow], failed: frozenset[str]) -> Iterator[Walk]:
    """rows: by run, in order. failed: calls that are errors of the work, hidden ones too."""
    for _, calls in groupby(rows, key=lambda row: (row.session_id, row.run_id)):
        run = list(calls)
        steps, well = _sequence(step for row in run for step in _steps(row, row.call_id in failed))
        if steps:
            first = run[0]
            yield Walk(
                first.session_id, first.run_id, first.project_key, first.happened, steps, well
            )


def _sequence(taken: Iterable[Step]) -> tuple[tuple[Step, ...], bool]:
    steps: list[Step] = []
    pitfalls: list[str] = []
    for step in taken:
        if step.failed:
            pitfalls.append(step.text)
            continue
        here = replace(step, pitfalls=tuple(pitfalls))
        pitfalls = []
        if steps and steps[-1].text == step.text:
            steps[-1] = replace(here, pitfalls=steps[-1].pitfalls + here.pitfalls)
        else:
            steps.append(here)
    return tuple(steps), not pitfalls


def _steps(row: StepRow, failed: bool) -> Iterator[Step]:
    """What one call did. Only looking is no step: it differs from run to run and proves nothing."""
    if row.status in {"refused", "interrupted", "sibling", "unanswered"}:
        return
    bad = failed or row.status == "error"
    what = doing(row.tool, row.arguments)
    if what.family == "shell":
        for part in what.parts:
            if not _looks(part):
                program = name(part)
                yield Step(f"run {program}", " ".join(part.arguments)[:200], row.call_id, True, bad)
    elif what.family in _CHANGING:
        kind = target_kind(what.target)
        yield Step(f"edit {kind}", what.target, row.call_id, True, bad)
    elif what.family not in _SILENT:
        yield Step(f"use {what.family}", what.target, row.call_id, False, bad)


def _looks(part: Command) -> bool:
    program = name(part)
    if is_kind(part.program, "setting"):
        return True
    return is_kind(program, "looking") or part.before == "|"


def target_kind(path: str) -> str:
    """What kind of file a path is: test, docs, config, migration ... else source."""
    if _TEST.search(path):
        return "test"
    return next((kind for kind, pattern in _KINDS if pattern.search(path)), "source")
