"""Makers: each fills in what a test is not about."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from dream.text import language, stance
from dream.types import Judgement, JudgementKind, Language, Polarity, Scope

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def judgement(
    statement: str = "Use tabs in Go files.",
    *,
    kind: JudgementKind = "correction",
    session: str = "pi:a",
    run: str | None = None,
    message: str | None = None,
    happened: datetime | None = START,
    scope: Scope | None = None,
    polarity: Polarity | None = None,
    speech: Language | None = None,
    score: float = 0.9,
    detail: Mapping[str, Any] | None = None,
    quote: str | None = None,
    reasons: tuple[str, ...] = ("names a lasting wish",),
) -> Judgement:
    """One piece of evidence. Its id follows from all that would make it another one."""
    words = statement if quote is None else quote
    where = message or f"{session}/{happened.isoformat() if happened else 'undated'}"
    told = f"{kind}|{where}|{statement}|{scope}".encode()
    return Judgement(
        id="j-" + hashlib.sha256(told).hexdigest()[:12],
        kind=kind,
        session_id=session,
        run_id=run or f"{session}:1",
        message_id=where,
        start=0,
        end=len(words),
        quote=words,
        text_sha256=hashlib.sha256(words.encode()).hexdigest(),
        statement=statement,
        polarity=stance(statement) if polarity is None else polarity,
        scope=scope or Scope(project="/repo/shop"),
        language=language(statement) if speech is None else speech,
        happened=happened,
        score=score,
        reasons=reasons,
        detail=detail or {},
    )
