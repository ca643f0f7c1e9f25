"""How wide a text is on a screen, and how to shorten it between characters as a person sees them.

Own rules over the standard library's tables, so that a page written tonight does not depend on a
terminal or on another package's edition of Unicode.
"""

import unicodedata
from collections.abc import Iterator

_MARKS = ("Mn", "Me", "Mc")
_JOINER = "\u200d"


def clip(text: str, cells: int, end: str = "…") -> str:
    """The text, shortened to at most `cells` cells with `end` where something was left out.

    A double-width character takes two cells. No character is split: a letter keeps its accents, a
    joined emoji and a flag stay whole. Fewer cells than `end` needs give "".
    """
    if width(text) <= cells:
        return text
    room, kept = cells - width(end), ""
    for character in graphemes(text):
        room -= _cells(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + end if cells >= width(end) else ""


def width(text: str) -> int:
    """Cells the text takes on one line of a terminal."""
    if text.isascii():
        return sum(character >= " " and character != "\x7f" for character in text)
    return sum(_cells(character) for character in graphemes(text))


def graphemes(text: str) -> Iterator[str]:
    """The text in pieces that a person sees as one character each."""
    start = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or not _goes_on(text[start:end], text[end]):
            yield text[start:end]
            start = end


def _goes_on(cluster: str, character: str) -> bool:
    """Whether the character belongs to the cluster before it."""
    last = cluster[-1]
    if last == "\n" or last == "\r":
        return last == "\r" and character == "\n"
    if character == _JOINER or _is_modifier(character):
        return True
    if unicodedata.category(character) in _MARKS:
        return True
    if last == _JOINER:
        return character > "\u00a8" and unicodedata.category(character) in ("So", "Sk")
    if _is_regional(character):
        return len(cluster) == 1 and _is_regional(last)
    return _is_jamo(last) and "\u1160" <= character <= "\u11ff"


def _cells(cluster: str) -> int:
    first = cluster[0]
    if _is_regional(first) or "\ufe0f" in cluster:
        return 2 if len(cluster) > 1 else 1
    if unicodedata.category(first) in ("Mn", "Me", "Cf", "Cc", "Zl", "Zp", "Cs"):
        return 0
    return 2 if unicodedata.east_asian_width(first) in "WF" else 1


def _is_modifier(character: str) -> bool:
    """Variation selectors, skin tones, tags."""
    return (
        "\ufe00" <= character <= "\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e01ef"
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff"
