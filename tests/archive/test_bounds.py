"""One file costs itself: what is too large to be worked with is cut, counted and never fatal."""

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.archive import ROOMY, Archive
from dream.archive.bounds import _limit, bounded
from dream.archive.compact import Carried
from dream.archive.lines import Rows
from dream.archive.schema import TABLES
from dream.errors import StateBroken
from dream.signals.turns import HumanTurn
from tests.archive.fakes import NIGHT, House, call, message, talk

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
LATER = NIGHT + timedelta(days=1)


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(0, 400))
def test_the_limit_is_the_largest_that_fits(lengths: list[int], most: int) -> None:
    limit = _limit(lengths, most)
    if sum(lengths) <= most:
        assert limit == max(lengths, default=0)
        return
    assert sum(min(length, limit) for length in lengths) <= most
    assert sum(min(length, limit + 1) for length in lengths) > most


def test_only_the_longest_texts_of_the_reading_that_is_too_large_are_cut() -> None:
    rows: Rows = {name: [] for name in TABLES}
    long = message("x" * 900, 1, number=1)
    rows["messages"] = [(1, message("short")), (1, long), (2, message("y" * 900, 2))]
    made = dataclasses.replace(call(long), arguments='{"command":"' + "z" * 900 + '"}')
    rows["calls"] = [(1, made)]
    bounded(rows, 1000)
    short, cut, other = (len(row.text) for _, row in rows["messages"])
    assert (short, other) == (5, 900)
    assert 450 < cut < 500
    assert rows["calls"][0][1].arguments.startswith('{"cut":"{\\"command\\":\\"zzz')
    told = [(scan, skip.reason, skip.line, skip.lost) for scan, skip in rows["skips"]]
    assert told == [(1, "too_long", 2, True), (1, "too_long", long.line, True)]
    assert f"900 characters, of which {cut} are kept" in {skip.detail for _, skip in rows["skips"]}


def test_a_secret_at_the_cut_is_taken_out_before_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dream.archive.parts.bounded", lambda rows: bounded(rows, 540))
    token = "ghp_" + "aB3" * 12
    house.put("a", talk("pi:a", message("w " * 250 + token + " tail" * 200)))
    house.night()
    ((text,),) = house.ask("SELECT text FROM messages")
    assert 500 < len(text) < 500 + len(token)
    assert "ghp_" not in text
    assert house.ask("SELECT reason FROM coverage WHERE lost") == [("too_long",)]


def test_a_session_of_hundreds_of_megabytes_costs_itself(house: House) -> None:
    words = "the quick brown fox jumps over the lazy dog " * 5_000
    house.put("a", talk("pi:a", *(message(f"{n} {words}", n, number=n) for n in range(1500))))
    house.put("b", talk("pi:b", message("plain", session="pi:b")))
    house.night()
    assert house.ask("SELECT count(*) FROM messages WHERE text = 'plain'") == [(1,)]
    ((longest, all_of),) = house.ask("SELECT max(length(text)), sum(length(text)) FROM messages")
    assert longest < 50_000
    assert all_of <= 64_000_000 + 5
    assert house.ask("SELECT sum(count) FROM coverage WHERE reason = 'too_long'") == [(1500,)]


def test_parts_that_are_too_much_to_be_made_one_stay_as_they_are(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dream.archive.compact.MANY", 3)
    for n in range(4):
        house.put(f"f{n}", talk(f"pi:{n}", message(f"m {n}", session=f"pi:{n}")))
        house.night(NIGHT if n < 3 else LATER)
    real = Archive.write

    def too_much(self: Archive, name: str, **params: object) -> None:
        if name == "archive/carry_messages":
            raise duckdb.OutOfMemoryException("no room")
        real(self, name, **params)

    house.put("g", talk("pi:g", message("m g", session="pi:g")))
    monkeypatch.setattr(Archive, "write", too_much)
    house.night(LATER)
    assert house.ask("SELECT count(*) FROM messages") == [(5,)]
    assert not list((house.state / "parts").glob("*.tmp"))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (duckdb.OutOfMemoryException("x"), "more memory than it may take"),
        (duckdb.InvalidInputException("x"), "could not be read"),
        (duckdb.IOException("x"), "could not be read"),
    ],
)
def test_what_fails_while_rows_are_read_is_told_in_words(
    house: House, monkeypatch: pytest.MonkeyPatch, error: duckdb.Error, words: str
) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.night()

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("dream.archive.archive._batches", broken)
    one = house.state / "parts/000001/messages.parquet"
    with Archive.open(house.state) as archive, pytest.raises(StateBroken, match=words):
        list(archive.rows("archive/carried", Carried, target=str(one)))


def _texts(state: Path, memory: int) -> list[object]:
    with Archive.open(state, memory) as archive:
        assert (archive._memory > memory) == (memory == 1)
        return [*archive.rows("signals/human_turns", HumanTurn, since=LONG_AGO)]


def test_an_archive_that_finds_no_way_with_little_memory_takes_more(house: House) -> None:
    for n in range(30):
        house.put(f"f{n}", talk(f"pi:{n}", message(f"m {n} " * 20_000, session=f"pi:{n}")))
    house.night()
    assert _texts(house.state, 1) == _texts(house.state, ROOMY) != []
    assert list((house.state / "spill").iterdir()) == []


def test_a_query_that_runs_out_in_its_middle_goes_on_where_it_was(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(9):
        house.put(f"f{n}", talk(f"pi:{n}", message(f"m {n}", session=f"pi:{n}")))
    house.night()
    whole = _texts(house.state, ROOMY)
    real = Archive._rows

    def short(self: Archive, *asked: Any) -> Iterator[Any]:
        each = real(self, *asked)
        if self._memory != ROOMY:
            yield from islice(each, 4)
            raise duckdb.OutOfMemoryException("no room")
        yield from each

    monkeypatch.setattr(Archive, "_rows", short)
    assert _texts(house.state, 500) == whole
    with Archive.open(house.state, 500) as archive:
        both = [archive.rows("signals/human_turns", HumanTurn, since=LONG_AGO) for _ in range(2)]
        assert [pair[0] for pair in zip(*both, strict=True)] == whole
