"""`dream night` from the command line: when it runs, what it says, how it stops."""

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dream.archive import ledger
from dream.archive.lock import night_lock
from dream.cli import main
from dream.commands import Exit
from dream.past_nights import last_night, last_of
from tests.edge.conftest import NIGHT, Sample

HOUSE = Path(__file__).resolve().parents[2]


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_a_night_says_what_it_proposes_and_where(
    slept: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    code = slept.dream("night", "--date", NIGHT)
    said = capsys.readouterr()
    report = json.loads((slept.out / NIGHT / "report.json").read_bytes())
    assert code == (Exit.LOOK if report["warnings"] else Exit.DONE)
    assert f"Night of {NIGHT}" in said.out
    assert report["proposals"]
    for proposal in report["proposals"]:
        assert f"{NIGHT}/{proposal['folder']}/proposal.md" in said.out
    assert "\x1b" not in said.out
    assert "judging" in said.err  # progress, a line a stage


def test_a_night_as_json_holds_the_report_and_what_only_this_start_has_to_say(
    slept: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    slept.dream("night", "--date", NIGHT, "--json", "--quiet")
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert told["ran"] is True
    assert told["folder"] == str(slept.out / NIGHT)
    assert told["report"] == json.loads((slept.out / NIGHT / "report.json").read_bytes())
    assert told["tonight"]["seconds"]
    assert said.err == ""


def test_a_night_that_is_not_due_does_nothing_and_is_no_failure(
    slept: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(slept.folder)
    assert slept.dream("night", "--if-due") == Exit.DONE
    said = capsys.readouterr()
    assert said.out == ""
    assert "No night is due. The next one is on " in said.err
    assert slept.dream("night", "--if-due", "--quiet") == Exit.DONE
    assert capsys.readouterr() == ("", "")
    assert slept.dream("night", "--if-due", "--json") == Exit.DONE
    assert json.loads(capsys.readouterr().out)["ran"] is False
    assert files(slept.folder) == before


def test_the_first_night_is_due_and_counts_from_its_beginning(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    began = datetime.now(UTC) - timedelta(seconds=1)
    assert last_night(awake.state, began) is None
    assert awake.dream("night", "--if-due", "--quiet") in (Exit.DONE, Exit.LOOK)
    last = last_night(awake.state, datetime.now(UTC))
    assert last is not None
    assert began <= last <= datetime.now(UTC)
    assert "Night of" in capsys.readouterr().out
    assert awake.dream("night", "--if-due") == Exit.DONE


def test_the_latest_night_counts_and_not_the_last_one_written() -> None:
    told = [
        {"event": "night", "night": "2026-05-02", "happened": "2026-05-02T00:30:00+00:00"},
        {"event": "night", "night": "2026-05-01", "happened": "2026-05-01T02:30:00+02:00"},
        {"event": "proposed", "happened": "2026-05-09T00:00:00+00:00"},
    ]
    now = datetime(2026, 5, 3, tzinfo=UTC)
    assert last_of(told, now) == datetime(2026, 5, 2, 0, 30, tzinfo=UTC)
    assert last_of([], now) is None


def test_a_night_that_a_wrong_clock_dated_ahead_holds_no_later_one_back() -> None:
    ahead = {"event": "night", "night": "2099-01-01", "happened": "2099-01-01T02:30:00+00:00"}
    before = {"event": "night", "night": "2026-05-01", "happened": "2026-05-01T02:30:00+00:00"}
    now = datetime(2026, 5, 3, tzinfo=UTC)
    assert last_of([before, ahead], now) == datetime(2026, 5, 1, 2, 30, tzinfo=UTC)
    assert last_of([ahead], now) is None
    small = now + timedelta(minutes=5)
    assert last_of([{**before, "happened": small.isoformat()}], now) == small


def test_a_missed_night_is_made_up_for_by_one_that_carries_its_date(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    awake.state.mkdir()
    long_ago = datetime.now(UTC) - timedelta(days=5)
    told = {"event": "night", "night": long_ago.date().isoformat()}
    ledger.append(awake.state, {**told, "happened": long_ago.isoformat()})
    assert awake.dream("night", "--if-due", "--quiet") in (Exit.DONE, Exit.LOOK)
    (made,) = awake.out.glob("????-??-??")
    today = datetime.now(UTC).date()
    assert made.name in (today.isoformat(), (today - timedelta(days=1)).isoformat())
    assert awake.dream("night", "--if-due", "--quiet") == Exit.DONE
    assert [path.name for path in awake.out.glob("????-??-??")] == [made.name]


def test_a_second_start_ends_at_once_and_says_who_is_at_work(awake: Sample) -> None:
    with night_lock(awake.state, "2026-05-01T02:30:00+00:00"):
        words = ["night", "--config", str(awake.settings)]
        ran = subprocess.run(
            [sys.executable, "-m", "dream", *words], cwd=HOUSE, capture_output=True, check=False
        )
        told = subprocess.run(
            [sys.executable, "-m", "dream", *words, "--json"],
            cwd=HOUSE,
            capture_output=True,
            check=False,
        )
    assert ran.returncode == told.returncode == Exit.DONE
    assert f"process {os.getpid()}".encode() in ran.stderr
    assert b"since 2026-05-01T02:30:00" in ran.stderr
    assert json.loads(told.stdout)["ran"] is False
    assert not awake.out.exists() or not any(awake.out.iterdir())


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, Exit.STOPPED), (signal.SIGTERM, Exit.TERMINATED)]
)
def test_a_night_that_is_stopped_loses_nothing(
    slept: Sample, awake: Sample, sent: signal.Signals, code: Exit
) -> None:
    words = ["night", "--date", NIGHT, "--config", str(awake.settings)]
    with subprocess.Popen(
        [sys.executable, "-m", "dream", *words],
        cwd=HOUSE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stderr
        assert child.stderr.readline()  # the first stage has ended, others are to come
        child.send_signal(sent)
        _, told = child.communicate(timeout=60)
    assert child.returncode in (code, Exit.DONE, Exit.LOOK)  # it may have been that quick
    if child.returncode == code:
        assert b"Stopped. Nothing is lost" in told
    assert b"Traceback" not in told
    assert awake.dream("night", "--quiet", "--date", NIGHT) in (Exit.DONE, Exit.LOOK)
    made, wanted = files(awake.out), files(slept.out)
    assert made.keys() == wanted.keys()
    assert not list(awake.state.glob("*.holder"))


def test_other_sources_can_be_named_for_one_night(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    only = awake.folder / "sample/claude/projects"
    awake.dream("night", "--json", "--quiet", "--date", NIGHT, "--sources", str(only))
    report = json.loads(capsys.readouterr().out)["report"]
    assert [source["reader"] for source in report["sources"]] == ["claude-code"]


def test_a_named_source_that_holds_our_own_state_is_refused(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    assert awake.dream("night", "--sources", str(awake.folder)) == Exit.MISTAKE
    assert "which is only read" in capsys.readouterr().err
    assert not awake.state.exists()


def test_without_any_source_the_night_says_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert main(["night"]) == Exit.MISTAKE
    said = capsys.readouterr().err
    assert f"There is no {tmp_path}/dream.yaml or {tmp_path}/.config/dream/dream.yaml" in said
    assert "dream init" in said
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "dream.yaml").write_text("timezone: UTC\n", encoding="utf-8")
    assert main(["night"]) == Exit.MISTAKE
    assert f"{tmp_path}/dream.yaml sets no source" in capsys.readouterr().err


def test_where_no_proposal_can_be_written_the_night_does_not_begin(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    text = awake.settings.read_text("utf-8")
    awake.settings.write_text(text.replace(str(awake.out), str(awake.settings)), encoding="utf-8")
    assert awake.dream("night") == Exit.MISTAKE
    assert "for proposals cannot be written" in capsys.readouterr().err
    assert not awake.state.exists()


def test_a_date_and_the_schedule_cannot_both_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["night", "--if-due", "--date", NIGHT]) == Exit.MISTAKE
    assert "not allowed with" in capsys.readouterr().err


def test_lines_of_the_ledger_that_hold_no_event_are_told_and_stay(
    awake: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    awake.state.mkdir()
    (awake.state / ledger.NAME).write_bytes(b'{"event":"night","night":5}\n{"event"')
    assert awake.dream("night", "--quiet", "--date", NIGHT) == Exit.DONE
    assert "2 lines of the ledger hold no event" in capsys.readouterr().out
    assert (awake.state / ledger.NAME).read_bytes().startswith(b'{"event":"night","night":5}\n')
