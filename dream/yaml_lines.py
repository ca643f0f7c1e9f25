"""YAML as strings and lines: what a person wrote, and where, with nothing guessed from it.

PyYAML's safe loader reads `no` as False, `1.10` as 1.1 and `12:30:00` as 45000, and lets the last
of two equal keys win. Here a scalar is the text that stands there, and its reader gives it a type.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from dream.errors import BadConfig

SIZE_LIMIT = 1024 * 1024
"""Bytes of a settings file. A real one has some thousands."""

DEPTH_LIMIT = 12


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar. plain: written without quotation marks, so that an empty one means nothing set."""

    value: str
    line: int  # from 1
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    values: tuple["Node", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Keys:
    """A mapping; no key twice, in the order of the file."""

    values: tuple[tuple[Text, "Node"], ...]
    line: int


Node = Text | Items | Keys


def read(path: Path) -> Node | None:
    """The one document of a file; None when it is empty.

    Raises BadConfig for what is not UTF-8, not YAML, over SIZE_LIMIT, or uses an anchor, an alias,
    a tag, a second document or a key twice.
    """
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise BadConfig(path, 0, f"cannot be read: {error.strerror}") from error
    if len(data) > SIZE_LIMIT:
        raise BadConfig(path, 0, f"is larger than {SIZE_LIMIT} bytes; that is no settings file")
    return parse(data, path)


def parse(data: bytes, path: Path) -> Node | None:
    """The one document in data; path is for messages only."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadConfig(path, line, "is not UTF-8") from error
    try:
        return _document(yaml.parse(text, Loader=yaml.SafeLoader), path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise BadConfig(path, line, f"is not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise BadConfig(path, 0, f"is not YAML: {error}".splitlines()[0]) from error


def _document(events: Iterator[yaml.Event], path: Path) -> Node | None:
    found: Node | None = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if found is not None:
                raise BadConfig(path, _line(event), "a second document begins; there is only one")
            found = _node(next(events), events, path, 0)
    if isinstance(found, Text) and found.plain and not found.value:
        return None
    return found


def _node(event: yaml.Event, events: Iterator[yaml.Event], path: Path, depth: int) -> Node:
    line = _line(event)
    _refuse_cleverness(event, path, depth)
    if isinstance(event, yaml.ScalarEvent):
        return Text(event.value, line, plain=event.style is None)
    if isinstance(event, yaml.SequenceStartEvent):
        return Items(tuple(_items(events, path, depth)), line)
    return Keys(tuple(_keys(events, path, depth)), line)


def _refuse_cleverness(event: yaml.Event, path: Path, depth: int) -> None:
    line = _line(event)
    if isinstance(event, yaml.AliasEvent):
        raise BadConfig(path, line, f"the alias *{event.anchor} is not allowed; write it out")
    if isinstance(event, yaml.NodeEvent) and event.anchor:
        raise BadConfig(path, line, f"the anchor &{event.anchor} is not allowed")
    if getattr(event, "tag", None):
        raise BadConfig(path, line, "a tag (a word after !) is not allowed; quote the text")
    if depth > DEPTH_LIMIT:
        raise BadConfig(path, line, "is nested too deep")


def _items(events: Iterator[yaml.Event], path: Path, depth: int) -> Iterator[Node]:
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            return
        yield _node(event, events, path, depth + 1)


def _keys(events: Iterator[yaml.Event], path: Path, depth: int) -> Iterator[tuple[Text, Node]]:
    seen: dict[str, int] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            return
        key = _node(event, events, path, depth + 1)
        if not isinstance(key, Text):
            raise BadConfig(path, key.line, "a key must be a word")
        if key.value in seen:
            what = f"the key {key.value!r} stands here again; it was set on line {seen[key.value]}"
            raise BadConfig(path, key.line, what)
        seen[key.value] = key.line
        yield key, _node(next(events), events, path, depth + 1)


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def quoted(text: str) -> str:
    """A text as a YAML scalar on one line that reads back as the same text, whatever is in it."""
    return '"' + "".join(_written(sign) for sign in text) + '"'


def _written(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    code = ord(sign)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
