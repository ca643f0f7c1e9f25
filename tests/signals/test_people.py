"""What a person says is judged by its words and by what came before it."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from dream.signals.detect import detect
from dream.types import Judgement, Polarity
from tests.signals.talk import ALWAYS, START, Talk, judged, relations, worked

PEOPLE = {"correction", "preference", "constraint", "repeated_ask", "refusal"}


def of_people(found: list[Judgement]) -> list[Judgement]:
    return [each for each in found if each.kind in PEOPLE]


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Always lock the till before you leave.", "do"),
        ("Never export the customer list.", "do_not"),
        ("Lock every till at night, never the door.", "do"),
        ("Exports must not be opened twice.", "do_not"),
        ("Ask before you change the price list.", "do"),
        ("from now on use the small font", "do"),
        ("Do not touch the vendor folder.", "do_not"),
        ("提交前先运行格式检查。", "do"),
        ("以后不要改价格表", "do_not"),
        ("Die Liste nie exportieren.", "do_not"),
        ("Не трогай эту папку.", "do_not"),
        ("لا تحذف هذه الملفات.", "do_not"),
    ],
)
def test_a_rule_on_its_face_is_found_in_a_calm_first_request(text: str, polarity: Polarity) -> None:
    (found,) = of_people(judged(Talk().person(text)))
    assert (found.quote, found.polarity) == (text, polarity)
    assert found.score >= 0.6
    assert found.reasons[0].startswith("it is a rule on its face")


@pytest.mark.parametrize(
    "text",
    [
        "Add a login page with two fields.",
        "Can you add a login page?",
        "What does this function do?",
        "ok",
        "continue",
        "yes, go ahead",
        "3",
        "thanks, looks good",
        "帮我写一个登录页面",
        "这个函数是做什么的？",
        "继续",
        "The meeting is at noon.",
    ],
)
def test_requests_questions_and_assent_are_no_judgements(text: str) -> None:
    assert of_people(judged(Talk().person(text))) == []


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("no, the header should be blue", "do"),
        ("that's wrong, the price must include tax", "do"),
        ("it still doesn't work", "none"),
        ("you forgot the tests", "do"),
        ("revert that, we don't need a cache", "do_not"),
        ("不对，应该先跑测试", "do"),
        ("但是按钮还是无法点击", "none"),
    ],
)
def test_what_turns_against_finished_work_is_a_correction(text: str, polarity: Polarity) -> None:
    (found,) = of_people(judged(worked().person(text)))
    assert (found.kind, found.quote, found.polarity) == ("correction", text, polarity)


def test_the_same_report_is_no_correction_when_nothing_came_before_it() -> None:
    text = "The export doesn't show the header."
    assert of_people(judged(Talk().person(text))) == []
    assert [each.kind for each in of_people(judged(worked().person(text)))] == ["correction"]


def test_words_inside_a_refused_call_are_a_refusal() -> None:
    (found,) = of_people(judged(worked().refuses("don't commit that, I did not ask for it")))
    assert found.kind == "refusal"
    assert "it was said while turning down a tool call" in found.reasons


def test_the_quote_is_the_sentence_and_stands_in_the_stored_text() -> None:
    text = "Thanks for the page.\n\nNo, never round the prices. Then show me the list?"
    (found,) = of_people(judged(worked().person(text)))
    assert found.quote == "No, never round the prices."
    assert text[found.start : found.end] == found.quote


def test_a_long_chinese_sentence_is_quoted_by_the_clause_with_the_demand() -> None:
    text = "帮我把这个组件按照新的样式同步一下，请注意不要修改我的样式文件，完成之后告诉我"
    (found,) = of_people(judged(Talk().person(text)))
    assert found.quote == "请注意不要修改我的样式文件"
    assert found.polarity == "do_not"


def test_a_long_text_is_one_voice_and_gives_three_judgements_at_most() -> None:
    rules = "\n".join(f"- Never use tool number {number}." for number in range(12))
    assert len(of_people(judged(worked().person(rules)))) == 3


def test_the_same_request_in_other_sessions_is_asked_again() -> None:
    text = "Compare the export with the ledger and mark what differs in the summary sheet."
    talks = [Talk(name, START + timedelta(days=day)).person(text) for day, name in enumerate("abc")]
    found = of_people(judged(*talks))
    assert [each.kind for each in found] == ["repeated_ask"] * 3
    assert {each.detail["asked_in_sessions"] for each in found} == {3}


def test_a_sentence_said_alike_in_three_sessions_is_found_though_it_has_no_cue() -> None:
    talks = [
        Talk(name, START + timedelta(days=day)).person("Prices are stored in cents.")
        for day, name in enumerate("abc")
    ]
    assert [each.session_id for each in of_people(judged(*talks))] == ["pi:a", "pi:b", "pi:c"]


def test_an_act_asked_for_at_the_end_of_most_sessions_scores_low() -> None:
    talks = [
        worked(name, START + timedelta(days=day)).person("commit")
        for day, name in enumerate("abcd")
    ]
    found = of_people(judged(*talks))
    assert [each.detail["act"] for each in found] == ["commit"] * 4
    assert {each.score for each in found} == {0.7}
    others = [worked(name, START + timedelta(days=9)) for name in "efghijklmnop"]
    rarely = of_people(judged(*talks, *others))
    assert {each.score for each in rarely if each.kind == "repeated_ask"} == {0.4}


def test_an_act_asked_for_twice_is_no_routine() -> None:
    talks = [
        worked(name, START + timedelta(days=day)).person("push it") for day, name in enumerate("ab")
    ]
    assert of_people(judged(*talks)) == []


def test_only_pointing_words_never_count_as_the_same_request() -> None:
    talks = [
        worked(name, START + timedelta(days=day)).person("can you fix this?")
        for day, name in enumerate("abcd")
    ]
    assert of_people(judged(*talks)) == []


def test_a_sentence_that_repeats_a_rule_of_ours_is_an_echo() -> None:
    talk = relations([Talk().person("Never export the customer list.")])
    own = {"Never export the customer list": START}
    assert of_people(detect(talk, ALWAYS, own=own)) == []
    later = {"Never export the customer list": START + timedelta(days=30)}
    assert len(of_people(detect(talk, ALWAYS, own=later))) == 1


def test_days_are_told_from_the_local_day_the_words_were_said_on() -> None:
    start = datetime(2026, 4, 10, 22, 29, tzinfo=UTC)
    talk = Talk("a", start).person("Until next Friday use the old price list, then the new one.")
    (found,) = of_people(detect(relations([talk]), ALWAYS, zone=ZoneInfo("Europe/Berlin")))
    assert found.detail["valid_until"] == "2026-04-17"
    assert (found.detail["said_on"], found.detail["zone"]) == ("2026-04-11", "Europe/Berlin")


def test_a_path_narrows_a_judgement_only_when_it_is_tied_to_it() -> None:
    (within,) = of_people(judged(Talk().person("Never use floats in src/prices.")))
    assert (within.scope.project, within.scope.path) == ("/repo/shop", "src/prices")
    (free,) = of_people(judged(Talk().person("Never use floats.")))
    assert free.scope.path == ""


def test_what_came_before_the_window_is_not_judged() -> None:
    talk = relations([Talk().person("Never use floats.")])
    assert detect(talk, START + timedelta(days=1)) == []
    assert len(detect(talk, START)) == 1
