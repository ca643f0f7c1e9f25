"""The night's folder in skills_out: built aside, then put in place at once.

A night that is killed leaves the old folder or the new one, never a half. The same files again
leave the folder untouched. What the folder held besides, a person's notes or a proposal of an
earlier run of the same date, is carried over as it is.
"""

import errno
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from pathlib import Path, PurePath

from dream.types import Proposed

OURS = frozenset(
    {"rule.md", "SKILL.md", "check.yaml", "change.diff", "proposal.md", "evidence.json"}
)
"""Files of a proposal's folder that are written anew as a whole, or not at all."""

AUDITS = "audit"
"""The folder with a page for each rule that has landed."""

REPORTS = frozenset({"report.md", "report.json"})

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS)
"""A disk that knows no second name for one file."""


def files_of(proposed: Proposed) -> Mapping[str, bytes]:
    """Every file of the proposals, by path inside the night's folder."""
    own = {
        f"{proposal.folder}/{name}": data
        for proposal in proposed.proposals
        for name, data in proposal.files
    }
    return own | dict(proposed.files)


def kept(out: Path, night: date, proposed: Proposed) -> tuple[str, ...]:
    """Proposals of an earlier run of the same date that tonight does not make again."""
    now = {proposal.folder for proposal in proposed.proposals}
    found = (path.parent.name for path in (out / night.isoformat()).glob("*/evidence.json"))
    return tuple(sorted(set(found) - now))


def publish(out: Path, night: date, files: Mapping[str, bytes]) -> Path:
    """Puts the files into <out>/<night>/ and gives that folder. files: by path inside it."""
    final = out / night.isoformat()
    fresh, old = out / f".{night}.new", out / f".{night}.old"
    out.mkdir(parents=True, exist_ok=True)
    _mend(final, old)
    _remove(fresh)
    theirs = [path for path in _entries(final) if not _ours(path, files)]
    if _same(final, files, theirs):
        return final
    fresh.mkdir()
    for name, data in files.items():
        _write(fresh / name, data)
    for path in theirs:
        _carry(final / path, fresh / path)
    for folder in (*(path for path in fresh.rglob("*") if path.is_dir()), fresh):
        _sync(folder)
    if os.path.lexists(final):
        final.rename(old)
    fresh.rename(final)
    _sync(out)
    _remove(old)
    return final


def _mend(final: Path, old: Path) -> None:
    """A night that was killed between the two renames left the folder under its other name."""
    if os.path.lexists(old) and not os.path.lexists(final):
        old.rename(final)
    _remove(old)


def _remove(path: Path) -> None:
    """Takes a folder of ours away. What stands there instead of one is taken away itself, and
    nothing that a link leads to.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[PurePath]:
    """Everything in it but folders that hold something, by path inside it; no link is followed."""
    if not folder.is_dir():
        return
    for top, folders, names in os.walk(folder):
        inside = PurePath(top).relative_to(folder)
        links = [name for name in folders if Path(top, name).is_symlink()]
        yield from sorted(inside / name for name in (*names, *links))
        folders[:] = sorted(set(folders) - set(links))
        if not folders and not names and not links and inside.parts:
            yield inside


def _ours(path: PurePath, files: Mapping[str, bytes]) -> bool:
    """Whether it is tonight's to write, or to leave out. All else stays."""
    top = path.parts[0]
    if len(path.parts) == 1:
        return top in REPORTS or top.startswith("all-of-")
    return (
        len(path.parts) == 2
        and (path.name in OURS or (top == AUDITS and path.suffix in (".md", ".html")))
        and any(name.startswith(f"{top}/") for name in files)
    )


def _same(final: Path, files: Mapping[str, bytes], theirs: Collection[PurePath]) -> bool:
    """Whether the folder holds just these files beside what is not ours."""
    there = {path.as_posix() for path in _entries(final)} - {path.as_posix() for path in theirs}
    return there == files.keys() and all(
        (final / name).is_file() and (final / name).read_bytes() == data
        for name, data in files.items()
    )


def _carry(path: Path, target: Path) -> None:
    """The same thing under its new name, whatever it is: a note, a program, a link, a pipe."""
    if path.is_dir() and not path.is_symlink():
        target.mkdir(parents=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(path, target, follow_symlinks=False)


def _write(path: Path, data: bytes) -> None:
    """On the disk when this returns: the ledger tells of it next."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
