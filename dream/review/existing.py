"""What already tells agents what to do in a project: rule files and skills, read and never run."""

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dream.review import front_matter
from dream.review.block import ID, merge_marks
from dream.review.flags import deceptive
from dream.review.memory import kept_by_hand
from dream.review.tree import SKILL_FOLDERS, Found, Refused, Tree, look
from dream.text import sentences
from dream.types import ExistingRule

RULE_FILES = (
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
)
RULE_FOLDERS = (".claude/rules", ".pi/rules", ".agents/rules")
FILES_LIMIT = 300
"""Files of one folder of rules or skills that are looked at."""

LINES_NAMED = 8
"""Lines of one file with characters that deceive that are named one by one."""

_BULLET = re.compile(r"[ \t]{0,8}(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_NO_RULE = re.compile(
    r"[ \t]*(?:#{1,6}(?:\s|$)|\||[-*_=]{3,}\s*$|@\S+\s*$|!?\[[^\]]*\]\(\S*\)\s*$)"
)
_TAIL = re.compile(
    r" (?:Where: |Not like this: |Since \d{4}-|Until \d{4}-).*$"
    r"|(?<=[。！？.!?…])(?:适用：|反例：|自 \d{4}-|至 \d{4}-).*$"
)
"""What templates/rule.md.j2 puts after a rule's own words."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that is there. Its name is what an agent calls it by."""

    path: str  # of its SKILL.md
    name: str
    description: str
    origin: str  # candidate id, when it came from us; else ""


@dataclass(frozen=True, slots=True)
class Book:
    """All rules of a project, and what in them is not read as it was meant."""

    rules: tuple[ExistingRule, ...] = ()
    skills: tuple[Skill, ...] = ()
    troubles: tuple[str, ...] = ()  # each names file and line
    own: tuple[tuple[str, str], ...] = ()  # those that came from us: candidate id, text as proposed
    aside: tuple[ExistingRule, ...] = ()  # of a hand-kept memory, no longer in force


@dataclass(frozen=True, slots=True)
class Told:
    """What agents are told already."""

    projects: Mapping[str, Book] = field(default_factory=dict)  # by project key
    personal: Book = field(default_factory=Book)  # in every project of the person


def existing_rules(tree: Tree, project: str) -> Book:
    """Every rule and skill of the tree. project: the key that the rules carry."""
    if tree.root is None or not tree.root.is_dir():
        return Book()
    books: list[Book] = []
    seen: set[str] = set()
    for path in _rule_files(tree):
        found = look(tree, path)
        if isinstance(found, Refused):
            books.append(Book(troubles=(found.reason,)))
        elif found.data is not None and found.path not in seen:
            seen.add(found.path)
            headed = path.startswith(RULE_FOLDERS)
            books.append(book_of(found.path, found.data, project, headed=headed))
    kept = kept_by_hand(tree, project)
    memory = Book(kept.rules, troubles=kept.troubles, aside=kept.aside)
    return bound([*books, memory, skill_book(*_skills(tree), project)])


def book_of(path: str, data: bytes, project: str, *, headed: bool) -> Book:
    """One rule file. headed: lines of dashes at its top are front matter; elsewhere only lines."""
    page = front_matter.parse(data)
    troubles = [
        *(_faults(path, page) if headed else ()),
        *(
            f"{path}:{first}: a merge was left open here, down to line {last}"
            for first, last in merge_marks(data)
        ),
        *_unseen(path, data),
    ]
    own = tuple((origin, _told(line)) for line in page.body.split("\n") if (origin := ours(line)))
    return Book(tuple(rules_of(path, page, project)), (), tuple(troubles), own)


def skill_book(skills: Sequence[Skill], troubles: Iterable[str], project: str) -> Book:
    """Skills as rules: what each is for is said already."""
    rules = (
        ExistingRule(s.path, 1, s.description, project, s.origin) for s in skills if s.description
    )
    own = ((s.origin, s.description) for s in skills if s.origin)
    return Book(tuple(rules), tuple(skills), (*troubles, *twins(skills)), tuple(own))


def bound(books: Iterable[Book]) -> Book:
    """Several books as one, in their order."""
    listed = tuple(books)
    return Book(
        rules=tuple(rule for each in listed for rule in each.rules),
        skills=tuple(skill for each in listed for skill in each.skills),
        troubles=tuple(trouble for each in listed for trouble in each.troubles),
        own=tuple(line for each in listed for line in each.own),
        aside=tuple(rule for each in listed for rule in each.aside),
    )


