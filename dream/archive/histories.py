"""The histories of the repositories that sessions worked in, kept in an archive of their own.

It lies in the state folder, has its own manifest and is written like the other one, once that one
knows the folders of the sessions. What agents did is judged without it, so that a commit is no
reason to think everything over again.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from dream.archive import manifest as manifests
from dream.archive.checkout import common_dir
from dream.archive.manifest import Manifest
from dream.archive.projects import known_git_folders, known_places
from dream.config import ProjectSpec, SourceSpec

NAME = "repositories"

TABLES = frozenset(
    {
        *("checkouts", "commits", "rule_changes", "rule_texts", "rules_seen", "standings"),
        "head_moves",
    }
)
"""Tables that hold a repository's history and stand in this archive only."""


def folder_of(state: Path) -> Path:
    """Where the histories of a state lie."""
    return state / NAME


def facts(past: Manifest) -> dict[str, dict[str, list[object]]]:
    """The manifest of the histories as columns: what the tables of these names in index/ are."""
    scans = sorted(past.scans.values(), key=lambda scan: scan.scan)
    readings: dict[str, list[object]] = {
        name: [getattr(scan, name) for scan in scans] for name in ("scan", "source_file", "live")
    }
    readings["gone"] = [scan.gone or past.files[scan.source_file].gone for scan in scans]
    refused = [one for _, one in sorted(past.files.items()) if one.status == "refused"]
    unread: dict[str, list[object]] = {
        name: [getattr(one, name) for one in refused if not one.gone]
        for name in ("source_file", "reason", "detail")
    }
    return {"history_facts": readings, "histories_unread": unread}


def sources(
    state: Path,
    projects: Sequence[ProjectSpec],
    git_dir: Callable[[str], str | None] = common_dir,
) -> tuple[SourceSpec, ...]:
    """The repositories to be looked at, in order, and projects that are none, as far as they are
    on this machine: those of sessions, those that hold sessions, and those that a person named.

    git_dir: tells a folder's repository, as it is on this machine.
    """
    known = [place.root for place in known_places(state).values() if place.key and place.root]
    places: set[Path] = {Path(git) for git in known_git_folders(state)}
    for entry in manifests.load(state).files.values():
        if entry.source_file.endswith("/HEAD") and not entry.gone:
            places.add(Path(entry.source_file).parent)
    for root in {*known, *(project.root for project in projects)}:
        places.add(Path(git_dir(str(root)) or root))
    # A submodule's git folder is told by the file that points to it.
    folders = {place.parent if place.is_file() else place for place in places}
    return tuple(SourceSpec(folder) for folder in sorted(folders) if folder.is_dir())
