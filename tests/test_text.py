"""Words, sentences and stance: what every later stage compares by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.text import fold, language, plain, sentences, stance, words
from dream.types import Language, Polarity


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run the linter first.", "en"),
        ("commit", "en"),
        ("运行测试", "zh"),
        ("把 README.md 里的 pnpm install 改成 `pnpm ci`", "zh"),
        ("fix src/组件.ts please", "en"),
        ("Die Liste nie exportieren, bitte.", "other"),
        ("Не трогай эту папку.", "other"),
        ("لا تحذف الملفات", "other"),
        ("テストを実行してください", "other"),
    ],
)
def test_the_language_is_that_of_the_prose_and_not_of_the_code(
    text: str, expected: Language
) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always lock the door.", "do"),
        ("Never lock the door.", "do_not"),
        ("Lock every door, never the window.", "do"),
        ("Doors must not be locked.", "do_not"),
        ("please don't lock it", "do_not"),
        ("Do not lock it without asking.", "do"),
        ("Don't run the tests before a commit.", "do_not"),
        ("Use tabs not spaces", "do"),
        ("No emoji in commit messages.", "do_not"),
        ("the door is stuck", "none"),
        ("以后不要改这个文件", "do_not"),
        ("别改这个文件", "do_not"),
        ("必须先运行测试", "do"),
        ("使用 tabs 而不是空格", "do"),
        ("未经同意不要删除", "do"),
        ("门打不开", "none"),
        ("Die Tür nie abschließen.", "do_not"),
        ("Не трогай дверь.", "do_not"),
    ],
)
def test_the_first_demand_decides_the_stance(text: str, expected: Polarity) -> None:
    assert stance(text) == expected


def test_sentences_stop_at_ends_and_lines_but_not_inside_names_or_wrapped_lines() -> None:
    text = (
        "Fix app.py, e.g. the loader. Then stop!\n"
        "- keep v1.2 as it is\n"
        "This line is long enough that somebody's editor wrapped it at the margin and\n"
        "it goes on here.\n"
        "先运行测试。再提交！"
    )
    assert cut(text) == [
        "Fix app.py, e.g. the loader.",
        "Then stop!",
        "keep v1.2 as it is",
        "This line is long enough that somebody's editor wrapped it at the margin and\n"
        "it goes on here.",
        "先运行测试。",
        "再提交！",
    ]


def test_fenced_code_has_no_sentences() -> None:
    assert cut("Look:\n```python\nnever = run()\n```\nFix that.") == ["Look:", "Fix that."]


def test_words_fold_english_endings_keep_code_and_pair_chinese() -> None:
    assert words("Wrapped tests, wraps a test") == ("wrap", "test", "wrap", "a", "test")
    assert words("don't use `src/api` --no-verify") == (
        "do",
        "not",
        "use",
        "src/api",
        "--no-verify",
    )
    assert words("运行格式检查") == ("运行", "行格", "格式", "式检", "检查")


@pytest.mark.parametrize(
    "family",
    [
        ("use", "uses", "used", "using"),
        ("delete", "deletes", "deleted", "deleting"),
        ("try", "tries", "tried"),
        ("wrap", "wraps", "wrapped", "wrapping"),
        ("fix", "fixes", "fixed", "fixing"),
    ],
)
def test_the_forms_of_one_english_word_fold_to_one(family: tuple[str, ...]) -> None:
    assert len({fold(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["string", "need", "this", "bus", "go", "red"])
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert fold(word) == word


@given(st.text())
def test_sentence_spans_lie_in_order_inside_the_text_and_say_something(text: str) -> None:
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        last = end


@given(st.text())
def test_lowering_never_moves_a_place_in_the_text(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text())
def test_any_text_has_a_language_a_stance_and_words_without_blanks(text: str) -> None:
    assert language(text) in ("en", "zh", "other")
    assert stance(text) in ("do", "do_not", "none")
    assert all(word and not word.isspace() for word in words(text))
