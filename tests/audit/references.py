"""The reference results of ../shared/oracles, for the tests of the statistics."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def oracles(shared: Path) -> Path:
    return shared / "oracles"


def told(oracles: Path, name: str) -> dict[str, Any]:
    return dict(json.loads((oracles / f"{name}.json").read_bytes()))


def table(oracles: Path, name: str) -> list[dict[str, str]]:
    with (oracles / name).open(newline="") as file:
        return list(csv.DictReader(file))
