"""Typed values of a YAML file, each refused with its line when it cannot be meant."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from os.path import normpath
from pathlib import Path
from typing import TypeVar

from dream.errors import BadConfig
from dream.yaml_lines import Items, Keys, Node, Text

Value = TypeVar("Value")


def said(node: Node) -> bool:
    """Whether anything stands behind a key: with all its lines commented out, nothing does."""
    return not (isinstance(node, Text) and node.plain and not node.value)


@dataclass(frozen=True, slots=True)
class Values:
    """One file's values. path: the file, for messages; base, home: what x and ~/x are relative to.

    Every method takes a node of that file and raises BadConfig with its line.
    """

    path: Path
    base: Path
    home: Path

    def wrong(self, node: Node, what: str) -> BadConfig:
        return BadConfig(self.path, node.line, what)

    def keys(self, node: Node, allowed: tuple[str, ...], noun: str) -> dict[str, Node]:
        """What was said in a mapping with only allowed keys; for another one, the nearest."""
        if not isinstance(node, Keys):
            raise self.wrong(node, f"expected keys here: {', '.join(allowed)}")
        for key, _ in node.values:
            if key.value not in allowed:
                near = get_close_matches(key.value, allowed, n=1)
                advice = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(allowed)}"
                raise self.wrong(key, f"{key.value!r} is not {noun}; {advice}")
        return {key.value: value for key, value in node.values if said(value)}

    def items(self, node: Node, take: Callable[[Node], Value]) -> tuple[Value, ...]:
        if not isinstance(node, Items):
            raise self.wrong(node, "expected a list here, each line beginning with -")
        return tuple(take(value) for value in node.values)

    def text(self, node: Node) -> str:
        if not isinstance(node, Text) or not node.value or "\x00" in node.value:
            raise self.wrong(node, "expected a text here")
        return node.value

    def one_of(self, node: Node, allowed: tuple[str, ...]) -> str:
        text = self.text(node)
        if text not in allowed:
            raise self.wrong(node, f"{text!r} is not one of {', '.join(allowed)}")
        return text

    def folder(self, node: Node) -> Path:
        """A file or folder; ~ is home, what is relative is relative to the file."""
        text = self.text(node)
        if text == "~" or text.startswith("~/"):
            return Path(normpath(self.home / text[2:]))
        if text.startswith("~"):
            raise self.wrong(node, f"{text}: only ~/ is known; write another home out")
        return Path(normpath(self.base / text))

    def inside(self, node: Node) -> str:
        """A path below some root, whichever that is."""
        text = self.text(node)
        if Path(text).is_absolute() or ".." in Path(text).parts or text.startswith("~"):
            raise self.wrong(node, f"{text}: must be a path below the root, without ..")
        return text

    def count(self, node: Node, least: int, most: int) -> int:
        plain = self.text(node).replace("_", "")
        digits = plain.isascii() and plain.isdigit() and len(plain) < 19
        if not digits or not least <= int(plain) <= most:
            what = f"{self.text(node)!r} is not a whole number from {least} to {most}"
            raise self.wrong(node, what)
        return int(plain)

    def share(self, node: Node) -> float:
        text = self.text(node)
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise self.wrong(node, f"{text!r} is not a number from 0 to 1")
        return value
