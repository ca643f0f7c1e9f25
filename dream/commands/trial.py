"""`dream trial`: a proposed rule as a file that withholds it from some sessions at random."""

import argparse
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.trial import Trial

EXAMPLE = """\
Only a rule that some sessions are not told can be compared with nothing assumed. The file is put
into the repository instead of the proposal's change, and `dream tell` prints it at the beginning
of each session that drew no blank. Afterwards adopt the rule as any other.

example:
  dream trial rule-1a2b3c4d > .dream/trials/rule-1a2b3c4d.md
  dream trial rule-1a2b3c4d --withhold 0.5 --days 7
"""
SHARE = 0.2
DAYS = 14


def add_trial(commands: Commands) -> None:
    parser = commands.add_parser(
        "trial", help="print a rule as a file that withholds it at random", epilog=EXAMPLE
    )
    parser.add_argument("id", metavar="RULE", help="a proposed rule; the first characters will do")
    parser.add_argument("--withhold", type=_share, default=SHARE, metavar="SHARE", help="0.2")
    parser.add_argument("--days", type=_days, default=DAYS, metavar="N", help="14")
    parser.add_argument("--from", dest="first", type=day, metavar="DAY", help="today, in UTC")
    parser.set_defaults(run=run_trial)


def run_trial(call: Call) -> int:
    from dream.trial import written

    first = call.args.first or datetime.now(UTC).date()
    made = _trial(call, first)
    if call.json:
        call.console.json(made)
    else:
        call.console.result(written(made))
    return Exit.DONE


def _trial(call: Call, first: date) -> "Trial":
    import hashlib

    from dream.review.export import latest_rules
    from dream.review.record import published
    from dream.trial import Trial

    config = call.config()
    rules = {one.candidate.id: one for one in latest_rules(published(config.skills_out))}
    named = sorted(name for name in rules if name.startswith(call.args.id))
    if len(named) != 1:
        told = "\n".join(f"  {name}" for name in named)
        several = f"{call.args.id} stands for several rules; say which one:\n{told}"
        raise UserMistake(several if named else f"No rule {call.args.id} was proposed.")
    (name,) = named
    line = (config.skills_out / rules[name].folder / "rule.md").read_text(encoding="utf-8")
    share, last = call.args.withhold, first + timedelta(call.args.days - 1)
    seed = hashlib.sha256(f"{name}|{share}|{first}|{last}".encode()).hexdigest()[:8]
    return Trial(name, share, first, last, seed, line.strip())


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write 0.2") from error
    if not 0.01 <= value <= 0.9:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.01 and 0.9")
    return round(value, 4)


def _days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 366:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days from 1 to 366")
    return int(text)
