"""`dream tell`: what a session that begins is told of the rules on trial. For an agent's hook."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from dream.commands import Call, Commands, Exit
from dream.errors import UserMistake

EXAMPLE = """\
A hook at the beginning of a session prints the rules in .dream/trials/ but those that this session
drew a blank for. Claude Code hands the session over as JSON; others name it.

example:
  dream tell --session 5f1c09aa-1234 ~/src/shop     by hand

in .claude/settings.json, for every session that begins:
  {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "dream tell"}]}]}}
"""
LARGEST = 1024 * 1024


def add_tell(commands: Commands) -> None:
    parser = commands.add_parser(
        "tell", help="print the rules on trial for a session that begins", epilog=EXAMPLE
    )
    parser.add_argument("folder", nargs="?", type=Path, help="where it works (default: here)")
    parser.add_argument("--session", metavar="ID", help="its id (default: from JSON on stdin)")
    parser.set_defaults(run=run_tell)


def run_tell(call: Call) -> int:
    from dream import trial

    session, cwd = call.args.session, ""
    if not session:
        session, cwd = _handed_over()
    folder = call.place.cwd / (call.args.folder or cwd or ".")
    now = datetime.now(UTC)
    found = list(trial.here(folder))
    broken = [path for path, one in found if one is None]
    withheld = [one for _, one in found if one is not None and one.withheld(session, now)]
    told = [one for _, one in found if one is not None and one not in withheld]
    for path in broken:
        call.console.note(f"{call.near(path)} begins with no line of a trial; it is passed over.")
    if call.json:
        call.console.json({"told": told, "withheld": [one.rule for one in withheld]})
    elif told:
        call.console.result("\n".join(one.text for one in told) + "\n")
    return Exit.LOOK if broken else Exit.DONE


def _handed_over() -> tuple[str, str]:
    """Session and folder from the JSON that a hook is given."""
    import orjson

    if sys.stdin is None or sys.stdin.isatty():
        raise UserMistake("Name the session: dream tell --session ID")
    try:
        given = orjson.loads(sys.stdin.buffer.read(LARGEST))
        session, cwd = given["session_id"], given.get("cwd") or ""
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserMistake(
            "stdin names no session: a hook hands over JSON with a session_id.\n"
            "By hand: dream tell --session ID"
        ) from error
    if not (isinstance(session, str) and isinstance(cwd, str)):
        raise UserMistake("session_id and cwd on stdin must be texts.")
    return session, cwd
