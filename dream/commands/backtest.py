"""`dream backtest`: the nights of the past, played as if each were today."""

import argparse
from datetime import date
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.backtest.nouns import Backtest
    from dream.config import Config

EXAMPLE = """\
example:
  dream backtest                                  every night since the first message, one a day
  dream backtest --from 2026-03-01 --step weekly  one a week, which takes a seventh of the time
  dream backtest --keep                           and let the reports of the nights to come say so

A night of the past knows what had come before its date began and the rules that stood by then.
What it proposed has met its judgement again when that came in another session afterwards. Beside it
stands what anybody would try first, at as many proposals: words that repeat, clusters that are
frequent. Without --keep nothing is written; what was proposed or adopted stays as it is.
"""
STEPS = {"nightly": 1, "weekly": 7}
SHOWN = 12
"""Proposals and missed judgements that are listed; --json has all."""


def add_backtest(commands: Commands) -> None:
    parser = commands.add_parser(
        "backtest", help="play the nights of the past and see what came true", epilog=EXAMPLE
    )
    parser.add_argument(
        "--from", dest="first", type=day, metavar="DAY", help="the first night (default: all)"
    )
    parser.add_argument("--to", dest="last", type=day, metavar="DAY", help="the last night")
    parser.add_argument(
        "--step",
        type=step,
        default=1,
        metavar="STEP",
        help="nightly, weekly or a number of days from night to night (default: nightly)",
    )
    parser.add_argument(
        "--keep", action="store_true", help="write skills_out/backtest.json for the reports"
    )
    parser.set_defaults(run=run_backtest)


def step(text: str) -> int:
    """Days from night to night. argparse shows the message."""
    if text in STEPS:
        return STEPS[text]
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no step; write nightly, weekly or 3")


def run_backtest(call: Call) -> int:
    from dream.backtest import kept
    from dream.backtest.replay import nights_between, replay

    config = call.config()
    first, last = _bounds(call, config)
    nights = nights_between(first, last, call.args.step)
    with call.console.progress() as progress:
        made = replay(config, nights, call.args.step, progress)
    if call.json:
        call.console.json(made)
    else:
        call.console.result(_page(made))
    if call.args.keep:
        path = kept.save(config.skills_out, made)
        call.console.note(f"Kept in {call.near(path)}; the next night's report says so.")
    return Exit.DONE


def _bounds(call: Call, config: "Config") -> tuple[date, date]:
    from dream.backtest.replay import bounds

    found = bounds(config)
    if found is None:
        raise UserMistake(
            "The archive holds no message with a time, so there are no nights to play.\n"
            "Read some sessions first with: dream night"
        )
    first, last = call.args.first or found[0], call.args.last or found[1]
    if first > last:
        raise UserMistake(f"The first night, {first}, would come after the last, {last}.")
    return first, last


def _page(made: "Backtest") -> str:
    from dream.templates import render

    ours = [each for each in made.outcomes if each.item.way == "dream"]
    return render("backtest.txt.j2", made=made, ours=ours, shown=SHOWN)
