"""What cannot be seen is spelled out, and what is ordinary writing is left alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.templates.hidden import hidden, lookalikes, shown


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("sand\u200bbox", "sand⟨U+200B⟩box"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("x\U000e0041", "x⟨U+E0041⟩"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("\ufeffmark", "⟨U+FEFF⟩mark"),
        ("line\u2028end", "line⟨U+2028⟩end"),
        ("blank\u3164", "blank⟨U+3164⟩"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("🏴\U000e0041\U000e007f", "🏴⟨U+E0041⟩⟨U+E007F⟩"),
        ("x\ufe0f", "x⟨U+FE0F⟩"),
    ],
)
def test_an_unseen_character_is_spelled_out(text: str, seen: str) -> None:
    assert shown(text) == seen
    assert hidden(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\nover lines",
        "windows\r\nline",
        "❤️ 👩‍👩‍👧 👍🏽 1️⃣ 🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "كل شيء يُراجع قبل النشر",
        "提交前运行检查，不要跳过。",
        "葛\U000e0100城",
        "“quotes” — dash … café",
    ],
)
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert shown(text) == text.replace("\r\n", "\n")
    assert hidden(text) == ()
    assert lookalikes(text) == ()


@given(st.text())
def test_what_is_shown_hides_nothing(text: str) -> None:
    assert hidden(shown(text)) == ()
    assert shown(shown(text)) == shown(text)


def test_a_foreign_letter_inside_a_latin_word_is_named() -> None:
    assert lookalikes("Оnly here") == ("U+041E CYRILLIC CAPITAL LETTER O",)
    assert lookalikes("Только здесь, only here") == ()


@pytest.mark.shared
def test_the_lines_of_the_hidden_characters_case_are_told_apart(shared: Path) -> None:
    path = shared / "cases" / "review" / "hidden-characters.md"
    lines = path.read_text(encoding="utf-8").split("\n")
    flagged = {n for n, line in enumerate(lines, 1) if hidden(line) or lookalikes(line)}
    assert flagged == {4, 5, 6, 8}
    assert hidden(lines[3])[0] == "U+202E RIGHT-TO-LEFT OVERRIDE"
