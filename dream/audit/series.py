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
    """A series with each run on a side; only strata that both sides have are kept."""

    runs: Series
    after: Flags
    codes: Ints  # stratum, from 0
    rows: Ints  # places in the series; -1 for a run that was withheld the rule
    pruned: int  # runs in strata of one side only

    @property
    def count(self) -> int:
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    def summed(self, values: Floats, side: Flags) -> Floats:
        """Per stratum."""
        found = np.bincount(self.codes[side], weights=values[side], minlength=self.count)
        return found.astype(np.float64)

    def strata(self) -> list[Stratum]:
        errors, occasions = self.runs.errors, self.runs.occasions
        columns = (
            self.summed(errors, ~self.after),
            self.summed(errors, self.after),
            self.summed(occasions, ~self.after),
            self.summed(occasions, self.after),
        )
        return [Stratum(*map(float, row)) for row in zip(*columns, strict=True)]

    def days(self, after: bool) -> int:
        """Active days of a side."""
        return len(np.unique(self.runs.day[self.after == after]))


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
    runs, is_after, rows = runs.where(counted), is_after[counted], rows[counted]
    both = np.intersect1d(runs.stratum[is_after], runs.stratum[~is_after])
    matched = np.isin(runs.stratum, both)
    shown = runs.where(matched)
    codes = np.searchsorted(both, shown.stratum).astype(np.int64)
    return Sides(shown, is_after[matched], codes, rows[matched], int((~matched).sum()))
