"""The checkouts of a repository, and git's own log of which commit each of them had when."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_LINE = re.compile(
    r"[0-9a-f]+ (?P<commit>[0-9a-f]{40}(?:[0-9a-f]{24})?) .*?(?P<seconds>\d{1,11}) [+-]\d{4}"
    r"(?:\t(?P<about>.*))?"
)
_LEFT = re.compile(r"(?:checkout: moving from|Branch: renamed) (?P<branch>\S+) to ")
_DETACHED = re.compile(r"[0-9a-f]{40,64}")
_LONGEST = 64 * 1024 * 1024  # bytes of a log that are read, from its end


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which a repository is checked out. private: where git keeps what is its own."""

    root: str  # "" for a bare repository
    private: Path

    @property
    def log(self) -> Path:
        return self.private / "logs" / "HEAD"


@dataclass(frozen=True, slots=True)
class Move:
    """From `happened` on the checkout has this commit."""

    happened: datetime
    commit_id: str
    branch: str | None  # None: of no branch, or not known


def places(store: Path) -> Iterator[Place]:
    """The main one, then the linked ones by name."""
    yield Place(str(store.parent) if store.name == ".git" else "", store)
    for private in sorted((store / "worktrees").glob("*")):
        try:
            told = (private / "gitdir").read_text(errors="surrogateescape").strip()
        except OSError:
            continue
        yield Place(str((private / told).parent), private)


def moves(log: Path, branch: str | None) -> list[Move]:
    """What the log of a checkout tells, in its order. branch: the one that is checked out now.

    On which branch a move was is known from behind: a change of branches names the one it left, and
    the one it reached only as somebody typed it.
    """
    read = [hit for line in _lines(log) if (hit := _LINE.fullmatch(line))]
    found: list[Move] = []
    for hit in reversed(read):
        about = hit["about"] or ""
        # While a rebase runs no branch is checked out.
        away = about.startswith("rebase") and ": returning to " not in about
        happened = datetime.fromtimestamp(int(hit["seconds"]), UTC)
        found.append(Move(happened, hit["commit"], None if away else branch))
        if left := _LEFT.match(about):
            name = left["branch"]
            branch = None if _DETACHED.fullmatch(name) else name.removeprefix("refs/heads/")
    return found[::-1]


def _lines(log: Path) -> Iterable[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _LONGEST))
            return file.read().decode(errors="replace").split("\n")
    except OSError:
        return ()
