"""From what a detector found to a Judgement: its id, its quote, the hash of what it stands in."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dream.text import language, stance
from dream.types import Judgement, JudgementKind, Polarity, Scope


@dataclass(frozen=True, slots=True)
class Quote:
    """Words in a stored message. Holds the message's hash and not its text: texts are long."""

    message_id: str
    session_id: str
    run_id: str
    copy_key: str  # equal for every copy of the message, so that ids do not depend on the copy
    happened: datetime | None
    text_sha256: str
    start: int
    end: int
    words: str


def sha256(text: str) -> str:
    """Hex, of the UTF-8 text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def judge(
    quote: Quote,
    kind: JudgementKind,
    scope: Scope,
    score: float,
    reasons: tuple[str, ...],
    detail: Mapping[str, Any],
    *,
    statement: str | None = None,
    polarity: Polarity | None = None,
) -> Judgement:
    """One judgement. statement: what is compared; by default the quote itself."""
    told = f"{kind}\x1f{quote.copy_key}\x1f{quote.start}\x1f{quote.end}\x1f{statement or ''}"
    return Judgement(
        id="j-" + sha256(told)[:12],
        kind=kind,
        session_id=quote.session_id,
        run_id=quote.run_id,
        message_id=quote.message_id,
        start=quote.start,
        end=quote.end,
        quote=quote.words,
        text_sha256=quote.text_sha256,
        statement=statement if statement is not None else " ".join(quote.words.split()),
        polarity=polarity if polarity is not None else stance(quote.words),
        scope=scope,
        language=language(quote.words),
        happened=quote.happened,
        score=round(score, 4),
        reasons=reasons,
        detail=dict(detail),
    )
