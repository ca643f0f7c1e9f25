"""What a repository tells of the rule files in it: which stood there after which commit, and when.

Of a commit only those are kept that changed a rule file against their first parent, or that name a
checkpoint of a session. All others stand for the nearest such one among their ancestors along first
parents, their anchor: the rule files are the same there.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Change = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder of this machine in which a repository was checked out when it was last looked at."""

    repository: str  # its git folder
    root: str  # "" for a bare repository, which has none
    main: bool  # the first one; others are worktrees of it
    default_branch: str  # of the repository, short name; "" without any branch
    cut: bool = False  # a clone whose history begins somewhere in the middle
    line: int = 0


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that changed rule files, or that names checkpoints."""

    commit_id: str  # hex
    repository: str
    authored: datetime | None  # UTC; stays when a commit is made anew, by a rebase for one
    committed: datetime | None  # UTC
    subject: str
    checkpoints: tuple[str, ...] = ()  # ids, from its message
    anchor: str = ""  # itself when it changed rule files; "" when none was ever there
    before: str = ""  # the anchor of its first parent
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What a commit did to one rule file, against its first parent."""

    commit_id: str
    repository: str
    path: str  # relative to the top of the repository
    change: Change
    blob_id: str  # git's name of the text afterwards; "" for a removed file
    link: bool = False  # a symbolic link; its text is where it leads
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleText:
    """The text of a rule file, stored once however many commits and files have it."""

    blob_id: str
    text: str  # redacted
    line: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """From when on a branch had the rule files of a commit."""

    repository: str
    branch: str  # short name, "main", "origin/main"
    number: int  # from 0, the oldest first
    anchor: str  # commit_id
    since: datetime  # UTC; a branch other than the default one begins where it left that one
    line: int = 0


@dataclass(frozen=True, slots=True)
class HeadMove:
    """A checkout has another commit from here on: git's own log of it, which forgets in time."""

    repository: str
    worktree: str
    happened: datetime
    commit_id: str
    branch: str | None  # None: of no branch, or not known
    anchor: str | None  # None: the commit is no longer there
    line: int = 0


@dataclass(frozen=True, slots=True)
class RuleSeen:
    """A rule file that no commit holds, as it lay there on a night."""

    root: str  # folder of the checkout, or of a project that is no repository
    path: str
    blob_id: str
    changed: datetime  # UTC, when the file was last written
    line: int = 0
