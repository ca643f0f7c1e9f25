"""Where a folder's repository is on this machine, read from git's own files, without git."""

import os
from pathlib import Path


def common_dir(cwd: str) -> str | None:
    """The .git folder of the main checkout that a folder belongs to, or None.

    Of a folder that is gone its nearest folder that is there tells. A submodule is a repository of
    its own. Nothing is changed and no program is started.
    """
    folder = Path(cwd)
    if not folder.is_absolute():
        return None
    for place in (folder, *folder.parents):
        mark = place / ".git"
        try:
            if mark.is_dir():
                found = mark if (mark / "HEAD").exists() else None
            elif mark.is_file():
                found = _linked(mark)
            else:
                continue
        except OSError:
            continue
        if found is not None:
            return os.path.realpath(found)
    return None


def _linked(mark: Path) -> Path | None:
    """What a worktree's .git file leads to: the shared folder, through `commondir`."""
    word, _, told = mark.read_text(errors="surrogateescape").partition(":")
    if word != "gitdir":
        return None
    private = mark.parent / told.strip()
    try:
        shared = (private / "commondir").read_text(errors="surrogateescape").strip()
    except OSError:
        return mark  # a submodule, or a checkout whose git folder lies elsewhere: its own root
    return private / shared
