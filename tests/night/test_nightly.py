"""The whole night: the same bytes again, and nothing touched that is not ours."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from subprocess import DEVNULL

import pytest

from dream.archive.archive import Archive
from dream.config import Config
from dream.config_file import load as load_file
from dream.nightly import NightResult, nightly
from dream.place import here
from dream.progress import Silent
from dream.review.record import published
from dream.review.verify import verify
from dream.sample.build import build
from tests.corpora import Corpus
from tests.night.places import content, stamps

NIGHT = date(2026, 11, 20)
NOW = datetime(2026, 11, 20, 2, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample archive, written once; a test copies nothing and only reads it."""
    folder = tmp_path_factory.mktemp("sample") / "sample"
    build(folder, folder / "unused")
    yield folder
    shutil.rmtree(folder)


def settings(sample: Path, home: Path, name: str = "home") -> Path:
    """A dream.yaml that reads the sample into a state and a skills_out of its own."""
    path = home / f"{name}.yaml"
    text = (sample / "dream.yaml").read_text()
    kept = [line for line in text.splitlines() if not line.startswith(("state:", "skills_out:"))]
    kept = [line.replace("path: ", f"path: {sample}/") for line in kept]
    kept = [line.replace("root: ", f"root: {sample}/") for line in kept]
    kept += [f"state: {home / name / 'state'}", f"skills_out: {home / name / 'out'}"]
    path.write_text("\n".join(kept) + "\n")
    return path


def load(path: Path) -> Config:
    return load_file(path, here())


def spend(config: Config, night: date = NIGHT) -> NightResult:
    return nightly(config, night, NOW, Silent())


def test_the_same_night_again_and_in_a_fresh_state_writes_the_same_bytes(
    sample: Path, tmp_path: Path
) -> None:
    config = load(settings(sample, tmp_path))
    first = spend(config)
    once = content(config.skills_out)
    spend(config)
    assert content(config.skills_out) == once
    other = load(settings(sample, tmp_path, "other"))
    spend(other)
    assert content(other.skills_out) == once
    assert len(first.report.proposals) >= 5
    assert first.exit_code == 0


def test_a_night_with_nothing_new_proposes_nothing_and_says_what_waits(
    sample: Path, tmp_path: Path
) -> None:
    config = load(settings(sample, tmp_path))
    first = spend(config)
    second = spend(config, date(2026, 11, 21))
    assert second.report.proposals == ()
    assert {each.id for each in second.report.waiting} == {
        each.id for each in first.report.proposals
    }


def test_sources_and_repositories_stay_byte_for_byte_as_they_were(
    sample: Path, tmp_path: Path
) -> None:
    before = stamps(sample)
    spend(load(settings(sample, tmp_path)))
    assert stamps(sample) == before


def test_every_quote_of_the_night_leads_back_and_no_secret_or_order_got_through(
    sample: Path, tmp_path: Path
) -> None:
    config = load(settings(sample, tmp_path))
    spend(config)
    with Archive.open(config.state) as archive:
        verdict = verify(published(config.skills_out), archive)
    assert verdict.quotes > 10
    assert verdict.broken == ()
    told = b"\n".join(content(config.skills_out).values()).lower()
    for planted in (b"ghp_", b"sk_live_", b"capital letters", b"ignore previous"):
        assert planted not in told


def test_twenty_kills_at_random_moments_and_the_next_night_ends_the_same(
    sample: Path, tmp_path: Path
) -> None:
    plain = load(settings(sample, tmp_path, "plain"))
    before = time.perf_counter()
    command = [sys.executable, "-m", "dream", "night", "--quiet", "--date", NIGHT.isoformat()]
    subprocess.run([*command, "--config", str(tmp_path / "plain.yaml")], check=True, stdout=DEVNULL)
    whole = time.perf_counter() - before
    killed = load(settings(sample, tmp_path, "killed"))
    draw = random.Random(7)  # noqa: S311 - moments, not secrets
    for _ in range(20):
        child = subprocess.Popen(
            [*command, "--config", str(tmp_path / "killed.yaml")], stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            child.wait(draw.uniform(0.1, whole))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if draw.random() < 0.3:  # so that some kills meet a state with nothing in it
            shutil.rmtree(tmp_path / "killed", ignore_errors=True)
    subprocess.run(
        [*command, "--config", str(tmp_path / "killed.yaml")], check=True, stdout=DEVNULL
    )
    assert content(killed.skills_out) == content(plain.skills_out)


@pytest.mark.shared
def test_all_archives_and_both_corpora_in_one_night(
    shared: Path, corpus: Corpus, tmp_path: Path
) -> None:
    folders = (
        *(shared / "archives",),
        *(corpus(name) for name in ("claude-entire-cli-early", "claude-context-evaluator")),
    )
    before = [stamps(folder) for folder in folders]
    path = tmp_path / "dream.yaml"
    path.write_text(
        "sources:\n"
        + "".join(f"  - path: {folder}\n" for folder in folders)
        + f"state: {tmp_path / 'state'}\nskills_out: {tmp_path / 'out'}\n"
    )
    config = load(path)
    result = spend(config, date(2026, 12, 1))
    assert [stamps(folder) for folder in folders] == before
    totals = result.report.totals
    # 43 pi sessions and the imitation, those of the archives among them; 119 and 98 of Claude Code,
    # 3 of Gemini CLI
    assert totals.sessions == 44 + 119 + 98 + 3
    assert totals.calls > 13_000
    assert result.report.unread == ()
    assert len(result.report.proposals) == config.gates.per_night
    with Archive.open(config.state) as archive:
        assert verify(published(config.skills_out), archive).broken == ()
