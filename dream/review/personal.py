"""What a person tells agents in every project: their own rule files and skills, only ever read."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from dream.review.existing import Book, Skill, book_of, bound, skill_book, skill_of, twins
from dream.review.tree import Refused, content

RULES = ("CLAUDE.md", "AGENTS.md")
FILES_LIMIT = 300
"""Files of one folder of rules or skills that are looked at."""


def personal_rules(folders: Sequence[Path]) -> Book:
    """Every rule and skill in the folders where agents keep a person's settings, paths in full.

    A link may lead anywhere, since nothing is written here; what it leads to is taken once.
    """
    books: list[Book] = []
    skills: list[Skill] = []
    troubles: list[str] = []
    for path, found in _contents(folders):
        if isinstance(found, Refused):
            troubles.append(found.reason)
        elif path.name == "SKILL.md":
            skill, faults = skill_of(str(path), found)
            skills.append(skill)
            troubles += faults
        else:
            books.append(book_of(str(path), found, "", headed=path.name not in RULES))
    return bound([*books, skill_book(skills, troubles, "")])


def shared_names(book: Book, personal: Book) -> tuple[str, ...]:
    """Names that a skill of the project and one of the person have, each with all its paths."""
    both = {each.name for each in book.skills} & {each.name for each in personal.skills}
    return tuple(twins(each for each in (*book.skills, *personal.skills) if each.name in both))


def _contents(folders: Iterable[Path]) -> Iterator[tuple[Path, bytes | Refused]]:
    seen: set[Path] = set()
    for folder in folders:
        for path in _files(folder):
            found = content(path)
            real = path.resolve()
            if found is not None and real not in seen:
                seen.add(real)
                yield path, found


def _files(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in RULES)
    for pattern in ("rules/**/*.md", "skills/*/SKILL.md"):
        try:
            yield from sorted(folder.glob(pattern))[:FILES_LIMIT]
        except OSError:
            continue
