"""../shared/cases/schedule through `dream night --if-due`, on every awkward night of its table."""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from tests.cases.nights import Home, home
from tests.cases.talks import Talk

pytestmark = pytest.mark.shared

CASES = (
    *("spring-gap", "autumn-fold", "midnight-jitter"),
    *("slept-five-nights", "woke-two-seconds-late"),
)


class Clock(datetime):
    """The clock of the command, which a test sets."""

    moment = datetime(2026, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "Clock":
        moment = cls.moment.astimezone(tz)
        return cls.fromisoformat(moment.isoformat())


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def hourly(first: datetime, last: datetime) -> Iterator[datetime]:
    """As cron asks: when the machine wakes, and at the beginning of each hour."""
    moment = first
    while moment <= last:
        yield moment
        moment = moment.replace(minute=0, second=0) + timedelta(hours=1)


def sessions(folder: Path, before: datetime, count: int) -> Path:
    for number in range(count):
        moment = before - timedelta(days=number + 1)
        Talk(f"s-{number}", "/repo/shop", moment.isoformat()).worked(number).write(folder)
    return folder


def ask(place: Home, moment: datetime, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a night ran when it was asked at this moment."""
    monkeypatch.setattr(Clock, "moment", moment)
    said = place.dream("night", "--if-due", "--json", "--quiet")
    assert said.code == 0
    ran: bool = json.loads(said.out)["ran"]
    return ran


@pytest.mark.parametrize("case", CASES)
def test_each_row_of_the_table_has_its_nights_and_every_session_is_taken_once(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    with (cases / "schedule/nights.csv").open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["case"] == case)
    hour, minute = row["schedule_local"].partition(" ")[0].split(":")
    settings = f"timezone: {row['timezone']}\nschedule: {int(minute)} {int(hour)} * * *"
    monkeypatch.setattr("dream.commands.night.datetime", Clock)
    last = utc(row["last_success_utc"])
    talks = sessions(tmp_path / "talks", last, 3)
    place = home(tmp_path / "home", [talks], settings=settings)
    assert ask(place, last, monkeypatch)
    sessions(talks, last, 5)  # two more of them than before
    awake = hourly(utc(row["machine_awake_from_utc"]), utc(row["machine_awake_to_utc"]))
    ran = [moment for moment in awake if ask(place, moment, monkeypatch)]
    assert len(ran) == int(row["expected_runs"])
    assert not ask(place, ran[-1] + timedelta(seconds=5), monkeypatch)
    assert place.ask("SELECT count(*), sum(messages) FROM sessions") == [(5, 5 * 4)]
    nights = sorted(path.name for path in place.out.iterdir())
    assert len(nights) == 1 + len(ran)


def test_the_table_has_no_row_that_is_not_tested(cases: Path) -> None:
    with (cases / "schedule/nights.csv").open(newline="") as file:
        assert {row["case"] for row in csv.DictReader(file)} == set(CASES)
