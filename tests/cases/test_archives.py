"""../shared/cases/archives through whole nights: each row of its table, as it is told."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.cases.nights import Home, home
from tests.night.places import stamps

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def maker(cases: Path) -> ModuleType:
    """The script that builds the archives."""
    path = cases / "archives/build_archives.py"
    spec = importlib.util.spec_from_file_location("build_archives", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(maker: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    maker.main(folder)
    return folder


def typed(place: Home) -> list[str]:
    sql = "SELECT text FROM messages WHERE role = 'human' ORDER BY happened, line"
    return [text for (text,) in place.ask(sql)]


def test_a_run_that_stands_only_in_the_log_is_read_and_the_folder_stays(
    built: Path, tmp_path: Path
) -> None:
    before = stamps(built / "wal-live")
    night = home(tmp_path, [built / "wal-live"]).night()
    assert night.totals["runs"] == 3
    assert typed(night.home) == ["Sort the list.", "Sort it by date.", "Never sort by id."]
    assert night.code == 0
    assert stamps(built / "wal-live") == before


def test_the_same_holds_when_the_folder_is_not_writable(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    shutil.copytree(built / "wal-live", folder)
    place = home(tmp_path / "home", [folder])
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = stamps(folder)
    words = [sys.executable, "-m", "dream", "night", "--quiet", "--date", "2026-04-20"]
    words += ["--config", str(place.folder / "dream.yaml")]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv to take root's privileges away")
        words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "3 runs" in done.stdout
    folder.chmod(0o555)
    assert stamps(folder) == before
    folder.chmod(0o755)


def test_a_damaged_archive_is_named_with_its_step_and_the_other_is_used(
    built: Path, tmp_path: Path
) -> None:
    folder = built / "one-bad-source"
    before = stamps(folder)
    night = home(tmp_path, [folder]).night()
    assert typed(night.home) == ["Keep the logs."]
    (warning,) = night.report["warnings"]
    assert warning.startswith(f"1 of 2 sources unreadable: {folder}/bad.sqlite (damaged; reading ")
    assert night.code == 1
    assert "1 of 2 sources unreadable" in night.said
    assert "1 of 2 sources unreadable" in night.page
    assert "damaged" in night.page
    doctor = night.home.dream("doctor")
    assert doctor.code == 1
    assert "1 of 2 sources unreadable" in doctor.out
    assert stamps(folder) == before


def test_other_layouts_are_read_as_such_or_refused_by_name_and_left_alone(
    built: Path, tmp_path: Path
) -> None:
    folder = built / "other-layouts"
    before = stamps(folder)
    night = home(tmp_path, [folder]).night()
    assert typed(night.home) == ["From the past."]
    unread = {Path(each["source_file"]).name: each for each in night.report["unread"]}
    assert set(unread) == {"version-3.sqlite", "not-an-archive.sqlite"}
    assert "newer than this reader" in unread["version-3.sqlite"]["detail"]
    assert "not an archive" in unread["not-an-archive.sqlite"]["detail"]
    assert "2 of 3 sources unreadable" in night.said
    said = " ".join(night.said.split())
    assert "layout 3 is newer than this reader" in said
    assert "not an archive: another program's database" in said
    assert stamps(folder) == before


def test_mixed_payloads_cost_only_what_cannot_be_decoded(built: Path, tmp_path: Path) -> None:
    night = home(tmp_path, [built / "mixed-payloads.sqlite"]).night()
    run = "SELECT name, text FROM messages WHERE run_id = 'run2:R1' ORDER BY number"
    assert night.home.ask(run) == [("r1/m1", "Raw text."), ("r1/m2", "Compressed text.")]
    assert night.skips["missing_dictionary", True]["details"] == {"dictionary 7 is missing": 1}
    assert "dictionary 7 is missing" in night.page
    states = "SELECT name, state FROM runs ORDER BY name"
    assert night.home.ask(states) == [("r1", "settled"), ("r3", "interrupted")]
    assert night.skips["running", False]["details"] == {"r4": 1}
    assert "read again next night" in night.page
    shown = night.home.dream("show", "r2/m1")
    assert "deleted at its source on 2026-04-09" in shown.out
    assert night.home.dream("show", "r4").code == 2


def test_evidence_of_a_run_that_was_deleted_later_says_so_and_a_running_run_is_read_later(
    maker: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "source/runs.sqlite"
    archive = maker.Archive(path)
    words = "Never log a customer's address."
    for number in (1, 2):
        archive.run(number, "completed", ("user", maker.text("user", words), None))
    archive.run(4, "running", ("user", maker.text("user", "Still going."), None))
    settings = "gates: {rule_sessions: 1, rule_days: 1}"
    place = home(tmp_path / "home", [path.parent], settings=settings)
    title = "Never log a customer's address"
    rule = place.night().proposal(title).line["id"]
    assert "Still going." not in typed(place)

    for table in ("messages", "events"):
        archive.db.execute(f"DELETE FROM {table} WHERE run_ref = 2")  # noqa: S608 - one of two
    archive.db.execute("DELETE FROM runs WHERE id = 'R2'")
    gone = "INSERT INTO deleted_runs VALUES (2, 'R2', '2026-04-09T12:00:00.000Z', 'asked')"
    archive.db.execute(gone)
    archive.db.execute("UPDATE runs SET status = 'completed' WHERE id = 'R4'")
    archive.db.commit()
    archive.db.close()
    later = place.night("2026-04-21")
    assert "Still going." in typed(place)
    assert later.skips["deleted", True]["details"] == {"r2": 1}
    assert [each["title"] for each in later.report["waiting"]] == [title]
    why = place.dream("why", rule).out
    assert "deleted at its source on 2026-04-09; these words are our copy" in why
    assert why.count(f"»{words}«") == 2
    checked = place.dream("verify")
    assert checked.code == 0
    assert "1 deleted" in checked.out
    assert "2026-04-09" in checked.out
