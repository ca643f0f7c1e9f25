import os
import sqlite3
from pathlib import Path

import pytest

from dream.errors import Damaged, NotAnArchive, SourceUnreadable
from dream.sources import sqlite as safe
from tests.sources.stillness import listing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "source"
    made.mkdir()
    return made


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    made = tmp_path / "scratch"
    made.mkdir(mode=0o700)
    return made


def make(path: Path, *numbers: int, mode: str = "WAL") -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(f"PRAGMA journal_mode = {mode}")
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO t VALUES (?)", [(n,) for n in numbers])
    return db


def numbers(database: safe.Database) -> list[int]:
    return [n for (n,) in database.rows("reading t", "SELECT n FROM t ORDER BY n")]


def test_a_closed_database_is_read_in_place_without_a_trace(folder: Path, scratch: Path) -> None:
    make(folder / "a.sqlite", 1, 2).close()
    before = listing(folder)
    with safe.opened(folder / "a.sqlite", scratch) as database:
        assert numbers(database) == [1, 2]
        assert list(scratch.iterdir()) == []
        assert listing(folder) == before
    assert listing(folder) == before


def test_rows_of_a_living_writers_log_are_read_from_a_private_copy(
    folder: Path, scratch: Path
) -> None:
    writer = make(folder / "a.sqlite", 1, 2)
    before = listing(folder)
    assert set(before) == {".", "a.sqlite", "a.sqlite-wal", "a.sqlite-shm"}
    with safe.opened(folder / "a.sqlite", scratch) as database:
        assert numbers(database) == [1, 2]
        (copy,) = scratch.iterdir()
        assert copy.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in copy.iterdir()} == {0o600}
        assert listing(folder) == before
    assert list(scratch.iterdir()) == []
    assert listing(folder) == before
    writer.close()


def test_a_killed_writers_half_transaction_is_rolled_back_in_the_copy(
    folder: Path, scratch: Path, tmp_path: Path
) -> None:
    writer = make(tmp_path / "a.sqlite", *range(200), mode="DELETE")
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN")
    writer.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(200, 9000)])
    for name in ("a.sqlite", "a.sqlite-journal"):
        (folder / name).write_bytes((tmp_path / name).read_bytes())
    writer.rollback()
    writer.close()
    assert (folder / "a.sqlite").stat().st_size > 20_000  # half of it reached the main file
    before = listing(folder)
    with safe.opened(folder / "a.sqlite", scratch) as database:
        assert numbers(database) == list(range(200))
    assert listing(folder) == before


def test_a_link_is_followed_to_where_the_log_lies(folder: Path, scratch: Path) -> None:
    writer = make(folder / "a.sqlite", 1)
    link = folder.parent / "link.sqlite"
    link.symlink_to(folder / "a.sqlite")
    with safe.opened(link, scratch) as database:
        assert numbers(database) == [1]
    writer.close()


@pytest.mark.parametrize("name", ["a b.sqlite", "a?b#c%20.sqlite", "数据 库.sqlite"])
def test_any_file_name_is_opened_as_it_stands(folder: Path, scratch: Path, name: str) -> None:
    make(folder / name, 7).close()
    before = listing(folder)
    with safe.opened(folder / name, scratch) as database:
        assert numbers(database) == [7]
    assert listing(folder) == before


def test_a_write_while_it_is_read_in_place_is_noticed(folder: Path, scratch: Path) -> None:
    path = folder / "a.sqlite"
    make(path, 1).close()
    with safe.opened(path, scratch) as database:
        assert numbers(database) == [1]
        database.steady()
        writer = make(path, 2)
        with pytest.raises(safe.Moved):
            database.steady()
        writer.close()


def test_a_copy_does_not_move(folder: Path, scratch: Path) -> None:
    path = folder / "a.sqlite"
    make(path, 1).close()
    with safe.opened(path, scratch, copy=True) as database:
        make(path, 2).close()
        database.steady()
        assert numbers(database) == [1]


