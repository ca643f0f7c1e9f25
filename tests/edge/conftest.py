"""A night over the sample, run once through the command line, for the commands that read it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dream.cli import main
from dream.sample.build import build

NIGHT = "2026-11-14"
Dream = Callable[..., int]


@dataclass(frozen=True)
class Sample:
    """folder: holds the sample, its settings and skills_out."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "sample/dream.yaml"

    @property
    def state(self) -> Path:
        return self.folder / "sample/state"

    @property
    def out(self) -> Path:
        return self.folder / "skills_out"

    def dream(self, *words: str) -> int:
        """The exit code of a command with the sample's settings."""
        return main([*words, "--config", str(self.settings)])


@pytest.fixture(scope="session")
def slept(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The sample after one night. Not to be changed."""
    sample = Sample(tmp_path_factory.mktemp("slept"))
    build(sample.folder / "sample", sample.out)
    assert sample.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    return sample


@pytest.fixture
def awake(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A sample of the test's own, before any night."""
    sample = Sample(tmp_path_factory.mktemp("awake"))
    build(sample.folder / "sample", sample.out)
    return sample
