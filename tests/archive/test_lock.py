"""One night at a time: a living one is not robbed, a dead one does not stand in the way."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import orjson
import pytest

from dream.archive.lock import HOLDER, night_lock
from dream.errors import NightBusy, StateBroken
from tests.archive.fakes import House, message, talk

HOLD = (
    "import sys, time; from pathlib import Path; from dream.archive.lock import night_lock\n"
    "with night_lock(Path(sys.argv[1]), '2026-05-04T02:30:00+00:00'):\n"
    "    print('held', flush=True); time.sleep(60)"
)


def holder(state: Path) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(state)], stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_second_night_is_told_who_holds_the_lock_since_when(tmp_path: Path) -> None:
    process = holder(tmp_path)
    try:
        with pytest.raises(NightBusy) as told, night_lock(tmp_path, "later"):
            pass
    finally:
        process.kill()
        process.communicate()
    assert f"process {process.pid} on " in str(told.value)
    assert "since 2026-05-04T02:30:00+00:00" in str(told.value)


def test_a_killed_night_releases_the_lock_and_is_named(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with night_lock(tmp_path, "2026-05-05") as held:
        assert f"process {process.pid} on " in held.left_over
        assert orjson.loads((tmp_path / HOLDER).read_bytes())["pid"] == os.getpid()
    with night_lock(tmp_path, "2026-05-05") as held:
        assert held.left_over == ""


def test_a_left_over_number_that_another_process_has_now_does_not_count(tmp_path: Path) -> None:
    told = {"pid": os.getpid(), "host": "elsewhere", "since": "2026-05-01"}
    (tmp_path / HOLDER).write_bytes(orjson.dumps(told))
    with night_lock(tmp_path, "2026-05-05") as held:
        assert held.left_over == f"process {os.getpid()} on elsewhere, since 2026-05-01,"


def test_the_holder_may_take_it_again_and_another_thread_may_not(tmp_path: Path) -> None:
    seen: list[str] = []

    def other() -> None:
        try:
            with night_lock(tmp_path, "other"):
                seen.append("in")
        except NightBusy:
            seen.append("busy")

    with night_lock(tmp_path, "first"), night_lock(tmp_path, "again"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == ["busy"]
    other()
    assert seen == ["busy", "in"]


def test_an_ingest_beside_a_running_night_reads_nothing(house: House) -> None:
    house.put("a", talk("pi:a", message("hello")))
    house.state.mkdir()
    process = holder(house.state)
    try:
        with pytest.raises(NightBusy):
            house.night()
    finally:
        process.kill()
        process.communicate()
    assert house.reader.opened == []
    assert house.night().messages == 1


def test_a_state_that_cannot_be_made_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateBroken, match="`state:` in"), night_lock(tmp_path / "file/state", ""):
        pass
