"""The clause of a long sentence that carries the judgement.

Chinese sentences often run on over commas: a task, its limit and a remark in one. What is quoted
and compared then is the part with the demand.
"""

import re

from dream.signals.cues import heard
from dream.text import HAN

_COMMA = re.compile(r"[，,；;]")
_HAN = re.compile(f"[{HAN}]")
_LEANS = re.compile(r"而不是|而是|否则|所以|但是|不然|同时也")
"""What only makes sense after the clause before it."""
_LONG = 16
"""Chinese characters; a shorter sentence is one thought."""
_SHORT = 5
"""Characters; a clause shorter than this says too little without the next one."""
_TELLING = (
    frozenset(["do_not", "standing", "gate", "general"]),
    frozenset(["limits", "undo"]),
    frozenset(["should_be", "instead", "meant", "consistent"]),
    frozenset(["fails", "still", "wrong", "too_much"]),
)
"""What is looked for, the most telling first."""


def telling_clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of the telling clauses in the sentence text[start:end]; the whole when none is."""
    sentence = text[start:end]
    if len(_HAN.findall(sentence)) < _LONG:
        return start, end
    clauses = _clauses(sentence)
    marks = [heard(sentence[first:last]) for first, last in clauses]
    for wanted in _TELLING:
        places = [number for number, found in enumerate(marks) if found & wanted]
        if places:
            first, last = _group(places)
            if first and _LEANS.match(sentence[clauses[first][0] :]):
                first -= 1
            while last + 1 < len(clauses) and clauses[last][1] - clauses[first][0] < _SHORT:
                last += 1
            return start + clauses[first][0], start + clauses[last][1]
    return start, end


def _clauses(sentence: str) -> list[tuple[int, int]]:
    cuts = [match.end() for match in _COMMA.finditer(sentence)]
    spans = []
    for first, last in zip([0, *cuts], [*cuts, len(sentence)], strict=True):
        part = sentence[first:last]
        lead = len(part) - len(part.lstrip())
        kept = part.rstrip(" \t\n，,；;")
        if kept.strip():
            spans.append((first + lead, first + len(kept)))
    return spans


def _group(places: list[int]) -> tuple[int, int]:
    """The first run of neighbours."""
    last = places[0]
    for place in places[1:]:
        if place != last + 1:
            break
        last = place
    return places[0], last
