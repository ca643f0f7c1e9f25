"""Asks the archive which rules were in force for runs, and how rule files came and went."""

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from dream.errors import NotFound
from dream.history import Change, RuleText
from dream.in_force.decide import Held, InForce, in_force
from dream.in_force.facts import History, Place, Seen, load
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class Step:
    """A commit of the default branch that changed rule files there."""

    since: datetime
    commit_id: str
    subject: str
    changes: tuple[tuple[Change, str], ...]  # what was done to which path


@dataclass(frozen=True, slots=True)
class Unread:
    """Something of a repository's history that is not here. reason: a word of records.SKIPS."""

    repository: str
    reason: str
    detail: str
    count: int


@dataclass(frozen=True, slots=True)
class Chronicle:
    """The rule files of one repository, or of a folder that is none, over time."""

    name: str  # for people: the checkout's folder, or the git folder of a bare repository
    branch: str  # "" where there is no repository
    steps: tuple[Step, ...]
    lying: tuple[Seen, ...]  # files that no commit holds
    runs: Mapping[str, int]  # how many runs there are by the basis on which their rules are known


def rules_in_force(rows: Rows, run_id: str) -> InForce:
    """What was in force for one run. Raises NotFound for an id that is none."""
    place = next(rows.rows("in_force/runs", Place, run=run_id), None)
    if place is None:
        raise NotFound(f"There is no run {run_id} in the archive.")
    return in_force(place, load(rows, place.session_id))


def all_in_force(rows: Rows) -> Iterator[tuple[Place, InForce]]:
    """The same for every run, by id."""
    history = load(rows)
    for place in rows.rows("in_force/runs", Place, run=""):
        yield place, in_force(place, history)


def texts(rows: Rows, held: Iterable[Held]) -> dict[str, str]:
    """The words of rule files by path, as far as they are here; of a link those it leads to."""
    listed = list(held)
    ids = sorted({one.blob_id for one in listed})
    found = {text.blob_id: text.text for text in rows.rows("in_force/texts", RuleText, ids=ids)}
    words = {one.path: found[one.blob_id] for one in listed if one.blob_id in found}
    for one in listed:
        if one.link and one.path in words:
            target = posixpath.normpath(
                posixpath.join(posixpath.dirname(one.path), words[one.path].strip())
            )
            words[one.path] = words.get(target, words[one.path])
    return words


def chronicles(rows: Rows) -> tuple[Chronicle, ...]:
    """Every repository and folder with rule files, by name."""
    history = load(rows)
    runs: dict[str, Counter[str]] = {}
    for place in rows.rows("in_force/runs", Place, run=""):
        found = in_force(place, history)
        runs.setdefault(found.repository, Counter())[found.basis] += 1
    made = []
    for repository in sorted({one.repository for one in history.checkouts}):
        own = [one for one in history.checkouts if one.repository == repository]
        lying = [seen for one in own for seen in history.seen.get(one.root, ())]
        branch = own[0].default_branch
        steps = _steps(repository, branch, history)
        if steps or lying:
            counted: dict[str, int] = dict(sorted(runs.get(repository, Counter()).items()))
            name = own[0].root or repository
            made.append(Chronicle(name, branch, steps, tuple(lying), counted))
    roots = {one.root for one in history.checkouts}
    for root, seen in sorted(history.seen.items()):
        if root not in roots:
            made.append(Chronicle(root, "", (), tuple(seen), {}))
    return tuple(sorted(made, key=lambda one: one.name))


def unread(rows: Rows) -> tuple[Unread, ...]:
    """What of the repositories' histories could not be read."""
    return tuple(rows.rows("in_force/unread", Unread))


def _steps(repository: str, branch: str, history: History) -> tuple[Step, ...]:
    steps = []
    for row in history.standings.get((repository, branch), ()):
        key = (repository, row.anchor)
        subject = history.commits[key].subject if key in history.commits else ""
        changes = [(change.change, change.path) for change in history.changes.get(key, ())]
        steps.append(Step(row.since, row.anchor, subject, tuple(changes)))
    return tuple(steps)
