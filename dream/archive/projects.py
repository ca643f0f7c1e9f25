"""Which repository a session worked in, however it got there: checkout, worktree or subfolder.

Two folders are one project only when git says so, or when one lies where tools put the worktrees of
the other. The same name is not enough, and neither is one folder lying inside another: whoever
starts an agent in the folder above all repositories would make them one.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import orjson

from dream.archive import manifest as manifests
from dream.config import ProjectSpec
from dream.errors import StateBroken
from dream.types import Project

NAME = "projects.json"
UNKNOWN = Project("", "scope unknown")

_SCRATCH = re.compile(
    r"/(?:(?:private/)?(?:tmp|var/tmp|var/folders)|scratch|dev/shm)(?:/|$)"
    r"|(?i:[a-z]:/(?:users/[^/]+/appdata/local/temp|windows/temp|temp))(?:/|$)"
)
_NOBODYS = re.compile(r"/?|/root|/(?:home|Users)(?:/[^/]+)?|(?i:[a-z]:/?(?:users(?:/[^/]+)?)?)")
"""The top of a disk and homes: folders that hold everything are no project."""

_WORKTREES = (
    re.compile(r"(.+?)/\.(?:[a-z-]+/)?worktrees?(?:/.*)?"),  # <repo>/.claude/worktrees/x
    re.compile(r"(.*/[^/]+)[-.]worktrees?/[^/]+(?:/.*)?"),  # <repo>-worktrees/x
)


def project_of(
    cwd: str, git_common_dir: str | None, known_roots: Sequence[ProjectSpec] = ()
) -> Project:
    """The project of a folder. Looks at nothing but the names it is given.

    cwd: absolute, as the session recorded it. git_common_dir: the .git folder of its main checkout;
    None when the folder is no repository, or is not there any more.
    known_roots: of dream.yaml. What they say of a folder holds before everything else.
    """
    folder = _plain(cwd)
    root = _plain(git_common_dir or "").removesuffix("/.git")
    if root and not _NOBODYS.fullmatch(root):
        # A repository inside a named one is its own, and a named part of a repository is that part.
        inside = [spec for spec in known_roots if not root.startswith(f"{_plain(str(spec.root))}/")]
        known = _declared(folder, inside) or _declared(root, known_roots, below=False)
        if known is None and _SCRATCH.match(root):
            return UNKNOWN
    else:
        known = _declared(folder, known_roots)
        if known is None and (_SCRATCH.match(folder) or _NOBODYS.fullmatch(folder)):
            return UNKNOWN
        root = main_checkout(folder)
        known = known or _declared(root, known_roots)
    key = known or root
    return Project(key, PurePosixPath(key).name or key)


def main_checkout(folder: str) -> str:
    """The folder that a worktree was made from, by where it lies; any other folder as it is."""
    for pattern in _WORKTREES:
        found = pattern.fullmatch(folder)
        if found and not _NOBODYS.fullmatch(found[1]):
            return found[1]
    return folder


def _declared(folder: str, specs: Sequence[ProjectSpec], *, below: bool = True) -> str | None:
    """The root that dream.yaml names for a folder; the longest one that fits.

    below: whether a root's subfolders are its own.
    """
    fits: list[tuple[int, str]] = []
    for spec in specs:
        root = _plain(str(spec.root))
        for path, with_folders in ((root, below), *((_plain(also), True) for also in spec.also)):
            if folder == path or (with_folders and folder.startswith(f"{path}/")):
                fits.append((len(path), root))
    return max(fits)[1] if fits else None


def _plain(path: str) -> str:
    """With slashes, and none at the end, also for a folder of Windows."""
    if re.match(r"[A-Za-z]:\\", path):
        path = path.replace("\\", "/")
    return path.rstrip("/") or path[:1]


def known_places(state: Path) -> Mapping[str, Project]:
    """The project of each folder as earlier nights found it."""
    return {cwd: project for cwd, (project, _) in _stored(state).items()}


def known_git_folders(state: Path) -> Sequence[str]:
    """The repositories, by their git folders, of every folder that belongs to a project."""
    stored = _stored(state).values()
    return sorted({git for project, git in stored if project.key and git})


def learn(
    state: Path,
    cwds: Iterable[str],
    known_roots: Sequence[ProjectSpec],
    look: Callable[[str], str | None],
) -> None:
    """Keeps the project of every folder that is known now: next month its repository may be gone.

    look: gives the git_common_dir of a folder as it is on this machine now.
    A folder once found in a repository stays there, unless it is in another one now.
    """
    stored = _stored(state)
    learned = dict(stored)
    for cwd in sorted({*cwds, *stored}):
        _, before = stored.get(cwd, (UNKNOWN, None))
        common = look(cwd) or before
        project = project_of(cwd, common, known_roots)
        root = Path(project.key)
        here = bool(project.key) and root.is_absolute() and root.is_dir()
        learned[cwd] = (replace(project, root=root if here else None), common)
    if learned != stored:
        rows = [
            {"cwd": cwd, "key": p.key, "name": p.name, "root": p.root and str(p.root), "git": git}
            for cwd, (p, git) in sorted(learned.items())
        ]
        manifests.write(state / NAME, orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE))


def _stored(state: Path) -> dict[str, tuple[Project, str | None]]:
    path = state / NAME
    try:
        rows = orjson.loads(path.read_bytes())
        return {
            row["cwd"]: (
                Project(row["key"], row["name"], Path(row["root"]) if row["root"] else None),
                row["git"],
            )
            for row in rows
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StateBroken(
            f"{path} cannot be used: {error}.\nNothing was written. Move the file away; the next "
            "night makes it anew from the repositories that are still on this machine."
        ) from error
