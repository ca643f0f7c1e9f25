"""What may share a cluster at all: the family of a judgement, and where it belongs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from dream.types import Judgement, JudgementKind

Family = Literal["statement", "error", "detour", "path"]

FAMILIES: Mapping[JudgementKind, Family] = {
    "correction": "statement",
    "preference": "statement",
    "constraint": "statement",
    "repeated_ask": "statement",
    "refusal": "statement",
    "memory": "statement",
    "tool_error": "error",
    "detour": "detour",
    "path": "path",
}
KINDS: tuple[JudgementKind, ...] = tuple(FAMILIES)
"""Which kind names a cluster of several, when they are equally many: the first of these."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)


def family(judgement: Judgement) -> Family:
    """Only judgements of one family meet."""
    return FAMILIES[judgement.kind]


def order(judgement: Judgement) -> tuple[datetime, str]:
    """The one order of judgements: time, then id; those without a time first."""
    return judgement.happened or _EARLIEST, judgement.id
