"""The rule events of two corpora, set into a history, against the runs that were recorded."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from dream.archive import histories
from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import ProjectSpec, SourceSpec
from dream.in_force.ask import all_in_force, texts
from dream.in_force.decide import InForce
from dream.in_force.facts import Place
from dream.sources import git_history
from dream.sources.registry import READERS
from tests.corpora import Corpus
from tests.git_maker import Repo

pytestmark = pytest.mark.shared

FOLDERS = {
    "claude-entire-cli-early": (
        "/Users/user1/Work/entire/devenv/cli", "/Users/user2/workspace/cli", "/Users/user4/wks",
        "/Users/user3/Documents/entire", "/Users/user5/src/entireio/cli",
    ),
    "claude-context-evaluator": ("/Users/user1/Code/agents-md-evaluator",),
}  # fmt: skip
"""Where the people of a corpus had their checkouts: other machines than this one."""


@dataclass(frozen=True)
class Event:
    """A change of CLAUDE.md. mark: a line that it brought and no other did."""

    name: str
    written: datetime
    landed: datetime  # on the default branch
    mark: str
    added: list[str]
    removed: list[str]


@dataclass(frozen=True)
class Recorded:
    """A corpus: its events, its runs with what was in force for each, calls of the shell by run."""

    name: str
    events: list[Event]
    runs: list["Told"]
    shell: dict[str, int]


@dataclass(frozen=True)
class Told:
    """A run, and the events whose lines it was told."""

    place: Place
    found: InForce
    rules: frozenset[str]


def events(shared: Path, name: str) -> list[Event]:
    """In the order in which they landed."""
    listed = json.loads((shared / "corpora" / name / "rules.json").read_bytes())["rules"]
    made = [event(one) for one in listed if "CLAUDE.md" in one["paths"]]
    return sorted(made, key=lambda one: one.landed)


def event(one: dict[str, Any]) -> Event:
    written = datetime.fromisoformat(one["author_date"]).astimezone(UTC)
    landed = datetime.fromisoformat(one["on_default_branch"]).astimezone(UTC)
    mark = max(one["added"], key=len)
    return Event(one["rule_id"], written, landed, mark, one["added"], one["removed"])


def with_history(folder: Path, listed: list[Event]) -> Repo:
    """A repository whose CLAUDE.md changed so; a change made before it landed is merged then."""
    repo = Repo(folder)
    lines = [line for one in listed for line in one.removed]
    begin = "2025-12-01T00:00:00+00:00"
    repo.commit("begin", begin, CLAUDE_md="".join(f"{line}\n" for line in lines))
    for number, one in enumerate(listed):
        lines = [line for line in lines if line not in one.removed] + one.added
        repo.git("checkout", "-q", "-b", f"rule-{number}", when=one.written.isoformat())
        words = "".join(f"{line}\n" for line in lines)
        repo.commit(one.name, one.written.isoformat(), CLAUDE_md=words)
        repo.git("checkout", "-q", "main", when=one.landed.isoformat())
        how = ("--ff-only",) if one.landed == one.written else ("--no-ff", "-m", "land")
        repo.git("merge", "-q", *how, f"rule-{number}", when=one.landed.isoformat())
    return repo


@pytest.fixture(params=sorted(FOLDERS))
def told(
    request: pytest.FixtureRequest, shared: Path, corpus: Corpus, tmp_path: Path
) -> Iterator[Recorded]:
    name: str = request.param
    listed = events(shared, name)
    repo = with_history(tmp_path / "repo", listed)
    projects = [ProjectSpec(repo.root, also=FOLDERS[name])]
    state, night = tmp_path / "state", date(2026, 6, 1)
    ingest(state, [SourceSpec(corpus(name))], READERS, night, known_roots=projects)
    past = histories.sources(state, projects)
    ingest(histories.folder_of(state), past, (git_history,), night)
    with Archive.open(state) as archive:
        runs = [
            Told(place, found, marked(texts(archive, found.held), listed))
            for place, found in all_in_force(archive)
        ]
        shell = archive._connection.execute(
            "SELECT run_id, count(*) FROM calls WHERE tool = 'Bash' GROUP BY run_id"
        ).fetchall()
        yield Recorded(name, listed, runs, dict(shell))


def marked(words: dict[str, str], listed: list[Event]) -> frozenset[str]:
    """The redaction leaves lines of rules as they are."""
    lines = words.get("CLAUDE.md", "").split("\n")
    return frozenset(one.name for one in listed if one.mark in lines)


def test_a_rule_is_in_force_for_the_runs_after_it_landed_and_for_no_other(told: Recorded) -> None:
    assert len(told.runs) > 100
    for run in told.runs:
        assert run.place.started is not None
        if not run.place.cwd:  # three sessions of an agent that does not record its folder
            assert run.found.basis == "unknown"
            continue
        assert run.found.basis == "time"
        landed = {one.name for one in told.events if one.landed <= run.place.started}
        assert run.rules == landed, run.place.run_id
    for one in told.events:
        with_it = sum(one.name in run.rules for run in told.runs)
        assert 0 < with_it < len(told.runs), f"{told.name}: {one.name}"


def test_which_branch_a_session_was_on_is_told_as_far_as_it_is_known(told: Recorded) -> None:
    for run in (one for one in told.runs if one.place.cwd):
        how = "branch" if run.place.git_branch == "main" else "branch_unknown"
        assert run.found.how in (how, "branch_untold")
    assert any(run.found.how == "branch" for run in told.runs)


def test_calls_before_and_after_a_rule_are_those_that_were_counted_by_hand(told: Recorded) -> None:
    """The corpus' own paper: 254 calls in 27 sessions before, 781 in 70 after."""
    if told.name != "claude-context-evaluator":
        return
    counted = []
    for held in (False, True):
        runs = [run.place for run in told.runs if ("rtk-prefix" in run.rules) is held]
        calling = [one for one in runs if told.shell.get(one.run_id)]
        calls = sum(told.shell[one.run_id] for one in calling)
        counted.append((calls, len({one.session_id for one in calling})))
    assert counted == [(254, 27), (781, 70)]
