"""What a person wrote is told from what they pasted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.signals.own_words import blanked, is_command, own_words


def said(text: str) -> list[str]:
    return [text[start:end] for start, end in own_words(text)]


def test_code_logs_and_diffs_around_a_remark_are_not_the_persons() -> None:
    text = (
        "The build broke again.\n"
        "```\nnever = 1\n```\n"
        "[ERROR] cannot find module\n"
        "    at load (app.js:3:4)\n"
        "@@ -3,4 +3,9 @@ - Use the old key\n"
        "user@host shop % make\n"
        "please pin the version"
    )
    assert said(text) == ["The build broke again.", "please pin the version"]


@pytest.mark.parametrize(
    "text",
    [
        "## Decision",
        "sudo tool remove shaders && tool build -j8",
        "[score=0.85 recalls=0 avg=0.62]",
        "@@ -3,4 +3,9 @@ - Use the staging key for demos",
        "https://example.org/a/b?c=d",
        "Traceback (most recent call last):",
        '{"never": "mind"}',
        "> never do that",
        "| a | b |",
        "2026-04-01 08:00:00 never mind",
    ],
)
def test_headings_commands_scores_diffs_and_logs_say_nothing(text: str) -> None:
    assert said(text) == []


def test_a_pasted_chat_keeps_the_persons_lines_without_their_mark() -> None:
    text = "User: please stop that\nAssistant: sorry, always happy to help\n\nThat was long ago."
    assert said(text) == ["please stop that", "That was long ago."]


def test_prose_that_names_code_stays() -> None:
    assert said("Rename `load()` in [a.ts](src/a.ts), never the file.") == [
        "Rename `load()` in [a.ts](src/a.ts), never the file."
    ]
    assert said("我们不再需要 `await import(x)`，请删除") == [
        "我们不再需要 `await import(x)`，请删除"
    ]


@pytest.mark.parametrize(
    "line", ["git push --force origin main", "cd web && npm ci", "make | tail"]
)
def test_a_line_for_a_shell_is_a_command(line: str) -> None:
    assert is_command(line)


@pytest.mark.parametrize("line", ["commit", "run the tests with --fast please", "git is slow here"])
def test_words_about_a_program_are_no_command(line: str) -> None:
    assert not is_command(line)


@given(st.text())
def test_blanking_keeps_every_place(text: str) -> None:
    kept = blanked(text)
    assert len(kept) == len(text)
    assert all(mine in {theirs, "\n"} for mine, theirs in zip(kept, text, strict=True))


@given(st.text())
def test_spans_lie_in_order_inside_the_text(text: str) -> None:
    last = 0
    for start, end in own_words(text):
        assert last <= start < end <= len(text)
        last = end
