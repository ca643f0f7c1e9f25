"""Which repositories of this machine sessions were started in: what dream.yaml calls projects.

The first bytes of the newest transcript of each session folder tell where; nothing else is opened.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dream.archive.checkout import common_dir

GLANCE = 64 * 1024
"""Bytes of a transcript looked at for the folder it was started in."""

FOLDERS_LOOKED_INTO = 400
"""Session folders looked into, in name order from the end; a person has some dozens."""

CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.){1,4096}")')


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository in which sessions were started. also: its other checkouts."""

    root: Path
    folders: int  # session folders seen for it, at least 1
    also: tuple[Path, ...] = ()


def repositories(files: Iterable[Path], home: Path) -> tuple[Repository, ...]:
    """The repositories that the sessions in files were started in, most folders first.

    A repository that is the home or the root of the machine is nobody's project and is left out.
    """
    counts: Counter[Path] = Counter()
    others: dict[Path, set[Path]] = {}
    newest = {path.parent: path for path in sorted(files) if path.suffix == ".jsonl"}
    for path in sorted(newest.values(), reverse=True)[:FOLDERS_LOOKED_INTO]:
        cwd = _cwd(path)
        git = common_dir(cwd) if cwd else None
        root = Path(git).parent if git else home
        if root in (home, Path("/")):
            continue
        counts[root] += 1
        checkout = next(up for up in (Path(cwd), *Path(cwd).parents) if (up / ".git").exists())
        if checkout.resolve() != root:
            others.setdefault(root, set()).add(checkout)
    order = sorted(counts, key=lambda root: (-counts[root], root))
    return tuple(
        Repository(root, counts[root], tuple(sorted(others.get(root, ())))) for root in order
    )


def _cwd(path: Path) -> str:
    try:
        with path.open("rb") as file:
            hit = CWD.search(file.read(GLANCE))
        value = json.loads(hit[1]) if hit else ""
    except (OSError, ValueError):
        return ""
    return value if value.startswith("/") and "\x00" not in value else ""
