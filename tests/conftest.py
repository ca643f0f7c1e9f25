"""What every test may ask for: the shared test data, and golden files that --bless rewrites."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.corpora import corpus

__all__ = ["corpus"]

# A busy machine is no fault of the code; how fast things are is for the bench.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

# Put into the background a test run ignores Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

HOUSE = Path(__file__).resolve().parent.parent
SHARED = HOUSE.parent / "shared"
Golden = Callable[[str, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite the golden files")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real archives; skips without it, fails without it under CI=true."""
    if SHARED.is_dir():
        return SHARED
    if os.environ.get("CI") == "true":
        pytest.fail(f"{SHARED} is missing, and CI must have it")
    pytest.skip("needs ../shared")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """golden(name, text): text equals tests/golden/name, or becomes it under --bless."""

    def compare(name: str, text: str) -> None:
        path = HOUSE / "tests" / "golden" / name
        if request.config.getoption("--bless"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"no golden file {name}; look at the text, then run with --bless"
        assert text == path.read_bytes().decode()

    return compare
