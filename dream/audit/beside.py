"""What else moved beside a rule: other errors, in the same runs, before it and after it.

None of this is credited to the rule or held against it, with one exception: errors of a class that
stands in calls which do what the rule asks for, and hardly in others. What moves with no rule
behind it shows how much moves by itself.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log, sqrt
from statistics import NormalDist
from typing import Literal

from dream.audit.errors_of import ErrorClass
from dream.audit.worked import Worked

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
class _Seen:
    """Errors and calls of one side by session."""

    errors: Mapping[str, int]
    calls: Mapping[str, int]

    def rate(self) -> Rate:
        return Rate(sum(self.errors.values()), sum(self.calls.values()))


def tools_beside(before: Sequence[Worked], after: Sequence[Worked]) -> tuple[Moved, ...]:
    """Every tool with failed calls, by its name."""
    names = sorted({name for run in (*before, *after) for name in run.failed})
    sides = {
        name: (_by_tool(before, frozenset([name])), _by_tool(after, frozenset([name])))
        for name in names
    }
    return tuple(_moved(name, "tool", *sides[name], of=len(sides)) for name in names)


def classes_beside(
    before: Sequence[Worked],
    after: Sequence[Worked],
    classes: Iterable[ErrorClass],
    practised: frozenset[str] = frozenset(),
    practised_calls: int = 0,
) -> tuple[Moved, ...]:
    """The classes of errors that stand in these runs, the most frequent first.

    practised: ids of failed calls after landing that did what the rule asks; practised_calls: all
    calls after landing that did.
    """
    sides = {}
    for one in _once(classes):
        old, new = _by_class(before, one), _by_class(after, one)
        if old.rate().errors + new.rate().errors:
            sides[one.name] = (one, old, new)
    ranked = sorted(
        sides, key=lambda n: (-sides[n][1].rate().errors - sides[n][2].rate().errors, n)
    )
    inside = {run.run.run_id for run in after}
    found = []
    for name in ranked:
        one, old, new = sides[name]
        made = _moved(name, "class", old, new, of=len(sides))
        calls = {call for run, ids in one.runs.items() if run in inside for call in ids}
        found.append(_with_practice(made, Rate(len(calls & practised), practised_calls)))
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
    if before.errors + after.errors < LEAST or not (before.of and after.of):
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
    whole = side.rate()
    share = whole.share or 0
    expected = {name: share * calls for name, calls in side.calls.items() if calls}
    if len(expected) < 2 or not share:
        return 1.0
    chi = sum((side.errors.get(name, 0) - mean) ** 2 / mean for name, mean in expected.items())
    return max(1.0, chi / (len(expected) - 1))


def _by_tool(runs: Iterable[Worked], tools: frozenset[str]) -> _Seen:
    errors, calls = Counter[str](), Counter[str]()
    for run in runs:
        for tool in tools & run.tools.keys():
            calls[run.run.session_id] += run.tools[tool]
            errors[run.run.session_id] += run.failed.get(tool, 0)
    return _Seen(errors, calls)


def _by_class(runs: Iterable[Worked], one: ErrorClass) -> _Seen:
    errors, calls = Counter[str](), Counter[str]()
    for run in runs:
        for tool in one.tools & run.tools.keys():
            calls[run.run.session_id] += run.tools[tool]
        errors[run.run.session_id] += len(one.runs.get(run.run.run_id, ()))
    return _Seen(errors, calls)
