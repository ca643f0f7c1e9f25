"""What else moved in the runs of a rule, and what its own practice brought."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dream.audit.beside import Moved, classes_beside, sides_of, tools_beside
from dream.audit.outcomes import Outcome
from dream.audit.output import Outputs, outputs
from dream.audit.page_evidence import Evidence
from dream.audit.practised import practised_calls
from dream.detector import FAMILIES
from dream.types import Rows

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Beside:
    """Classes of errors, tools, and lengths of results, on both sides."""

    classes: tuple[Moved, ...]
    tools: tuple[Moved, ...]
    results: Outputs | None


def beside(
    rows: Rows, seen: Evidence, before: Sequence[Outcome], after: Sequence[Outcome]
) -> Beside:
    """What else moved in the runs that stand on a side."""
    early, late = [o.work for o in before], [o.work for o in after]
    aim = seen.plan.aim
    classes = list(seen.facts.classes.values())
    done, calls = practised_calls(rows, aim, classes, late, seen.usage.after.done)
    ids = [work.run.run_id for work in early], [work.run.run_id for work in late]
    sides = sides_of(seen.columns, *ids)
    moved = classes_beside(sides, classes, done, calls)
    shown = [each for each in moved if each.brought]
    whole = {each.name for each in moved}  # a kind is told by its cause, when that is told
    shown += [
        each
        for each in moved
        if not each.brought
        and each.how != "few"
        and (": " not in each.name or each.name.partition(": ")[0] not in whole)
    ]
    tools = tuple(
        replace(each, aimed=aim.kind == "errors" and each.name in aim.tools)
        for each in tools_beside(sides)
        if each.how != "few"
    )
    used = _tools_of(seen)
    results = outputs(rows, *ids, used) if used else None
    return Beside(tuple(_aimed(each, seen) for each in shown[:SHOWN]), tools[:SHOWN], results)


def _aimed(each: Moved, seen: Evidence) -> Moved:
    return replace(each, aimed=each.name == seen.plan.aim.target)


def _tools_of(seen: Evidence) -> tuple[str, ...]:
    """The tools that a practice is about: whether their results changed is asked, too."""
    among = [each.get("among", {}) for each in seen.plan.aim.practices]
    shell = any(each.get("tool") == "shell" or each.get("program") for each in among)
    present = {tool for each in seen.own for tool in each.work.tools}
    return tuple(sorted(FAMILIES["shell"] & present)) if shell else ()
