"""What an archive does not hold: sessions whose words are gone, and days of which it tells nothing.

A quiet month and a month that was cleared away look the same in a count of runs. So what is known
to have been is set beside what can still be read, on each side of a rule's landing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

QUIET = 14
"""Days without any run from which on they are named, if such a stretch is not usual here."""
USUAL = 3
"""So many times the longest of nine in ten breaks is not usual."""
LOST = 0.2
"""Share of known sessions that cannot be read, on one side, from which on a warning is due."""


@dataclass(frozen=True, slots=True)
class Known:
    """A session, or a deleted run, of which we know that it was."""

    name: str
    began: datetime | None
    readable: bool
    project_key: str = ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What can be read of what is known, before a moment and after it."""

    before: int
    known_before: int
    after: int
    known_after: int

    @property
    def shares(self) -> tuple[float, float]:
        """Of the known sessions before and after, those that cannot be read."""
        return (
            1 - self.before / self.known_before if self.known_before else 0.0,
            1 - self.after / self.known_after if self.known_after else 0.0,
        )

    @property
    def lost(self) -> bool:
        """Whether so much is gone on one side that the sides cannot be set beside each other."""
        return max(self.shares) >= LOST


@dataclass(frozen=True, slots=True)
class Hole:
    """Days of which the archive tells nothing, first and last."""

    first: date
    last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


def coverage(
    known: Iterable[Known], since: datetime, landed: datetime, until: datetime
) -> Coverage:
    """Sessions that began in [since, landed) and in [landed, until). One without a time is none."""
    dated = [one for one in known if one.began is not None and since <= one.began < until]
    before = [one for one in dated if one.began and one.began < landed]
    after = [one for one in dated if one.began and one.began >= landed]
    return Coverage(
        sum(one.readable for one in before),
        len(before),
        sum(one.readable for one in after),
        len(after),
    )


def holes(began: Iterable[datetime], zone: ZoneInfo) -> tuple[Hole, ...]:
    """Stretches between two runs that are far longer than breaks are here, by local days."""
    days = sorted({moment.astimezone(zone).date() for moment in began})
    breaks = [(later - earlier).days - 1 for earlier, later in pairwise(days)]
    limit = max(QUIET, USUAL * _usual(breaks))
    return tuple(
        Hole(earlier + timedelta(1), later - timedelta(1))
        for (earlier, later), quiet in zip(pairwise(days), breaks, strict=True)
        if quiet >= limit
    )


def _usual(breaks: Sequence[int]) -> int:
    """The longest of nine in ten breaks."""
    ranked = sorted(breaks)
    return ranked[(9 * len(ranked)) // 10 - 1] if len(ranked) > 1 else 0
