"""What a folder without access hides is told, and not taken for absent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dream.sources import claude, entire, pi, run2
from dream.sources.below import below


@pytest.fixture
def barred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that gives its names to nobody. Root may look everywhere, so it is only played."""
    folder = tmp_path / "source" / "private"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text("{}\n")
    (tmp_path / "source" / "b.jsonl").write_text("{}\n")
    listed: Callable[..., Any] = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    return folder


def test_a_folder_that_cannot_be_listed_stands_among_the_files(barred: Path) -> None:
    found = list(below(barred.parent, ".jsonl"))
    assert found == [barred.parent / "b.jsonl", barred]


def test_the_readers_tell_of_a_folder_that_cannot_be_listed(barred: Path) -> None:
    assert all(barred in one.find(barred.parent) for one in (run2, pi, entire, claude))


def test_a_source_that_cannot_be_listed_at_all_is_given_itself(barred: Path) -> None:
    assert list(below(barred, ".jsonl")) == [barred]


def test_a_folder_that_goes_while_we_look_is_not_unreadable(tmp_path: Path) -> None:
    assert list(below(tmp_path / "gone", ".jsonl")) == []


def test_files_come_in_name_order_and_only_files_of_the_ending(tmp_path: Path) -> None:
    for name in ("z/1.jsonl", "a/2.jsonl", "a/3.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert list(below(tmp_path, ".jsonl")) == [tmp_path / "a/2.jsonl", tmp_path / "z/1.jsonl"]
