"""A memory that a person keeps by hand for agents: its entries as rules that stand, with their age.

Which files hold one is said in dream.yaml; there is no name that all agree on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dream.likeness import Saying, conflict, likeness, say, weigh
from dream.review.ageing import aged, in_force, settled
from dream.review.flags import deceptive
from dream.review.memory_line import Heading, Odd, read_line
from dream.review.tree import Refused, Tree, look
from dream.types import ExistingRule

RELATED = 0.45
"""Likeness from which two entries speak of the same, and may conflict."""

NAMED = 8
"""Faults of one file that are named one by one."""

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Memory:
    """The entries of one or more files."""

    rules: tuple[ExistingRule, ...] = ()  # in force, what is fresh first
    aside: tuple[ExistingRule, ...] = ()  # archived by age, or beaten; kept and not in force
    troubles: tuple[str, ...] = ()  # each names file and line


def kept_by_hand(tree: Tree, project: str) -> Memory:
    """The memory files that are set for a project. project: the key that the rules carry."""
    found: list[Memory] = []
    seen: set[str] = set()
    for path in tree.memory if tree.root else ():
        there = look(tree, path)
        if isinstance(there, Refused):
            found.append(Memory(troubles=(there.reason,)))
        elif there.data is None:
            found.append(Memory(troubles=(f"{path}: dream.yaml names it as memory; not there",)))
        elif there.path not in seen:
            seen.add(there.path)
            found.append(memory_of(there.path, there.data, project))
    return Memory(
        tuple(rule for each in found for rule in each.rules),
        tuple(rule for each in found for rule in each.aside),
        tuple(trouble for each in found for trouble in each.troubles),
    )


def memory_of(path: str, data: bytes, project: str) -> Memory:
    """One file. It is now the latest turn that one of its entries names: it counts for itself."""
    faults: list[str] = []
    told = tuple(_entries(path, data.decode("utf-8-sig", errors="replace"), project, faults))
    now = max((rule.kept.turn or 0 for rule in told if rule.kept), default=0)
    entries = aged(told, now)
    sayings = {rule.text: say(rule.text) for rule in entries}
    weights = weigh(sayings.values())

    def opposed(one: str, other: str) -> bool:
        pair: tuple[Saying, Saying] = sayings[one], sayings[other]
        against = conflict(*pair, weights) in {"stance", "value"}
        return against and likeness(*pair, weights) >= RELATED

    entries = settled(entries, opposed)
    aside = tuple(rule for rule in entries if not in_force(rule))
    if data.count(b"\xef\xbf\xbd") < data.decode(errors="replace").count("\ufffd"):
        faults.append(f"{path}: it is not text in UTF-8; what is broken was replaced")
    return Memory(
        tuple(rule for rule in entries if in_force(rule)),
        aside,
        (*_first(path, faults), *_beaten(aside)),
    )


def _entries(path: str, text: str, project: str, faults: list[str]) -> Iterator[ExistingRule]:
    """Every entry with its line, below the project and module that it stands under."""
    subject = module = ""
    fenced = False
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        found = None if fenced else read_line(line)
        match found:
            case None:
                continue
            case Odd(fault):
                faults.append(f"{path}:{number}: {fault}")
            case Heading("project", name):
                subject, module = name, ""
            case Heading(_, name):
                module = name
            case entry:
                kept = replace(entry.kept, subject=subject, module=module)
                if entry.fault:
                    faults.append(f"{path}:{number}: {entry.fault}")
                faults += (f"{path}:{number}: {each}" for each in deceptive(line))
                yield ExistingRule(path, number, entry.text, project, kept=kept)


def _beaten(aside: Sequence[ExistingRule]) -> Iterator[str]:
    """Entries that contradict each other are for a person to mend; old ones are not."""
    for rule in aside:
        if rule.kept and rule.kept.beaten_by:
            yield f"{rule.path}:{rule.line}: {rule.kept.beaten_by} says the opposite and holds"


def _first(path: str, faults: Sequence[str]) -> Iterator[str]:
    yield from faults[:NAMED]
    if len(faults) > NAMED:
        yield f"{path}: and {len(faults) - NAMED} more such lines"
