"""The developer corpora of ../shared, unpacked once a test run into a folder of their own."""

import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

Corpus = Callable[[str], Path]


def unpack(shared: Path, name: str, target: Path) -> None:
    """All that shared/corpora/<name>/data.tar.zst holds, into a folder."""
    with (shared / "corpora" / name / "data.tar.zst").open("rb") as file:
        stream = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(file)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            if hasattr(tarfile, "data_filter"):  # Debian 12 has Python 3.11.2, without it
                archive.extraction_filter = tarfile.data_filter
            archive.extractall(target)  # noqa: S202 - our own test data


@pytest.fixture(scope="session")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """corpus(name): the folder with all that shared/corpora/<name>/data.tar.zst holds."""
    unpacked: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in unpacked:
            target = tmp_path_factory.mktemp(name)
            unpack(shared, name, target)
            unpacked[name] = target
        return unpacked[name]

    yield folder
    for target in unpacked.values():  # some hundred megabytes: not kept for a look afterwards
        shutil.rmtree(target)
