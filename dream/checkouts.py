"""Which repositories of this machine sessions were started in: what dream.yaml calls projects.

The first bytes of the newest transcript of each session folder tell where; nothing else is opened.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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
        checkout = _checkout(Path(cwd)) if cwd else None
        if checkout is None or checkout in (home, Path("/")):
            continue
        root = _main_checkout(checkout)
        counts[root] += 1
        if checkout != root:
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


def _checkout(folder: Path) -> Path | None:
    """The nearest folder upwards with a .git in it."""
    try:
        return next((up for up in (folder, *folder.parents) if (up / ".git").exists()), None)
    except OSError:
        return None


def _main_checkout(checkout: Path) -> Path:
    """The checkout that a worktree was made from; itself when it is none."""
    pointer = checkout / ".git"
    try:
        text = pointer.read_text(encoding="utf-8") if pointer.is_file() else ""
    except (OSError, ValueError):
        return checkout
    git = Path(text.removeprefix("gitdir:").strip())
    if text.startswith("gitdir:") and git.parent.name == "worktrees":
        return (checkout / git).parent.parent.parent.resolve()
    return checkout