def rules_of(path: str, page: front_matter.Page, project: str) -> Iterator[ExistingRule]:
    """List items whole, paragraphs sentence by sentence; no headings, tables, code, comments."""
    raw = page.body.split("\n")
    for line, text, is_item in _blocks(_without_comments(page.body).split("\n")):
        if origin := ours(raw[line]):
            yield ExistingRule(path, page.first_line + line, _told(raw[line]), project, origin)
        elif is_item:
            yield ExistingRule(path, page.first_line + line, " ".join(text.split()), project)
        else:
            for start, end in sentences(text.replace("\n", " ")):
                here = line + text.count("\n", 0, start)
                said = " ".join(text[start:end].split())
                yield ExistingRule(path, page.first_line + here, said, project)


def ours(line: str) -> str:
    """The candidate's id when a line is a rule that came from a proposal; else ""."""
    mark = ID.search(line.encode())
    return mark[1].decode() if mark else ""


def skill_of(path: str, data: bytes) -> tuple[Skill, list[str]]:
    """A SKILL.md and what is wrong with it; its folder's name stands in for a name it lacks."""
    page = front_matter.parse(data)
    folder = Path(path).parent.name
    troubles = [*_faults(path, page), *_unseen(path, data)]
    name = page.values.get("name", "").strip() or folder
    if name != folder:
        troubles.append(f'{path}: its name is "{name}", but its folder is "{folder}"')
    if not page.values.get("description", "").strip():
        troubles.append(f"{path}: it has no description, so agents do not know when to use it")
    origin = re.search(rb"\bdream-id: \"(skill-[0-9a-f]{8})\"", data[: front_matter.HEAD_LIMIT])
    described = page.values.get("description", "").strip()
    return Skill(path, name, described, origin[1].decode() if origin else ""), troubles


def twins(skills: Iterable[Skill]) -> Iterator[str]:
    """Names that several skills have, each with all its paths."""
    paths: dict[str, list[str]] = {}
    for skill in skills:
        paths.setdefault(skill.name, []).append(skill.path)
    for name, places in sorted(paths.items()):
        if len(places) > 1:
            yield f'several skills are called "{name}": {", ".join(sorted(places))}'


def _skills(tree: Tree) -> tuple[tuple[Skill, ...], list[str]]:
    skills: list[Skill] = []
    troubles: list[str] = []
    seen: set[str] = set()
    for folder in SKILL_FOLDERS:
        for path in _below(tree, folder, "*/SKILL.md"):
            found = look(tree, path)
            if isinstance(found, Refused):
                troubles.append(found.reason)
            elif isinstance(found, Found) and found.data is not None and found.path not in seen:
                seen.add(found.path)
                skill, trouble = skill_of(found.path, found.data)
                skills.append(skill)
                troubles += trouble
    return tuple(skills), troubles


def _rule_files(tree: Tree) -> Sequence[str]:
    named = (*RULE_FILES, tree.rules)
    listed = (each for folder in RULE_FOLDERS for each in _below(tree, folder, "**/*.md"))
    return tuple(dict.fromkeys((*named, *listed)))


def _below(tree: Tree, folder: str, pattern: str) -> list[str]:
    if tree.root is None:
        return []
    try:
        found = sorted(path.relative_to(tree.root) for path in (tree.root / folder).glob(pattern))
    except OSError:
        return []
    return [path.as_posix() for path in found[:FILES_LIMIT]]


def _faults(path: str, page: front_matter.Page) -> list[str]:
    return [f"{path}:{fault.line}:{fault.column}: {fault.cause}" for fault in page.faults]


def _unseen(path: str, data: bytes) -> Iterator[str]:
    """Lines that say one thing to the eye and another to an agent, the first of them one by one."""
    text = data.removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    if text.isascii() and text.isprintable():
        return
    lines = enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    told = [(number, each) for number, line in lines for each in deceptive(line)]
    yield from (f"{path}:{number}: {each}" for number, each in told[:LINES_NAMED])
    if len(told) > LINES_NAMED:
        yield f"{path}: and {len(told) - LINES_NAMED} more such lines"


def _told(line: str) -> str:
    """The constraint alone of a line that we wrote: where and since when are no part of it."""
    text = _BULLET.sub("", _COMMENT.sub("", line))
    return " ".join(_TAIL.sub("", text).split())


def _without_comments(text: str) -> str:
    """Comments become empty, line feeds stay, so that lines keep their numbers."""
    return _COMMENT.sub(lambda hit: "\n" * hit[0].count("\n"), text)


def _blocks(lines: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Items and paragraphs: index of the first line, text, whether it is an item."""
    start, kept, is_item, fence = 0, list[str](), False, ""
    for number, line in enumerate((*lines, "")):
        mark = _FENCE.match(line)
        opens = _BULLET.match(line)
        if fence or mark or opens or not line.strip() or _NO_RULE.match(line):
            if kept:
                yield start, "\n".join(kept), is_item
                kept = []
            if mark and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            elif opens and not fence and not _NO_RULE.match(line):
                start, kept, is_item = number, [line[opens.end() :]], True
            continue
        if not kept:
            start, is_item = number, False
        kept.append(line)
