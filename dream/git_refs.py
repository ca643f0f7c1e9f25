"""Where a repository's git folder is and what its refs say, read from its files without git."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dream.errors import TooNew

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LONGEST_LINK = 5  # names of refs that lead to each other


def store_of(folder: Path) -> Path | None:
    """The git folder that a folder is, or has as `.git`; of a worktree that of its main checkout.

    Looks at this folder only and not at those above it. OSError when it may not be looked at.
    """
    mark = folder / ".git"
    if mark.is_file():
        word, _, told = mark.read_text(errors="surrogateescape").partition(":")
        private = folder / told.strip()
        if word != "gitdir" or not private.is_dir():
            return None
        with suppress(FileNotFoundError):
            shared = (private / "commondir").read_text(errors="surrogateescape").strip()
            private = private / shared
        mark = private
    elif not mark.is_dir():
        mark = folder
    return Path(os.path.realpath(mark)) if is_store(mark) else None


def is_store(folder: Path) -> bool:
    """Whether a folder is a git folder, of a checkout or bare. Linked worktrees' own are not."""
    inside = all((folder / name).is_dir() for name in ("objects", "refs"))
    return inside and (folder / "HEAD").is_file()


def refs(store: Path, wanted: re.Pattern[str]) -> dict[str, str]:
    """Names of refs that match in full, each with the object it stands for, in name order.

    "" stands for the object of a ref that cannot be read. Only files of refs are opened.
    Raises TooNew where they are kept as tables.
    """
    if (store / "reftable").is_dir():
        raise TooNew(
            store,
            "its refs are kept as tables (reftable), which this reader does not know; "
            "name a clone of it that keeps them as files",
        )
    found: dict[str, str] = {}
    told = {name: _told(store / name) for name in _loose(store) if wanted.fullmatch(name)}
    packed = _packed(store)  # after the others: what is packed meanwhile stands here
    for name in sorted({*told, *filter(wanted.fullmatch, packed)}):
        value = told.get(name) or packed.get(name, "")
        for _ in range(_LONGEST_LINK):
            if not value.startswith("ref:"):
                break
            other = value[4:].strip()
            value = _told(store / other) or packed.get(other, "")
        found[name] = value if _OBJECT_ID.fullmatch(value) else ""
    return found


def linked(store: Path, name: str) -> str:
    """The whole name of the ref that a ref only points to; "" when it does not."""
    told = _told(store / name)
    return told[4:].strip() if told.startswith("ref:") else ""


def head(folder: Path) -> str:
    """What is checked out: the whole name of a branch, or an object id; "" when it is unknown."""
    return _told(folder / "HEAD").removeprefix("ref:").strip()


def _loose(store: Path) -> Iterator[str]:
    """Names of the refs that are files of their own."""
    for folder, _, names in os.walk(store / "refs"):
        inside = Path(folder).relative_to(store).as_posix()
        yield from (f"{inside}/{name}" for name in names if not name.endswith(".lock"))


def _told(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""


def _packed(store: Path) -> dict[str, str]:
    try:
        lines: Sequence[bytes] = (store / "packed-refs").read_bytes().split(b"\n")
    except FileNotFoundError:
        return {}
    told = (line.partition(b" ") for line in lines if line[:1] not in (b"#", b"^", b""))
    return {os.fsdecode(name): object_id.decode(errors="replace") for object_id, _, name in told}
