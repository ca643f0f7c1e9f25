"""The least data before anything is said: what is lacking, and when it may be there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dream.audit.looks import Look
from dream.plan import Plan


@dataclass(frozen=True, slots=True)
class Lack:
    """What the gates lack: the reason's code, and in words."""

    reason: str
    words: str


def lacking(plan: Plan, excluding: Look | None, including: Look | None) -> Lack | None:
    """None when all gates are passed, in both windows."""
    if including is None:
        return Lack("no_overlap", "runs of the same kind on both sides")
    new = excluding is None or not excluding.errors[0]
    if new and including.errors[0] >= plan.gates.errors_before:
        return Lack("no_history_outside_burst", "errors from before the days that led to it")
    lack = _in_one(plan, including)
    return _in_one(plan, excluding) if lack is None and excluding is not None else lack


def _in_one(plan: Plan, told: Look) -> Lack | None:
    """What one window lacks, in strata that both sides have."""
    gates, (before, after) = plan.gates, told.errors
    early, late = told.compared.days(False), told.compared.days(True)
    if before + after < gates.errors:
        return Lack("too_few_errors", f"{gates.errors - before - after:.0f} more errors")
    if before < gates.errors_before:
        missing = gates.errors_before - before
        return Lack("too_few_errors", f"{missing:.0f} more errors before it landed")
    if min(early, late) < gates.days:
        side = "after" if late < early else "before"
        missing = gates.days - min(early, late)
        return Lack("too_few_days", f"{missing} more days of work {side} it landed")
    if math.sqrt(told.spread) >= gates.control_sd:
        return Lack("controls_too_noisy", "controls that change less by themselves")
    return None


def opens(plan: Plan, looks: Sequence[Look], nights: int) -> int | None:
    """In how many nights the gates may be passed at the present rate; None: not in sight.

    looks: of the last night, one a window. nights: since the landing.
    """
    waits = [_wait(plan, told, nights) for told in looks]
    longest = max(waits, default=math.inf)
    if not math.isfinite(longest) or longest > plan.windows.horizon - nights:
        return None
    return math.ceil(longest) if longest > 0 else None


def _wait(plan: Plan, told: Look, nights: int) -> float:
    gates, (before, after) = plan.gates, told.errors
    early, late = told.compared.days(False), told.compared.days(True)
    if before < gates.errors_before or early < gates.days:
        return math.inf  # what was before does not grow
    waits = [0.0]
    if before + after < gates.errors:
        waits.append((gates.errors - before - after) * nights / after if after else math.inf)
    if late < gates.days:
        waits.append((gates.days - late) * nights / late if late else math.inf)
    return max(waits)
