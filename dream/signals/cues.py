"""What in a sentence speaks for or against a judgement, as names that weights.yaml knows.

A cue counts in its own right and again by the situation: "instead" after the agent has worked is
a correction more often than in a first request; in a question it is so less often.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.text import opens_with_verb, plain

# No two alternatives match the same words, so that no text makes this slow.
_ASSENT = re.compile(
    r"^(?:(?:ok(?:ay|k)?|k|yes|yea+h?|yep|yup|sure|great|perfect|nice|cool|lgtm|good|proceed"
    r"|continue|go(?: ahead)?|thanks|thank you|sounds|awesome|agreed?|alright|all|love it|done"
    r"|please|it|do|that|that's it|with|both|the plan|works?|looks|now|hello|hi|hey)"
    r"(?:[\s,.!]+|$)|(?:好的?|可以的?|是的|继续|没问题|谢谢|行|嗯|你好)[\s,.!，。！]*)+$"
)
_OPTION = re.compile(
    r"^(?:(?:yeah|yes|ok|let's do|do|go with|option|just)[ ,]*)?(?:option |#)?(?:\d|[a-d])"
    r"(?:[ ,]+(?:and|&|but|,) *(?:\d\b)?|[.) ]*$|,)"
)
_NEGATIVE_ORDER = re.compile(
    r"^(?:please |ok,? |and |but |also |so )*(?:don't|do not|dont|never|stop|avoid"
    r"|no (?!wait|problem|worries)(?!.* (?:is|are|was|were)\b)\w+)\b"
    r"|^(?:请|就|但|可)?你?(?:不要|别|不用|不需要|禁止)"
)
_STRESSED = re.compile(r"\b(?:NOT|NEVER|ALWAYS|ONLY|MUST|DONT|ALL|STOP)\b")
_WORD = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")
_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|we|we're|we'll|you|you're|my|our|your|me|us|let's|please|thanks)\b"
)
_DEMAND = re.compile(r"\b(?:can|should|must|never|always)\b")
_SPEAKING = frozenset(
    [
        *("rejects", "wrong", "still", "fails", "turns", "you_did", "did_you", "meant", "instead"),
        *("should_be", "undo", "do_not", "softly_doubts", "too_much", "strong_words", "standing"),
        *("limits", "consistent", "asked_before", "gate", "general", "process"),
        *("misses", "already", "except", "insists"),
    ]
)
"""Cues that speak for a judgement; how many of them meet in a sentence counts by itself."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One entry of cues.yaml."""

    name: str
    reason: str
    pattern: re.Pattern[str]


@cache
def cues() -> Mapping[str, Cue]:
    """All cues by name, in the order of the file."""
    source = resources.files("dream.signals").joinpath("cues.yaml").read_text(encoding="utf-8")
    listed = cast("dict[str, dict[str, object]]", yaml.safe_load(source))
    return {
        name: Cue(
            name,
            str(entry["reason"]),
            re.compile("|".join(f"(?:{part})" for part in cast("list[str]", entry["patterns"]))),
        )
        for name, entry in listed.items()
    }


def heard(sentence: str) -> frozenset[str]:
    """The names of the cues in one sentence."""
    low = plain(sentence).strip()
    found = {name for name, cue in cues().items() if cue.pattern.search(low)}
    if "do_not" in found:
        found.discard("negates")
    if opens_with_verb(low) is not None:
        found.add("imperative")
    if len(_WORD.findall(low)) <= 2:
        found.add("short")
    if _STRESSED.search(sentence) and any(letter.islower() for letter in sentence):
        found.add("shouts")
    return frozenset(found)


def is_assent(sentence: str) -> bool:
    """Whether a sentence only agrees or greets: "yes, go ahead"."""
    return _ASSENT.match(plain(sentence).strip()) is not None


def form(sentence: str, found: frozenset[str]) -> str:
    """One of assent, option, asks_what, asks_whether, request, order, says."""
    low = plain(sentence).strip()
    if is_assent(sentence):
        return "assent"
    if _OPTION.match(low):
        return "option"
    if "asks" in found and "asks_to_know" in found:
        return "asks_what"
    if "asks" in found and "asks_agent" not in found:
        return "asks_whether"
    if "asks_agent" in found:
        return "request"
    return "order" if "imperative" in found else "says"


def features(sentence: str, around: frozenset[str]) -> frozenset[str]:
    """Everything that weights.yaml may weigh: cues, the situation, and cues by situation."""
    found = heard(sentence)
    kind = form(sentence, found)
    low = plain(sentence).strip()
    size = len(_WORD.findall(low))
    result = set(found) | set(around) | {f"form:{kind}"}
    suffix = {"asks_what": "@asked", "asks_whether": "@asked", "request": "@told", "order": "@told"}
    for name in found:
        if "first" not in around:
            result.add(f"{name}@later")
        if kind in suffix:
            result.add(name + suffix[kind])
    if _NEGATIVE_ORDER.match(low):
        result.add("negative_order")
    if "cold" in around and around & {"long", "middling"}:
        result.add("long@cold")
    if "asked:elsewhere" in around and "long" in around:
        result.add("templated")
    together = len(found & _SPEAKING)
    result |= {f"cues:{count}" for count in (2, 3, 4) if together >= count}
    if not together:
        result.add("cues:0")
    return frozenset(result | _shape(sentence, low, size))


def _shape(sentence: str, low: str, size: int) -> set[str]:
    """How long a sentence is, and whether it was typed to somebody or stands like a book."""
    bookish = size > 11 and _is_bookish(sentence, low)
    marks = {
        "brief": size <= 5,
        "winding": size > 35,
        "bookish": bookish,
        "impersonal": bookish and not _DEMAND.search(low),
        "typed": sentence[:1].islower(),
    }
    return {name for name, holds in marks.items() if holds}


def _is_bookish(sentence: str, low: str) -> bool:
    """Neat prose that speaks to nobody: most often pasted from a review or a report."""
    ends = sentence.rstrip()[-1:] in {".", ":"}
    return sentence[:1].isupper() and ends and not _PERSON.search(low)
