"""What people said: every judgement that a person's own sentence carries."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from dream.signals.asks import Ask, Repeat, reduce, repeats
from dream.signals.cues import is_assent
from dream.signals.dates import time_bound
from dream.signals.evidence import Quote, judge, sha256
from dream.signals.scopes import scope
from dream.signals.statements import Statement, statements
from dream.signals.turns import HumanTurn, Said, hear
from dream.types import Judgement, Rows

_AGAINST = frozenset(["correction", "refusal"])


@dataclass(frozen=True, slots=True)
class Heard:
    """All that people said, and what later detectors need of it."""

    judgements: tuple[Judgement, ...]
    openings: dict[str, Quote]  # by run: the first own sentence of the prompt it began with
    corrected: frozenset[str]  # runs whose next turn corrected or refused


def listen(
    rows: Rows, since: datetime, zone: ZoneInfo, own: Mapping[tuple[str, ...], datetime]
) -> Heard:
    """Reads people's turns twice: once for what is asked again, once for what is said.

    own: the words of our own rules, with the time from which a person could have read them.
    """
    again = repeats(_asks(rows, since))
    judgements: list[Judgement] = []
    openings: dict[str, Quote] = {}
    corrected: set[str] = set()
    before = ("", "")  # session and run of the turn before
    for turn in rows.rows("signals/human_turns", HumanTurn, since=since):
        said = hear(turn)
        repeat = again.get(turn.message_id)
        found = statements(said, repeat, _readable(own, turn.happened))
        if found or said.spans:
            digest = sha256(turn.text)
        judgements += [_judged(said, digest, one, repeat, zone) for one in found]
        if turn.kind == "prompt" and said.spans:
            openings.setdefault(turn.run_id, _quote(turn, digest, *_telling(said)))
        if before[0] == turn.session_id and any(one.kind in _AGAINST for one in found):
            corrected.add(before[1])
        before = (turn.session_id, turn.run_id)
    return Heard(tuple(judgements), openings, frozenset(corrected))


def _readable(
    own: Mapping[tuple[str, ...], datetime], happened: datetime | None
) -> Collection[tuple[str, ...]]:
    """The rules of ours that a turn can be an echo of: what founded a rule came before it."""
    if not own or happened is None:
        return ()
    return [rule for rule, since in own.items() if since <= happened]


def _asks(rows: Rows, since: datetime) -> Iterator[Ask]:
    for turn in rows.rows("signals/human_turns", HumanTurn, since=since):
        yield reduce(hear(turn))


def _telling(said: Said) -> tuple[int, int]:
    """The first sentence that is more than assent, else the first."""
    texts = (said.turn.text[start:end] for start, end in said.spans)
    told = (span for span, text in zip(said.spans, texts, strict=True) if not is_assent(text))
    return next(told, said.spans[0])


def _quote(turn: HumanTurn, digest: str, start: int, end: int) -> Quote:
    return Quote(
        turn.message_id,
        turn.session_id,
        turn.run_id,
        turn.copy_key,
        turn.happened,
        digest,
        start,
        end,
        turn.text[start:end],
    )


def _judged(
    said: Said, digest: str, one: Statement, repeat: Repeat | None, zone: ZoneInfo
) -> Judgement:
    turn = said.turn
    quote = _quote(turn, digest, one.start, one.end)
    detail: dict[str, Any] = dict(time_bound(quote.words, turn.happened, zone))
    if repeat is not None:
        detail["asked_in_sessions"] = repeat.sessions
        if repeat.act:
            detail["act"], detail["share"] = repeat.act, round(repeat.share, 4)
    if turn.interrupted:
        detail["after_interrupt"] = True
    where = scope(quote.words, turn.project_key)
    return judge(quote, one.kind, where, one.score, one.reasons, detail, polarity=one.polarity)
