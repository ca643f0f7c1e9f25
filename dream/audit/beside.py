"""What else moved beside a rule: other errors, in the same runs, before it and after it.

None of this is credited to the rule or held against it, with one exception: errors of a class that
stands in calls which do what the rule asks for, and hardly in others. What moves with no rule
behind it shows how much moves by itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np

from dream.audit.columns import Columns
from dream.audit.errors_of import ErrorClass
from dream.audit.series import Floats, Ints

How = Literal["more", "fewer", "still", "few"]
"""still: no difference beyond what sessions differ by. few: too few to say."""

LEAST = 5
"""Errors on both sides together under which nothing is said of a class."""
BY_PRACTICE = 0.8
"""Share of a class' errors after landing, in calls that do what the rule asks, from which
the rule brought them: if they are also far more frequent there than in other calls."""
FAR = 5.0
"""So many times as frequent is far more."""
ERROR = 0.05  # over all rows together


@dataclass(frozen=True, slots=True)
class Rate:
    """Errors of one side, and the calls that could have been such."""

    errors: int
    of: int

    @property
    def share(self) -> float | None:
        return self.errors / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Moved:
    """One tool or class of errors. ratio: after by before, with an interval over all rows."""

    name: str
    what: Literal["tool", "class"]
    before: Rate
    after: Rate
    ratio: float | None
    low: float | None
    high: float | None
    how: How
    practised: Rate | None = (
        None  # after: errors in calls that do what the rule asks, of these calls
    )
    brought: bool = False  # by the rule's own practice
    aimed: bool = False  # it is what the rule is about: no drift, and told elsewhere


@dataclass(frozen=True, slots=True)
class Sides:
    """The runs that stand on a side, as places in the columns."""

    known: Columns
    before: Ints
    after: Ints


@dataclass(frozen=True, slots=True)
class _Seen:
    """Errors and calls of one side by session."""

    errors: Floats
    calls: Floats

    def rate(self) -> Rate:
        return Rate(int(self.errors.sum()), int(self.calls.sum()))


def sides_of(known: Columns, before: Iterable[str], after: Iterable[str]) -> Sides:
    """By the ids of runs."""
    early = np.array(sorted(known.rows[run] for run in before), dtype=np.int64)
    late = np.array(sorted(known.rows[run] for run in after), dtype=np.int64)
    return Sides(known, early, late)


def tools_beside(sides: Sides) -> tuple[Moved, ...]:
    """Every tool with failed calls, by its name."""
    both = np.concatenate([sides.before, sides.after])
    told = {
        name: (_seen(sides.known, sides.before, failed, calls),
               _seen(sides.known, sides.after, failed, calls))
        for name, (calls, failed) in sides.known.tools().items()
        if failed[both].any()
    }  # fmt: skip
    return tuple(_moved(name, "tool", *pair, of=len(told)) for name, pair in told.items())


def classes_beside(
    sides: Sides,
    classes: Iterable[ErrorClass],
    practised: frozenset[str] = frozenset(),
    practised_calls: int = 0,
) -> tuple[Moved, ...]:
    """The classes of errors that stand in these runs, the most frequent first.

    practised: ids of failed calls after landing that did what the rule asks; practised_calls: all
    calls after landing that did.
    """
    both = np.concatenate([sides.before, sides.after])
    told = {}
    for one in _once(classes):
        errors = sides.known.failed_calls(one)
        if errors[both].any():
            calls = sides.known.calls(sorted(one.tools))
            old = _seen(sides.known, sides.before, errors, calls)
            new = _seen(sides.known, sides.after, errors, calls)
            told[one.name] = (one, old, new)
    ranked = sorted(told, key=lambda n: (-told[n][1].rate().errors - told[n][2].rate().errors, n))
    inside = {sides.known.facts.work[row].run.run_id for row in sides.after.tolist()}
    found = []
    for name in ranked:
        one, old, new = told[name]
        made = _moved(name, "class", old, new, of=len(told))
        stood = {call for run, ids in one.runs.items() if run in inside for call in ids}
        found.append(_with_practice(made, Rate(len(stood & practised), practised_calls)))
    return tuple(found)


def _once(classes: Iterable[ErrorClass]) -> Iterator[ErrorClass]:
    """A cause that has one kind only is left to that kind, which says more."""
    listed = list(classes)
    kinds = {(one.name.partition(": ")[0], one.total) for one in listed if ": " in one.name}
    return (one for one in listed if (one.name, one.total) not in kinds)


def _with_practice(made: Moved, practised: Rate) -> Moved:
    if not practised.of:
        return made
    others = Rate(made.after.errors - practised.errors, made.after.of - practised.of)
    often = (practised.share or 0) > FAR * (others.share or 0)
    most = practised.errors >= max(LEAST, BY_PRACTICE * made.after.errors)
    return replace(made, practised=practised, brought=often and most)


def _moved(name: str, what: Literal["tool", "class"], old: _Seen, new: _Seen, *, of: int) -> Moved:
    before, after = old.rate(), new.rate()
    errors, calls = before.errors + after.errors, before.of + after.of
    # A side on which not even one error was to be expected tells nothing by having none.
    if errors < LEAST or errors * min(before.of, after.of) < calls:
        return Moved(name, what, before, after, None, None, None, "few")
    ratio = ((after.errors + 0.5) / after.of) / ((before.errors + 0.5) / before.of)
    spread = max(_dispersion(old), _dispersion(new))
    error = sqrt(spread * (1 / (before.errors + 0.5) + 1 / (after.errors + 0.5)))
    reach = NormalDist().inv_cdf(1 - ERROR / (2 * of)) * error
    low, high = exp(log(ratio) - reach), exp(log(ratio) + reach)
    how: How = "more" if low > 1 else "fewer" if high < 1 else "still"
    return Moved(name, what, before, after, ratio, low, high, how)


def _dispersion(side: _Seen) -> float:
    """Pearson's, over sessions: errors come in bunches. Never under 1."""
    share = side.rate().share or 0.0
    expected = share * side.calls[side.calls > 0]
    if len(expected) < 2 or not share:
        return 1.0
    seen = side.errors[side.calls > 0]
    return max(1.0, float((((seen - expected) ** 2) / expected).sum()) / (len(expected) - 1))


def _seen(known: Columns, rows: Ints, errors: Floats, calls: Floats) -> _Seen:
    if not len(rows):
        return _Seen(np.zeros(0), np.zeros(0))
    _, codes = np.unique(known.session[rows], return_inverse=True)
    return _Seen(
        np.bincount(codes, weights=errors[rows]).astype(np.float64),
        np.bincount(codes, weights=calls[rows]).astype(np.float64),
    )
