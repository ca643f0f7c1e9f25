"""One diff that takes all of a project's proposals of a night.

Each proposal's own diff is made against the repository as it is now, so after the first one the
others no longer fit. This one holds them all.
"""

import re
from collections.abc import Mapping, Sequence

from dream.review.block import with_rule
from dream.review.change import Change
from dream.review.diff import git_diff
from dream.review.git import complaint
from dream.review.tree import Refused
from dream.review.words import rule_line
from dream.types import Candidate


def names(projects: Mapping[str, str]) -> Mapping[str, str]:
    """A file name for each project key, from its name for people; no name twice."""
    made: dict[str, str] = {}
    for key, project in sorted(projects.items()):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", project).strip("-.") or "project"
        count = sum(each == plain or each.startswith(f"{plain}~") for each in made.values())
        made[key] = f"{plain}~{count + 1}" if count else plain
    return {key: f"all-of-{name}.diff" for key, name in made.items()}


def together(changes: Sequence[tuple[Candidate, Change]], git: str | None) -> bytes:
    """The diff of all changes of one project; b"" when there are not several, or git refuses."""
    several = [(candidate, each) for candidate, each in changes if each.diff]
    if len(several) < 2:
        return b""
    before: dict[str, bytes | None] = {}
    after: dict[str, bytes] = {}
    for candidate, each in several:
        before.setdefault(each.path, each.before)
        if candidate.kind != "rule":
            after[each.path] = each.after
            continue
        edited = with_rule(after.get(each.path, each.before), candidate.id, rule_line(candidate))
        if not isinstance(edited, Refused):
            after[each.path] = edited
    diffs = {path: git_diff(path, before[path], after[path]) for path in sorted(after)}
    if git and any(complaint(git, diff, path, before[path]) for path, diff in diffs.items()):
        return b""
    return b"".join(diffs.values())
