"""Whether a judgement asks for something, against something, or only says that it fails."""

import re

from dream.text import pattern, plain, stance
from dream.types import JudgementKind, Polarity

_BARE = re.compile(
    r"\b(?:not|never|no) (?:the|a|an|in|on|by|from|with|to|as|just|my|our)\b|, no(?:t)? \w+[!.]*$"
    r"|\bnot \w+$|而不是"
)
_OPENED = re.compile(r"^(?:\w+ ){0,3}?(?:use|prefer|put|keep|write|make|call|take|want|set|add)\b")
_ONLY = re.compile(
    r"只(?:需要?|能|要|是|改|修改|去)|仅(?:需|限)|\b(?:only|just) (?:build|change|touch|edit|modify"
    r"|do|look|fix|use|let|tell)\b|\bfocus only\b"
)
_OPEN_WISH = re.compile(
    r"\b(?:why (?:can't|not|don't)|(?:can|could)(?:n't)? (?:we|you)|is there (?:a|any))\b"
)
_LEFT = re.compile(r"\b(?:should|must|to) (?:stay|remain|be left)\b|\bhave nothing to do\b")
_DEMANDS = frozenset(
    [
        *("should_be", "do_not", "instead", "limits", "standing", "gate", "general"),
        *("undo", "too_much", "removes"),
    ]
)
_REPORTS = frozenset(["fails", "still", "wrong", "asks_why"])
_ASKED = frozenset(["form:asks_what", "form:asks_whether"])


def leaning(sentence: str, marks: frozenset[str], kind: JudgementKind) -> Polarity:
    """marks: the sentence's features, as dream.signals.cues names them."""
    low = plain(sentence).strip()
    if _is_against(low, marks, kind):
        return "do_not"
    if kind == "repeated_ask" or marks & {"standing", "gate", "general"}:
        return "do"
    if marks & _REPORTS and not marks & _DEMANDS:
        return "none"
    if "paste" in marks and not marks & (_DEMANDS - {"should_be"}):
        return "none"  # a remark to an output that was pasted in
    # A complaint in Chinese: something was met ("I found") that is not so, and nothing is asked.
    met = marks & {"turns", "reports_use", "asks_why"} and marks & {"negates", "fails", "still"}
    if "chinese" in marks and met and not marks & _DEMANDS and "asks_agent" not in marks:
        return "none"
    if kind in {"preference", "constraint"} or marks & {"consistent", "states_fact", "instead"}:
        return "do"
    found = stance(sentence)
    if found != "none" and not marks & _ASKED:
        return found
    mood = "strong_words" in marks or "short" in marks
    misread = marks & {"asks_to_know", "reports_use", "wrong"} or "form:asks_what" in marks
    return "none" if misread or mood else "do"


def _is_against(low: str, marks: frozenset[str], kind: JudgementKind) -> bool:
    if pattern("double").search(low):
        return False
    if "do_not" in marks or "negative_order" in marks:
        return not (_BARE.search(low) and (_OPENED.match(low) or "imperative" in marks))
    if _LEFT.search(low) or "undo" in marks:
        return True
    if kind == "constraint" and _ONLY.search(low):
        return True
    if "rejects" in marks and not marks & {"should_be", "instead", "meant", "asks", "wrong"}:
        return True
    doubts = "softly_doubts" in marks and not _OPEN_WISH.search(low)
    return doubts and not marks & {"fails", "still", "should_be", "did_you"}
