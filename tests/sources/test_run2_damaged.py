"""Databases that were broken on purpose. Nothing but a clear refusal may come of them."""

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from dream.errors import SourceUnreadable
from dream.sources import run2
from tests.fuzz import rounds
from tests.sources.run2_maker import START, Maker, asks, reply, result, user
from tests.sources.stillness import listing

ROUNDS = rounds(120)
"""Of each way of breaking a file: well over three hundred databases in all."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    maker = Maker(tmp_path_factory.mktemp("whole") / "runs.sqlite")
    maker.archive.dictionary(b'{"role":"assistant","content":[{"type":"text","text":"', START, 5)
    for number in range(30):
        call = f"call_{number:08}"
        maker.run(
            user(f"Ask {number}: never touch the generated files. " * 4),
            asks(call, f"make target-{number}"),
            result(call, "line\n" * 60, failed=number % 3 == 0),
            reply(f"Answer {number}. " * 20),
            dictionary=(None, 0, 1)[number % 3],
        )
    return maker.close().read_bytes()


def flip(data: bytearray, draw: random.Random) -> None:
    for _ in range(draw.randint(1, 40)):
        data[draw.randrange(100, len(data))] ^= 1 << draw.randrange(8)


def flip_head(data: bytearray, draw: random.Random) -> None:
    data[draw.randrange(16, 100)] ^= 1 << draw.randrange(8)


def cut(data: bytearray, draw: random.Random) -> None:
    del data[draw.randrange(1, len(data)) :]


def blot(data: bytearray, draw: random.Random) -> None:
    """Whole pages of another file's, of nothing, or of each other."""
    for _ in range(draw.randint(1, 3)):
        page = draw.randrange(1, len(data) // 4096) * 4096
        other = draw.randrange(0, len(data) // 4096) * 4096
        filler = (bytes(4096), b"\xa5" * 4096, bytes(data[other : other + 4096]))
        data[page : page + 4096] = draw.choice(filler)


def retell(path: Path, draw: random.Random) -> None:
    """Sound pages, odd contents: tables gone, columns renamed, values of other types."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA ignore_check_constraints = ON")
    tables = ["sessions", "branches", "runs", "events", "dicts", "messages", "deleted_runs"]
    for _ in range(draw.randint(1, 3)):
        table = draw.choice(tables)
        columns = [name for (_, name, *_) in db.execute(f"PRAGMA table_info({table})")]
        if not columns:
            continue
        column = draw.choice(columns)
        odd = draw.choice((None, "", "x" * 50, -1, 1 << 62, 1.5, b"\xff\x00", "2026-99-99"))
        for statement, values in draw.choice(
            (
                ((f"DROP TABLE {table}", ()),),
                ((f"ALTER TABLE {table} RENAME COLUMN {column} TO gone", ()),),
                (
                    (f"CREATE TABLE loose_{table} AS SELECT * FROM {table}", ()),  # noqa: S608
                    (f"DROP TABLE {table}", ()),
                    (f"ALTER TABLE loose_{table} RENAME TO {table}", ()),
                    (f"UPDATE {table} SET {column} = ?", (odd,)),  # noqa: S608
                ),
            )
        ):
            try:
                db.execute(statement, values)
            except sqlite3.Error:
                break
    db.commit()
    db.close()


@pytest.mark.parametrize("breaking", [flip, flip_head, cut, blot])
def test_a_broken_file_is_refused_or_read_and_never_more_than_that(
    whole: bytes, tmp_path: Path, breaking: Callable[[bytearray, random.Random], None]
) -> None:
    draw = random.Random(breaking.__name__)  # noqa: S311 - for breaking, not for hiding
    refused = 0
    for number in range(ROUNDS):
        data = bytearray(whole)
        breaking(data, draw)
        refused += _take(tmp_path / str(number), bytes(data))
    assert refused > 0


def test_odd_contents_in_a_sound_file_cost_only_themselves(whole: bytes, tmp_path: Path) -> None:
    draw = random.Random("retell")  # noqa: S311
    for number in range(ROUNDS):
        path = tmp_path / "made.sqlite"
        path.write_bytes(whole)
        retell(path, draw)
        _take(tmp_path / str(number), path.read_bytes())


def test_a_broken_log_beside_a_whole_file_is_no_danger(whole: bytes, tmp_path: Path) -> None:
    draw = random.Random("log")  # noqa: S311
    source = tmp_path / "live.sqlite"
    source.write_bytes(whole)
    db = sqlite3.connect(source, isolation_level=None)
    db.execute("PRAGMA wal_autocheckpoint = 0")
    db.execute("UPDATE sessions SET title = 'From the log'")
    log = Path(f"{source}-wal").read_bytes()
    db.close()
    for number in range(ROUNDS // 2):
        broken = bytearray(log)
        (cut if number % 2 else flip)(broken, draw)
        _take(tmp_path / str(number), whole, bytes(broken))


def _take(folder: Path, data: bytes, log: bytes = b"") -> int:
    """Reads a broken archive; 1 if it was refused. Fails on anything else than a clear refusal."""
    folder.mkdir()
    scratch = folder / "scratch"
    scratch.mkdir()
    source = folder / "source"
    source.mkdir()
    (source / "runs.sqlite").write_bytes(data)
    if log:
        (source / "runs.sqlite-wal").write_bytes(log)
    before = listing(source)
    try:
        for unit in run2.read(source / "runs.sqlite", {}, scratch):
            for message in unit.messages:
                assert isinstance(message.text, str)
                assert message.text.encode().decode() == message.text
                assert len(message.digest) == 64
    except SourceUnreadable:
        return 1
    finally:
        assert listing(source) == before
        assert list(scratch.iterdir()) == []
    return 0
