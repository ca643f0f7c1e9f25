"""From what all nights come to, to a word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dream.audit.assessment import Assessment, ErrorState, Estimate, PathState
from dream.audit.gate import Lack
from dream.plan import Plan

FOUND = ("helped", "hurt", "mixed")
DOUBTS = {"placebo_date": "placebo_moved", "negative_controls": "negative_control_moved"}
"""Other ways to ask that may speak against a finding, and the reason's code."""


@dataclass(frozen=True, slots=True)
class Verdict:
    word: str
    reasons: tuple[str, ...] = ()


def verdict_of(
    plan: Plan,
    error: ErrorState,
    path: PathState,
    lack: Lack | None,
    *,
    constant: bool,
    closed: bool,
) -> Verdict:
    """lack: of the last night. What was found before it, with open gates, stays found."""
    if error in ("fewer", "more"):
        return _of_errors(error, path) if constant else Verdict("changed over time")
    if lack is not None:
        never = lack.reason == "no_history_outside_burst"
        return Verdict("not comparable" if closed or never else "no effect shown", (lack.reason,))
    if not constant:
        return Verdict("changed over time")
    if path == "longer" and plan.path in ("target", "guardrail"):
        return Verdict("hurt (path)")
    if path == "shorter" and plan.path == "target":
        return Verdict("helped (path)")
    return Verdict("neutral" if error == "equivalent" else "no effect shown")


def _of_errors(error: ErrorState, path: PathState) -> Verdict:
    if error == "fewer":
        return Verdict("mixed" if path == "longer" else "helped")
    return Verdict("mixed" if path == "shorter" else "hurt")


def equivalent(plan: Plan, ratio: Estimate) -> bool:
    """Whether an interval lies inside the margin."""
    margin = plan.budget.rate_margin
    low, high = ratio.low, ratio.high
    return low is not None and high is not None and 1 / margin <= low and high <= margin


def after_cut(made: Assessment, reason: str) -> Assessment:
    """What was found before a cut stays; what was open then cannot be told any more.

    Where the rule itself was changed (reason "") the audit just ends early.
    """
    if reason and made.verdict in ("no effect shown", "not comparable"):
        return replace(made, verdict="not comparable", reasons=(reason,))
    return made


def doubted(made: Assessment) -> Assessment:
    """A finding that another way of asking speaks against is no more than suggestive."""
    reasons = _doubts(made)
    if made.verdict not in FOUND or not reasons:
        return made
    return replace(made, verdict="suggestive", reasons=(*made.reasons, *reasons))


def _doubts(made: Assessment) -> Sequence[str]:
    return [DOUBTS[each.way] for each in made.other_ways if each.moved and each.way in DOUBTS]
