"""When a night is due, on every awkward night there is."""

import csv
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.schedule import Due, Unclear, crontab, due, upcoming

BERLIN = "Europe/Berlin"
NIGHTLY = "30 2 * * *"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def nights(
    schedule: str, tz: str, last: datetime, awake: datetime, asleep: datetime
) -> Iterator[Due]:
    """What a machine runs that is awake from awake to asleep: it asks now and at each fire time."""
    now = awake
    while now <= asleep:
        found = due(schedule, tz, last, now)
        if found is not None:
            yield found
            last = now + timedelta(seconds=10)
        now = max(upcoming(schedule, tz, now, 1)[0], last)


def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "cases/schedule/nights.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.shared
@pytest.mark.parametrize(
    "case",
    ["spring-gap", "autumn-fold", "midnight-jitter", "slept-five-nights", "woke-two-seconds-late"],
)
def test_every_awkward_night_of_the_table_runs_as_often_as_it_says(shared: Path, case: str) -> None:
    row = next(row for row in rows(shared) if row["case"] == case)
    clock, _, daily = row["schedule_local"].partition(" ")
    assert daily == "daily"
    hour, minute = clock.split(":")
    ran = list(
        nights(
            f"{int(minute)} {int(hour)} * * *",
            row["timezone"],
            utc(row["last_success_utc"]),
            utc(row["machine_awake_from_utc"]),
            utc(row["machine_awake_to_utc"]),
        )
    )
    assert len(ran) == int(row["expected_runs"])
    assert len({night.night for night in ran}) == len(ran)


@pytest.mark.shared
def test_the_table_has_no_case_that_is_not_tested(shared: Path) -> None:
    assert len(rows(shared)) == 5


def test_a_time_that_spring_leaves_out_is_an_hour_later_the_same_night() -> None:
    found = due(NIGHTLY, BERLIN, utc("2026-03-28T01:30:10Z"), utc("2026-03-29T01:30:00Z"))
    assert found == Due(date(2026, 3, 29), utc("2026-03-29T01:30:00Z"))


def test_a_time_that_autumn_repeats_is_due_once() -> None:
    first = due(NIGHTLY, BERLIN, utc("2026-10-24T00:30:10Z"), utc("2026-10-25T00:30:00Z"))
    assert first is not None
    again = due(NIGHTLY, BERLIN, utc("2026-10-25T00:30:10Z"), utc("2026-10-25T02:00:00Z"))
    assert again is None


def test_a_long_sleep_is_one_night_that_names_the_ones_it_stands_for() -> None:
    found = due(NIGHTLY, BERLIN, utc("2026-05-01T00:30:10Z"), utc("2026-05-06T07:00:00Z"))
    assert found is not None
    assert found.night == date(2026, 5, 6)
    assert found.missed == tuple(date(2026, 5, day) for day in (2, 3, 4, 5))


def test_a_machine_that_wakes_after_midnight_runs_the_night_it_missed_and_then_the_new_one() -> (
    None
):
    found = due(NIGHTLY, BERLIN, utc("2026-05-04T00:30:10Z"), utc("2026-05-05T23:00:00Z"))
    assert found is not None
    assert found.night == date(2026, 5, 5)
    later = due(NIGHTLY, BERLIN, utc("2026-05-05T23:00:10Z"), utc("2026-05-06T00:30:00Z"))
    assert later is not None
    assert later.night == date(2026, 5, 6)


def test_without_any_night_before_one_is_due_at_once() -> None:
    now = utc("2026-05-05T23:00:00Z")
    found = due(NIGHTLY, BERLIN, None, now)
    assert found == Due(date(2026, 5, 6), now)


def test_a_machine_off_for_years_catches_up_with_one_night() -> None:
    found = due(NIGHTLY, BERLIN, utc("1999-01-01T00:00:00Z"), utc("2026-05-06T07:00:00Z"))
    assert found is not None
    assert found.night == date(2026, 5, 6)
    assert 365 < len(found.missed) < 402


@pytest.mark.parametrize(
    ("field", "meaning"),
    [
        ("0", "sun"),
        ("7", "sun"),
        ("1", "mon"),
        ("1-5", "mon,tue,wed,thu,fri"),
        ("5-7", "sun,fri,sat"),
        ("FRI-mon", "sun,mon,fri,sat"),
        ("1-5/2", "mon,wed,fri"),
        ("*/3", "sun,wed,sat"),
        ("sat,0", "sun,sat"),
        ("*", "*"),
    ],
)
def test_weekdays_mean_what_cron_means_by_them(field: str, meaning: str) -> None:
    assert crontab(f"30 2 * * {field}").day_of_week == meaning


