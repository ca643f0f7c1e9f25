"""The looks of every night from a landing on, both windows at a time, and what they come to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dream.audit.assessment import ErrorState, Estimate
from dream.audit.gate import Lack, lacking
from dream.audit.looks import Look, compared, look, told_by
from dream.audit.observed import Observed
from dream.audit.series import Span
from dream.audit.spending import closing, p_value
from dream.plan import Plan

FAR = 3.9
"""A log ratio beyond it is none: one side has no error at all."""


@dataclass(frozen=True, slots=True)
class Night:
    """One night. day: the first one not seen; lack: what the gates lack; z: of a closing look."""

    day: int
    excluding: Look | None
    including: Look | None
    lack: Lack | None
    z: float | None = None

    @property
    def looks(self) -> list[Look]:
        return [each for each in (self.excluding, self.including) if each is not None]

    @property
    def ready(self) -> bool:
        """Whether all gates are passed, in both windows."""
        return self.lack is None

    @property
    def closing(self) -> bool:
        return self.z is not None


def spans(plan: Plan, landed: int) -> tuple[Span, Span]:
    """The days before a landing without the burst that led to it, and with it."""
    border = landed - plan.windows.detection
    first = border - plan.windows.before
    return (first, border), (first, landed)


def nights(plan: Plan, seen: Observed, stop: int, last: int) -> list[Night]:
    """Every night up to stop. last: the day of the last closing look, from the plan or a cut."""
    limits = closing(plan.budget.closing, plan.budget.looks)
    due = {
        seen.landed + round(plan.windows.horizon * (n + 1) / len(limits)): z
        for n, z in enumerate(limits)
    }
    due = {day: z for day, z in due.items() if day < last} | {last: limits[-1]}
    first = seen.landed + plan.windows.grace + 1
    return [night_of(plan, seen, day, due.get(day)) for day in range(first, stop + 1)]


def night_of(plan: Plan, seen: Observed, day: int, z: float | None) -> Night:
    """One night. z: of a closing look."""
    without, whole = spans(plan, seen.landed)
    chosen = compared(plan, seen, without, day)
    excluding = told_by(plan, chosen)
    if chosen.level == "A":
        return Night(day, excluding, excluding, lacking(plan, excluding, excluding), z)
    including = look(plan, seen, whole, day, chosen.level if excluding else "")
    return Night(day, excluding, including, lacking(plan, excluding, including), z)


def interval(told: Look, z: float | None) -> tuple[float | None, float | None]:
    """Of one window, as logs: the likelihood interval on a closing look, else the nightly one."""
    return (told.low, told.high) if z is None else told.likelihood.likely(z)


def estimated(told: Look | None, z: float | None) -> Estimate:
    """The same as ratios."""
    if told is None:
        return Estimate()
    low, high = interval(told, z)
    return Estimate(
        None if low is None else math.exp(low),
        math.exp(told.log_ratio) if abs(told.log_ratio) < FAR else None,
        None if high is None else math.exp(high),
    )


def bracket(night: Night, z: float | None = None) -> Estimate:
    """The union of both windows' intervals; its point is their mean on the log scale."""
    both = [estimated(each, z) for each in night.looks]
    lows, highs = [each.low for each in both], [each.high for each in both]
    points = [each.point for each in both if each.point is not None]
    return Estimate(
        None if None in lows else min((low for low in lows if low is not None), default=None),
        math.exp(math.fsum(map(math.log, points)) / len(points)) if points else None,
        None if None in highs else max((high for high in highs if high is not None), default=None),
    )


def beyond(ratio: Estimate) -> ErrorState:
    """Fewer or more where an interval excludes 1, else open."""
    if ratio.high is not None and ratio.high < 1:
        return "fewer"
    if ratio.low is not None and ratio.low > 1:
        return "more"
    return "open"


@dataclass(frozen=True, slots=True)
class Course:
    """What all nights up to now come to. e-values and p of each direction, over both windows."""

    state: ErrorState
    crossed: int | None  # the night on which a boundary was first crossed, as in Night.day
    e_fewer: float
    e_more: float
    p_fewer: float
    p_more: float
    constant: bool  # the nightly intervals have something in common
    tested: bool  # on any night


def course(plan: Plan, told: Sequence[Night]) -> Course:
    """The first night beyond a boundary decides: what was found stays found.

    p of a direction is valid on any night: the e-value has its share of the budget, and so have
    the closing looks.
    """
    ready = [night for night in told if night.ready]
    nothing: tuple[int | None, ErrorState] = (None, "open")
    found = ((night.day, _crossing(night)) for night in ready)
    crossed, state = next((each for each in found if each[1] != "open"), nothing)
    fewer = max((min(each.fewer for each in night.looks) for night in ready), default=0.0)
    more = max((min(each.more for each in night.looks) for night in ready), default=0.0)
    closed = [night for night in ready if night.closing]
    return Course(
        state,
        crossed,
        fewer,
        more,
        _p(plan, fewer, [min(-each.root for each in night.looks) for night in closed]),
        _p(plan, more, [min(each.root for each in night.looks) for night in closed]),
        _constant(ready),
        bool(ready),
    )


def _crossing(night: Night) -> ErrorState:
    state = beyond(bracket(night))
    return beyond(bracket(night, night.z)) if state == "open" and night.closing else state


def _p(plan: Plan, e: float, z: Sequence[float]) -> float:
    budget = plan.budget
    anytime = budget.whole / budget.any_night / e if e > 0 else 1.0
    late = p_value(z, budget.closing, budget.looks) * budget.whole / budget.closing
    return min(1.0, anytime, late)


def _constant(ready: Sequence[Night]) -> bool:
    """Whether one effect would do for all nights: their intervals have something in common."""
    low, high = 0.0, math.inf
    for night in ready:
        each = bracket(night)
        low, high = max(low, each.low or 0.0), min(high, each.high or math.inf)
    return low <= high
