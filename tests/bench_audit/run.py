"""Many simulated archives of one world, each audited on sixty nights; what came out, counted."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dream.audit.assess import assess
from dream.audit.assessment import Assessment, Estimate
from dream.plan import Plan
from tests.bench_audit.observe import PLAN, Naive, naive, observed
from tests.bench_audit.scenarios import World, is_null
from tests.bench_audit.simulate import archive

NIGHTS = 60


@dataclass(frozen=True, slots=True)
class Trial:
    """One archive: what the audit said after sixty nights, and what a plain comparison did."""

    verdict: str
    reasons: tuple[str, ...]
    level: str
    fewer: bool
    more: bool
    shorter: bool
    longer: bool
    covered: bool | None  # by the interval of the last night; None without one
    covered_always: bool | None
    path_covered: bool | None
    log_ratio: float | None
    first: int | None  # night on which a boundary was first crossed
    p_fewer: float
    p_more: float
    naive_fewer: bool
    naive_more: bool
    naive_covered: bool
    naive_covered_always: bool
    naive_shorter: bool
    naive_longer: bool
    seconds: float  # of the audit of all nights


def trial(world: World, seed: Sequence[int], plan: Plan = PLAN) -> Trial:
    seen = archive(world, np.random.default_rng(list(seed)))
    told = observed(seen, world)
    began = time.process_time()
    made = assess(plan, told)
    spent = time.process_time() - began
    plain = naive(seen, range(1, NIGHTS + 1))
    return _counted(world, made, plain, spent)


def _counted(world: World, made: Assessment, plain: Sequence[Naive], spent: float) -> Trial:
    log = math.log(world.rate_ratio)
    every = [each for _, each in made.nights]
    return Trial(
        made.verdict,
        made.reasons,
        made.level,
        made.error == "fewer",
        made.error == "more",
        bool(made.path and made.path.state == "shorter"),
        bool(made.path and made.path.state == "longer"),
        _holds(made.ratio, log) if every else None,
        (all(_holds(each, log) for each in (*every, made.ratio))) if every else None,
        _holds(made.path.ratio, math.log(world.path_ratio)) if made.path else None,
        math.log(made.ratio.point) if made.ratio.point else None,
        (made.crossed.toordinal() - PLAN.landed.toordinal() + 1) if made.crossed else None,
        made.p_fewer,
        made.p_more,
        any(each.high < 0 for each in plain),
        any(each.low > 0 for each in plain),
        plain[-1].low <= log <= plain[-1].high,
        all(each.low <= log <= each.high for each in plain if not math.isnan(each.low)),
        any(each.path_high < 0 for each in plain),
        any(each.path_low > 0 for each in plain),
        spent,
    )


def _holds(told: Estimate, log: float) -> bool:
    low = -math.inf if told.low is None else math.log(told.low)
    high = math.inf if told.high is None else math.log(told.high)
    return low <= log <= high


def right(world: World, one: Trial) -> bool:
    """Whether the errors' direction is the one that was planted."""
    return one.fewer if world.rate_ratio < 1 else one.more if world.rate_ratio > 1 else False


def wrong(world: World, one: Trial) -> bool:
    """Whether a direction was told that was not planted."""
    if is_null(world):
        return one.fewer or one.more
    return one.more if world.rate_ratio < 1 else one.fewer
