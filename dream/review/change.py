"""What adopting a candidate would change in its repository, as one diff."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from dream.review.block import in_style, stands, with_rule
from dream.review.diff import git_diff
from dream.review.existing import Book
from dream.review.git import complaint
from dream.review.limits import Size, size
from dream.review.tree import Refused, Tree, look, rule_path, skill_folder
from dream.review.words import check, rule_line, skill, skill_name
from dream.types import Candidate

UNKNOWN = Tree("scope unknown", None)
"""Where the sessions belong to no known repository."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A project's repository with what was found in it, looked at once a night."""

    tree: Tree = UNKNOWN
    book: Book = field(default_factory=Book)
    nested: Mapping[str, int] = field(default_factory=dict)  # other AGENTS.md files and their size
    personal: Book = field(default_factory=Book)  # what holds in every project of the person


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after. refused: why there is none; then diff is empty."""

    path: str
    before: bytes | None = None
    after: bytes = b""
    diff: bytes = b""
    refused: str = ""
    there: bool = False  # the target already holds this candidate, in these or other words
    twins: tuple[str, ...] = ()  # other skills of that name, by path
    size: Size | None = None


def change(candidate: Candidate, ground: Ground, git: str | None) -> Change:
    """The change, checked by git where it is there. Reads the repository, writes nothing."""
    if home := _taken_home(candidate, ground.personal):
        return Change(home, there=True)
    make = {"rule": _rule, "skill": _skill, "check": _check}[candidate.kind]
    made = make(candidate, ground)
    if made.refused or not made.diff:
        return made
    if git and (wrong := complaint(git, made.diff, made.path, made.before)):
        return _refused(made.path, f"git would not take the diff: {wrong}", there=made.there)
    return made


def _taken_home(candidate: Candidate, personal: Book) -> str:
    """Where the person has adopted it for all projects; "" when they have not."""
    skill = next((each.path for each in personal.skills if each.origin == candidate.id), "")
    adopted = any(origin == candidate.id for origin, _ in personal.own)
    return skill or ("the rules of the person" if adopted else "")


def _rule(candidate: Candidate, ground: Ground) -> Change:
    path = rule_path(ground.tree)

    def edited(data: bytes | None) -> bytes | Refused:
        return with_rule(data, candidate.id, rule_line(candidate))

    return _edit(path, ground, edited, lambda data: stands(data, candidate.id))


def _skill(candidate: Candidate, ground: Ground) -> Change:
    name = skill_name(candidate)
    path = f"{skill_folder(ground.tree)}/{name}/SKILL.md"
    known = (*ground.book.skills, *ground.personal.skills)
    same = [each for each in known if each.name == name]
    ours = [each.path for each in ground.book.skills if each.origin == candidate.id]
    path = ours[0] if ours else path
    others = tuple(each.path for each in same if each.path != path)
    if not ours and any(each.path == path for each in same):
        why = f"a skill of that name is there already, {path}; nothing of it would be kept"
        return _refused(path, why, twins=others)
    text = skill(candidate).encode()
    made = _edit(path, ground, lambda data: in_style(data, text), lambda _: bool(ours))
    return replace(made, twins=others)


def _check(candidate: Candidate, ground: Ground) -> Change:
    path = f".dream/checks/{candidate.id}.yaml"
    return _edit(path, ground, lambda _: check(candidate).encode(), lambda data: data is not None)


def _edit(
    path: str,
    ground: Ground,
    edited: Callable[[bytes | None], bytes | Refused],
    there: Callable[[bytes | None], bool],
) -> Change:
    found = look(ground.tree, path)
    if isinstance(found, Refused):
        return _refused(path, found.reason)
    after = edited(found.data)
    if isinstance(after, Refused):
        return _refused(found.path, f"{found.path}: {after.reason}", there=there(found.data))
    return Change(
        found.path,
        found.data,
        after,
        git_diff(found.path, found.data, after),
        there=there(found.data),
        size=size(found.path, found.data, after, ground.nested),
    )


def _refused(path: str, why: str, *, there: bool = False, twins: tuple[str, ...] = ()) -> Change:
    return Change(path, refused=why, there=there, twins=twins)
