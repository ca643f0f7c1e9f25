"""When a night is due: a crontab line in a time zone, one night a local date, none lost to sleep.

A fire time is an instant in UTC. Local time decides what a date is, and instants decide what comes
after what: two local times of one zone compare by the clock on the wall, which the autumn repeats.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
PLAIN = frozenset("0123456789abcdefghijklmnopqrstuvwxyz*,-/")
LOOK_BACK = timedelta(days=400)
"""How far back a missed night is looked for; further back, one catch-up night covers it anyway."""


class Unclear(ValueError):
    """A crontab line that programs read in different ways, or that is never due."""


@dataclass(frozen=True, slots=True)
class Crontab:
    """Five fields as APScheduler reads them; weekdays by name, for its numbers begin on Monday."""

    minute: str
    hour: str
    day: str
    month: str
    day_of_week: str


@dataclass(frozen=True, slots=True)
class Due:
    """A night that should run now. night: the local date it counts for; missed: earlier ones."""

    night: date
    fire: datetime  # UTC
    missed: tuple[date, ...] = ()


def crontab(schedule: str) -> Crontab:
    """A line such as "30 2 * * 1-5" (minute hour day month weekday) as it will be understood.

    Raises Unclear, with the reason. Refused besides plain errors: names such as @daily, more or
    fewer than five fields, several times a day (a night has one date), and day together with
    weekday (cron takes either, others both).
    """
    parts = schedule.lower().split()
    if len(parts) != 5:
        raise Unclear("needs five fields: minute hour day month weekday, such as 30 2 * * *")
    for part in parts:
        if not set(part) <= PLAIN:
            raise Unclear(f"{part!r} holds something else than numbers, names and * , - /")
    minute, hour, day, month, weekday = parts
    if not (minute.isdigit() and hour.isdigit()):
        raise Unclear("minute and hour must be one number each: there is one night a day")
    if any(sign.isalpha() for sign in day):
        raise Unclear(f"{day!r} is no day of the month; write numbers")
    if day != "*" and weekday != "*":
        raise Unclear("day and weekday together are read as either or as both; set one of them")
    found = Crontab(minute, hour, day, month, _weekdays(weekday))
    try:
        _trigger(found)
    except ValueError as error:
        raise Unclear(str(error)) from error
    if next(_fires(found, "UTC", datetime(2024, 1, 1, tzinfo=UTC)), None) is None:
        raise Unclear("is never due; there is no such day")
    return found


def due(schedule: str, tz: str, last_success: datetime | None, now: datetime) -> Due | None:
    """The night to run now, or None. last_success: when the last finished night began, UTC.

    However many nights were slept through, there is one: it covers everything since the last. With
    no night before, one is due at once.
    """
    line = crontab(schedule)
    today = now.astimezone(ZoneInfo(tz)).date()
    if last_success is None:
        return Due(today, now.astimezone(UTC))
    since = max(last_success, now - LOOK_BACK)
    fires = list(_until(_fires(line, tz, since), now))
    if not fires:
        return None
    dates = [_date(fire, tz) for fire in fires]
    return Due(dates[-1], fires[-1], tuple(dates[:-1]))


def upcoming(schedule: str, tz: str, now: datetime, count: int = 3) -> tuple[datetime, ...]:
    """The next count fire times after now, in UTC, earliest first."""
    return tuple(islice(_fires(crontab(schedule), tz, now), count))


def _weekdays(field: str) -> str:
    """0 and 7 are Sunday. Ranges are written out, since a range by name may not pass Sunday."""
    if field == "*":
        return field
    days: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, dash, last = ("0", "-", "6") if span == "*" else span.partition("-")
        low, high = _weekday(first), _weekday(last if dash else first)
        if (step and not dash) or not (step or "1").isdigit() or int(step or "1") < 1:
            raise Unclear(f"{part!r} is no weekday; write 1-5, mon-fri or sat,sun")
        high = high + 7 if dash and high < low else high
        days.update(day % 7 for day in range(low, high + 1, int(step or "1")))
    return ",".join(DAYS[day] for day in sorted(days))


def _weekday(word: str) -> int:
    if word.isdigit() and len(word) == 1 and int(word) <= 7:
        return int(word)
    if word in DAYS:
        return DAYS.index(word)
    raise Unclear(f"{word!r} is no weekday; 0 and 7 are Sunday, 1 is Monday, or mon to sun")


@lru_cache(maxsize=8)
def _trigger(line: Crontab) -> "CronTrigger":
    """Which dates a line means. It is asked in UTC: a local clock jumps over some of its times."""
    from apscheduler.triggers.cron import CronTrigger

    return CronTrigger(
        minute=line.minute,
        hour=line.hour,
        day=line.day,
        month=line.month,
        day_of_week=line.day_of_week,
        timezone=UTC,
    )


def _fires(line: Crontab, tz: str, after: datetime) -> Iterator[datetime]:
    """Every fire time after `after`, in UTC, one of each local date."""
    trigger = _trigger(line)
    night = _date(after, tz)
    while True:
        found: datetime | None = trigger.get_next_fire_time(
            None, datetime.combine(night, time(), UTC)
        )
        if found is None:
            return
        night = found.date() + timedelta(days=1)
        fire = _instant(found, tz)
        if fire and fire > after:
            yield fire


def _instant(wall: datetime, tz: str) -> datetime | None:
    """When the clocks of a zone show a time, in UTC; the first time of two.

    A time that they jump over is made up as far after the jump as it was into it, or as far before
    where that would be another date. None for a date that never was.
    """
    for fold in (0, 1):
        fire = wall.replace(tzinfo=ZoneInfo(tz), fold=fold).astimezone(UTC)
        if _date(fire, tz) == wall.date():
            return fire
    return None


def _until(fires: Iterator[datetime], now: datetime) -> Iterator[datetime]:
    for fire in fires:
        if fire > now:
            return
        yield fire


def _date(moment: datetime, tz: str) -> date:
    return moment.astimezone(ZoneInfo(tz)).date()
