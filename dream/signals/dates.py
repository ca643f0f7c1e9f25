"""Words like "yesterday" and "next Friday", told from the day they were said on.

That day is the local one of the configured zone, never the day of the night's run.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from importlib import resources
from typing import cast
from zoneinfo import ZoneInfo

import yaml

from dream.text import plain

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b|(\d{4})年(\d{1,2})月(\d{1,2})[日号]")
_MONTH_DAY = re.compile(r"(?<![\d年])(\d{1,2})月(\d{1,2})[日号]")
_NEAR = 24
"""Characters before a day in which "until" or "since" still speaks of it."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day named in a sentence. start, end: the span of its words."""

    day: date
    start: int
    end: int
    yearly: bool = False  # no year was named


@cache
def _lists() -> Mapping[str, object]:
    source = resources.files("dream.signals").joinpath("dates.yaml").read_text(encoding="utf-8")
    return cast("dict[str, object]", yaml.safe_load(source))


@cache
def _shifts(name: str) -> tuple[tuple[re.Pattern[str], int], ...]:
    listed = cast("list[dict[str, object]]", _lists()[name])
    return tuple((re.compile(str(each["words"])), int(str(each["shift"]))) for each in listed)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(str(_lists()[name]))


def time_bound(sentence: str, said: datetime | None, zone: ZoneInfo) -> dict[str, str]:
    """What a sentence says about its own time; empty when it says nothing.

    said: the moment it was said, UTC; without it no day can be told. Keys: valid_from,
    valid_until (ISO days, local), said_on (local day), zone (its name), passing (the words that
    make it hold for a while only).
    """
    low = plain(sentence)
    found: dict[str, str] = {}
    if passing := _pattern("passing").search(low):
        found["passing"] = passing.group()
    if said is None:
        return found
    today = said.astimezone(zone).date()
    for named in days(low, today):
        role = _role(low, named)
        if role and role not in found:
            found[role] = _placed(named, role, today).isoformat()
    if "valid_from" in found or "valid_until" in found:
        found["said_on"], found["zone"] = today.isoformat(), zone.key
    return found


def days(low: str, today: date) -> list[Day]:
    """Every day a sentence (lower case) names, in its order; today: the local day it was said."""
    found: list[Day] = []
    for match in _ISO.finditer(low):
        year, month, day = (int(part) for part in match.groups() if part is not None)
        try:
            found.append(Day(date(year, month, day), *match.span()))
        except ValueError:
            continue
    found.extend(_days_of_months(low, today))
    for pattern, shift in _shifts("days"):
        for match in pattern.finditer(low):
            if not any(each.start < match.end() and match.start() < each.end for each in found):
                found.append(Day(today + timedelta(days=shift), *match.span()))
    found.extend(_weekdays(low, today))
    return sorted(found, key=lambda each: each.start)


@cache
def _month_patterns() -> tuple[re.Pattern[str], ...]:
    """For each month its name beside a day. Groups: the day before it, or after it; a year."""
    whole = r"\b(?:(\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?%s|%s (\d{1,2})(?:st|nd|rd|th)?)\b"
    named = (f"(?:{words})\\.?" for words in cast("list[str]", _lists()["months"]))
    return tuple(re.compile(whole % (month, month) + r"(?:,? (\d{4})\b)?") for month in named)


def _days_of_months(low: str, today: date) -> list[Day]:
    """Days such as "30 November" and 11月30日; without a year, of the year it was said in."""
    found = [
        (number, int(match[1] or match[2]), int(match[3] or 0), match.span())
        for number, pattern in enumerate(_month_patterns(), start=1)
        for match in pattern.finditer(low)
    ]
    found += [(int(m[1]), int(m[2]), 0, m.span()) for m in _MONTH_DAY.finditer(low)]
    named = []
    for month, day, year, span in found:
        try:
            named.append(Day(date(year or today.year, month, day), *span, yearly=not year))
        except ValueError:
            continue
    return named


def _placed(named: Day, role: str, today: date) -> date:
    """A day without a year: what is to end lies ahead, what has begun lies behind."""
    shift = 1 if role == "valid_until" and named.day < today else 0
    shift -= 1 if role == "valid_from" and named.day > today else 0
    if not named.yearly or not shift:
        return named.day
    try:
        return named.day.replace(year=named.day.year + shift)
    except ValueError:  # the 29th of February
        return named.day + timedelta(days=365 * shift)


def _weekdays(low: str, today: date) -> list[Day]:
    """The Friday of next week for "next Friday"; for "Friday" the first one not yet over."""
    found = []
    for number, words in enumerate(cast("list[str]", _lists()["weekdays"])):
        for match in re.finditer(words, low):
            monday = today - timedelta(days=today.weekday())
            start, day = match.start(), today + timedelta(days=(number - today.weekday()) % 7)
            for pattern, shift in _shifts("weeks"):
                before = re.search(f"(?:{pattern.pattern})$", low[: match.start()])
                if before:
                    start, day = before.start(), monday + timedelta(days=7 * shift + number)
                    break
            found.append(Day(day, start, match.end()))
    return found


def _role(low: str, named: Day) -> str:
    before, after = low[max(0, named.start - _NEAR) : named.start], low[named.end : named.end + 4]
    ends = [m.end() for m in _pattern("until").finditer(before)]
    begins = [m.end() for m in _pattern("since").finditer(before)]
    if re.match(r"\s*(?:" + _pattern("until_after").pattern + ")", after):
        return "valid_until"
    if re.match(r"\s*(?:" + _pattern("since_after").pattern + ")", after):
        return "valid_from"
    if ends or begins:
        return "valid_until" if max(ends, default=-1) > max(begins, default=-1) else "valid_from"
    return ""
