"""What a reviewer must not miss in words that an agent would read."""

import re
from collections.abc import Sequence

from dream.templates.hidden import hidden, lookalikes

_ORDERS = (
    (
        re.compile(r"\b(?:curl|wget)\b[^|]{0,400}\|\s*(?:sudo\s+)?\w*sh\b", re.IGNORECASE),
        "pipes a download into a shell",
    ),
    (
        re.compile(
            r"\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,2}"
            r"(?:previous|prior|above|earlier|system)\b|忽略(?:之前|以上|上面|先前)",
            re.IGNORECASE,
        ),
        "speaks to its reader as an instruction about instructions",
    ),
    (re.compile(r"[A-Za-z0-9+/]{100,}={0,2}"), "has a long run of encoded text"),
    (re.compile(r"<!--"), "has an HTML comment"),
    (re.compile(r"\[redacted:"), "rests on words from which a secret was removed"),
)


def flags(texts: Sequence[str]) -> tuple[str, ...]:
    """Reasons to look twice, each once; () for ordinary words."""
    whole = "\n".join(texts)
    found = [what for pattern, what in _ORDERS if pattern.search(whole)]
    return (*found, *deceptive(whole))


def deceptive(text: str) -> tuple[str, ...]:
    """What in a text says one thing to the eye and another to a program, with its code points."""
    found = []
    if points := hidden(text):
        found.append(f"has characters that cannot be seen: {', '.join(points)}")
    if points := lookalikes(text):
        found.append(f"has letters that look Latin and are not: {', '.join(points)}")
    return tuple(found)
