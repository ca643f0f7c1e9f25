"""The awkward archives of ../shared/cases, each against its line in the README there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dream.errors import Damaged, NotAnArchive, SourceUnreadable, TooNew
from dream.records import Transcript
from dream.sources import run2
from tests.sources.stillness import listing

pytestmark = pytest.mark.shared


@pytest.fixture
def cases(shared: Path, tmp_path: Path) -> Path:
    built = tmp_path / "built"
    maker = shared / "cases" / "archives" / "build_archives.py"
    subprocess.run([sys.executable, str(maker), str(built)], check=True)
    return built


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir(mode=0o700)
    return folder


def human(units: list[Transcript]) -> list[str]:
    return [m.text for unit in units for m in unit.messages if m.role == "human"]


def test_a_run_that_stands_only_in_the_log_is_read_and_the_folder_stays(
    cases: Path, scratch: Path
) -> None:
    folder = cases / "wal-live"
    before = listing(folder)
    units = list(run2.read(folder / "live.sqlite", {}, scratch))
    assert human(units) == ["Sort the list.", "Sort it by date.", "Never sort by id."]
    assert listing(folder) == before
    assert list(scratch.iterdir()) == []


def test_the_same_holds_when_the_folder_is_not_writable(cases: Path, scratch: Path) -> None:
    folder = cases / "wal-live"
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = listing(folder)
    assert _read_without_leave(folder / "live.sqlite", scratch) == "3"
    assert listing(folder) == before


def test_a_closed_archive_in_a_folder_that_is_not_writable_is_read(
    shared: Path, tmp_path: Path, scratch: Path
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    data = (shared / "archives" / "run2-unicode.sqlite").read_bytes()
    (folder / "runs.sqlite").write_bytes(data)
    for path in (folder / "runs.sqlite", folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = listing(folder)
    assert _read_without_leave(folder / "runs.sqlite", scratch) == "11"
    assert listing(folder) == before


def _read_without_leave(path: Path, scratch: Path) -> str:
    """How many runs a process reads that may not write beside the file, even if we are root."""
    code = (
        "import pathlib, sys\n"
        "from dream.sources import run2\n"
        "path, scratch = map(pathlib.Path, sys.argv[1:])\n"
        "try:\n"
        "    (path.parent / 'probe').touch()\n"
        "except OSError:\n"
        "    print(sum(len(unit.runs) for unit in run2.read(path, {}, scratch)))\n"
    )
    mortal: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv to take root's privileges away")
        mortal = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    result = subprocess.run(
        [*mortal, sys.executable, "-c", code, str(path), str(scratch)],
        check=True, capture_output=True, text=True, cwd=Path(run2.__file__).parents[2],
    )  # fmt: skip
    return result.stdout.strip()


def test_a_bad_archive_is_named_with_the_failing_step_and_the_good_one_is_read(
    cases: Path, scratch: Path
) -> None:
    folder = cases / "one-bad-source"
    before = listing(folder)
    found = list(run2.find(folder))
    assert [path.name for path in found] == ["bad.sqlite", "good.sqlite"]
    with pytest.raises(Damaged, match=r"bad\.sqlite: damaged; (reading|checking|counting)"):
        list(run2.read(found[0], {}, scratch))
    assert human(list(run2.read(found[1], {}, scratch))) == ["Keep the logs."]
    assert listing(folder) == before


def test_an_older_layout_is_read_as_it_lies(cases: Path, scratch: Path) -> None:
    folder = cases / "other-layouts"
    before = listing(folder)
    units = list(run2.read(folder / "version-1.sqlite", {}, scratch))
    assert human(units) == ["From the past."]
    assert units[0].runs[0].run_id == "run2:R1"
    assert {skip.detail for skip in units[-1].skips} == {
        "no table branches", "no table deleted_runs", "no table events",
    }  # fmt: skip
    assert listing(folder) == before


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("version-3.sqlite", TooNew, "newer than this reader"),
        ("not-an-archive.sqlite", NotAnArchive, "not an archive"),
    ],
)
def test_another_layout_or_another_programs_database_is_refused_untouched(
    cases: Path, scratch: Path, name: str, error: type[SourceUnreadable], words: str
) -> None:
    folder = cases / "other-layouts"
    before = listing(folder)
    with pytest.raises(error, match=words):
        list(run2.read(folder / name, {}, scratch))
    assert listing(folder) == before


def test_mixed_payloads_cost_only_what_cannot_be_decoded(cases: Path, scratch: Path) -> None:
    units = list(run2.read(cases / "mixed-payloads.sqlite", {}, scratch))
    by_name = {run.name: (run, unit) for unit in units for run in unit.runs}
    assert set(by_name) == {"r1", "r3"}
    first = by_name["r1"][1]
    assert [(m.name, m.role, m.text) for m in first.messages] == [
        ("r1/m1", "human", "Raw text."),
        ("r1/m2", "assistant", "Compressed text."),
    ]
    assert [(s.reason, s.detail, s.line) for s in first.skips] == [
        ("missing_dictionary", "dictionary 7 is missing", 3)
    ]
    assert by_name["r3"][0].state == "interrupted"
    assert [(s.reason, s.detail) for s in units[-1].skips] == [("deleted", "r2"), ("running", "r4")]
    (gone,) = units[-1].deletions
    assert (gone.name, gone.deleted.date().isoformat() if gone.deleted else "") == (
        "r2",
        "2026-04-09",
    )
