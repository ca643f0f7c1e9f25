"""`dream doctor`: is all well, and if not, what to do."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit

if TYPE_CHECKING:
    from dream.config import Config
    from dream.health import Finding

EXAMPLE = """\
example:
  dream doctor           look, and say what to do about what is amiss
  dream doctor --json    the same for a program; exit code 1 when a person should look
"""
MOUNTS = Path("/proc/self/mountinfo")


def add_doctor(commands: Commands) -> None:
    parser = commands.add_parser(
        "doctor", help="look at programs, settings, folders, lock and last night", epilog=EXAMPLE
    )
    parser.set_defaults(run=run_doctor)


def run_doctor(call: Call) -> int:
    from dream.templates import render

    findings = tuple(_look(call.config(), datetime.now(UTC)))
    well = all(one.ok for one in findings)
    if call.json:
        call.console.json({"well": well, "findings": findings})
    else:
        call.console.result(render("doctor.txt.j2", findings=findings, well=well))
    return Exit.DONE if well else Exit.LOOK


def _look(config: "Config", now: datetime) -> "Iterator[Finding]":
    from dream import health

    yield from health.programs()
    yield from health.settings(config)
    yield from _memory(config)
    mounts = MOUNTS.read_text(encoding="utf-8", errors="replace") if MOUNTS.exists() else ""
    yield from health.folders(config, mounts)
    yield from health.nights(config, now)
    yield from health.reading(config)
    yield from health.reports_of_bugs(config)


def _memory(config: "Config") -> "Iterator[Finding]":
    """The memories kept by hand: what is in force, what has aged, what cannot be read."""
    from dream.health import Finding
    from dream.review.memory import kept_by_hand
    from dream.review.tree import Tree

    for project in config.projects:
        if not project.memory:
            continue
        found = kept_by_hand(Tree(project.root.name, project.root, memory=project.memory), "")
        lower = sum(rule.kept is not None and rule.kept.age == "lower" for rule in found.rules)
        words = f"{project.root.name}: {len(found.rules)} in force ({lower} of them rank lower"
        words += f" by age), {len(found.aside)} set aside"
        advice = "; ".join(found.troubles)
        yield Finding("memory", not found.troubles, words, advice)
