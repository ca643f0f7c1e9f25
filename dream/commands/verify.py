"""`dream verify`: every quote of every proposal against the stored words and their sources."""

import tempfile
from contextlib import suppress
from pathlib import Path

from dream.commands import Call, Commands, Exit

EXAMPLE = """\
example:
  dream verify           exit code 1 when a quote does not stand where it should
  dream verify --json    the same for a program, each quote that is not at its source any more
"""


def add_verify(commands: Commands) -> None:
    parser = commands.add_parser(
        "verify",
        help="check every quote again, and say what its source has deleted",
        epilog=EXAMPLE,
    )
    parser.set_defaults(run=run_verify)


def run_verify(call: Call) -> int:
    from dream.archive import ledger
    from dream.archive.archive import Archive
    from dream.review.earlier import parted
    from dream.review.record import published
    from dream.review.verify import verify, verify_text

    config = call.config()
    troubles: list[str] = []
    found = published(config.skills_out, troubles)
    own, others = parted(found, ledger.events(config.state))
    with Archive.open(config.state) as archive:
        verdict = verify(own, archive, again=_read_again)
    if call.json:
        passed = [each.folder for each in others]
        call.console.json({"verdict": verdict, "of_other_archives": passed, "troubles": troubles})
    else:
        call.console.result(verify_text(verdict, len(others)))
        for trouble in troubles:
            call.console.problem(trouble)
    return Exit.LOOK if verdict.broken or troubles else Exit.DONE


def _read_again(name: str, path: Path) -> set[str]:
    """Digests of all messages that the reader of this name finds in a file."""
    from dream.errors import SourceUnreadable
    from dream.sources.registry import READERS

    found: set[str] = set()
    for reader in [one for one in READERS if name == one.NAME]:
        with tempfile.TemporaryDirectory() as scratch, suppress(SourceUnreadable, OSError):
            for unit in reader.read(path, {}, Path(scratch)):
                found.update(message.digest for message in unit.messages)
    return found
