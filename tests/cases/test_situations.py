"""The situations of ../shared/cases that have no file, through whole nights."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dream.archive.lock import HOLDER, LOCK
from tests.cases.nights import Home, home
from tests.cases.talks import TASKS, Talk
from tests.night.places import stamps

WISH = "Never log a customer's address."
HOLD = """
import pathlib, sys, time
from dream.archive.lock import night_lock
with night_lock(pathlib.Path(sys.argv[1]), "2026-04-20T02:30:00+00:00"):
    print("held", flush=True)
    time.sleep(60)
"""


def talks(folder: Path, cwd: Path | str = "/repo/shop") -> Path:
    for number in (0, 1):
        at = f"2026-04-0{number + 1}T08:00:00+00:00"
        Talk(f"s-{number}", cwd, at).corrected(number, WISH, at).write(folder)
    return folder


def held(place: Home) -> "subprocess.Popen[str]":
    """Another process that holds the lock of the night."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place.state)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_start_ends_at_once_in_success_and_says_who_is_at_work(tmp_path: Path) -> None:
    place = home(tmp_path / "home", [talks(tmp_path / "talks")])
    holder = held(place)
    try:
        second = place.dream("night")
        assert second.code == 0
        assert f"process {holder.pid}" in second.err
        assert "since 2026-04-20" in second.err
        assert "Nothing was read or written" in second.err
        assert not place.out.exists()
        assert json.loads(place.dream("night", "--json").out)["ran"] is False
    finally:
        holder.kill()
        holder.communicate()
    night = place.night()
    assert night.totals["sessions"] == 2
    assert f"process {holder.pid}" in night.said
    assert "left behind" in night.said


def test_a_lock_of_a_dead_process_whose_number_lives_again_is_taken_over_and_told(
    tmp_path: Path,
) -> None:
    place = home(tmp_path / "home", [talks(tmp_path / "talks")])
    place.state.mkdir(mode=0o700)
    (place.state / LOCK).touch()
    left = {"pid": os.getpid(), "host": os.uname().nodename, "since": "2026-04-19T02:30:00+00:00"}
    (place.state / HOLDER).write_text(json.dumps(left))
    night = place.night()
    assert night.totals["sessions"] == 2
    assert "Took over the lock that" in night.said
    assert "2026-04-19" in night.said
    assert not (place.state / HOLDER).exists()
    assert "Took over" not in place.night("2026-04-21").said


def test_a_rules_file_that_would_grow_past_its_readers_limit_says_what_is_cut_off(
    tmp_path: Path,
) -> None:
    root = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "AGENTS.md").write_text("# Rules\n" + "- Keep it short, 请简短。\n" * 400)
    deep = root / "packages/api/AGENTS.md"
    deep.parent.mkdir(parents=True)
    room = 32 * 1024 - (root / "AGENTS.md").stat().st_size
    deep.write_text("x" * (room - 20))
    place = home(tmp_path / "home", [talks(tmp_path / "talks", root)], [root])
    made = place.night().proposal(WISH.rstrip("."))
    sizes = re.search(r"([\d,]+) → ([\d,]+) bytes \(Codex reads at most 32,768 bytes", made.page)
    assert sizes is not None
    before, after = (int(each.replace(",", "")) for each in sizes.groups())
    assert before == 32 * 1024 - 20
    lost = f"the last {after - 32 * 1024} bytes of packages/api/AGENTS.md would not be read"
    assert f"**Too large:** {lost}" in made.page


def test_statements_that_are_all_rejected_are_a_warning_and_no_quiet_success(
    tmp_path: Path,
) -> None:
    wishes = [
        *("Never log a customer's address.", "Always sort imports.", "Answer in French."),
        *("Never mock the clock.", "Always write dates as ISO.", "Never push to main."),
    ]
    folder = tmp_path / "talks"
    for number in range(60):
        at = f"2026-0{1 + number % 3}-{1 + number // 3:02d}T08:{number:02d}:00+00:00"
        talk = Talk(f"s-{number}", f"/repo/shop-{number}", at)
        talk.corrected(number % len(TASKS), wishes[number % len(wishes)], at).write(folder)
    night = home(tmp_path / "home", [folder]).night()
    stages = {each["name"]: each for each in night.report["stages"]}
    assert stages["candidates"]["taken"] >= 50
    assert stages["candidates"]["given"] == 0
    (warning,) = night.report["warnings"]
    assert "gave no candidates: a filter may be wrong" in warning
    assert night.code == 1
    assert sum(night.report["missed"].values()) == stages["candidates"]["taken"]
    assert night.report["missed"]["rule_sessions"] >= 50
    assert "rule_sessions" in night.said
    later = night.home.night("2026-04-21")
    assert later.code == 1  # and again, night after night


def test_a_night_with_nothing_to_record_is_valid_and_tried_again_for_nobody(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "talks"
    Talk("s-0", "/repo/shop", "2026-04-01T08:00:00+00:00").worked(0).write(folder)
    place = home(tmp_path / "home", [folder])
    night = place.night()
    assert (night.code, night.report["warnings"]) == (0, [])
    assert "That is a good night too" in night.said
    again = place.night("2026-04-21")
    assert again.report["sources"][0]["fresh"] == 0
    assert again.totals == night.totals


STRACE = shutil.which("strace") or ""


def traced(words: list[str], log: Path) -> list[str]:
    """The calls with which a process opens and locks files, each file by its path."""
    if not STRACE or subprocess.run([STRACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs strace, and the right to use it")
    watch = [STRACE, "-f", "-y", "-e", "trace=openat,fcntl,flock", "-o", str(log)]
    ran = subprocess.run([*watch, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return log.read_text(errors="replace").splitlines()


@pytest.mark.shared
def test_an_archive_in_a_folder_without_locks_is_read_and_nothing_is_tried_there(
    shared: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "remote"
    folder.mkdir()
    data = (shared / "archives" / "run2-unicode.sqlite").read_bytes()
    (folder / "runs.sqlite").write_bytes(data)
    place = home(tmp_path / "home", [folder])
    before = stamps(folder)
    night = [sys.executable, "-m", "dream", "night", "--quiet", "--date", "2026-12-01"]
    config = ["--config", str(place.folder / "dream.yaml")]
    calls = traced([*night, *config], tmp_path / "trace")
    there = [call for call in calls if f"{folder}/" in call]
    assert any("openat" in call for call in there)
    assert not [call for call in there if "LK" in call or "flock" in call]
    assert not [call for call in there if re.search("O_RDWR|O_WRONLY|O_CREAT", call)]
    assert stamps(folder) == before
    assert place.ask("SELECT count(*) > 10 FROM messages") == [(True,)]
