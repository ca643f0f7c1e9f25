"""`dream report`: what a night read, proposed and nearly proposed."""

from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit, day

if TYPE_CHECKING:
    from dream.config import Config
    from dream.report.night import NightReport

EXAMPLE = """\
example:
  dream report                                 the last finished night
  dream report --date 2026-05-31 --format md   another one, as Markdown
"""


def add_report(commands: Commands) -> None:
    parser = commands.add_parser("report", help="print the report of a night", epilog=EXAMPLE)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--last", action="store_true", help="the last finished night (the default)")
    which.add_argument("--date", type=day, metavar="DAY", help="the night of this day: 2026-05-31")
    parser.add_argument(
        "--format", choices=("terminal", "md", "json"), default="terminal", help="default: terminal"
    )
    parser.set_defaults(run=run_report)


def run_report(call: Call) -> int:
    from dream.archive import ledger
    from dream.past_nights import nights_of
    from dream.report.files import last_report

    config = call.config()
    night = call.args.date.isoformat() if call.args.date else ""
    report = last_report(config.skills_out, night, nights_of(ledger.events(config.state)))
    if call.json or call.args.format == "json":
        call.console.json(report)
    else:
        call.console.styled(_text(call, config, report))
    return Exit.LOOK if report.warnings else Exit.DONE


def _text(call: Call, config: "Config", report: "NightReport") -> str:
    from dream.console import visible
    from dream.report.files import markdown
    from dream.report.terminal import terminal

    if call.args.format == "md":
        return visible(markdown(report))
    return terminal(
        report,
        width=call.console.width,
        colour=call.console.coloured,
        out=call.near(config.skills_out),
    )
