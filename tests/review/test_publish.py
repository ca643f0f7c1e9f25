"""The night's folder is the old one or the new one, never a half."""

import errno
import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from dream.review.publish import publish

NIGHT = date(2026, 4, 12)
OLD = {"rule-1-a/rule.md": b"old", "rule-1-a/change.diff": b"d", "report.md": b"r"}
NEW = {"rule-1-a/rule.md": b"new", "skill-2-b/SKILL.md": b"s", "report.md": b"r2"}


def found(out: Path) -> Mapping[str, bytes]:
    final = out / "2026-04-12"
    return {
        p.relative_to(final).as_posix(): p.read_bytes() for p in final.rglob("*") if p.is_file()
    }


def test_the_same_files_again_leave_the_folder_untouched(tmp_path: Path) -> None:
    publish(tmp_path, NIGHT, OLD)
    before = (tmp_path / "2026-04-12").stat().st_ino
    publish(tmp_path, NIGHT, OLD)
    assert (tmp_path / "2026-04-12").stat().st_ino == before
    assert found(tmp_path) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["2026-04-12"]


def test_other_files_of_the_same_date_take_the_place_of_the_old_ones(tmp_path: Path) -> None:
    publish(tmp_path, NIGHT, OLD)
    publish(tmp_path, NIGHT, NEW)
    assert found(tmp_path) == NEW


def test_a_persons_notes_and_an_earlier_runs_proposals_stay(tmp_path: Path) -> None:
    publish(tmp_path, NIGHT, OLD | {"rule-9-z/rule.md": b"z", "rule-9-z/change.diff": b"zd"})
    (tmp_path / "2026-04-12" / "rule-1-a" / "notes.txt").write_bytes(b"mine")
    publish(tmp_path, NIGHT, NEW)
    kept = {"rule-1-a/notes.txt": b"mine", "rule-9-z/rule.md": b"z", "rule-9-z/change.diff": b"zd"}
    assert found(tmp_path) == NEW | kept


@pytest.mark.parametrize("step", range(8))
def test_killed_at_any_moment_it_ends_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    publish(tmp_path, NIGHT, OLD)
    calls = [0]

    class Killed(BaseException):
        pass

    def dying(name: str) -> None:
        real = getattr(Path, name)

        def call(self: Path, *args: object) -> object:
            if calls[0] == step:
                raise Killed
            calls[0] += 1
            return real(self, *args)

        monkeypatch.setattr(Path, name, call)

    dying("write_bytes")
    dying("rename")
    try:
        publish(tmp_path, NIGHT, NEW)
    except Killed:
        assert found(tmp_path) in (OLD, NEW, {})
    monkeypatch.undo()
    publish(tmp_path, NIGHT, NEW)
    assert found(tmp_path) == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["2026-04-12"]


def test_what_a_person_put_there_stays_as_it_is(tmp_path: Path) -> None:
    publish(tmp_path, NIGHT, OLD)
    night = tmp_path / "2026-04-12"
    program = night / "rule-1-a" / "try.sh"
    program.write_text("#!/bin/sh")
    program.chmod(0o750)
    (night / "later").mkdir()
    (night / "link").symlink_to("/nowhere")
    os.mkfifo(night / "pipe")
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "x").write_text("x")
    (night / "folder").symlink_to("../big")
    before = program.stat()
    publish(tmp_path, NIGHT, NEW)
    assert (program.stat().st_mode, program.stat().st_mtime_ns) == (
        before.st_mode,
        before.st_mtime_ns,
    )
    assert (night / "later").is_dir()
    assert (night / "link").readlink() == Path("/nowhere")
    assert (night / "folder").is_symlink()
    assert (night / "pipe").is_fifo()
    inode = night.stat().st_ino
    publish(tmp_path, NIGHT, NEW)
    assert night.stat().st_ino == inode


def test_on_a_disk_without_hard_links_a_note_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    publish(tmp_path, NIGHT, OLD)
    (tmp_path / "2026-04-12" / "notes.txt").write_bytes(b"mine")
    monkeypatch.setattr(os, "link", refused)
    publish(tmp_path, NIGHT, NEW)
    assert found(tmp_path) == NEW | {"notes.txt": b"mine"}


@pytest.mark.parametrize("name", [".2026-04-12.new", ".2026-04-12.old"])
@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_stands_in_the_way_is_taken_away_and_nothing_behind_a_link(
    tmp_path: Path, name: str, kind: str
) -> None:
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    (elsewhere / "theirs").write_text("theirs")
    publish(out, NIGHT, OLD)
    way = out / name
    if kind == "file":
        way.write_text("x")
    elif kind == "link":
        way.symlink_to(elsewhere)
    else:
        (way / "half").mkdir(parents=True)
    publish(out, NIGHT, NEW)
    assert found(out) == NEW
    assert [path.name for path in elsewhere.iterdir()] == ["theirs"]
    assert [path.name for path in out.iterdir()] == ["2026-04-12"]
