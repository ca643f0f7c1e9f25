"""Nights over case files, each spent once however many tests look at it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases.nights import Night, home

Spent = Callable[[str], Night]


@pytest.fixture(scope="session")
def cases(shared: Path) -> Path:
    return shared / "cases"


@pytest.fixture(scope="session")
def spent(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Spent:
    """spent(name): one night over that file or folder of ../shared/cases alone."""
    nights: dict[str, Night] = {}

    def spend(name: str) -> Night:
        if name not in nights:
            folder = tmp_path_factory.mktemp(name.replace("/", "-"))
            nights[name] = home(folder, [cases / name]).night()
        return nights[name]

    return spend
