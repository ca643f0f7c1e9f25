"""`dream export`: our rules as a memory that a person keeps by hand."""

from pathlib import Path
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.config import Config
    from dream.review.export import Exported

EXAMPLE = """\
example:
  dream export --as engram                        adopted rules, a fragment each
  dream export --as long-memory --out memory.md   the same as facts, into a new file
  dream export --as engram --waiting              also what nobody has adopted yet
"""


def add_export(commands: Commands) -> None:
    parser = commands.add_parser(
        "export", help="print adopted rules as a memory kept by hand", epilog=EXAMPLE
    )
    parser.add_argument(
        "--as", dest="form", required=True, choices=("long-memory", "engram"), help="its form"
    )
    parser.add_argument(
        "--waiting", action="store_true", help="also rules that nobody has adopted yet"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="a new file (default: stdout)")
    parser.set_defaults(run=run_export)


def run_export(call: Call) -> int:
    from dream.console import as_json, visible
    from dream.review.export import memory_text
    from dream.templates import counted

    config = call.config()
    out = call.place.cwd / call.args.out if call.args.out else None
    if out is not None:
        _refuse(out, config)
    troubles: list[str] = []
    rules = _rules(config, troubles, waiting=call.args.waiting)
    for trouble in troubles:
        call.console.note(trouble)
    told = {"as": call.args.form, "rules": rules}
    text = as_json(told) + "\n" if call.json else memory_text(rules, call.args.form)
    if out is None:
        call.console.result(text)
    else:
        with out.open("x", encoding="utf-8") as file:
            file.write(visible(text))
        call.console.note(f"{counted(len(rules), 'rule')} written to {call.near(out)}.")
    if not rules:
        call.console.note("No rule of ours is adopted yet. With --waiting: those proposed so far.")
    return Exit.LOOK if troubles else Exit.DONE


def _refuse(out: Path, config: "Config") -> None:
    """Only a new file, and none inside what we promise never to write to."""
    real = out.resolve()
    for source in config.sources:
        if real.is_relative_to(source.path.resolve()):
            raise UserMistake(f"{out} lies inside the source {source.path}, which is only read.")
    if out.exists() or out.is_symlink():
        raise UserMistake(f"{out} is there already. Nothing was written; name a new file.")
    if not out.parent.is_dir():
        raise UserMistake(f"There is no folder {out.parent}. Nothing was written.")


def _rules(config: "Config", troubles: list[str], *, waiting: bool) -> "tuple[Exported, ...]":
    from dream.archive import ledger
    from dream.archive.archive import Archive
    from dream.review.earlier import parted
    from dream.review.existing import existing_rules
    from dream.review.export import exported, latest_rules, turns_of
    from dream.review.projects import trees
    from dream.review.record import published

    ours, _ = parted(published(config.skills_out, troubles), ledger.events(config.state))
    latest = latest_rules(ours)
    with Archive.open(config.state) as archive:
        known = trees(archive, config.projects)
        own = {key: existing_rules(tree, key).own for key, tree in known.items()}
        names = {key: tree.name for key, tree in known.items()}
        return exported(latest, own, names, turns_of(archive, latest), waiting=waiting)
