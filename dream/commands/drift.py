"""`dream drift`: how often work goes astray, by distance from the last compaction."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.audit.deviations import Log
    from dream.config import Config

EXAMPLE = """\
A log is CSV or JSONL, a line a turn: turn, turns since compaction, deviated (yes or no), type
(information loss, mismatch, over-generalisation, path drift), intervention, and run if it has one.

example:
  dream drift              what failed in the sessions that Dream has read
  dream drift log.csv      what a person has labelled: by type, distance and treatment
"""
EVER = datetime(1970, 1, 1, tzinfo=UTC)


def add_drift(commands: Commands) -> None:
    parser = commands.add_parser(
        "drift", help="what goes astray, by distance from the last compaction", epilog=EXAMPLE
    )
    parser.add_argument("file", nargs="*", type=Path, metavar="FILE", help="a log of deviations")
    parser.set_defaults(run=run_drift)


def run_drift(call: Call) -> int:
    if call.args.file:
        return _labelled(call, [call.place.cwd / path for path in call.args.file])
    return _recorded(call, call.config())


def _labelled(call: Call, paths: list[Path]) -> int:
    from dream.audit.deviations import read_log
    from dream.audit.drift import LEAST, drift
    from dream.templates import render

    once = {path.resolve(): path for path in reversed(paths)}
    logs = [read_log(path) for path in reversed(once.values())]
    refused = [log for log in logs if log.refused]
    if len(refused) == len(logs):
        told = "\n".join(f"{log.file}: refused; {log.refused}." for log in refused)
        raise UserMistake(f"{told}\nNothing was compared.")
    found = drift([run for log in logs for run in log.runs])
    if call.json:
        call.console.json({"logs": [_about(log) for log in logs], "drift": found})
    else:
        near = [_seen(call, log) for log in logs]
        there = {row.kind for row in found.kinds if row.share.count}
        kinds = {kind: name for kind, name in SHORT.items() if kind in there or kind not in ODD}
        call.console.result(
            render("drift.txt.j2", logs=near, found=found, kinds=kinds, least=LEAST)
        )
    return Exit.LOOK if refused or any(log.bad for log in logs) else Exit.DONE


SHORT = {
    "information_loss": "loss",
    "mismatch": "mismatch",
    "over_generalisation": "general",
    "path_drift": "path",
    "unknown": "unknown",
    "untold": "untold",
}
"""Names of columns; no column is wider."""

ODD = ("unknown", "untold")
"""Shown only where there are any."""


def _about(log: "Log") -> dict[str, object]:
    """A log without its turns, which stand in the file."""
    told = ("file", "refused", "bad", "unknown_columns", "unknown_kinds")
    return {**{name: getattr(log, name) for name in told}, "turns": len(log.turns)}


def _seen(call: Call, log: "Log") -> "Log":
    from dataclasses import replace

    return replace(log, file=call.near(Path(log.file)))


def _recorded(call: Call, config: "Config") -> int:
    from dream import judged
    from dream.archive.archive import Archive
    from dream.audit.recorded_drift import recorded_drift
    from dream.past_nights import last_night
    from dream.templates import render

    last = last_night(config.state, datetime.now(UTC))
    since = last - timedelta(config.window_days) if last else EVER
    judgements = judged.load(config.state).judgements
    corrections = sorted({each.message_id for each in judgements if each.kind == "correction"})
    with Archive.open(config.state) as archive:
        found = recorded_drift(archive, corrections, since)
    if call.json:
        call.console.json({"agents": found})
    else:
        call.console.result(render("drift_recorded.txt.j2", found=found))
    return Exit.DONE
