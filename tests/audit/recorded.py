"""The runs of ../shared/cases/audit/runs.csv as an audit knows them, by case."""

import csv
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from dream.audit.outcomes import Outcome
from tests.audit.work import ran

ADOPTED = {
    "bad-week": "2026-02-26T00:00:00+00:00",
    "tiny": "2026-02-07T00:00:00+00:00",
    "no-exposure": "2026-02-07T00:00:00+00:00",
    "given-up": "2026-02-07T00:00:00+00:00",
    "cut-at-midnight": "2026-03-30T00:15:00+02:00",
}


def case(shared: Path, name: str) -> list[Outcome]:
    """Every run in a session of its own."""
    with (shared / "cases/audit/runs.csv").open() as file:
        return [_outcome(row) for row in csv.DictReader(file) if row["case"] == name]


def _outcome(row: dict[str, str]) -> Outcome:
    state = "settled" if row["outcome"] == "completed" else "interrupted"
    occasions, path = int(row["opportunities"]), int(row["steps"])
    work = ran(row["run_id"], tools={"bash": occasions}, path=path, state=state, model=row["model"])
    started = datetime.fromisoformat(row["started_at"])
    ended = datetime.fromisoformat(row["ended_at"])
    run = replace(work.run, started=started, ended=ended, session_started=started)
    return Outcome(replace(work, run=run), int(row["errors"]), occasions)
