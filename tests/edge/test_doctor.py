"""`dream doctor`: what it finds amiss, and that it changes nothing."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dream.archive.lock import night_lock
from dream.cli import main
from dream.commands import Exit
from dream.config import Config, ProjectSpec, SourceSpec
from dream.health import NETWORK, Finding, file_system, folders, nights, reading, settings
from tests.edge.conftest import Sample

Said = pytest.CaptureFixture[str]
AS_ROOT = os.geteuid() == 0

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:30 / /home rw - nfs4 server:/home rw,vers=4.2
41 40 8:2 / /home/local\\040disk rw - xfs /dev/sdb1 rw
broken line
"""


def amiss(found: "list[Finding]") -> dict[str, Finding]:
    return {one.name: one for one in found if not one.ok}


def test_after_a_good_night_all_is_well_and_nothing_is_changed(slept: Sample, capsys: Said) -> None:
    before = sorted(path.as_posix() for path in slept.folder.rglob("*"))
    assert slept.dream("doctor") == Exit.DONE
    said = capsys.readouterr().out
    assert "All is well." in said
    assert "LOOK" not in said
    assert sorted(path.as_posix() for path in slept.folder.rglob("*")) == before


def test_every_finding_stands_in_the_json(awake: Sample, capsys: Said) -> None:
    assert awake.dream("doctor", "--json") == Exit.LOOK
    told = json.loads(capsys.readouterr().out)
    assert told["well"] is False
    assert [one["name"] for one in told["findings"] if not one["ok"]] == ["last night"]
    assert {"python", "duckdb", "git", "settings", "source", "project", "state", "lock"} <= {
        one["name"] for one in told["findings"]
    }


def test_settings_that_lead_nowhere_are_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    config = Config(
        sources=(SourceSpec(tmp_path / "gone"), SourceSpec(tmp_path / "empty")),
        projects=(ProjectSpec(tmp_path / "no-git"),),
    )
    found = [one for one in settings(config) if not one.ok]
    assert [one.name for one in found] == ["settings", "source", "source", "project"]
    assert "is not there" in found[1].words
    assert "holds nothing to read" in found[2].words
    assert all(one.advice for one in found)
    assert "sources" in amiss(list(settings(Config())))


@pytest.mark.skipif(AS_ROOT, reason="root may write anywhere")
def test_a_state_folder_that_cannot_be_written_is_found(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    config = Config(state=tmp_path / "state", skills_out=tmp_path / "out")
    found = amiss(list(folders(config, "")))
    tmp_path.chmod(0o700)
    assert "Permission denied" in found["state"].words


def test_a_file_where_the_state_folder_should_be_is_found(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("", encoding="utf-8")
    config = Config(state=tmp_path / "state", skills_out=tmp_path)
    assert "is not a folder" in amiss(list(folders(config, "")))["state"].words


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/state", "ext4"),
        ("/home/me/.local/state/dream", "nfs4"),
        ("/home/local disk/dream", "xfs"),
        ("/homeless/dream", "ext4"),
    ],
)
def test_the_longest_mount_above_a_folder_says_what_it_is_on(path: str, kind: str) -> None:
    assert file_system(Path(path), MOUNTS) == kind
    assert file_system(Path(path), "") == ""


def test_a_state_folder_on_a_network_is_refused_with_a_reason(tmp_path: Path) -> None:
    mounts = f"40 22 0:30 / {tmp_path} rw - nfs server:/x rw\n"
    config = Config(state=tmp_path / "state", skills_out=tmp_path)
    found = amiss(list(folders(config, mounts)))["local disk"]
    assert "locks do not hold" in found.words
    assert {"nfs", "cifs", "fuse.sshfs"} <= NETWORK


def test_missed_nights_are_counted(slept: Sample) -> None:
    config = Config(state=slept.state, timezone="UTC")
    now = datetime.now(UTC)
    assert amiss(list(nights(config, now))) == {}
    found = amiss(list(nights(config, now + timedelta(days=4))))["last night"]
    assert "missed since" in found.words
    assert "cron/README.md" in found.advice


def test_a_running_night_and_one_that_died_are_told_apart(tmp_path: Path) -> None:
    config = Config(state=tmp_path / "state")

    def lock() -> str:
        return next(nights(config, datetime.now(UTC))).words

    assert lock() == "free"
    assert not config.state.exists()
    code = (
        "import sys, time; from pathlib import Path; from dream.archive.lock import night_lock\n"
        "with night_lock(Path(sys.argv[1]), 'x'):\n"
        "    print('held', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(config.state)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == b"held\n"
        assert lock() == "a night is running"
        child.kill()
    assert "the last holder died" in lock()
    with night_lock(config.state, "y") as held:
        assert held.left_over


def test_traces_of_our_own_mistakes_are_pointed_at(awake: Sample, capsys: Said) -> None:
    (awake.state / "logs").mkdir(parents=True)
    (awake.state / "logs/bug-1.log").write_text("", encoding="utf-8")
    assert awake.dream("doctor") == Exit.LOOK
    assert "bug-1.log" in capsys.readouterr().out


def test_what_the_last_night_could_not_read_is_named_by_its_cause(
    tmp_path: Path, capsys: Said
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "broken.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xa5" * 5000)
    (sources / "other.jsonl").write_text('{"type":"soup","spoon":1}\n')
    settings_file = tmp_path / "dream.yaml"
    settings_file.write_text(f"sources: [{sources}]\nstate: state\nskills_out: out\n")
    where = ["--config", str(settings_file)]
    assert main(["night", "--quiet", *where]) == Exit.LOOK
    capsys.readouterr()
    assert main(["doctor", "--json", *where]) == Exit.LOOK
    told = [one for one in json.loads(capsys.readouterr().out)["findings"] if not one["ok"]]
    (unread,) = (one["words"] for one in told if one["name"] == "reading")
    assert unread.startswith(f"1 of 1 sources unreadable: {sources}/broken.sqlite (damaged; ")
    (sources / "broken.sqlite").unlink()
    main(["night", "--quiet", *where])
    capsys.readouterr()
    assert main(["doctor", *where]) == Exit.LOOK
    assert "reading: 1 file of no agent that Dream reads: unknown 1" in capsys.readouterr().out


def _part(state: Path) -> Path:
    return sorted((state / "parts").iterdir())[0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: (state / "manifest.json").write_bytes(b"{"),
        lambda state: (state / "manifest.json").unlink(),
        lambda state: shutil.rmtree(_part(state)),
        lambda state: (_part(state) / "messages.parquet").unlink(),
        lambda state: os.truncate(_part(state) / "messages.parquet", 500),
    ],
)
def test_an_archive_that_is_not_as_it_was_written_is_found_and_left_alone(
    slept: Sample, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    state = tmp_path / "state"
    shutil.copytree(slept.state, state)
    assert amiss(list(reading(Config(state=state)))) == {}
    damage(state)
    before = sorted(path.as_posix() for path in state.rglob("*"))
    found = amiss(list(reading(Config(state=state))))["archive"]
    assert str(state) in found.words
    assert "ledger.jsonl" in found.advice
    assert sorted(path.as_posix() for path in state.rglob("*")) == before
