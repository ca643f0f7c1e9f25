"""A second copy of what was read before turns up later: what was proposed still leads back."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from dream import judged
from dream.archive.archive import Archive
from dream.config import Config, SourceSpec
from dream.nightly import nightly
from dream.progress import Silent
from dream.review.record import published
from dream.review.verify import verify
from dream.review.why import known, why
from dream.sample.build import build

FIRST, SECOND = date(2026, 11, 20), date(2026, 11, 21)
NOW = datetime(2026, 11, 21, 2, 30, tzinfo=UTC)


def test_a_session_file_that_joins_its_run_archive_breaks_no_quote(tmp_path: Path) -> None:
    sample = tmp_path / "sample"
    build(sample, tmp_path / "unused")
    archive, files = SourceSpec(sample / "run2"), SourceSpec(sample / "pi")
    config = Config(state=tmp_path / "state", skills_out=tmp_path / "out", sources=(archive,))
    nightly(config, FIRST, NOW, Silent())
    before = list(published(config.skills_out))
    assert sum(len(each.evidence) for each in before) > 5
    nightly(replace(config, sources=(archive, files)), SECOND, NOW, Silent())
    with Archive.open(config.state) as opened:
        verdict = verify(before, opened)
        told = known(before, (), judged.load(config.state).judgements)
        walks = [why(each.candidate.id, told, opened) for each in before]
    assert verdict.broken == ()
    assert set(verdict.sources) == {"present"}
    assert [words.flaw for walk in walks for words in walk.words if words.flaw] == []
