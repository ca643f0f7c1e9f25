"""`dream check`: the adopted checks over recorded runs."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.config import Config
    from dream.types import Breach, Check, Rows

EXAMPLE = """\
example:
  dream check                       every adopted check, over all that is stored
  dream check --since 2026-05-01    only over calls from this day on
  dream check skills_out/2026-05-31/check-1a2b3c4d-no-force-push    try one before you adopt it
"""
EVER = datetime(1970, 1, 1, tzinfo=UTC)


def add_check(commands: Commands) -> None:
    parser = commands.add_parser(
        "check", help="run the adopted checks over recorded runs", epilog=EXAMPLE
    )
    parser.add_argument(
        "place",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="a check's file, a folder of them, or a night's folder",
    )
    parser.add_argument("--since", type=day, metavar="DAY", help="from this day on, UTC")
    parser.set_defaults(run=run_check)


def run_check(call: Call) -> int:
    from dream.archive.archive import Archive
    from dream.audit.check import check
    from dream.templates import render

    config = call.config()
    named = _named([call.place.cwd / place for place in call.args.place])
    since = datetime.combine(call.args.since, time(), UTC) if call.args.since else EVER
    with Archive.open(config.state) as archive:
        checks = named or _adopted(config, archive)
        breaches = check(archive, checks, since)
    if call.json:
        call.console.json({"checks": checks, "breaches": breaches})
    else:
        by_check = [(one, _of(one, breaches)) for one in checks]
        call.console.result(render("check.txt.j2", found=by_check, count=len(breaches)))
    return Exit.LOOK if breaches else Exit.DONE


def _of(check: "Check", breaches: "list[Breach]") -> "list[Breach]":
    return [breach for breach in breaches if breach.check == check.id]


def _named(places: list[Path]) -> "list[Check]":
    from dream.audit.check import load

    for place in places:
        if not place.exists():
            raise UserMistake(f"There is no check at {place}. Nothing was run.")
    found = {check.path: check for place in places for check in load(place)}
    if not found:  # a night's folder holds a folder for each proposal
        inside = [folder.parent for place in places for folder in place.glob("check-*/check.yaml")]
        found = {check.path: check for folder in inside for check in load(folder)}
    if places and not found:
        raise UserMistake(f"There is no check in {places[0]}: no .yaml file. Nothing was run.")
    return _sorted(found)


def _adopted(config: "Config", archive: "Rows") -> "list[Check]":
    """Ours, and each repository's own: of those in dream.yaml, and those that sessions were in."""
    from dream.audit.check import HOME, load
    from dream.review.projects import trees

    known = {tree.root for tree in trees(archive, config.projects).values() if tree.root}
    roots = known | {project.root for project in config.projects}
    places = [config.checks or config.state / "checks", *(root.joinpath(*HOME) for root in roots)]
    return _sorted({check.path: check for place in places for check in load(place)})


def _sorted(found: "Mapping[str, Check]") -> "list[Check]":
    return sorted(found.values(), key=lambda check: (check.id, check.path))
