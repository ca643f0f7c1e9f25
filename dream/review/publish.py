"""The night's folder in skills_out: built aside, then put in place at once.

A night that is killed leaves the old folder or the new one, never a half. The same files again
leave the folder untouched. What the folder held besides, a person's notes or a proposal of an
earlier run of the same date, is carried over.
"""

import shutil
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from dream.types import Proposed

OURS = frozenset(
    {"rule.md", "SKILL.md", "check.yaml", "change.diff", "proposal.md", "evidence.json"}
)
"""Files of a proposal's folder that are written anew as a whole, or not at all."""

REPORTS = frozenset({"report.md", "report.json"})


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
    shutil.rmtree(fresh, ignore_errors=True)
    for path, data in {**_carried(final, files), **files}.items():
        target = fresh / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    fresh.mkdir(exist_ok=True)
    if final.is_dir() and _content(final) == _content(fresh):
        shutil.rmtree(fresh)
        return final
    if final.exists():
        final.rename(old)
    fresh.rename(final)
    shutil.rmtree(old, ignore_errors=True)
    return final


def _mend(final: Path, old: Path) -> None:
    """A night that was killed between the two renames left the folder under its other name."""
    if old.exists() and not final.exists():
        old.rename(final)
    shutil.rmtree(old, ignore_errors=True)


def _carried(final: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """What stays of the folder that is there: all that is not ours to write tonight."""
    ours = {path.partition("/")[0] for path in files}
    stays = {}
    for path in _files(final):
        inside = path.relative_to(final)
        top = inside.parts[0]
        written = len(inside.parts) == 2 and top in ours and inside.name in OURS
        report = len(inside.parts) == 1 and (top in REPORTS or top.startswith("all-of-"))
        if not written and not report:
            stays[inside.as_posix()] = path.read_bytes()
    return stays


def _content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
