"""What the statistics take: a rule's own runs beside its controls, as columns."""

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
    return replace(
        seen,
        own=_ordered(seen.own),
        fine=_ordered(seen.fine),
        by_project=tuple(map(_ordered, seen.by_project)),
        by_class=tuple(map(_ordered, seen.by_class)),
        withheld=_ordered(seen.withheld) if seen.withheld is not None else None,
    )


def since(seen: Observed, first: int) -> Observed:
    """Without the days between the landing and another one, in every unit."""

    def kept(series: Series) -> Series:
        return series.where((series.day < seen.landed) | (series.day >= first))

    return replace(
        seen,
        own=kept(seen.own),
        fine=kept(seen.fine),
        by_project=tuple(map(kept, seen.by_project)),
        by_class=tuple(map(kept, seen.by_class)),
        withheld=kept(seen.withheld) if seen.withheld is not None else None,
    )


def _ordered(series: Series) -> Series:
    return series.where(order(series))
