"""The set-up script on machines that lack something: what it asks for, and that it stops cleanly.

Programs stand in for the machine's own; that the whole thing works is shown by this test running.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci/set-up"
PYTHONS = ("python", "python3", "python3.11", "python3.12", "python3.13", "python3.14")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project with the script and nothing else, and a folder for stand-ins."""
    (tmp_path / "project/.ci").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    shutil.copy(SCRIPT, tmp_path / "project/.ci/set-up")
    return tmp_path


def stand_in(clone: Path, name: str, does: str) -> None:
    path = clone / "bin" / name
    path.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    path.chmod(0o755)


def set_up(clone: Path, kind: str = "run") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", clone / "project/.ci/set-up", kind],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": f"{clone}/bin:/usr/bin:/bin"},
        timeout=60,
    )


def without_python(clone: Path) -> None:
    for name in PYTHONS:
        stand_in(clone, name, "exit 1")


def test_a_person_without_rights_is_told_what_to_install(clone: Path) -> None:
    without_python(clone)
    stand_in(clone, "id", "echo 1000")
    stand_in(clone, "apt-get", "exit 1")
    ran = set_up(clone)
    assert ran.returncode == 2
    assert "sudo apt-get install python3 python3-venv git" in ran.stderr
    assert ran.stdout == ""


def test_root_on_a_debian_gets_the_packages_installed(clone: Path) -> None:
    without_python(clone)
    stand_in(clone, "id", "echo 0")
    stand_in(clone, "apt-get", f'echo "$@" >>{clone}/asked')
    ran = set_up(clone)
    asked = (clone / "asked").read_text(encoding="utf-8").splitlines()
    assert asked[0] == "update"
    assert asked[1].endswith("python3 python3-venv git ca-certificates")
    assert ran.returncode == 2  # the stand-in installed nothing
    assert "older than 3.11" in ran.stderr


def test_a_failed_installation_shows_its_end_and_where_the_rest_is(clone: Path) -> None:
    without_python(clone)
    stand_in(clone, "id", "echo 0")
    stand_in(clone, "apt-get", "echo Temporary failure resolving; exit 100")
    ran = set_up(clone)
    assert ran.returncode == 2
    assert "Temporary failure resolving" in ran.stderr
    assert "set-up.log" in ran.stderr


def test_a_python_that_cannot_install_packages_leaves_no_stamp(clone: Path) -> None:
    """Without pyproject.toml there is nothing to install: pip fails as it does offline."""
    ran = set_up(clone)
    assert ran.returncode == 2
    assert "could not install what pyproject.toml names" in ran.stderr
    assert "Try again with: make night" in ran.stderr
    assert not (clone / "project/.venv/.run").exists()


def test_the_script_is_well_formed() -> None:
    assert os.access(SCRIPT, os.X_OK)
    ran = subprocess.run(["bash", "-n", SCRIPT], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
