"""Sentences that are a rule on their face: who says "never" needs no mistake to have come first.

What labels from working sessions teach is mostly corrections; a lasting demand said in a calm
first request would be drowned by the many requests for new work around it.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.text import language, plain, vocabulary, words

_LONGEST = 45
"""Words; a longer sentence is a description in which a rule may stand, not a rule."""
LAW_SCORES = {"lasting": 0.8, "tied": 0.7, "whole": 0.65, "bounded": 0.65, "order": 0.6}
"""The least score of a sentence that is such a rule."""
LAWS = {
    "lasting": "it says that it holds always",
    "tied": "it ties a step to a moment that comes back",
    "whole": "it speaks of a whole kind of thing",
    "bounded": "it says how long it holds",
    "order": "it is an order not to do something",
}
"""What makes a sentence a rule, in words for the reviewer."""
LASTING = frozenset(["lasting", "tied", "whole"])
"""Kinds of laws that are meant to hold beyond the task."""
_NEEDS_DEMAND = frozenset(["tied", "whole", "bounded"])
_DEMANDS = frozenset(["should_be", "limits", "do_not", "imperative", "standing"])
_UNLESS = frozenset(
    [
        *("form:asks_what", "form:asks_whether", "form:option", "form:assent", "asks", "hedges"),
        *("long", "templated", "own_act", "asks_to_know"),
    ]
)


@cache
def _laws() -> Mapping[str, re.Pattern[str]]:
    source = resources.files("dream.signals").joinpath("laws.yaml").read_text(encoding="utf-8")
    listed = cast("dict[str, list[str]]", yaml.safe_load(source))
    return {
        name: re.compile("|".join(f"(?:{part})" for part in parts))
        for name, parts in listed.items()
    }


def law(sentence: str, marks: frozenset[str]) -> str:
    """What makes a sentence a rule on its face, a name of LAWS; "" if nothing does.

    marks: the sentence's features, as dream.signals.cues names them.
    """
    if sentence.rstrip().endswith(":"):
        return ""  # it only leads in what follows
    pasted = "impersonal" in marks and bool(marks & {"middling", "paste"})
    if pasted or marks & _UNLESS or len(words(sentence)) > _LONGEST:
        return ""
    low = plain(sentence).strip()
    asked = bool(marks & _DEMANDS) or not vocabulary("verbs").isdisjoint(re.findall("[a-z]+", low))
    for name, pattern in _laws().items():
        if name == "tied" and marks & {"removes", "undo"}:
            continue  # "drop the dash before each name": a place, not a moment
        if pattern.search(low) and (asked or name not in _NEEDS_DEMAND):
            return name
    foreign = "do_not" in marks and language(sentence) == "other"
    if foreign or "negative_order" in marks or {"do_not", "form:order"} <= marks:
        return "order"
    return ""
