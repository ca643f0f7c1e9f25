"""Which sentences of a turn are judgements, of what kind, and how sure we are."""

from collections.abc import Collection
from dataclasses import dataclass

from dream.signals.asks import Repeat, acts
from dream.signals.clauses import telling_clause
from dream.signals.cues import features, form, heard
from dream.signals.laws import LASTING, LAW_SCORES, LAWS, law
from dream.signals.leaning import leaning
from dream.signals.turns import Said
from dream.signals.weigh import asked, odds, probability, reasons
from dream.text import words
from dream.types import JudgementKind, Polarity

MOST = 3
"""Judgements taken from one turn: a long text is one voice, however many rules it lists."""
EVEN = 0.5
"""The probability from which a sentence is a judgement."""
OFTEN = 3
"""Sessions with nearly the same request, from which it is a judgement without any cue."""
_LOOKED_AT = 60
"""Sentences of a turn that are looked at."""
_ROUTINE = (0.3, 0.4)
"""A routine act's score: where it starts, and what a person adds who asks for it every time."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a turn that carries a judgement."""

    start: int
    end: int
    kind: JudgementKind
    polarity: Polarity
    score: float
    reasons: tuple[str, ...]


def statements(
    said: Said, repeat: Repeat | None, own: Collection[tuple[str, ...]] = frozenset()
) -> tuple[Statement, ...]:
    """The judgements in one turn, in the order of the text.

    own: our own rules' words (dream.text.words); a sentence that only says one again is no
    evidence.
    """
    found = [
        statement
        for span, marks in marked(said, repeat)
        if (statement := _judged(said.turn.text, span, marks, repeat, own)) is not None
    ]
    if not found and repeat is not None and repeat.sessions >= OFTEN and not repeat.act:
        found = _asked_often(said, repeat)
    best = sorted(found, key=lambda each: (-each.score, each.start))[:MOST]
    return tuple(sorted(best, key=lambda each: each.start))


def _judged(
    text: str,
    span: tuple[int, int],
    marks: frozenset[str],
    repeat: Repeat | None,
    own: Collection[tuple[str, ...]],
) -> Statement | None:
    sentence = text[slice(*span)]
    plainly = next((name for name in LAWS if f"law:{name}" in marks), "")
    sure = max(probability(odds(marks)), LAW_SCORES.get(plainly, 0.0))
    kind: JudgementKind = "preference" if plainly in LASTING else _kind(marks)
    if sure < EVEN or words(sentence) in own:
        return None
    if repeat is not None and kind == "repeated_ask" and repeat.act:
        if repeat.act not in acts(sentence):
            return None
        sure = min(sure, _ROUTINE[0] + _ROUTINE[1] * repeat.share)
    start, end = span if kind == "repeated_ask" else telling_clause(text, *span)
    polarity = leaning(sentence, marks, kind)
    if (start, end) != span and "do_not" in heard(text[start:end]):
        polarity = "do_not"
    told = reasons(marks)
    if plainly:
        told = (f"it is a rule on its face: {LAWS[plainly]}", *told)
    return Statement(start, end, kind, polarity, round(sure, 4), told)


def _asked_often(said: Said, repeat: Repeat) -> list[Statement]:
    """The longest of the first sentences, as a demand by the mere number of its sessions.

    A question or a long text that comes again is a habit or a template, and no demand.
    """
    text = said.turn.text
    start, end = max(said.spans[:3], key=lambda span: (span[1] - span[0], -span[0]))
    sentence = text[start:end]
    marks = heard(sentence)
    if "long" in said.around or form(sentence, marks) not in {"says", "order", "request"}:
        return []
    polarity = leaning(sentence, marks, "repeated_ask")
    score = round(min(0.85, 0.4 + 0.05 * repeat.sessions), 4)
    told = (f"it was asked in {repeat.sessions} sessions in nearly the same words",)
    return [Statement(start, end, "repeated_ask", polarity, score, told)]


def marked(said: Said, repeat: Repeat | None) -> list[tuple[tuple[int, int], frozenset[str]]]:
    """Each sentence's span with all its features: its own, its turn's and its history's."""
    around = said.around | asked(repeat)
    result: list[tuple[tuple[int, int], frozenset[str]]] = []
    for number, (start, end) in enumerate(said.spans[:_LOOKED_AT]):
        place = set()
        if number == 0:
            place.add("first_sentence")
        if len(said.spans) == 1:
            place.add("only_sentence")
        sentence = said.turn.text[start:end]
        mine = around
        # A routine closes a piece of work: nothing has been done yet in a cold request.
        if (
            repeat is not None
            and repeat.act
            and ("cold" in around or repeat.act not in acts(sentence))
        ):
            mine -= {"asked:routine"}
        marks = features(sentence, mine) | place
        plainly = law(sentence, marks)
        result.append(((start, end), marks | {f"law:{plainly}"} if plainly else marks))
    return _without_a_book(result, around)


def _without_a_book(
    found: list[tuple[tuple[int, int], frozenset[str]]], around: frozenset[str]
) -> list[tuple[tuple[int, int], frozenset[str]]]:
    """Leaves out neat prose that speaks to nobody, where there is more of it than one sentence.

    Such is what a person pastes: a reviewer's comment, a report, a page of documentation.
    """
    bookish = sum("bookish" in marks for _, marks in found)
    if bookish > 1 or around & {"paste", "middling", "long"}:
        return [(span, marks) for span, marks in found if "bookish" not in marks]
    return found


def _kind(marks: frozenset[str]) -> JudgementKind:
    """The first that fits, as a careful reader would sort it."""
    if "refused" in marks:
        return "refusal"
    lasting = marks & {"standing", "gate", "general", "rule_file"}
    complains = marks & {
        "rejects",
        "wrong",
        "still",
        "fails",
        "you_did",
        "meant",
        "asks_why",
        "undo",
    }
    if "asked:routine" in marks and not lasting:
        return "repeated_ask"
    if marks & {"standing", "gate", "general"} and not complains:
        return "preference"
    came = marks & {"asked:elsewhere", "asked:before_here"} and "asked:at_length" in marks
    if (came or "asked_before" in marks) and not complains and not lasting:
        return "repeated_ask"
    if "cold" in marks or ("limits" in marks and not complains and "turns" not in marks):
        return "constraint"
    return "correction"
