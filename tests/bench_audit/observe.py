"""A simulated archive as the audit sees it, and as who compares before with after sees it."""

import math
from dataclasses import dataclass
from datetime import date

import numpy as np

from dream.aim import Aim
from dream.audit.observed import Observed
from dream.audit.series import Series
from dream.plan import Plan
from dream.types import Scope
from tests.bench_audit.scenarios import World
from tests.bench_audit.simulate import Archive, Floats

LANDED = date(2026, 3, 2)
ZERO = LANDED.toordinal()
PLAN = Plan(
    "rule-00000001", "r1", LANDED, "UTC", Scope(project="p"), Aim("errors", "first"), "d1"
)  # fmt: skip


def series(seen: Archive, project: int, kind: int, fine: np.ndarray, name: str) -> Series:
    """One project's runs with one class of error; day 0 is the landing."""
    mine = (seen.project == project) & ~seen.withheld
    return _series(seen, mine, kind, fine, name)


def _series(seen: Archive, mine: np.ndarray, kind: int, fine: np.ndarray, name: str) -> Series:
    stratum = seen.task * 3 + seen.size + 12 * fine
    return Series(
        name, seen.day[mine] + ZERO, stratum[mine], seen.session[mine], seen.errors[mine, kind],
        seen.calls[mine], seen.calls[mine], seen.aborted[mine],
    )  # fmt: skip


def observed(seen: Archive, world: World, end: int = 60, own: int | None = None) -> Observed:
    """All runs; the audit stops after `end` days."""
    own = seen.own if own is None else own
    plain = np.zeros(len(seen.day), dtype=np.int64)
    newer = (seen.day >= world.upgrade).astype(np.int64) if world.upgrade is not None else plain
    others = [p for p in range(int(seen.project.max()) + 1) if p != own]
    held = (seen.project == own) & seen.withheld
    return Observed(
        own=series(seen, own, 0, plain, "own"),
        fine=series(seen, own, 0, newer, "own"),
        by_project=tuple(series(seen, p, 0, plain, f"p{p}") for p in others),
        by_class=tuple(series(seen, own, k, plain, f"c{k}") for k in (1, 2, 3)),
        landed=ZERO,
        end=ZERO + end,
        withheld=_series(seen, held, 0, plain, "own") if held.any() else None,
        cut=(ZERO + world.other_rule, "co_intervention") if world.other_rule else None,
    )


@dataclass(frozen=True, slots=True)
class Naive:
    """On one night: errors and path, before and after put side by side. Limits are logs."""

    low: float
    high: float
    path_low: float
    path_high: float


def naive(seen: Archive, nights: range) -> list[Naive]:
    """Pooled rates of 60 days before and of all days after, Wald 95 %; Welch on completed paths."""
    mine = seen.project == seen.own
    early = mine & (seen.day >= -60) & (seen.day < 0)
    return [_naive(seen, early, mine & (seen.day >= 0) & (seen.day < n)) for n in nights]


def _naive(seen: Archive, early: np.ndarray, late: np.ndarray) -> Naive:
    yb, ya = float(seen.errors[early, 0].sum()), float(seen.errors[late, 0].sum())
    eb, ea = float(seen.calls[early].sum()), float(seen.calls[late].sum())
    low = high = math.nan
    if yb and ya:
        log, reach = math.log(ya / ea / (yb / eb)), 1.96 * math.sqrt(1 / yb + 1 / ya)
        low, high = log - reach, log + reach
    whole = ~seen.aborted
    a, b = np.log(seen.calls[late & whole]), np.log(seen.calls[early & whole])
    if len(a) < 2 or len(b) < 2:
        return Naive(low, high, math.nan, math.nan)
    reach = 1.96 * math.sqrt(_variance(a) + _variance(b))
    middle = float(a.mean() - b.mean())
    return Naive(low, high, middle - reach, middle + reach)


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) / len(values)
