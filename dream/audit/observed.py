"""What the statistics take: a rule's own runs beside its controls, as columns."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dream.audit.series import Ints, Series


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen of a rule. Days are ordinals of local dates; `end` is the first not seen yet.

    own: its runs before and after. fine: the same with model and agent in the strata, for level C.
    by_project: the same errors where no such rule is. by_class: other errors in its own runs.
    withheld: runs after the landing that were not told the rule, by lot (level A). cut: the day
    from which on the effect cannot be told apart, and the reason's code. lost: share of the known
    sessions before and after that the archive no longer holds.
    """

    own: Series
    fine: Series
    by_project: tuple[Series, ...]
    by_class: tuple[Series, ...]
    landed: int
    end: int
    withheld: Series | None = None
    cut: tuple[int, str] | None = None
    lost: tuple[float, float] = (0.0, 0.0)


def order(series: Series) -> Ints:
    """An order that hangs on the runs alone, so that no sum hangs on how they came."""
    keys = (
        series.cut_off, series.steps, series.occasions, series.errors, series.stratum, series.day,
    )  # fmt: skip
    return np.lexsort(keys)


def ordered(seen: Observed) -> Observed:
    """The same with the runs of every unit in that order."""
    return each_unit(seen, _ordered)


def in_cells(seen: Observed) -> Observed:
    """The same with the runs of one day and kind as one: all that a look at errors needs."""
    return each_unit(seen, _in_cells)


def _in_cells(series: Series) -> Series:
    counted = np.flatnonzero(series.occasions > 0)
    kinds = int(series.stratum.max(initial=0)) + 1
    keys, codes = np.unique(
        series.day[counted] * kinds + series.stratum[counted], return_inverse=True
    )
    errors, occasions = (
        np.bincount(codes, weights=each[counted], minlength=len(keys)).astype(np.float64)
        for each in (series.errors, series.occasions)
    )
    nothing = np.zeros(len(keys), dtype=np.int64)
    return Series(
        series.unit, keys // kinds, keys % kinds, nothing, errors, occasions,
        nothing.astype(np.float64), nothing.astype(np.bool_),
    )  # fmt: skip


def since(seen: Observed, first: int) -> Observed:
    """Without the days between the landing and another one, in every unit."""

    def kept(series: Series) -> Series:
        return series.where((series.day < seen.landed) | (series.day >= first))

    return each_unit(seen, kept)


def each_unit(seen: Observed, change: Callable[[Series], Series]) -> Observed:
    """With every unit changed."""
    return replace(
        seen,
        own=change(seen.own),
        fine=change(seen.fine),
        by_project=tuple(map(change, seen.by_project)),
        by_class=tuple(map(change, seen.by_class)),
        withheld=change(seen.withheld) if seen.withheld is not None else None,
    )


def _ordered(series: Series) -> Series:
    return series.where(order(series))
