"""What is known of runs and of the repositories they may have worked in, ready to be asked."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dream.history import Checkout, Commit, HeadMove, RuleChange, Standing
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class Place:
    """A run, and all that may tell where it worked."""

    run_id: str
    session_id: str
    started: datetime | None  # UTC
    session_started: datetime | None
    cwd: str  # "" when not recorded
    git_branch: str | None  # of the session's beginning, else of its first checkpoint
    project_key: str
    project_name: str
    project_root: str | None
    kept_in: str = ""  # repository that holds a checkpoint of the session; "" for none


@dataclass(frozen=True, slots=True)
class Link:
    """A commit that came of a session."""

    session_id: str
    checkpoint_id: str
    kept: datetime | None  # when the checkpoint was made
    commit_id: str
    authored: datetime | None
    committed: datetime | None
    repository: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A rule file that no commit holds. gone: it was not there any more, or not so, later on."""

    root: str
    path: str
    blob_id: str
    changed: datetime  # when it was last written
    gone: bool


@dataclass(frozen=True, slots=True)
class FileAt:
    """A rule file after a commit. commit_id: the one that gave it this text."""

    path: str
    blob_id: str
    commit_id: str
    link: bool


@dataclass(slots=True)
class History:
    """The histories of all repositories. Not frozen: what was worked out is kept."""

    checkouts: Sequence[Checkout] = ()
    commits: dict[tuple[str, str], Commit] = field(default_factory=dict)  # repository, id
    changes: dict[tuple[str, str], list[RuleChange]] = field(default_factory=dict)
    standings: dict[tuple[str, str], list[Standing]] = field(default_factory=dict)  # branch
    moves: dict[str, list[HeadMove]] = field(default_factory=dict)  # by checkout
    seen: dict[str, list[Seen]] = field(default_factory=dict)  # by root
    links: dict[str, list[Link]] = field(default_factory=dict)  # by session
    _files: dict[tuple[str, str], dict[str, FileAt]] = field(default_factory=dict)

    def files(self, repository: str, anchor: str) -> dict[str, FileAt]:
        """The rule files that stand at an anchor, by path; none at ""."""
        chain: list[str] = []
        while anchor and (repository, anchor) not in self._files:
            chain.append(anchor)
            commit = self.commits.get((repository, anchor))
            anchor = commit.before if commit else ""
        files = self._files.get((repository, anchor), {})
        for commit_id in reversed(chain):
            files = dict(files)
            for change in self.changes.get((repository, commit_id), ()):
                files.pop(change.path, None)
                if change.change != "removed":
                    at = FileAt(change.path, change.blob_id, commit_id, change.link)
                    files[change.path] = at
            self._files[(repository, commit_id)] = files
        return files

    def before(self, repository: str, anchor: str, started: datetime | None) -> str:
        """The anchor itself or the next one behind it that was there by then; "" for none."""
        while anchor and started is not None:
            commit = self.commits.get((repository, anchor))
            if commit is None or commit.committed is None or commit.committed <= started:
                break
            anchor = commit.before
        return anchor

    def standing(self, repository: str, branch: str, started: datetime) -> Standing | None:
        """The rule files of a branch by then."""
        rows = self.standings.get((repository, branch), [])
        place = bisect_right(rows, started, key=lambda row: row.since)
        return rows[place - 1] if place else None

    def move(self, worktree: str, moment: datetime | None) -> HeadMove | None:
        """What a checkout had by then, as git's log of it tells."""
        rows = self.moves.get(worktree, [])
        if moment is None:
            return None
        place = bisect_right(rows, moment, key=lambda row: row.happened)
        return rows[place - 1] if place else None


def load(rows: Rows, session: str = "") -> History:
    """All that the archive has. session: of its links only this one's; "" for those of all."""
    commits = {(c.repository, c.commit_id): c for c in rows.rows("in_force/commits", Commit)}
    changes: defaultdict[tuple[str, str], list[RuleChange]] = defaultdict(list)
    for change in rows.rows("in_force/changes", RuleChange):
        changes[(change.repository, change.commit_id)].append(change)
    standings: defaultdict[tuple[str, str], list[Standing]] = defaultdict(list)
    for standing in rows.rows("in_force/standings", Standing):
        standings[(standing.repository, standing.branch)].append(standing)
    moves: defaultdict[str, list[HeadMove]] = defaultdict(list)
    for move in rows.rows("in_force/moves", HeadMove):
        moves[move.worktree].append(move)
    seen: defaultdict[str, list[Seen]] = defaultdict(list)
    for one in rows.rows("in_force/seen", Seen):
        seen[one.root].append(one)
    links: defaultdict[str, list[Link]] = defaultdict(list)
    for link in rows.rows("in_force/links", Link, session=session):
        links[link.session_id].append(link)
    checkouts = tuple(rows.rows("in_force/checkouts", Checkout))
    return History(
        checkouts, commits, dict(changes), dict(standings), dict(moves), dict(seen), dict(links)
    )


def holder(folders: Iterable[str], path: str) -> str:
    """Of some folders the deepest one that path is or lies in; "" for none."""
    inside = (one for one in folders if one and (path == one or path.startswith(f"{one}/")))
    return max(inside, key=len, default="")
