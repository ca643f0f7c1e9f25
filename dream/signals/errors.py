"""Failed calls as judgements: each with its signature and what recovered it, and the detours."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from dream.signals.evidence import Quote, judge, sha256
from dream.signals.failing import Failure, Verdict, verdict
from dream.signals.recovery import Attempt, Detour, Mended, outcomes
from dream.types import Judgement, Rows, Scope

_LONGEST = 400
"""Characters of a telling line that are quoted."""


def failures(rows: Rows, since: datetime) -> tuple[Judgement, ...]:
    """tool_error and detour judgements, in no order."""
    judged = dict(_judged(rows, since))
    attempts = rows.rows("signals/attempts", Attempt, since=since)
    after = outcomes(attempts, frozenset(judged))
    found = []
    for call_id, (quote, project, seen, tool) in sorted(judged.items()):
        mended = after.mended.get(call_id)
        found.append(_error(quote, project, seen, tool, call_id, mended))
        if call_id in after.detours:
            found.append(_detour(quote, project, seen, tool, after.detours[call_id]))
    return tuple(found)


def _judged(rows: Rows, since: datetime) -> Iterator[tuple[str, tuple[Quote, str, Verdict, str]]]:
    for failure in rows.rows("signals/failures", Failure, since=since):
        seen = verdict(failure)
        if seen.counts and seen.signature.end > seen.signature.start:
            yield failure.call_id, (_quote(failure, seen), failure.project_key, seen, failure.tool)


def _quote(failure: Failure, seen: Verdict) -> Quote:
    start = seen.signature.start
    end = min(seen.signature.end, start + _LONGEST)
    return Quote(
        failure.result_id,
        failure.session_id,
        failure.run_id,
        failure.copy_key,
        failure.happened,
        sha256(failure.text),
        start,
        end,
        failure.text[start:end],
    )


def _error(
    quote: Quote, project: str, seen: Verdict, tool: str, call_id: str, mended: Mended | None
) -> Judgement:
    signature = seen.signature
    detail: dict[str, Any] = {
        "cause": signature.cause,
        "key": signature.key,
        "call_id": call_id,
        "tool": tool,
        "program": signature.program,
    }
    reasons = seen.reasons
    if mended is not None:
        detail |= {
            "recovered_by": mended.call_id,
            "recovered_tool": mended.tool,
            "steps": mended.steps,
            "changed": mended.changed,
        }
        reasons += (f"{mended.program} worked later in the same run",)
    return judge(
        quote,
        "tool_error",
        Scope(project, "", signature.program),
        seen.score,
        reasons,
        detail,
        statement=str(signature),
        polarity="none",
    )


def _detour(quote: Quote, project: str, seen: Verdict, tool: str, detour: Detour) -> Judgement:
    tries = len(detour.tries)
    score = min(0.9, 0.4 + 0.1 * tries) if detour.ended != "other branch" else 0.7
    reasons = (
        "it failed on a branch that was given up and worked on the other"
        if detour.ended == "other branch"
        else f"tried {tries} times in one run; in the end {detour.ended}",
    )
    detail: dict[str, Any] = {
        "tries": list(detour.tries),
        "ended": detour.ended,
        "tool": tool,
        "program": detour.program,
        "cause": seen.signature.cause,
        "key": seen.signature.key,
    }
    if detour.worked is not None:
        detail["recovered_by"] = detour.worked.call_id
    return judge(
        quote,
        "detour",
        Scope(project, "", detour.program),
        score,
        reasons,
        detail,
        statement=f"{detour.program}: {seen.signature}",
        polarity="none",
    )
