"""Candidates and judgements over a small archive in memory."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from typing import Any, Literal

from dream.types import Candidate, Judgement, JudgementKind, Scope
from tests.makers import judgement
from tests.review.tables import WHEN, Tables

NIGHT = date(2026, 4, 12)
PROJECT = "/repo/shop"
Kind = Literal["rule", "skill", "check"]


def candidate(
    evidence: tuple[str, ...] = (),
    *,
    kind: Kind = "rule",
    number: int = 1,
    body: str = "Use `pnpm`, never npm",
    against: tuple[str, ...] = (),
    payload: Mapping[str, Any] | None = None,
    **values: Any,
) -> Candidate:
    """A candidate that three sessions on three days support."""
    made = Candidate(
        id=f"{kind}-{number:08x}",
        kind=kind,
        slug="use-pnpm",
        title="Use pnpm, never npm",
        body=body,
        applies="everywhere in shop",
        counter_example="`npm install`",
        valid_from=date(2026, 4, 8),
        valid_until=None,
        scope=Scope(project=PROJECT),
        clusters=("c-0123456789ab",),
        evidence=evidence,
        against=against,
        sessions=3,
        days=3,
        score=0.9,
        payload=payload or {},
    )
    return replace(made, **values)


def heard(
    tables: Tables,
    text: str = "Please use pnpm, never npm.",
    *,
    quote: str | None = None,
    count: int = 3,
    first: int = 0,
    kind: JudgementKind = "correction",
    role: str = "human",
) -> dict[str, Judgement]:
    """The same words in so many sessions on so many days, stored and judged."""
    made = {}
    for n in range(first, first + count):
        when = WHEN + timedelta(days=n)
        message = tables.say(
            text,
            session=f"pi:{n}",
            native=f"m{n}",
            role=role,
            name=f"r{n}/m1",
            happened=when,
            line=n + 2,
        )
        said = judgement(
            text, kind=kind, session=f"pi:{n}", message=message.message_id, happened=when
        )
        words = quote or text
        start = text.index(words)
        said = replace(
            said,
            quote=words,
            start=start,
            end=start + len(words),
            text_sha256=sha256(text.encode()).hexdigest(),
        )
        made[said.id] = said
    return made
