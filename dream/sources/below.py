"""Files of a source, and the folders of it that may not be looked into."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def below(root: Path, ending: str | tuple[str, ...]) -> Iterator[Path]:
    """Every file below root with one of these endings, or root itself when it is a file, in order.

    A folder that cannot be listed is given too: whoever opens it learns why, so what lies in it is
    told as unreadable and not taken for absent.
    """
    if _is_file(root):
        yield root
        return
    barred: list[Path] = []
    found = [
        path
        for folder, names in walked(root, barred)
        for name in names
        if name.endswith(ending) and _is_file(path := Path(folder, name))
    ]
    yield from sorted(found + barred)


def walked(root: Path, barred: list[Path]) -> Iterator[tuple[str, Sequence[str]]]:
    """Every folder below root, itself first, with the names of its files; links are not followed.

    Folders that cannot be listed are added to barred.
    """

    def note(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            barred.append(Path(os.fsdecode(error.filename)))

    for folder, _, names in os.walk(root, onerror=note):
        yield folder, names


def _is_file(path: Path) -> bool:
    """Whether it is a file, or may be one: of a folder without access only the names are known."""
    try:
        return path.is_file()
    except OSError:
        return True
