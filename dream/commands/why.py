"""`dream why`: from a proposal, a cluster or a judgement back to the words it rests on."""

from dream.commands import Call, Commands, Exit

EXAMPLE = """\
example:
  dream why rule-1a2b3c4d    a proposal: judgements, runs, messages, words
  dream why c-0123456789ab   a cluster, and the gate it failed
"""


def add_why(commands: Commands) -> None:
    parser = commands.add_parser(
        "why", help="walk from a proposal back to the words it rests on", epilog=EXAMPLE
    )
    parser.add_argument(
        "id", metavar="ID", help="a proposal, cluster or judgement; the first characters will do"
    )
    parser.set_defaults(run=run_why)


def run_why(call: Call) -> int:
    from dream import judged
    from dream.archive.archive import Archive
    from dream.review.record import published
    from dream.review.why import known, why, why_text

    config = call.config()
    thought = judged.load(config.state)
    troubles: list[str] = []
    what = known(
        published(config.skills_out, troubles),
        thought.clusters,
        thought.judgements,
        thought.drafts.near_misses,
    )
    for trouble in troubles:
        call.console.note(trouble)
    with Archive.open(config.state) as archive:
        walk = why(call.args.id, what, archive)
    if call.json:
        call.console.json(walk)
    else:
        call.console.result(why_text(walk))
    return Exit.LOOK if troubles else Exit.DONE
