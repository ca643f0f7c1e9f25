"""From the looks of all nights to a verdict: gates, brackets of both windows, the words."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from dream.audit.assessment import ErrorState, Estimate, PathResult
from dream.audit.looks import Look
from dream.plan import Plan

FAR = 3.9
"""A log ratio beyond it is none: one side has no error at all."""


@dataclass(frozen=True, slots=True)
class Night:
    day: int  # the first day not seen
    excluding: Look | None
    including: Look | None
    missing: str

    @property
    def looks(self) -> list[Look]:
        return [each for each in (self.excluding, self.including) if each is not None]

    @property
    def open(self) -> bool:
        """Whether all gates are passed."""
        return not self.missing and len(self.looks) == 2


def estimated(told: Look | None, *, closing: bool) -> Estimate:
    if told is None:
        return Estimate()
    low, high = (told.closing_low, told.closing_high) if closing else (told.low, told.high)
    return Estimate(
        None if low is None else math.exp(low),
        math.exp(told.log_ratio) if abs(told.log_ratio) < FAR else None,
        None if high is None else math.exp(high),
    )


def bracket(night: Night, *, closing: bool) -> Estimate:
    """The union of both windows' intervals; its point is their mean on the log scale."""
    both = [estimated(each, closing=closing) for each in night.looks]
    lows, highs = [each.low for each in both], [each.high for each in both]
    points = [each.point for each in both if each.point is not None]
    return Estimate(
        None if None in lows else min(low for low in lows if low is not None),
        math.exp(sum(map(math.log, points)) / len(points)) if points else None,
        None if None in highs else max(high for high in highs if high is not None),
    )


def state_of(ratio: Estimate) -> tuple[ErrorState, bool]:
    """The state, and whether an interval excludes 1."""
    if ratio.high is not None and ratio.high < 1:
        return "fewer", True
    if ratio.low is not None and ratio.low > 1:
        return "more", True
    return "open", False


def lacking(plan: Plan, out: Look | None, inn: Look | None) -> str:
    """What the gates lack, in words; "" when they are passed."""
    told = inn or out
    if told is None:
        return "runs of the same kind on both sides"
    gates = plan.gates
    before, after = told.errors
    short = gates.errors - (before + after)
    if short > 0:
        return f"{short:.0f} more errors"
    if before < gates.errors_before:
        return f"{gates.errors_before - before:.0f} more errors before it landed"
    days = told.compared.days(False), told.compared.days(True)
    if min(days) < gates.days:
        side = "after" if days[1] < days[0] else "before"
        return f"{gates.days - min(days)} more days of work {side} it landed"
    if math.sqrt(told.spread) >= gates.control_sd:
        return "controls that change less by themselves"
    return ""


def verdict_of(
    plan: Plan,
    last: Night,
    state: ErrorState,
    path: PathResult | None,
    ready: Sequence[Night],
) -> tuple[str, tuple[str, ...]]:
    if last.excluding is None and last.including is not None:
        return "not comparable", ("no_history_outside_burst",)
    if not last.open:
        few = "too_few_days" if "days" in last.missing else "too_few_errors"
        noisy = "controls" in last.missing
        return "no effect shown", ("controls_too_noisy" if noisy else few,)
    if _empty(ready):
        return "changed over time", ()
    way = path.state if path else "open"
    if state == "fewer":
        return ("mixed" if way == "longer" else "helped"), ()
    if state == "more":
        return ("mixed" if way == "shorter" else "hurt"), ()
    if way == "longer" and plan.path in ("target", "guardrail"):
        return "hurt (path)", ()
    if way == "shorter" and plan.path == "target":
        return "helped (path)", ()
    return ("neutral" if state == "equivalent" else "no effect shown"), ()


def _empty(ready: Sequence[Night]) -> bool:
    """Whether the nightly intervals have nothing in common: the effect is not constant."""
    low, high = 0.0, math.inf
    for night in ready:
        each = bracket(night, closing=False)
        low, high = max(low, each.low or 0.0), min(high, each.high or math.inf)
    return low > high


def gate_opens(plan: Plan, last: Night, told: Sequence[Night]) -> date | None:
    """When the gates may be passed at the present rate; None when that is not in sight."""
    told_look = last.including or last.excluding
    if not last.missing or told_look is None:
        return None
    before, after = told_look.errors
    days, nights = told_look.compared.days(True), len(told)
    errors = plan.gates.errors - (before + after)
    needed = [0.0]
    if before < plan.gates.errors_before or told_look.compared.days(False) < plan.gates.days:
        return None
    if errors > 0:
        needed.append(errors * nights / after if after else math.inf)
    if days < plan.gates.days:
        needed.append((plan.gates.days - days) * nights / days if days else math.inf)
    wait = max(needed)
    if not math.isfinite(wait) or wait <= 0 or wait > plan.windows.horizon - nights:
        return None
    return date.fromordinal(last.day - 1 + math.ceil(wait))
