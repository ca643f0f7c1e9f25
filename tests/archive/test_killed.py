"""A night killed at any moment loses nothing, many may read while it writes, and memory is flat."""

import multiprocessing
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.archive.manifest import load
from tests.archive.fakes import House, everything, message, talk
from tests.archive.made import make, night

HOUSE = Path(__file__).resolve().parent.parent.parent
PART = 40_000


def start(state: Path, source: Path, part: int = PART) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.archive.made", str(state), str(source), str(part)]
    return subprocess.Popen(command, cwd=HOUSE, stdout=subprocess.DEVNULL)


def at_work(process: "subprocess.Popen[bytes]", state: Path) -> None:
    """Waits until the night has begun to write."""
    while not (state / "tmp").exists() and process.poll() is None:
        time.sleep(0.005)


def test_a_night_killed_again_and_again_ends_with_the_same_archive(tmp_path: Path) -> None:
    source = make(tmp_path / "source", files=32, messages=24)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    process = start(whole, source)
    at_work(process, whole)
    begun = time.monotonic()
    assert process.wait() == 0
    took = time.monotonic() - begun
    moments = random.Random(20260504)  # noqa: S311 - the same moments every time
    taken = []
    for _ in range(12):
        process = start(killed, source)
        at_work(process, killed)
        time.sleep(took * moments.uniform(0, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        taken.append(len(load(killed).scans))
    assert start(killed, source).wait() == 0
    assert everything(killed) == everything(whole)
    assert taken == sorted(taken)  # what was published once stays
    assert "tmp" not in {path.name for path in killed.iterdir()}
    stored = load(killed)
    assert {path.name for path in (killed / "parts").iterdir()} == {
        f"{part:06d}" for part in {*stored.parts, *stored.retired}
    }


def test_what_a_killed_night_left_is_swept_away(house: House) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.night()
    (house.state / "parts/000002.tmp").mkdir()
    (house.state / "parts/000003").mkdir()
    (house.state / "parts/000003/messages.parquet").write_bytes(b"half")
    (house.state / "tmp/lines").mkdir(parents=True)
    (house.state / "spill/999999999").mkdir(parents=True)
    house.put("b", talk("pi:b", message("two", session="pi:b")))
    house.night()
    assert sorted(path.name for path in (house.state / "parts").iterdir()) == ["000001", "000002"]
    assert not (house.state / "tmp").exists()
    assert list((house.state / "spill").iterdir()) == []
    assert house.ask("SELECT text FROM messages ORDER BY text") == [("one",), ("two",)]


def test_a_reader_sees_one_archive_while_a_night_writes(tmp_path: Path) -> None:
    source = make(tmp_path / "source", files=8, messages=24)
    state = tmp_path / "state"
    night(state, source, PART)
    with Archive.open(state) as archive:
        ask = archive._connection.execute
        before = ask("SELECT * FROM messages ORDER BY ALL").fetchall()
        make(tmp_path / "more", files=24, messages=24)
        for path in sorted((tmp_path / "more").iterdir()):
            path.rename(source / f"{path.stem[:-5]}{int(path.stem[-5:]) + 100:05d}.made")
        writer = start(state, source)
        while writer.poll() is None:
            assert ask("SELECT * FROM messages ORDER BY ALL").fetchall() == before
            with Archive.open(state) as other:
                count = "SELECT count(*), count(DISTINCT copy_key) FROM messages"
                [(rows, copies)] = other._connection.execute(count).fetchall()
                assert rows == copies >= len(before)
        assert writer.returncode == 0
        assert ask("SELECT * FROM messages ORDER BY ALL").fetchall() == before
    with Archive.open(state) as archive:
        assert archive._connection.execute("SELECT count(*) FROM messages").fetchall() == [
            (4 * len(before),)
        ]


def peak(folder: str, files: int) -> float:
    """Megabytes that a night over so many files of 100 messages takes at most."""
    night(Path(folder) / "state", make(Path(folder) / "source", files, 100), 8_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize("files", [(40, 400)])
def test_memory_does_not_grow_with_the_archive(tmp_path: Path, files: tuple[int, int]) -> None:
    small, large = (measured(tmp_path / str(count), count) for count in files)
    assert large < small * 1.35


def measured(folder: Path, files: int) -> float:
    folder.mkdir()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(peak, (str(folder), files))
