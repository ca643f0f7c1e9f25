"""How far a sentence reaches: its project, and the one path or program it ties itself to."""

import re

from dream.signals.doings import kinds
from dream.text import plain
from dream.types import Scope

_ENOUGH = 600
"""Characters of a sentence that are looked at."""
_EXTENSIONS = (
    "c|cc|cpp|cs|css|csv|dart|ex|go|h|hpp|html|ini|java|js|json|jsx|kt|lock|lua|md|mdx|mjs|php|pl"
    "|py|rb|rs|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml"
)
_PATH = (
    r"(?:\[[^\]\n]*\]\()?[`@#\"']?(?P<path>(?:[\w.@~-]+/)+[\w.@-]*|[\w-]+\.(?:"
    + _EXTENSIONS
    + r")\b)[`\"')]*"
)
_WITHIN = re.compile(r"(?:\b(?:in|inside|within|under|for|only|to|from|of)|在|只|对)\s*" + _PATH)
_WITHIN_ZH = re.compile(_PATH + r"\s*(?:中|里|下|内|目录|文件)")
_FILES_OF_RULES = re.compile(r"(?:claude|agents|gemini|readme|changelog)\.md$", re.I)
_PROGRAM = re.compile(
    r"`(?P<quoted>[a-z][\w.-]*)(?: [^`]*)?`"
    r"|\b(?:with|using|in|for|when (?:you )?(?:use|run|call)(?:ing)?) (?P<named>[a-z][\w-]+)\b"
)


def scope(sentence: str, project: str) -> Scope:
    """A path or program narrows a sentence only when it names exactly one and ties itself to it."""
    head = sentence[:_ENOUGH]
    return Scope(project, _path(head), _program(head))


def _path(sentence: str) -> str:
    found = {
        match["path"].strip(".")
        for pattern in (_WITHIN, _WITHIN_ZH)
        for match in pattern.finditer(sentence)
        if not _FILES_OF_RULES.search(match["path"])
    }
    return found.pop() if len(found) == 1 else ""


def _program(sentence: str) -> str:
    named = set()
    for match in _PROGRAM.finditer(plain(sentence)):
        word = match["quoted"] or match["named"]
        if word in _programs():
            named.add(word)
    return named.pop() if len(named) == 1 else ""


def _programs() -> frozenset[str]:
    return kinds("verbs")