def test_weekday_one_fires_on_a_monday() -> None:
    fires = upcoming("30 2 * * 1", BERLIN, utc("2026-05-06T07:00:00Z"))
    assert [fire.astimezone(ZoneInfo(BERLIN)).strftime("%a") for fire in fires] == ["Mon"] * 3


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("@daily", "five fields"),
        ("30 2 * *", "five fields"),
        ("0 30 2 * * *", "five fields"),
        ("*/5 2 * * *", "one night a day"),
        ("30 2,4 * * *", "one night a day"),
        ("30 2 1 * 1", "either or as both"),
        ("30 2 * * 8", "0 and 7 are Sunday"),
        ("30 2 * * 1/2", "no weekday"),
        ("30 2 * * 1-5/0", "no weekday"),
        ("30 2 * * monday", "no weekday"),
        ("30 25 * * *", "25"),
        ("61 2 * * *", "61"),
        ("30 2 L * *", "no day of the month"),
        ("30 2 last * *", "no day of the month"),
        ("30 2 31 2 *", "never due"),
        ("30 2 * 13 *", "13"),
        ("30 2 ? * *", "something else"),
        ("", "five fields"),
    ],
)
def test_a_line_that_could_be_read_in_two_ways_is_refused(schedule: str, reason: str) -> None:
    with pytest.raises(Unclear, match=reason):
        crontab(schedule)


zones = st.sampled_from(
    ["UTC", BERLIN, "America/Los_Angeles", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata",
     "America/Havana", "America/Santiago", "America/Nuuk", "Pacific/Apia", "Asia/Shanghai"]
)  # fmt: skip
moments = st.integers(1_100_000_000, 2_050_000_000).map(lambda at: datetime.fromtimestamp(at, UTC))


@pytest.mark.parametrize("line", ["0 0 * * *", "30 0 * * *"])
def test_a_time_that_the_clocks_jump_over_at_midnight_is_made_up_on_that_date(line: str) -> None:
    before = datetime(2008, 10, 11, 12, 0, tzinfo=UTC)
    (fire, following) = upcoming(line, "America/Santiago", before, 2)
    local = ZoneInfo("America/Santiago")
    assert fire.astimezone(local).date() == date(2008, 10, 12)
    assert following.astimezone(local).date() == date(2008, 10, 13)


def test_a_time_that_the_clocks_jump_over_at_the_end_of_a_date_stays_on_it() -> None:
    local = ZoneInfo("America/Nuuk")
    fires = upcoming("30 23 * * *", "America/Nuuk", datetime(2026, 3, 27, 12, 0, tzinfo=UTC), 3)
    assert [fire.astimezone(local).date().day for fire in fires] == [27, 28, 29]


@given(zones, moments, st.integers(0, 23), st.integers(0, 59))
def test_a_daily_schedule_fires_once_on_every_local_date(
    tz: str, after: datetime, hour: int, minute: int
) -> None:
    fires = upcoming(f"{minute} {hour} * * *", tz, after, 9)
    dates = [fire.astimezone(ZoneInfo(tz)).date() for fire in fires]
    assert all(earlier < later for earlier, later in zip((after, *fires), fires, strict=False))
    assert len(set(dates)) == 9
    skipped = {date(2011, 12, 30)} if tz == "Pacific/Apia" else set()  # a date that never was
    span = [dates[0] + timedelta(days=day) for day in range((dates[-1] - dates[0]).days + 1)]
    assert [day for day in span if day not in skipped] == dates


@given(zones, moments, st.integers(0, 23), st.integers(0, 72))
def test_after_a_night_nothing_is_due_until_the_next_fire_time(
    tz: str, last: datetime, hour: int, hours: int
) -> None:
    schedule = f"30 {hour} * * *"
    now = last + timedelta(hours=hours)
    found = due(schedule, tz, last, now)
    assert (found is not None) == (upcoming(schedule, tz, last, 1)[0] <= now)
    if found is not None:
        assert due(schedule, tz, now, now) is None
