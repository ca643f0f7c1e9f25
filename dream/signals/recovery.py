"""What came of a failed call: what worked in its place, and what detour it took to get there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from dream.signals.doings import doing, family

NEAR = 25
"""Calls after a failure within which something may still have mended it."""
_ALIKE = 0.75
"""Shared words of two shell lines from which one stands for the other: without its wrapper, say."""
TRIES = 3
"""Tries of one thing, failures among them, that make a detour."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a session with failures, as signals/attempts.sql gives it."""

    session_id: str
    run_id: str
    call_id: str
    message_id: str
    tool: str
    arguments: str
    status: str
    active: bool
    project_key: str


@dataclass(frozen=True, slots=True)
class Mended:
    """The call that worked after a failure."""

    call_id: str
    tool: str
    program: str
    steps: int  # calls from the failure to it, 1 for the next one
    changed: bool  # its arguments are not those of the failure


@dataclass(frozen=True, slots=True)
class Detour:
    """Several tries of one thing in one run. ended: "worked", "given up" or "other branch"."""

    first: str  # call ids
    tries: tuple[str, ...]
    program: str
    ended: str
    worked: Mended | None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """By the id of the failed call (a detour: of its first failed call)."""

    mended: Mapping[str, Mended]
    detours: Mapping[str, Detour]


def outcomes(attempts: Iterable[Attempt], failed: frozenset[str]) -> Outcomes:
    """attempts: by session and in their order; failed: ids of calls that are errors of the work."""
    mended: dict[str, Mended] = {}
    detours: dict[str, Detour] = {}
    for _, calls in groupby(attempts, key=lambda each: each.session_id):
        session = tuple(calls)
        if not any(each.call_id in failed for each in session):
            continue
        for _, run in groupby(session, key=lambda each: each.run_id):
            tried = tuple(run)
            if any(each.call_id in failed for each in tried):
                _in_run(tried, failed, mended, detours)
        _over_branches(session, failed, mended, detours)
    return Outcomes(mended, detours)


def _in_run(
    run: Sequence[Attempt],
    failed: frozenset[str],
    mended: dict[str, Mended],
    detours: dict[str, Detour],
) -> None:
    for place, attempt in enumerate(run):
        if attempt.call_id in failed:
            found = _what_worked(run, place, failed)
            if found is not None:
                mended[attempt.call_id] = found
    for program, places in _tries(run):
        for series in _series(places, [run[place].call_id in failed for place in places]):
            ids = tuple(run[place].call_id for place in series)
            bad = [each for each in ids if each in failed]
            if len(ids) >= TRIES and len(bad) >= TRIES - 1:
                last = mended.get(bad[-1])
                ended = "given up" if ids[-1] in failed else "worked"
                detours[bad[0]] = Detour(bad[0], ids, program, ended, last)


def _what_worked(run: Sequence[Attempt], place: int, failed: frozenset[str]) -> Mended | None:
    """The next call of the same program that worked; for an edit, on the same file."""
    wanted = doing(run[place].tool, run[place].arguments)
    for steps, later in enumerate(run[place + 1 : place + 1 + NEAR], start=1):
        if later.status != "ok" or later.call_id in failed:
            continue
        what = doing(later.tool, later.arguments)
        same = what.program == wanted.program and what.target == wanted.target
        if same or (wanted.line and _overlap(wanted.line, what.line) >= _ALIKE):
            changed = later.arguments != run[place].arguments
            return Mended(later.call_id, later.tool, what.program, steps, changed)
    return None


def _overlap(one: str, other: str) -> float:
    """Share of the shorter one's words that two shell lines have in common, two at least."""
    mine, theirs = frozenset(one.split()), frozenset(other.split())
    both = len(mine & theirs)
    return both / min(len(mine), len(theirs)) if both > 1 else 0.0


def _tries(run: Sequence[Attempt]) -> Iterator[tuple[str, list[int]]]:
    """Each thing done in a run, with the places of its calls: a program, or a tool on a file."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, attempt in enumerate(run):
        if family(attempt.tool) != "notes":
            what = doing(attempt.tool, attempt.arguments)
            found.setdefault((what.program, what.target), []).append(place)
    for (program, _), places in sorted(found.items()):
        yield program, places


def _series(places: Sequence[int], bad: Sequence[bool]) -> Iterator[list[int]]:
    """Tries that belong together: from a failure to the first success after it."""
    series: list[int] = []
    for place, failed in zip(places, bad, strict=True):
        if series and place - series[-1] > NEAR:
            yield series
            series = []
        if failed or series:
            series.append(place)
        if series and not failed:
            yield series
            series = []
    if series:
        yield series


def _over_branches(
    session: Sequence[Attempt],
    failed: frozenset[str],
    mended: dict[str, Mended],
    detours: dict[str, Detour],
) -> None:
    """A failure on a branch that was given up, and the same thing working on the one that won."""
    for place, attempt in enumerate(session):
        if attempt.active or attempt.call_id not in failed or attempt.call_id in mended:
            continue
        winning = [attempt, *(each for each in session[place + 1 :] if each.active)]
        found = _what_worked(winning, 0, failed)
        if found is not None:
            mended[attempt.call_id] = found
            ids = (attempt.call_id, found.call_id)
            detours[attempt.call_id] = Detour(
                attempt.call_id, ids, found.program, "other branch", found
            )
