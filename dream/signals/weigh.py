"""How sure we are of a sentence, from weights.yaml, and the reasons in words."""

import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.signals.asks import Repeat
from dream.signals.cues import cues

_WORDS = {
    "refused": "it was said while turning down a tool call",
    "interrupted": "the person had just stopped the agent",
    "said_done": "the agent had just said that it was done",
    "edited": "the agent had just changed something",
    "worked": "the agent had just worked",
    "negative_order": "it is an order not to do something",
    "shouts": "a word is in capitals for stress",
    "asked:routine": "the person asks for it at the end of many pieces of work",
    "asked:elsewhere": "it was asked in another session in nearly the same words",
    "asked:before_here": "it was asked before in this session",
    "form:order": "it is an order",
}
_TELLING = 0.25
"""A feature that adds less than this to the log odds is no reason worth reading."""
_REASONS = 5


@cache
def weights() -> Mapping[str, float]:
    """Log odds by feature; "bias" is what every sentence starts from."""
    source = resources.files("dream.signals").joinpath("weights.yaml").read_text(encoding="utf-8")
    listed = cast("dict[str, dict[str, float]]", yaml.safe_load(source))
    return listed["fitted"]


def odds(found: Iterable[str], by: Mapping[str, float] | None = None) -> float:
    """Log odds that a sentence with these features is a judgement; 0 is even."""
    weighed = weights() if by is None else by
    return weighed["bias"] + sum(weighed.get(name, 0.0) for name in sorted(found))


def probability(log_odds: float) -> float:
    """0 to 1; 0.5 at even odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


def asked(repeat: Repeat | None) -> frozenset[str]:
    """How often a request came, as features."""
    if repeat is None:
        return frozenset()
    marks = {
        "asked:routine": bool(repeat.act),
        "asked:elsewhere": repeat.sessions > 1,
        "asked:in_three": repeat.sessions >= 3,
        "asked:in_five": repeat.sessions >= 5,
        "asked:before_here": repeat.here > 0,
        "asked:in_brief": repeat.brief,
        "asked:at_length": not repeat.brief,
    }
    return frozenset(name for name, holds in marks.items() if holds)


def reasons(found: frozenset[str]) -> tuple[str, ...]:
    """Why, in words for the reviewer, the weightiest first."""
    gains: dict[str, float] = {}
    for name in found:
        plain = name.split("@")[0]
        gains[plain] = gains.get(plain, 0.0) + weights().get(name, 0.0)
    told = sorted(
        (
            name
            for name, gain in gains.items()
            if gain >= _TELLING and (name in cues() or name in _WORDS)
        ),
        key=lambda name: (-gains[name], name),
    )
    return tuple(
        cues()[name].reason if name in cues() else _WORDS[name] for name in told[:_REASONS]
    )
