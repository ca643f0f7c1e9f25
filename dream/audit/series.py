"""Runs of one unit as columns, and their sums by side and stratum.

A unit is what has a before and an after of its own: the rule's project with the class it is about,
or a control. Columns, since a night audits hundreds of rules over the same runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dream.audit.rates import Stratum

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Span = tuple[int, int]  # ordinals of days: the first in, the last out


@dataclass(frozen=True, slots=True)
class Series:
    """One entry a run, in any order; nothing that is made of it depends on the order.

    day: ordinal of the local date on which its session began. stratum, session: numbers that are
    equal for equal ones. steps: length of the path, calls; 0 where it is not told.
    """

    unit: str
    day: Ints
    stratum: Ints
    session: Ints
    errors: Floats
    occasions: Floats
    steps: Floats
    cut_off: Flags  # the path would have gone on

    def where(self, chosen: Flags | Ints) -> "Series":
        return Series(
            self.unit, self.day[chosen], self.stratum[chosen], self.session[chosen],
            self.errors[chosen], self.occasions[chosen], self.steps[chosen], self.cut_off[chosen],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.day)


@dataclass(frozen=True, slots=True)
class Sides:
    """A series with each run on a side; only strata that both sides have are kept.

    errors, occasions: [stratum, side], the side before the landing first.
    """

    runs: Series
    after: Flags
    codes: Ints  # stratum, from 0
    rows: Ints  # places in the series; -1 for a run that was withheld the rule
    errors: Floats
    occasions: Floats
    pruned: int  # runs in strata of one side only

    def strata(self) -> list[Stratum]:
        columns = np.concatenate([self.errors, self.occasions], axis=1)
        return [Stratum(*row) for row in columns.tolist()]

    def days(self, after: bool) -> int:
        """Active days of a side."""
        day = self.runs.day[self.after == after]
        return int(np.count_nonzero(np.bincount(day - day.min()))) if len(day) else 0


def sides(runs: Series, before: Span, after: Span) -> Sides:
    """Runs by their day. Those in neither span are left out."""
    early = (runs.day >= before[0]) & (runs.day < before[1])
    late = (runs.day >= after[0]) & (runs.day < after[1])
    rows = np.flatnonzero(early | late)
    return _matched(runs.where(rows), late[rows], rows)


def by_lot(told: Series, withheld: Series, after: Span) -> Sides:
    """Runs of the same days by what a lot gave them; those it was withheld from stand before."""
    rows = np.flatnonzero((told.day >= after[0]) & (told.day < after[1]))
    others = np.flatnonzero((withheld.day >= after[0]) & (withheld.day < after[1]))
    runs = joined([withheld.where(others), told.where(rows)])
    is_after = np.repeat([False, True], [len(others), len(rows)])
    return _matched(runs, is_after, np.concatenate([np.full(len(others), -1), rows]))


def joined(parts: Sequence[Series]) -> Series:
    """One series of several; equal numbers of strata and sessions are the same in all of them."""
    names = [each.name for each in fields(Series) if each.name != "unit"]
    columns = [np.concatenate([getattr(each, name) for each in parts]) for name in names]
    return Series(parts[0].unit, *columns)


def _matched(runs: Series, is_after: Flags, rows: Ints) -> Sides:
    """Runs without an occasion are left out; those of strata the other side lacks are pruned."""
    counted = runs.occasions > 0
    side = is_after.astype(np.int64)
    found = np.bincount(2 * runs.stratum[counted] + side[counted], minlength=2)
    both: Flags = np.logical_and(found[0 : len(found) // 2 * 2 : 2], found[1::2])
    known = runs.stratum < len(both)
    kept = np.flatnonzero(counted & known & both[np.where(known, runs.stratum, 0)])
    shown, codes = runs.where(kept), (np.cumsum(both) - 1)[runs.stratum[kept]]
    pair, size = 2 * codes + side[kept], 2 * int(both.sum())
    errors, occasions = (
        np.bincount(pair, weights=each, minlength=size).reshape(-1, 2).astype(np.float64)
        for each in (shown.errors, shown.occasions)
    )
    pruned = int(counted.sum()) - len(kept)
    return Sides(shown, is_after[kept], codes, rows[kept], errors, occasions, pruned)
