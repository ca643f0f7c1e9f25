"""The lines that a recorded call put into a file: what an agent wrote, and no output."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from dream import called

_OLD = ("old_string", "oldText", "old_str", "oldString", "old_text")
_NEW = ("new_string", "newText", "new_str", "newString", "new_text")
_WHOLE = ("content", "contents", "file_text", "fileText", "insert_text")
_HEADS = ("*** Update File: ", "*** Add File: ")


def lines(arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(file, line) for each line that the call added, in order; nothing for another call.

    What an edit repeats of the old text is not added: lines are compared as a bag, so that a line
    that was only moved is none. Of a whole file every line counts, since the old one is not told.
    """
    path = called.target(arguments)
    for old, new in _pairs(arguments):
        yield from ((path, line) for line in _added(old, new))
    for value in arguments.values():
        if isinstance(value, str) and any(head in value for head in _HEADS):
            yield from _patched(value)


def _pairs(arguments: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    whole = _first(arguments, _WHOLE)
    if whole is not None and _first(arguments, _NEW) is None:
        yield "", whole
    edits = arguments.get("edits")
    listed: Sequence[object] = edits if isinstance(edits, list) else ()
    for edit in (arguments, *(each for each in listed if isinstance(each, dict))):
        new = _first(edit, _NEW)
        if new is not None:
            yield _first(edit, _OLD) or "", new


def _first(given: Mapping[str, object], names: Sequence[str]) -> str | None:
    return next((str(given[name]) for name in names if isinstance(given.get(name), str)), None)


def _added(old: str, new: str) -> Iterator[str]:
    left = Counter(old.split("\n"))
    for line in new.split("\n"):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield line


def _patched(text: str) -> Iterator[tuple[str, str]]:
    path = ""
    for line in text.split("\n"):
        head = next((head for head in _HEADS if line.startswith(head)), "")
        if head:
            path = line[len(head) :].strip()
        elif line.startswith("***"):
            path = ""
        elif path and line.startswith("+"):
            yield path, line[1:]
