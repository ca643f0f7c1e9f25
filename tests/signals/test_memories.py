"""A memory note raises or points at a person's words, and never stands for itself."""

from dataclasses import replace

from dream.records import Memory, Message
from dream.signals.detect import detect
from dream.types import Judgement
from tests.signals.relations import Relations
from tests.signals.talk import ALWAYS, Talk


def noted(talk: Talk, note: str, source: Message) -> list[Judgement]:
    memory = Memory(
        f"{source.session_id}/ab/1",
        source.session_id,
        "observation",
        "ab",
        note,
        "active",
        True,
        (source.message_id,),
    )
    whole = replace(talk.pen.transcript(), memories=[memory])
    return detect(Relations([whole]), ALWAYS)


def test_a_note_on_a_judgement_raises_it() -> None:
    talk = Talk().person("Always round the prices to cents.")
    (before,) = detect(Relations([talk.pen.transcript()]), ALWAYS)
    (after,) = noted(talk, "The user wants prices rounded to cents always.", talk.pen.messages[0])
    assert after.id == before.id
    assert after.score > before.score
    assert after.reasons[-1] == "the agent noted it in its memory"
    assert after.detail["memories"] == ["pi:a/ab/1"]


def test_a_note_on_a_plain_sentence_only_points_at_the_persons_words() -> None:
    text = "Hello. The shop rounds all prices to whole cents these days."
    talk = Talk().person(text)
    (found,) = noted(talk, "The shop rounds prices to cents.", talk.pen.messages[0])
    assert (found.kind, found.message_id) == ("memory", talk.pen.messages[0].message_id)
    assert found.quote == "The shop rounds all prices to whole cents these days."
    assert found.score < 0.5


def test_a_note_without_the_persons_words_behind_it_is_nothing() -> None:
    talk = Talk().person("Build the page.").agent("I will always round the prices to cents.")
    assert noted(talk, "Always round the prices to cents.", talk.pen.messages[0]) == []
    assert noted(talk, "Always round the prices to cents.", talk.pen.messages[1]) == []
