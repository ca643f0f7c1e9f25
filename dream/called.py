"""A recorded tool call's arguments, which are JSON text: what it ran, which file it was about."""

import json
from collections.abc import Iterator, Mapping

TARGETS = ("file_path", "filePath", "path", "notebook_path", "target_file", "filename")
"""Arguments that name the file a call is about, in the names of the agents."""

_LINES = ("command", "cmd", "script")


def given(arguments: str) -> Mapping[str, object]:
    """The arguments by name; {} for what is no object."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def line(arguments: Mapping[str, object]) -> str:
    """The shell line that a call ran, "" for another tool."""
    for key in _LINES:
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if is_texts(value):
            return " ".join(texts(value))
    return ""


def target(arguments: Mapping[str, object]) -> str:
    """The file it is about, as written; "" when it names none."""
    return next((str(arguments[key]) for key in TARGETS if isinstance(arguments.get(key), str)), "")


def in_words(tool: str, arguments: str) -> str:
    """The whole call on one line for a person: the shell line, or the tool and its file."""
    known = given(arguments)
    if said := line(known):
        return " ".join(said.split())
    about = target(known) or ", ".join(str(value) for value in known.values())
    return " ".join(f"{tool} {about}".split())


def is_texts(value: object) -> bool:
    """Whether it is a list of texts."""
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def texts(value: object) -> Iterator[str]:
    """What a list holds, as texts; nothing for what is no list."""
    if isinstance(value, (list, tuple)):
        yield from (str(each) for each in value)
