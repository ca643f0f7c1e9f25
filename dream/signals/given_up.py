"""Work that an agent gave up: it went back to an earlier point of its session and left it behind.

The tools say so themselves (a checkout, a squash into a summary, a mail to its own past). That is a
detour whatever the calls came to; why it was one, only the calls can show.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from dream.signals.doings import doing, family
from dream.signals.evidence import Quote, judge, sha256
from dream.types import Judgement, Rows, Scope

WAYS = {
    "checkout": "went back to an earlier point of its session",
    "squash": "made a summary of its work and went back to before it",
    "d_mail": "sent a message to its own past",
}
"""Why a branch was left, in words for the reviewer."""
_LONGEST = 160
"""Characters of the tool's word that are quoted."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A branch with the call that left it and its own calls, in their order."""

    branch_id: str
    session_id: str
    run_id: str
    reason: str
    project_key: str
    call_id: str  # of the call that left it
    result_id: str
    copy_key: str
    text: str  # the tool's word for it
    happened: datetime | None
    tools: tuple[str, ...]
    arguments: tuple[str, ...]
    statuses: tuple[str, ...]


def given_up(rows: Rows, since: datetime) -> Iterator[Judgement]:
    """A detour for every branch on which work was done, in no order."""
    for row in rows.rows("signals/given_up", GivenUp, since=since):
        if (found := judged(row)) is not None:
            yield found


def judged(row: GivenUp) -> Judgement | None:
    """None where nothing was done but keeping the context in order, or the tool said nothing."""
    calls = [
        (doing(tool, arguments).program, status)
        for tool, arguments, status in zip(row.tools, row.arguments, row.statuses, strict=True)
        if family(tool) != "notes"
    ]
    start = len(row.text) - len(row.text.lstrip())
    words = row.text[start:].partition("\n")[0][:_LONGEST].rstrip()
    if not calls or not words:
        return None
    failed = [program for program, status in calls if status == "error"]
    program = _most(failed or [program for program, _ in calls])
    quote = Quote(
        row.result_id, row.session_id, row.run_id, row.copy_key, row.happened,
        sha256(row.text), start, start + len(words), words,
    )  # fmt: skip
    many = f"{len(calls)} call{'s' * (len(calls) != 1)}"
    reasons = [f"the agent {WAYS[row.reason]} and left {many} behind"]
    if failed:
        reasons.append(f"{len(failed)} of them had failed")
    detail = {
        "branch": row.branch_id,
        "by": row.reason,
        "call_id": row.call_id,
        "calls": len(calls),
        "failed": len(failed),
        "program": program,
        "ended": "given up",
    }
    return judge(
        quote,
        "detour",
        Scope(row.project_key, "", program),
        0.7 if failed else 0.5,
        tuple(reasons),
        detail,
        statement=f"{program}: work given up{', it had failed' if failed else ''}",
        polarity="none",
    )


def _most(programs: list[str]) -> str:
    counted = Counter(programs)
    return min(counted, key=lambda program: (-counted[program], program))
