"""`dream schedule`: the next nights, the trigger, and the loop around a night."""

import io
import json
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from apscheduler.schedulers.background import BackgroundScheduler

from dream.cli import main
from dream.commands import Exit
from dream.commands.schedule import Nights
from dream.console import Console
from dream.fire_times import OncePerDate
from dream.schedule import upcoming


def nights(code: str) -> tuple[Nights, io.StringIO]:
    err = io.StringIO()
    return Nights([sys.executable, "-c", code], Console(io.StringIO(), err)), err


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "dream.yaml"
    path.write_text("timezone: Europe/Berlin\nschedule: 30 2 * * 1-5\n", encoding="utf-8")
    return path


def test_the_next_three_nights_are_shown_in_local_time_and_utc(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schedule", "--next"]) == Exit.DONE
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "The schedule 30 2 * * 1-5 in Europe/Berlin is next due:"
    assert len(lines) == 4
    assert all(" 02:30  (" in line and line.endswith(" UTC)") for line in lines[1:])
    assert not any("Saturday" in line or "Sunday" in line for line in lines)


def test_where_the_zone_is_utc_a_time_is_said_once(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text("timezone: Etc/UTC\n", encoding="utf-8")
    assert main(["schedule", "--next"]) == Exit.DONE
    assert all(line.endswith(" 02:30") for line in capsys.readouterr().out.splitlines()[1:])


def test_the_next_nights_as_json_are_instants(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schedule", "--next", "--json"]) == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    fires = [datetime.fromisoformat(fire) for fire in told["next"]]
    assert len(fires) == 3
    assert fires == sorted(fires)
    assert told["timezone"] == "Europe/Berlin"


def test_the_trigger_fires_when_the_schedule_says_and_once_in_autumn() -> None:
    trigger = OncePerDate("30 2 * * *", "Europe/Berlin")
    now = datetime(2026, 10, 24, 12, tzinfo=UTC)
    fire = trigger.get_next_fire_time(None, now)
    fires: list[datetime] = []
    while fire and len(fires) < 3:
        fires.append(fire)
        fire = trigger.get_next_fire_time(fire, fire)
    assert tuple(fires) == upcoming("30 2 * * *", "Europe/Berlin", now)
    assert len({fire.date() for fire in fires}) == 3


def test_a_fire_that_was_slept_through_runs_once_on_waking() -> None:
    ran = threading.Event()
    counts: list[int] = []

    def night() -> None:
        counts.append(1)
        ran.set()

    loop = BackgroundScheduler(
        timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": None}
    )
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    loop.add_job(night, OncePerDate("30 2 * * *", "UTC"), next_run_time=long_ago)
    loop.start()
    assert ran.wait(10)
    time.sleep(0.2)
    loop.shutdown()
    assert counts == [1]


def test_a_night_that_fails_is_told_and_does_not_end_the_loop() -> None:
    failing, err = nights("raise SystemExit(3)")
    failing.run()
    assert "exit code 3" in err.getvalue()


@pytest.mark.parametrize("code", [0, 1])
def test_a_night_that_is_done_says_nothing_here(code: int) -> None:
    done, err = nights(f"raise SystemExit({code})")
    done.run()
    assert err.getvalue() == ""


def test_stopping_ends_the_night_that_runs_and_starts_no_other() -> None:
    running, err = nights("import time; time.sleep(60)")
    thread = threading.Thread(target=running.run)
    began = time.monotonic()
    thread.start()
    while running.child is None:
        time.sleep(0.01)
    running.stop()
    thread.join(20)
    assert not thread.is_alive()
    assert time.monotonic() - began < 20
    running.child = None
    running.run()
    assert running.child is None
    assert err.getvalue() == ""
