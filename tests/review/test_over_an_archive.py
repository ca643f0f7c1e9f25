"""The trace and the report over a real archive: their queries run, and every name leads back."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import SourceSpec
from dream.errors import Ambiguous
from dream.report.build import build
from dream.report.files import markdown
from dream.report.terminal import terminal
from dream.review.show import Choice, show, shown_text
from dream.review.source_lines import digests
from dream.review.verify import Sighting
from dream.sources.registry import READERS
from dream.types import Proposed

NIGHT = date(2026, 4, 12)

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def archive(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """The hostile transcripts, the awkward ones, and the archives that a script builds."""
    folder = tmp_path_factory.mktemp("sources")
    build_them = shared / "cases" / "archives" / "build_archives.py"
    subprocess.run([sys.executable, str(build_them), str(folder)], check=True, capture_output=True)
    state = tmp_path_factory.mktemp("state")
    places = (folder, shared / "cases" / "review", shared / "cases" / "transcripts")
    ingest(state, [SourceSpec(place) for place in places], READERS, NIGHT)
    with Archive.open(state) as opened:
        yield opened


def test_a_run_that_its_archive_deleted_is_told_with_its_day(archive: Archive) -> None:
    found = list(archive.rows("review/find", Choice, ref="r2", session="", entry="r2", run="r2"))
    (gone,) = (choice for choice in found if choice.kind == "deleted")
    for ref in (gone.id, gone.id.removeprefix("run2:")):
        assert "deleted at its source on 2026-04-09" in shown_text(show(ref, archive))


def test_a_message_is_found_by_its_entry_id(archive: Archive) -> None:
    assert show("aa000008", archive).id.endswith("/aa000008")


def test_ids_that_several_files_use_are_listed_with_their_files(archive: Archive) -> None:
    with pytest.raises(Ambiguous, match=r"markup-in-names\.jsonl") as caught:
        show("claude-code:sess-a/00000000-0000-4000-8000-000000000004", archive)
    assert "Never show raw markup" in str(caught.value)


def test_every_stored_line_is_found_again_at_its_source(archive: Archive) -> None:
    ids = [row.message_id for row in archive.rows("review/sightings_of", Sighting, ids=[])]
    assert ids == []
    messages = [str(each[0]) for each in _all_ids(archive)]
    places = list(archive.rows("review/sightings_of", Sighting, ids=messages))
    lines = [place for place in places if place.reader != "run2"]
    assert len(lines) > 50
    for place in lines:
        now = digests(Path(place.source_file), [place.line])
        assert now is not None
        assert place.digest in now[place.line], (place.source_file, place.line)


def _all_ids(archive: Archive) -> list[tuple[str]]:
    return archive._connection.execute("SELECT message_id FROM messages").fetchall()


def test_the_report_over_awkward_sources_names_what_could_not_be_read(archive: Archive) -> None:
    made = build(archive, night=NIGHT, stages=(), kinds={}, proposed=Proposed(), misses=())
    assert any("sources unreadable" in warning for warning in made.warnings)
    reasons = {each.reason for each in made.unread}
    assert {"damaged", "too_new", "not_an_archive"} <= reasons
    assert {"torn", "glued", "unknown_type"} <= {each.reason for each in made.skips}
    assert made.totals.human > 20
    assert "newer than this reader" in markdown(made)
    assert "unreadable" in terminal(made)
