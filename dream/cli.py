"""The command line: `dream COMMAND`. Result to stdout, the rest to stderr, exit codes in Exit."""

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from dream import __version__
from dream.commands import Call, Exit
from dream.commands.audit import add_audit
from dream.commands.backtest import add_backtest
from dream.commands.check import add_check
from dream.commands.doctor import add_doctor
from dream.commands.drift import add_drift
from dream.commands.export import add_export
from dream.commands.init import add_init
from dream.commands.night import add_night
from dream.commands.report import add_report
from dream.commands.rules import add_rules
from dream.commands.schedule import add_schedule
from dream.commands.show import add_show
from dream.commands.tell import add_tell
from dream.commands.trial import add_trial
from dream.commands.verify import add_verify
from dream.commands.why import add_why
from dream.console import Console, stdio
from dream.errors import DreamError, NightBusy, UserMistake
from dream.place import here
from dream.stopping import Asked, Terminated, stoppable

COMMANDS: tuple[Callable[[Any], None], ...] = (
    add_init,
    add_night,
    add_report,
    add_why,
    add_show,
    add_verify,
    add_check,
    add_audit,
    add_backtest,
    add_drift,
    add_export,
    add_rules,
    add_trial,
    add_tell,
    add_doctor,
    add_schedule,
)

ABOUT = """\
Reads what coding agents did (it never writes there), finds what people keep correcting and what
keeps failing, and proposes rules, skills and checks with the words they rest on. Nothing is
adopted by itself.

First steps:
  dream init      find the archives of this machine and write dream.yaml
  dream night     read them and write proposals into skills_out/
  dream why ID    from a proposal back to the words it rests on

Exit codes: 0 done; 1 done, and a person should look; 2 not done, you can mend it; 3 our bug.
"""


SETTINGS = "settings file (else ./dream.yaml, else ~/.config/dream/dream.yaml)"

COMMON: dict[str, dict[str, Any]] = {
    "--config": {"type": Path, "metavar": "FILE", "help": SETTINGS},
    "--json": {"action": "store_true", "help": "the result as JSON"},
    "--no-color": {"action": "store_true", "help": "no colour; so does the variable NO_COLOR"},
    "--quiet": {"action": "store_true", "help": "no progress and no notes"},
    "--verbose": {"action": "store_true", "help": "say more about what is done"},
}
"""Options of every command. The result goes to stdout, all else to stderr."""


KEPT = "Nothing is lost: what was finished is kept, the rest is done next time."

MENDABLE = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE),
        *(errno.ENFILE, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENOTEMPTY, errno.ELOOP),
        *(errno.ENAMETOOLONG, errno.EFBIG, errno.EIO, errno.ESTALE, errno.EBUSY, errno.ENOMEM),
    }
)
"""A full disk, a folder without the right to write, a folder where a file should be, a disk that
fails: no bug of ours, and a person can mend it.
"""


class Mistyped(UserMistake):
    """Words that are no command, or an option that is none."""


class Parser(argparse.ArgumentParser):
    """argparse, but a mistake is an exception of ours and ends nothing by itself."""

    def error(self, message: str) -> NoReturn:
        raise Mistyped(f"{message}\nSee: {self.prog} --help")


def parser() -> Parser:
    """The whole command line. Options for every command may stand before it or after it."""
    whole = Parser(
        prog="dream",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    whole.set_defaults(run=None)
    whole.add_argument("--version", action="version", version=f"dream {__version__}")
    commands = whole.add_subparsers(metavar="COMMAND", title="commands", parser_class=Parser)
    for add in COMMANDS:
        add(commands)
    for command in commands.choices.values():
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        command.allow_abbrev = False
        for name, settings in COMMON.items():
            # Not given after the command leaves alone what was given before it.
            command.add_argument(name, **settings, default=argparse.SUPPRESS)
    for name, settings in COMMON.items():
        whole.add_argument(name, **settings)
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; never raises but for --help and --version."""
    words = list(sys.argv[1:] if argv is None else argv)
    plain = stdio(quiet=False, verbose=False, colour=False)
    whole = parser()
    try:
        args = whole.parse_args(words)
    except Mistyped as error:
        plain.problem(f"dream: {_with_advice(str(error), words, whole)}")
        return Exit.MISTAKE
    if args.run is None:
        plain.problem(whole.format_help())
        return Exit.MISTAKE
    place = here()
    colour = not (args.no_color or place.env.get("NO_COLOR") or place.env.get("TERM") == "dumb")
    console = stdio(quiet=args.quiet, verbose=args.verbose, colour=colour)
    with stoppable() as asked:
        return _run(Call(args, place, console), asked)


def _with_advice(message: str, words: Sequence[str], whole: Parser) -> str:
    from dream.nearest import advice

    commands = next(a for a in whole._actions if isinstance(a, argparse._SubParsersAction)).choices
    named = next((word for word in words if word in commands), "")
    if named and message.startswith("unrecognized"):  # argparse leaves this one to the whole
        message = message.replace(f"See: {whole.prog} --", f"See: {whole.prog} {named} --")
    near = advice(words, {name: list(one._option_string_actions) for name, one in commands.items()})
    if not near:
        return message
    first, _, rest = message.partition("\n")
    return f"{first.partition(' (choose from')[0]}; did you mean {near}?\n{rest}"


def _run(call: Call, asked: Asked) -> int:
    try:
        code: int = call.args.run(call)
        call.console.out.flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        if asked.times:
            return _stopped(call.console, Exit(128 + asked.number))
        return _failed(call, error)


def _failed(call: Call, error: Exception | KeyboardInterrupt) -> int:
    """What a person is told, and the exit code that goes with it."""
    console = call.console
    match error:
        case BrokenPipeError():
            _silence(console)
            return Exit.PIPE
        case Terminated():
            return _stopped(console, Exit.TERMINATED)
        case KeyboardInterrupt():
            return _stopped(console, Exit.STOPPED)
        case NightBusy():
            console.note(str(error))
            return Exit.DONE
        case DreamError():
            console.problem(str(error))
            return Exit.MISTAKE
        case OSError() if error.errno in MENDABLE:
            console.problem(f"{error.strerror}: {error.filename or 'a file'}\n{KEPT}")
            return Exit.MISTAKE
    return _bug(call, error)


def _bug(call: Call, error: Exception) -> int:
    from dream.bug import note_bug

    return note_bug(call, error)


def _stopped(console: Console, code: Exit) -> Exit:
    console.problem(f"Stopped. {KEPT}")
    return code


def _silence(console: Console) -> None:
    """Nobody reads stdout any more; without this Python complains again when it closes it."""
    with suppress(OSError):  # a stream without a file behind it complains of nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.out.fileno())
