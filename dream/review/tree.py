"""The repository a proposal is for: looked at, never written.

A path is followed to where it really lies. Whatever would make a write land elsewhere (a link out
of the tree, a submodule, a device) or spoil a file (another encoding, open merge marks) is refused
with words that name file and line; other targets of the same night go on.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

SIZE_LIMIT = 1024 * 1024
"""Bytes of a rule file that are looked at. Agents read some tens of thousands."""

SKILL_FOLDERS = (".agents/skills", ".claude/skills", ".pi/skills")
"""Where agents look for skills in a project; the first is read by most of them."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A project and where its rules go. root None: its repository is not on this machine."""

    name: str  # for people
    root: Path | None
    rules: str = "AGENTS.md"  # as set for the project; see rule_path
    memory: tuple[str, ...] = ()  # files of a hand-kept memory, relative to the root


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path of the tree now."""

    path: str  # relative to the root, links followed, with "/"
    data: bytes | None  # None: nothing there yet


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing can be written there; why, for the reviewer."""

    reason: str


def rule_path(tree: Tree) -> str:
    """The project's rule file: the one that is set; CLAUDE.md where only that one is there."""
    if tree.rules == "AGENTS.md" and tree.root is not None:
        there = [name for name in ("AGENTS.md", "CLAUDE.md") if _exists(tree.root / name)]
        return there[0] if there else tree.rules
    return tree.rules


def skill_folder(tree: Tree) -> str:
    """Where a new skill goes: the folder the project has, else the one of its agent's settings."""
    if tree.root is None:
        return SKILL_FOLDERS[0]
    for folder in SKILL_FOLDERS:
        if (tree.root / folder).is_dir():
            return folder
    for folder in SKILL_FOLDERS:
        if (tree.root / folder).parent.is_dir():
            return folder
    return SKILL_FOLDERS[0]


def look(tree: Tree, path: str) -> Found | Refused:
    """What is at path now, links followed. Reads at most SIZE_LIMIT bytes and runs nothing."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or _is_git(parts):
        return Refused(f"{path} is not a path inside a repository")
    if tree.root is None:
        return Found(path, None)
    try:
        root = tree.root.resolve()
        real = (root / path).resolve()
        if not real.is_relative_to(root):
            return Refused(f"{path} leads out of the repository, to {real}")
        inside = real.relative_to(root)
        if _is_git(inside.parts) or not inside.parts:
            return Refused(f"{path} leads to {real}, which is no place for a rule")
        if other := _other_repository(root, real):
            return Refused(f"{path} belongs to another repository, {other}")
        data = _read(real)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
        return Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")
    return Found(inside.as_posix(), data) if not isinstance(data, Refused) else data


def content(path: Path) -> bytes | Refused | None:
    """What stands at a path that is only ever read, wherever a link leads; None without a file."""
    try:
        return _read(path.resolve())
    except (OSError, RuntimeError) as error:
        return Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def below_top(root: Path | None) -> str:
    """The way from the repository's top folder to root; "" when root is the top, or no repository.

    `git apply` takes the paths of a diff from the top folder.
    """
    if root is None:
        return ""
    real = root.resolve()
    for folder in (real, *real.parents):
        if _exists(folder / ".git"):
            return "" if folder == real else real.relative_to(folder).as_posix()
    return ""


def _read(path: Path) -> bytes | Refused | None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        return Refused(f"{path.name} is not a regular file")
    with path.open("rb") as file:
        data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        return Refused(f"{path.name} is larger than {SIZE_LIMIT:,} bytes")
    return data


def _other_repository(root: Path, path: Path) -> Path | None:
    """A submodule or a nested checkout between root and path."""
    for folder in path.parents:
        if folder == root:
            return None
        if _exists(folder / ".git"):
            return folder
    return None


def _is_git(parts: tuple[str, ...]) -> bool:
    return any(part.casefold() == ".git" for part in parts)


def _exists(path: Path) -> bool:
    """Also a link that leads nowhere: it stands there."""
    return os.path.lexists(path)
