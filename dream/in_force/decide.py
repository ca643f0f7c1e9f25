"""Which rule files were in force for a run, and how that is known. Touches nothing.

A run worked on the commit that was checked out when it began. Three things tell it: a commit that
came of the session and stands as it was first written; git's log of the checkout; and, when there
is neither, the branch and the time. What a run did itself is not in force for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Literal

from dream.in_force.facts import History, Link, Place, holder

Basis = Literal["commit", "time", "now", "unknown"]
How = Literal[
    "commit_of_session",  # a commit that came of the session: the one before it
    "log_of_checkout",  # git's own log says which commit was checked out
    "branch",  # the session's branch by that time
    "rewritten",  # the line of a commit that came of the session and was made anew later
    "branch_unknown",  # the default branch by that time; the session's own is not known here
    "branch_untold",  # the same; the session does not tell its branch
    "lying",  # no repository: files as they lie in the project's folder
    "nothing",  # no repository and no rule file is known
    "no_time",  # nothing tells when it was
]

SLACK = timedelta(minutes=10)
"""A checkpoint is made with its commit. One that was authored later than this is another commit
that was made from it: several in one, or picked over to another branch."""


@dataclass(frozen=True, slots=True)
class Held:
    """A rule file that was in force."""

    path: str
    blob_id: str
    basis: Basis
    commit_id: str | None  # that gave it this text; None when no commit holds it
    since: datetime | None  # of that commit; for a file without one, when it was last written
    link: bool = False


@dataclass(frozen=True, slots=True)
class InForce:
    """What was in force for a run."""

    run_id: str
    basis: Basis
    how: How
    repository: str = ""
    commit_id: str = ""  # the commit that tells it; "" when it is known by time only
    branch: str = ""  # the branch that tells it
    anchor: str = ""  # the commit whose rule files they are; "" when there are none
    held: tuple[Held, ...] = ()


def in_force(place: Place, history: History) -> InForce:
    """The rule files in force for a run, by path."""
    found = _where(place, history)
    held = [
        Held(path, at.blob_id, found.basis, at.commit_id, _since(found, at.commit_id, history),
             at.link)
        for path, at in history.files(found.repository, found.anchor).items()
    ]  # fmt: skip
    tracked = {one.path for one in held}
    lying = [one for one in _lying(place, history) if one.path not in tracked]
    if lying and found.how == "nothing":
        basis: Basis = "time" if all(one.basis == "time" for one in lying) else "now"
        found = replace(found, basis=basis, how="lying")
    return replace(found, held=tuple(sorted((*held, *lying), key=lambda one: one.path)))


def _where(place: Place, history: History) -> InForce:
    links = history.links.get(place.session_id, [])
    following = _following(links, place.started)
    if whole := [link for link in following if _as_written(link)]:
        return _by_link(place, whole[0], history, "commit_of_session")
    return (
        _by_checkout(place, history)
        or _by_branch(place, history, links)
        or (_by_link(place, following[0], history, "rewritten") if following else None)
        or _by_default(place, history, links)
        or InForce(place.run_id, "unknown", "nothing")
    )


def _following(links: list[Link], started: datetime | None) -> list[Link]:
    """Commits of the first checkpoint that was made after the run had begun, the oldest first."""
    later = [
        link
        for link in links
        if link.committed and (started is None or link.kept is None or link.kept >= started)
    ]
    return [link for link in later if link.checkpoint_id == later[0].checkpoint_id]


def _as_written(link: Link) -> bool:
    """Whether a commit has the parent it was first made on, and was made with its checkpoint."""
    if link.authored is None or link.authored != link.committed:
        return False
    return link.kept is None or abs(link.authored - link.kept) <= SLACK


def _by_link(place: Place, link: Link, history: History, how: How) -> InForce:
    commit = history.commits[(link.repository, link.commit_id)]  # its times are from there
    anchor = history.before(link.repository, commit.before, place.started)
    basis: Basis = "commit" if how == "commit_of_session" else "time"
    return InForce(
        place.run_id, basis, how, link.repository, commit_id=link.commit_id, anchor=anchor
    )


def _by_checkout(place: Place, history: History) -> InForce | None:
    """By git's log of the folder the run worked in, unless the session was on another branch than
    that log says: then it is of another machine, or the folder was made anew.
    """
    worktree = holder(history.moves, place.cwd)
    move = history.move(worktree, place.started)
    if move is None or move.anchor is None:
        return None
    told = _branch(place)
    first = history.move(worktree, place.session_started) or move
    if told is not None and first.branch != told:
        return None
    if told is None and "worktree" in place.cwd[len(worktree) :]:
        return None  # one inside this checkout that is gone, and had another commit
    return InForce(
        place.run_id, "commit", "log_of_checkout", move.repository, move.commit_id,
        move.branch or "", move.anchor,
    )  # fmt: skip


def _by_branch(place: Place, history: History, links: list[Link]) -> InForce | None:
    repository, told = _repository(place, history, links), _branch(place)
    if not repository or told is None or place.started is None:
        return None
    remote = (b for r, b in history.standings if r == repository and b.endswith(f"/{told}"))
    for branch in (told, *sorted(remote)):
        standing = history.standing(repository, branch, place.started)
        if standing is not None:
            return InForce(place.run_id, "time", "branch", repository, "", branch, standing.anchor)
    return None


def _by_default(place: Place, history: History, links: list[Link]) -> InForce | None:
    repository = _repository(place, history, links)
    if not repository:
        return None
    if place.started is None:
        return InForce(place.run_id, "unknown", "no_time", repository)
    one = next(each for each in history.checkouts if each.repository == repository)
    standing = history.standing(repository, one.default_branch, place.started)
    told = _branch(place)
    how: How = "branch_untold" if told is None else "branch_unknown"
    if told == one.default_branch:
        how = "branch"  # before its first rule file
    if standing is None and one.cut:
        return InForce(place.run_id, "unknown", "nothing", repository)
    anchor = standing.anchor if standing else ""
    return InForce(place.run_id, "time", how, repository, "", one.default_branch, anchor)


def _branch(place: Place) -> str | None:
    """The branch a session tells; "HEAD" is what programs write when there is none."""
    return place.git_branch if place.git_branch not in (None, "", "HEAD") else None


def _repository(place: Place, history: History, links: list[Link]) -> str:
    """That of the session's own commits, else of its folder, its project, its checkpoints."""
    known = {one.repository for one in history.checkouts}
    for link in links:
        if link.repository in known:
            return link.repository
    roots = {one.root or one.repository: one.repository for one in history.checkouts}
    for path in (place.cwd, place.project_root or "", place.project_key):
        if root := holder(roots, path):
            return roots[root]
    return place.kept_in if place.kept_in in known else ""


def _lying(place: Place, history: History) -> Iterator[Held]:
    """Files that no commit holds: as last written before the run, else as they were first met.

    Of one that was taken away later nothing tells whether it was still there.
    """
    root = holder(history.seen, place.cwd) or holder(history.seen, place.project_root or "")
    for path, of in groupby(history.seen.get(root, ()), key=lambda seen: seen.path):
        rows = list(of)
        by_then = [row for row in rows if place.started and row.changed <= place.started]
        if not by_then:
            yield Held(path, rows[0].blob_id, "now", None, rows[0].changed)
        elif by_then[-1] is not rows[-1] or not rows[-1].gone:
            yield Held(path, by_then[-1].blob_id, "time", None, by_then[-1].changed)


def _since(found: InForce, commit_id: str, history: History) -> datetime | None:
    commit = history.commits.get((found.repository, commit_id))
    return commit.committed if commit else None
