"""`dream show`: a message, run or session as it stands in our archive."""

from dream.commands import Call, Commands, Exit

EXAMPLE = """\
example:
  dream show r3/m2                    a message by the name its archive gives it
  dream show pi:0199a1b2/1f2e3d4c     a message by session and entry
  dream show r3                       a run, one line a message
"""


def add_show(commands: Commands) -> None:
    parser = commands.add_parser(
        "show", help="print a stored message, run or session", epilog=EXAMPLE
    )
    parser.add_argument(
        "ref", metavar="REF", help="r3/m2, r3, an id, session/entry, or the beginning of one"
    )
    parser.set_defaults(run=run_show)


def run_show(call: Call) -> int:
    from dream.archive.archive import Archive
    from dream.review.show import show, shown_text

    with Archive.open(call.config().state) as archive:
        what = show(call.args.ref, archive)
    if call.json:
        call.console.json(what)
    else:
        call.console.result(shown_text(what))
    return Exit.DONE
