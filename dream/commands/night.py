"""`dream night`: one night over the sources of dream.yaml."""

import gc
import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day
from dream.errors import NightBusy, UserMistake

if TYPE_CHECKING:
    from dream.config import Config
    from dream.nightly import NightResult

EXAMPLE = """\
example:
  dream night                     read what is new, write proposals for today
  dream night --if-due            the same if a night is due, else nothing (for cron)
  dream night --sources ~/backup  read this instead of the sources in dream.yaml
"""


def add_night(commands: Commands) -> None:
    parser = commands.add_parser(
        "night", help="read the archives and write tonight's proposals", epilog=EXAMPLE
    )
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--date", type=day, metavar="DAY", help="count as this day: 2026-05-31")
    when.add_argument("--if-due", action="store_true", help="only if the schedule says so")
    parser.add_argument(
        "--sources", nargs="+", type=Path, metavar="PATH", help="read these instead, of any kind"
    )
    parser.set_defaults(run=run_night)


def run_night(call: Call) -> int:
    from zoneinfo import ZoneInfo

    config = _settings(call)
    now = datetime.now(UTC)
    night: date | None = call.args.date or now.astimezone(ZoneInfo(config.timezone)).date()
    if call.args.if_due:
        night = _due(config, now)
    if night is None:
        return _not_run(call, _next(config, now))
    try:
        result = _spend(call, config, night, now)
    except NightBusy as busy:
        return _not_run(call, str(busy))
    _tell(call, config, result)
    return result.exit_code


def _settings(call: Call) -> "Config":
    from dream.config import SourceSpec
    from dream.config_file import keep_sources_clean

    config = call.config()
    if call.args.sources:
        paths = dict.fromkeys(call.place.cwd / path for path in call.args.sources)
        config = replace(config, sources=tuple(map(SourceSpec, paths)))
        keep_sources_clean(config)
    if not config.sources:
        where = " or ".join(str(path) for path in call.place.settings())
        why = f"{config.path} sets no source" if config.path else f"There is no {where}"
        raise UserMistake(
            f"{why}, so there is nothing to read. Nothing was written.\n"
            "Find the archives of this machine with: dream init\n"
            "Or read one folder with: dream night --sources FOLDER"
        )
    nearest = next(up for up in (config.skills_out, *config.skills_out.parents) if up.exists())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
        raise UserMistake(
            f"The folder {config.skills_out} for proposals cannot be written.\n"
            "Nothing was read or written. Set `skills_out:` in dream.yaml to one that can."
        )
    return config


def _due(config: "Config", now: datetime) -> date | None:
    from dream.past_nights import last_night
    from dream.schedule import due

    found = due(config.schedule, config.timezone, last_night(config.state, now), now)
    return found.night if found else None


def _next(config: "Config", now: datetime) -> str:
    from zoneinfo import ZoneInfo

    from dream.schedule import upcoming

    fire = upcoming(config.schedule, config.timezone, now, 1)[0]
    local = f"{fire.astimezone(ZoneInfo(config.timezone)):%A %Y-%m-%d %H:%M}"
    return f"No night is due. The next one is on {local} ({config.timezone})."


def _not_run(call: Call, why: str) -> int:
    """Nothing to do is success: what calls this every hour must not cry."""
    if call.json:
        call.console.json({"ran": False, "why": why})
    else:
        call.console.note(why)
    return Exit.DONE


def _spend(call: Call, config: "Config", night: date, now: datetime) -> "NightResult":
    from dream.nightly import nightly

    gc.set_threshold(100_000, 50, 100)  # what a night makes stays to its end: little to be found
    with call.console.progress() as progress:
        return nightly(config, night, now, progress)


def _tell(call: Call, config: "Config", result: "NightResult") -> None:
    from dream.report.terminal import terminal

    if call.json:
        told = {"ran": True, "folder": result.folder, "report": result.report}
        call.console.json({**told, "tonight": result.tonight})
        return
    call.console.styled(
        terminal(
            result.report,
            width=call.console.width,
            colour=call.console.coloured,
            tonight=result.tonight,
            out=call.near(config.skills_out),
        )
    )
