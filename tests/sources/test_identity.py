from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.sources.identity import copy_key, millis, moment, once


def test_a_copy_has_the_key_of_its_original() -> None:
    key = copy_key("human", 1775034000001, "Sort the list.", ())
    assert key == copy_key("human", 1775034000001, "Sort the list.", [])
    assert len(key) == 32
    assert int(key, 16) >= 0


@pytest.mark.parametrize(
    "other",
    [
        ("assistant", 1, "text", ("a", "b")),
        ("human", 2, "text", ("a", "b")),
        ("human", None, "text", ("a", "b")),
        ("human", 1, "text ", ("a", "b")),
        ("human", 1, "text", ("a",)),
        ("human", 1, "text", ("ab",)),
    ],
)
def test_another_speaker_moment_word_or_call_is_another_message(
    other: tuple[str, int | None, str, tuple[str, ...]],
) -> None:
    assert copy_key(*other) != copy_key("human", 1, "text", ("a", "b"))


@given(st.text(st.characters(), max_size=50))
def test_every_text_has_a_key_even_half_a_surrogate_pair(text: str) -> None:
    assert len(copy_key("human", 1, text + "\ud83d", ())) == 32


@pytest.mark.parametrize(
    "spelling",
    [
        "2026-10-05T08:00:01.250Z",
        "2026-10-05T08:00:01.250z",
        "2026-10-05t08:00:01,250Z",
        " 2026-10-05 08:00:01.250 ",
        "2026-10-05T08:00:01.250+00:00",
        "2026-10-05T10:00:01.250+02:00",
        "2026-10-05T10:00:01.250 +0200",
        "20261005T080001.250Z",
        "2026-10-05T08:00:01.250000999Z",
        "1791187201250",
        1791187201250,
        1791187201250.0,
    ],
)
def test_one_moment_is_read_from_every_spelling(spelling: object) -> None:
    read = moment(spelling)
    assert read == datetime(2026, 10, 5, 8, 0, 1, 250000, tzinfo=UTC)
    assert read is not None
    assert read.utcoffset() is not None
    assert millis(spelling) == 1791187201250


@pytest.mark.parametrize(
    "value",
    [None, True, "", "soon", "2026-13-01", "9" * 40, 10**30, float("nan"), {}, [], "Z" * 9999],
)
def test_what_is_no_time_is_none(value: object) -> None:
    assert moment(value) is None


@given(st.one_of(st.text(max_size=40), st.integers(), st.floats(), st.none()))
def test_reading_a_time_never_raises(value: object) -> None:
    read = moment(value)
    assert read is None or read.utcoffset() == UTC.utcoffset(None)


@given(st.integers(min_value=0, max_value=4 * 10**12))
def test_milliseconds_come_back_exactly(value: int) -> None:
    read = moment(value)
    assert read is not None
    assert millis(read.isoformat()) == value


@given(st.lists(st.sampled_from(["a", "a@1", "a@1.2", "b"]), max_size=12))
def test_no_two_names_come_out_alike_and_a_free_one_stays(names: list[str]) -> None:
    taken: set[str] = set()
    made = [once(name, "@1", taken) for name in names]
    assert len(set(made)) == len(names)
    assert set(made) == taken
    assert made[:1] == names[:1]
    assert [once("c", ".L7", taken) for _ in range(3)] == ["c", "c.L7", "c.L7.2"]
