"""The two git repositories that the sample's work was done in; the same commits every time."""

import os
import subprocess
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import yaml

from dream.sample.story import LAST_DAY

FILES = Path(__file__).parent / "repos"
"""One file a repository: paths and texts. So no agent takes the rules in there for its own."""
_BEFORE = 60  # days: the repositories are older than the story
_SOMEBODY = {"NAME": "Sample Team", "EMAIL": "team@example.com"}


def write(folder: Path) -> dict[str, Path]:
    """Both repositories, by name. Needs git; raises RuntimeError with its words when it fails."""
    return {source.stem: _one(source, folder / source.stem) for source in sorted(FILES.iterdir())}


def _one(source: Path, target: Path) -> Path:
    for name, text in yaml.safe_load(source.read_text("utf-8")).items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    _git(target, "init", "-q", "-b", "main", "--template=")
    _git(target, "add", "-A")
    _git(target, "commit", "-q", "--no-gpg-sign", "-m", f"Keep {source.stem} here")
    # The index holds times and places of files on this disk; read anew it holds neither.
    _git(target, "read-tree", "HEAD")
    return target


def _git(folder: Path, *words: str) -> None:
    moment = datetime.combine(LAST_DAY - timedelta(days=_BEFORE), time(9), tzinfo=UTC)
    who = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in {**_SOMEBODY, "DATE": moment.isoformat()}.items()
    }
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", *words],
        cwd=folder, env={**kept, **who, **nobody}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr.strip()}")
