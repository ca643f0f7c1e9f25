"""What a person probably meant to type."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches


def advice(words: Sequence[str], commands: Mapping[str, Sequence[str]]) -> str:
    """The nearest known word to the first one that is not known; "" when all are, or none is near.

    commands: for each command the options it takes. Only what can be a command or an option is
    looked at: a value may be anything.
    """
    command = next((word for word in words if not word.startswith("-")), "")
    if command not in commands and command:
        near = get_close_matches(command, list(commands), n=1, cutoff=0.5)
        if near:
            return near[0]
    options = commands.get(command) or [option for many in commands.values() for option in many]
    for word in words:
        name = word.partition("=")[0]
        if word == "--":
            break
        if word.startswith("--") and name not in options:
            near = get_close_matches(name, options, n=1, cutoff=0.5)
            if near:
                return near[0]
    return ""
