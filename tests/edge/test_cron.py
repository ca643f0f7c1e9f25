"""The files in cron/ are what their programs read, and hold no logic of their own."""

import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dream.cli import parser

CRON = Path(__file__).resolve().parents[2] / "cron"


def unit(name: str) -> dict[str, dict[str, list[str]]]:
    """A systemd unit: section -> key -> its values in order."""
    found: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in (CRON / name).read_text("utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(section, {}).setdefault(key, []).append(value)
    return found


def asks_only(words: list[str]) -> None:
    args = parser().parse_args(words)
    assert args.run.__name__ == "run_night"
    assert args.if_due


def dream_words(line: str) -> list[str]:
    found = re.search(r"\.venv/bin/dream ([^>]+)", line)
    assert found, line
    return found[1].split()


def test_the_crontab_line_asks_every_hour() -> None:
    lines = [line for line in (CRON / "crontab").read_text("utf-8").splitlines() if line[0] != "#"]
    assert len(lines) == 1
    assert re.match(r"\d+ \* \* \* \* ", lines[0])
    assert "%" not in lines[0]  # cron takes it for the end of the line
    asks_only(dream_words(lines[0]))


def test_the_service_is_one_shot_and_writes_only_our_own_folders() -> None:
    service = unit("dream.service")["Service"]
    assert service["Type"] == ["oneshot"]
    assert service["ProtectSystem"] == ["strict"]
    assert service["ReadWritePaths"] == ["%h/.local/state/dream", "%h/dream/skills_out"]
    assert service["SuccessExitStatus"] == ["1"]
    assert int(service["Nice"][0]) > 0
    asks_only(dream_words(service["ExecStart"][0]))


def test_the_timer_catches_up_and_starts_the_service() -> None:
    timer = unit("dream.timer")["Timer"]
    assert timer["Persistent"] == ["true"]
    assert timer["Unit"] == ["dream.service"]
    assert timer["OnCalendar"] == ["hourly"]


def test_the_launchd_job_asks_every_hour() -> None:
    job = plistlib.loads((CRON / "dream.plist").read_bytes())
    assert job["StartInterval"] == 3600
    shell, switch, line = job["ProgramArguments"]
    assert (shell, switch) == ("/bin/sh", "-c")
    asks_only(dream_words(line))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_timer() -> None:
    calendar = unit("dream.timer")["Timer"]["OnCalendar"][0]
    ran = subprocess.run(
        ["systemd-analyze", "calendar", calendar], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "Next elapse" in ran.stdout


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """As a system unit and with a program that is there: the user's manager may not be running."""
    for name in ("dream.service", "dream.timer"):
        text = (CRON / name).read_text("utf-8").replace("%h/dream/.venv/bin/dream", "/bin/true")
        (tmp_path / name).write_text(text.replace("%h", str(tmp_path)), encoding="utf-8")
    (tmp_path / "dream").mkdir()
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / "dream.timer"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
    )
    ours = [line for line in ran.stderr.splitlines() if "dream." in line]
    assert ours == []
