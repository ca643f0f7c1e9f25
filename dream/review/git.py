"""Asks git whether it would take a diff: in a private folder, away from every repository."""

import os
import subprocess
import tempfile
from pathlib import Path

SECONDS = 20
"""One check takes some milliseconds; more means that git hangs."""


def complaint(git: str, diff: bytes, path: str, data: bytes | None) -> str:
    """What `git apply --check` has against the diff; "" when it takes it.

    git: the program's path. path, data: the file the diff is for, as it stands in its repository;
    data None: it is not there. No setting of the user or the machine has a say.
    """
    with tempfile.TemporaryDirectory(prefix="dream-diff-") as folder:
        tree = Path(folder).resolve() / "tree"
        tree.mkdir()
        if data is not None:
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        try:
            asked = subprocess.run(
                [git, "apply", "--check", "--whitespace=nowarn", "-"],
                input=diff,
                cwd=tree,
                env=_clean(tree),
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"git could not be asked: {error}"
    if asked.returncode == 0:
        return ""
    return asked.stderr.decode(errors="replace").strip() or f"git ended with {asked.returncode}"


def _clean(tree: Path) -> dict[str, str]:
    return {
        "GIT_CEILING_DIRECTORIES": str(tree.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(tree.parent),
        "LC_ALL": "C",
        "PATH": os.defpath,
    }
