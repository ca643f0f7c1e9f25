"""The branches of a repository, and from when on each of them had which rule files."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from dream import git_refs
from dream.history import Standing
from dream.sources.git_log import Log

_TIPS = re.compile(r"refs/(?:heads|remotes/[^/]+|tags)/(?!entire/).+")
"""What an agent's own records are kept under is no history of the code."""

_BRANCH = re.compile(r"refs/(?:heads|remotes)/(?P<name>.+)")
_USUAL = ("main", "master", "trunk", "develop")


def tips_of(store: Path) -> dict[str, str]:
    """Every branch, here and as last fetched, and every tag: name and object id."""
    return git_refs.refs(store, _TIPS)


def default_branch(store: Path, tips: Mapping[str, str]) -> str:
    """The short name of the branch that others come from and go to; "" when there is none.

    A fetched repository says which one it is; else one of the usual names; else the one that is
    checked out in the main checkout.
    """
    told = git_refs.linked(store, "refs/remotes/origin/HEAD")
    names = [told.removeprefix("refs/remotes/origin/"), *_USUAL] if told else list(_USUAL)
    names.append(git_refs.head(store).removeprefix("refs/heads/"))
    for name in names:
        for ref in (f"refs/heads/{name}", f"refs/remotes/origin/{name}"):
            if ref in tips:
                return short(ref)
    return ""


def short(ref: str) -> str:
    """A branch's name as people use it."""
    named = _BRANCH.fullmatch(ref)
    return named["name"] if named else ref


def lines(
    log: Log, anchors: Mapping[str, str], tips: Mapping[str, str], default: str
) -> dict[str, list[str]]:
    """Of each branch the anchors along its first parents, the oldest first.

    Of a branch other than the default one those that are not also that one's, with the one before
    them: from there on it went its own way.
    """
    branches = {short(ref): tip for ref, tip in sorted(tips.items()) if _BRANCH.fullmatch(ref)}
    main = _line(log, anchors, branches.get(default, ""))
    shared = set(main)
    found = {}
    for name, tip in branches.items():
        line = main if name == default else _line(log, anchors, tip)
        if name != default:
            own = [number for number, anchor in enumerate(line) if anchor not in shared]
            line = line[max(0, own[0] - 1) :] if own else line[-1:]
        found[name] = line
    return found


def standings(
    line: Sequence[str], committed: Mapping[str, datetime | None], branch: str, repository: str
) -> list[Standing]:
    """The same of one branch with times. Clocks differ: none is before one that it came after."""
    found: list[Standing] = []
    reached: datetime | None = None
    for number, anchor in enumerate(line):
        since = committed[anchor]
        if since is not None:
            reached = since if reached is None else max(reached, since)
            found.append(Standing(repository, branch, number, anchor, reached))
    return found


def _line(log: Log, anchors: Mapping[str, str], tip: str) -> list[str]:
    """The anchors of a branch, the oldest first."""
    found: list[str] = []
    anchor = anchors.get(tip, "")
    while anchor:
        found.append(anchor)
        anchor = anchors.get(log.first_parent(anchor), "")
    return found[::-1]
