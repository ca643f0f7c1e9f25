"""`dream rules`: which rules were in force for a run, or how rule files came, changed and went."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.archive.archive import Archive
    from dream.in_force.decide import Held, InForce

EXAMPLE = """\
example:
  dream rules           the history of rule files in every repository
  dream rules r3        what agents were told in run r3, and how that is known
"""


@dataclass(frozen=True, slots=True)
class Told:
    """A rule file that was in force, and the rules in it. lines None: its text is not here."""

    held: "Held"
    lines: tuple[tuple[int, str], ...] | None


def add_rules(commands: Commands) -> None:
    parser = commands.add_parser(
        "rules", help="show which rules were in force for a run, or their history", epilog=EXAMPLE
    )
    parser.add_argument("run_name", nargs="?", metavar="RUN", help="a run or message, as for show")
    parser.set_defaults(run=run_rules)


def run_rules(call: Call) -> int:
    from dream.archive.archive import Archive
    from dream.in_force.ask import chronicles, rules_in_force, unread
    from dream.records import SKIPS
    from dream.review.show import find
    from dream.templates import render

    with Archive.open(call.config().state) as archive:
        if call.args.run_name is None:
            found, missed = chronicles(archive), unread(archive)
            if call.json:
                call.console.json({"repositories": found, "unread": missed})
            else:
                page = render("rules_history.txt.j2", found=found, missed=missed, meanings=SKIPS)
                call.console.result(page)
            return Exit.DONE
        choice = find(call.args.run_name, archive)
        if not choice.run_id:
            raise UserMistake(
                f"{choice.id} is a session. Name one of its runs: dream show {choice.id}"
            )
        in_force = rules_in_force(archive, choice.run_id)
        told = _told(in_force, archive)
    if call.json:
        call.console.json({"in_force": in_force, "rules": told})
    else:
        call.console.result(render("rules.txt.j2", found=in_force, told=told))
    return Exit.DONE


def _told(found: "InForce", archive: "Archive") -> tuple[Told, ...]:
    from dream.in_force.ask import texts

    words = texts(archive, found.held)
    return tuple(
        Told(held, _lines(held.path, words[held.path]) if held.path in words else None)
        for held in found.held
    )


def _lines(path: str, text: str) -> tuple[tuple[int, str], ...]:
    """The rules in a file: line and words; of a skill what it is for."""
    from dream.review.existing import RULE_FOLDERS, book_of, skill_of

    data = text.encode()
    if path.endswith("/SKILL.md"):
        skill, _ = skill_of(path, data)
        return ((1, skill.description),) if skill.description else ()
    headed = any(f"{folder}/" in path for folder in RULE_FOLDERS)
    return tuple((rule.line, rule.text) for rule in book_of(path, data, "", headed=headed).rules)