def test_a_file_that_never_holds_still_is_left_alone(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "a.sqlite"
    make(path, 1).close()
    original = safe._copy_file
    clock = [path.stat().st_mtime_ns]

    def restless(source: Path, target: Path) -> None:
        original(source, target)
        clock[0] += 1_000_000_000
        os.utime(path, ns=(clock[0], clock[0]))

    monkeypatch.setattr(safe, "_copy_file", restless)
    monkeypatch.setattr(safe, "_PAUSE", 0)
    with (
        pytest.raises(SourceUnreadable, match="kept changing"),
        safe.opened(path, scratch, copy=True),
    ):
        pass
    assert list(scratch.iterdir()) == []


def test_a_log_that_only_grew_while_it_was_copied_is_no_reason_to_give_up(
    folder: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "a.sqlite"
    writer = make(path, 1)
    original = safe._copy_file
    added = iter(range(2, 1000))

    def busy(source: Path, target: Path) -> None:
        original(source, target)
        writer.execute("INSERT INTO t VALUES (?)", (next(added),))

    monkeypatch.setattr(safe, "_copy_file", busy)
    with safe.opened(path, scratch) as database:
        assert numbers(database) == [1, 2]  # all that was committed when the log was copied
    writer.close()


def test_views_and_virtual_tables_are_not_tables(folder: Path, scratch: Path) -> None:
    db = make(folder / "a.sqlite", 1)
    db.execute("CREATE VIEW v AS SELECT n FROM t")
    db.execute("CREATE VIRTUAL TABLE f USING fts5(words)")
    db.close()
    with safe.opened(folder / "a.sqlite", scratch) as database:
        assert "t" in database.tables()
        assert not {"v", "f"} & database.tables()


def test_what_is_no_database_is_refused_before_sqlite_sees_it(folder: Path, scratch: Path) -> None:
    (folder / "empty.sqlite").touch()
    (folder / "text.sqlite").write_text("hello")
    os.mkfifo(folder / "pipe.sqlite")
    (folder / "folder.sqlite").mkdir()
    before = listing(folder)
    for name, error in (
        ("empty", NotAnArchive), ("text", NotAnArchive), ("pipe", SourceUnreadable),
        ("folder", SourceUnreadable), ("missing", SourceUnreadable),
    ):  # fmt: skip
        with pytest.raises(error), safe.opened(folder / f"{name}.sqlite", scratch):
            pass
    assert listing(folder) == before


def test_a_statement_that_fails_names_its_step(folder: Path, scratch: Path) -> None:
    make(folder / "a.sqlite", 1).close()
    with safe.opened(folder / "a.sqlite", scratch) as database:
        with pytest.raises(Damaged, match=r"a\.sqlite: damaged; reading u: no such table: u"):
            list(database.rows("reading u", "SELECT * FROM u"))
        database.check("t")


def test_a_broken_page_is_found_before_rows_are_missed(folder: Path, scratch: Path) -> None:
    make(folder / "a.sqlite", *range(5000)).close()
    path = folder / "a.sqlite"
    data = bytearray(path.read_bytes())
    data[3 * 4096 : 3 * 4096 + 200] = b"\xa5" * 200
    path.write_bytes(data)
    with (
        safe.opened(path, scratch) as database,
        pytest.raises(Damaged, match="checking the pages of t"),
    ):
        database.check("t")


def test_a_file_that_goes_away_while_it_is_opened_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.sqlite"
    sqlite3.connect(path).execute("CREATE TABLE a (b)").connection.close()
    real = sqlite3.connect

    def late(name: str, uri: bool, isolation_level: None) -> sqlite3.Connection:
        path.unlink()
        return real(name, uri=uri, isolation_level=isolation_level)

    monkeypatch.setattr("dream.sources.sqlite.sqlite3.connect", late)
    with pytest.raises(SourceUnreadable), safe.opened(path, tmp_path) as database:
        database.tables()
    assert not path.exists()
