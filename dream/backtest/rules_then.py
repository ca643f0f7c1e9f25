"""The rules that were in force on a day of the past, as far as the repositories' histories tell."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from dream.in_force.ask import texts
from dream.in_force.decide import in_force
from dream.in_force.facts import History, Place
from dream.review.existing import RULE_FOLDERS, Book, book_of, bound, skill_book, skill_of
from dream.review.tree import Tree
from dream.types import Rows


def rules_then(
    rows: Rows, history: History, trees: Mapping[str, Tree], moment: datetime
) -> dict[str, Book]:
    """By project key. A rule whose age nothing tells is left out: it may be of a later day."""
    return {key: _book(rows, history, tree, key, moment) for key, tree in sorted(trees.items())}


def _book(rows: Rows, history: History, tree: Tree, key: str, moment: datetime) -> Book:
    root = str(tree.root) if tree.root else ""
    place = Place("", "", moment, moment, root, None, key, tree.name, root or None)
    held = [one for one in in_force(place, history).held if one.basis in {"commit", "time"}]
    return bound(_books(texts(rows, held), key))


def _books(words: Mapping[str, str], key: str) -> Iterable[Book]:
    for path, text in sorted(words.items()):
        data = text.encode()
        if PurePosixPath(path).name == "SKILL.md":
            skill, troubles = skill_of(path, data)
            yield skill_book((skill,), troubles, key)
        else:
            yield book_of(path, data, key, headed=path.startswith(RULE_FOLDERS))
