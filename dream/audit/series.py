"""Runs of one unit as columns, and their sums by side and stratum.

A unit is what has a before and an after of its own: the rule's project with the class it is about,
or a control. Columns, since a night audits hundreds of rules over the same runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dream.audit.rates import Stratum

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


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

    def where(self, chosen: Flags) -> "Series":
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


def sides(runs: Series, before: Sequence[tuple[int, int]], after: tuple[int, int]) -> Sides:
    """before, after: spans of days, the first in and the last out. Runs without an occasion or in
    neither span are left out; those whose stratum the other side lacks are pruned.
    """
    early = np.zeros(len(runs), dtype=np.bool_)
    for first, end in before:
        early |= (runs.day >= first) & (runs.day < end)
    late = (runs.day >= after[0]) & (runs.day < after[1])
    kept = runs.where((early | late) & (runs.occasions > 0))
    is_after = (kept.day >= after[0]) & (kept.day < after[1])
    both = np.intersect1d(kept.stratum[is_after], kept.stratum[~is_after])
    matched = np.isin(kept.stratum, both)
    shown = kept.where(matched)
    codes = np.searchsorted(both, shown.stratum).astype(np.int64)
    return Sides(shown, is_after[matched], codes, int((~matched).sum()))
