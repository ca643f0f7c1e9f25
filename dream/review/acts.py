"""What an agent called where a judgement is about its calls: the failed one and what came after it,
or the steps of a path. A reviewer sees by these whether a remedy or a step is true.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dream import called
from dream.templates.width import clip
from dream.types import Judgement, Rows

AFTER = 3
"""Calls shown after a failed one when none of them is known to have mended it."""
FURTHEST = 6
"""Calls from the failed one to what mended it that are shown; further off tells too little."""
LINE = 160


@dataclass(frozen=True, slots=True)
class Called:
    """A call among those that came from another one on. A row of calls_from.sql."""

    first_id: str
    call_id: str
    tool: str
    arguments: str
    status: str


Acts = Mapping[str, tuple[str, ...]]
"""Judgement id -> its calls, a line each, with what became of them."""


def acts(judgements: Iterable[Judgement], rows: Rows) -> Acts:
    """The calls of each judgement that is about calls; the others have none."""
    told = {each.id: each for each in judgements if _ids(each)}
    ids = sorted({call for each in told.values() for call in _ids(each)})
    after: dict[str, list[Called]] = {}
    if ids:
        for row in rows.rows("review/calls_from", Called, ids=ids, count=FURTHEST):
            after.setdefault(row.first_id, []).append(row)
    return {name: _lines(each, _ids(each), after) for name, each in told.items()}


def _ids(judgement: Judgement) -> tuple[str, ...]:
    detail = judgement.detail
    if judgement.kind == "path":
        return tuple(str(each) for each in detail.get("calls", ()))
    return (str(detail["call_id"]),) if detail.get("call_id") else ()


def _lines(
    judgement: Judgement, calls: Sequence[str], after: Mapping[str, Sequence[Called]]
) -> tuple[str, ...]:
    if judgement.kind == "path":
        return tuple(_line(after[call][0]) for call in calls if call in after)
    row = after.get(calls[0], ())
    mended = str(judgement.detail.get("recovered_by") or "")
    place = next((n for n, each in enumerate(row) if each.call_id == mended), AFTER)
    return tuple(map(_line, row[: place + 1]))


def _line(call: Called) -> str:
    fate = {"ok": "worked", "error": "failed"}.get(call.status, call.status)
    return clip(f"{fate}: {called.in_words(call.tool, call.arguments)[: 2 * LINE]}", LINE)
