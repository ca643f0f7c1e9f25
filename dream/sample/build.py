"""Writes the whole sample: an archive, session files, repositories and a dream.yaml.

The same folder gets the same bytes every time, times of change included, so that a second night on
it has nothing new to read.
"""

import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dream.sample import claude, pi, recorded, repos, story
from dream.sample.story import Session
from dream.yaml_lines import quoted

MARK = ".dream-sample"
OURS = ("run2", "pi", "claude", "repos", "dream.yaml")
"""What is written anew each time. The state of nights over the sample stays."""


class Occupied(Exception):
    """The folder holds something that is not the sample."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds something else than the sample. Nothing was written; "
            "name an empty folder or one that does not exist."
        )


@dataclass(frozen=True, slots=True)
class Made:
    """What was written."""

    folder: Path
    sessions: int
    turns: int


def build(folder: Path, skills_out: Path) -> Made:
    """Raises Occupied, and RuntimeError or FileNotFoundError when git fails or is not there."""
    folder = folder.resolve()
    _clear(folder)
    roots = repos.write(folder / "repos")
    told = story.sessions()
    _pi(folder, [one for one in told if one.agent == "pi"], roots)
    for session in told:
        if session.agent == "claude":
            path, changed = claude.write(
                session, roots[session.project], folder / "claude" / "projects"
            )
            _stamp(path, changed)
    _config(folder, roots, skills_out.resolve())
    return Made(folder, len(told), sum(len(one.turns) for one in told))


def _clear(folder: Path) -> None:
    """Takes an older sample away. The mark comes first, so that one cut off is ours as well."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / MARK).exists():
        raise Occupied(folder)
    (folder / MARK).write_text("Written by python -m dream.sample. It may be written anew.\n")
    for name in OURS:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _pi(folder: Path, sessions: list[Session], roots: dict[str, Path]) -> None:
    all_told = {one.key: pi.tell(one, roots[one.project]) for one in sessions}
    archive = folder / "run2" / "runs.sqlite"
    in_archive = [one for one in all_told.values() if "run2" in one.session.kept]
    recorded.write(archive, in_archive, all_told)
    _stamp(archive, max(one.entries[-1].happened for one in in_archive))
    for one in all_told.values():
        if "pi" in one.session.kept:
            parent = all_told[one.session.fork_of] if one.session.fork_of else None
            path = pi.write(one, folder / "pi" / "sessions", parent)
            _stamp(path, one.entries[-1].happened)


def _stamp(path: Path, changed: datetime) -> None:
    stamp = int(changed.timestamp()) * 1_000_000_000
    os.utime(path, ns=(stamp, stamp))


def _config(folder: Path, roots: dict[str, Path], skills_out: Path) -> None:
    lines = ["# Settings for a night over the sample; written with it.", "sources:"]
    for name, kind in (("run2", "run2"), ("pi/sessions", "pi"), ("claude/projects", "claude-code")):
        lines += [f"  - path: {name}", f"    kind: {kind}"]
    lines.append("projects:")
    lines += [f"  - root: repos/{name}" for name in sorted(roots)]
    lines += ["state: state", f"skills_out: {quoted(str(skills_out))}", "timezone: UTC", ""]
    (folder / "dream.yaml").write_text("\n".join(lines), "utf-8")
