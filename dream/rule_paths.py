"""Where agents look for rules: which files of a repository tell them what to do."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

NAMES = ("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md")
"""In any folder of a repository: they hold for the work below it."""

FOLDERS = (".agents", ".claude", ".pi")

TRIALS = ".dream/trials"
"""Rules that sessions are told at random (dream.trial), by a hook and not by the agent itself."""

PATHSPECS = (
    *(f":(glob)**/{name}" for name in NAMES),
    *(f":(glob)**/{folder}/rules/**/*.md" for folder in FOLDERS),
    *(f":(glob)**/{folder}/skills/*/SKILL.md" for folder in FOLDERS),
    f":(glob){TRIALS}/*.md",
    ":(glob).github/copilot-instructions.md",
)
"""The same for git."""

LARGEST = 1024 * 1024
"""Bytes of a rule file that are read. Agents read some tens of thousands."""

_MOST = 300  # files of one folder


def at_top(root: Path) -> Sequence[str]:
    """The rule files of a folder itself and of its agents' folders that are there now, in order."""
    names = (*NAMES, *(f"{folder}/CLAUDE.md" for folder in FOLDERS))
    found: list[Path] = []
    with suppress(OSError):  # a folder that may not be looked into has none for us
        found += [root / name for name in names if (root / name).is_file()]
        for pattern in ("rules/**/*.md", "skills/*/SKILL.md"):
            for folder in FOLDERS:
                below = sorted(path for path in (root / folder).glob(pattern) if path.is_file())
                found += below[:_MOST]
        found += sorted(path for path in (root / TRIALS).glob("*.md") if path.is_file())[:_MOST]
    return [path.relative_to(root).as_posix() for path in found]


def root_of(path: Path) -> Path:
    """The folder that a rule file of at_top holds for."""
    inside = next((up for up in path.parents if up.name in {*FOLDERS, ".dream"}), None)
    return path.parent if inside is None else inside.parent
