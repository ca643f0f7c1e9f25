"""A house with one fake reader."""

from pathlib import Path

import pytest

from tests.archive.fakes import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)
