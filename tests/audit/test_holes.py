"""What an archive does not hold."""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.archive import Archive
from dream.audit.holes import Coverage, Known, coverage, holes
from dream.records import Deletion, Run, Session
from tests.archive.fakes import House, at, message, talk

UTC_ZONE = ZoneInfo("UTC")
START = datetime(2026, 2, 1, 9, 0, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


@pytest.mark.shared
def test_a_month_that_was_cleared_away_is_no_quiet_month(shared: Path) -> None:
    with (shared / "cases/audit/retention-hole.csv").open() as file:
        known = [
            Known(
                row["session"],
                datetime.fromisoformat(row["first_prompt_at"]),
                row["transcript_readable"] == "yes",
            )
            for row in csv.DictReader(file)
        ]
    landed = datetime(2026, 3, 1, tzinfo=UTC)
    found = coverage(known, day(-30), landed, landed + timedelta(days=60))
    assert found == Coverage(before=2, known_before=12, after=6, known_after=6)
    assert found.lost


def test_an_archive_that_holds_all_it_knows_of_has_lost_nothing() -> None:
    known = [Known(str(n), day(n), True) for n in range(10)]
    assert not coverage(known, day(0), day(5), day(20)).lost
    assert not coverage([], day(0), day(5), day(20)).lost
    assert coverage([*known, Known("x", None, False)], day(0), day(5), day(9)).known_after == 4


def test_runs_without_words_and_runs_deleted_unread_are_known_and_not_readable(
    tmp_path: Path,
) -> None:
    house = House(tmp_path)
    opened = Session("pi:o", "pi", cwd="/repo/shop", started=at(2))  # or its run still goes on
    empty = Session("pi:b", "pi", cwd="/repo/shop", started=at(5))
    own, run = Run("pi:a:1", "pi:a", 1), Run("run2:b", "pi:b", 1, "r9", started=at(5))
    gone = [Deletion("run2:x", "r1", at(9), "retention"), Deletion("pi:a:1", "r2", at(9), "hand")]
    said = message("hello", 1)
    head = Session("pi:a", "pi", cwd="/repo/shop", started=at(0))
    house.put(
        "a", talk("pi:a", said, sessions=[head, opened, empty], runs=[own, run], deletions=gone)
    )
    house.night()
    with Archive.open(house.state) as archive:
        known = list(archive.rows("audit/known", Known))
    assert [(one.name, one.readable) for one in known] == [
        ("pi:a", True),
        ("pi:b", False),
        ("run2:x", False),
    ]


def test_a_break_that_is_not_usual_is_named_by_its_days() -> None:
    began = [day(n) for n in (*range(10), *range(40, 50))]
    (hole,) = holes(began, UTC_ZONE)
    assert (hole.first, hole.last, hole.days) == (day(10).date(), day(39).date(), 30)


def test_where_breaks_are_long_anyway_one_more_is_no_hole() -> None:
    assert holes([day(10 * n) for n in range(12)], UTC_ZONE) == ()


def test_a_day_begins_where_the_person_is() -> None:
    late = [datetime(2026, 2, 1, 23, 30, tzinfo=UTC), datetime(2026, 2, 17, 12, 0, tzinfo=UTC)]
    assert holes(late, UTC_ZONE)[0].days == 15
    assert holes(late, ZoneInfo("Europe/Berlin"))[0].days == 14


@given(st.lists(st.integers(0, 400), max_size=30))
def test_no_hole_holds_a_run_and_order_changes_nothing(days: list[int]) -> None:
    found = holes([day(n) for n in days], UTC_ZONE)
    assert found == holes([day(n) for n in reversed(days)], UTC_ZONE)
    for hole in found:
        assert hole.days >= 14
        assert not any(hole.first <= day(n).date() <= hole.last for n in days)
