"""Days are told from the day the words were said on, in the person's own zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from dream.signals.dates import time_bound

SAID = datetime(2026, 4, 10, 22, 30, tzinfo=UTC)  # a Friday in UTC, a Saturday in Berlin
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("sentence", "key", "day"),
    [
        ("Since yesterday the file needs a header.", "valid_from", "2026-04-10"),
        ("Until next Friday use the old list.", "valid_until", "2026-04-17"),
        ("by Monday it must be green", "valid_until", "2026-04-13"),
        ("keep it until tomorrow", "valid_until", "2026-04-12"),
        ("from 2026-05-01 on use euros", "valid_from", "2026-05-01"),
        ("直到下周五都用旧价格", "valid_until", "2026-04-17"),
        ("从昨天起导出需要表头", "valid_from", "2026-04-10"),
        ("下周一之前不要发布", "valid_until", "2026-04-13"),
        ("no deploys until 30 April", "valid_until", "2026-04-30"),
        ("no deploys until Mar. 30th", "valid_until", "2027-03-30"),
        ("since December 3rd, 2025 we use uv", "valid_from", "2025-12-03"),
        ("since 3 December we use uv", "valid_from", "2025-12-03"),
        ("这个规则到4月30日为止", "valid_until", "2026-04-30"),
    ],
)
def test_a_day_is_an_end_or_a_beginning(sentence: str, key: str, day: str) -> None:
    found = time_bound(sentence, SAID, BERLIN)
    assert found[key] == day
    assert (found["said_on"], found["zone"]) == ("2026-04-11", "Europe/Berlin")


def test_the_zone_decides_which_day_it_was() -> None:
    assert time_bound("since yesterday", SAID, ZoneInfo("UTC"))["valid_from"] == "2026-04-09"


def test_words_for_a_while_are_marked_without_a_day() -> None:
    assert time_bound("use the mock for now", SAID, BERLIN) == {"passing": "for now"}
    assert time_bound("暂时不要发布", SAID, BERLIN) == {"passing": "暂时"}


def test_a_sentence_without_a_time_and_one_without_a_moment_say_nothing() -> None:
    assert time_bound("use tabs", SAID, BERLIN) == {}
    assert time_bound("until next Friday use tabs", None, BERLIN) == {}
    assert time_bound("the report of yesterday", SAID, BERLIN) == {}
