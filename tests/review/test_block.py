"""Only the lines between Dream's marks are Dream's."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.review.block import BEGIN, END, merge_marks, stands, with_rule
from dream.review.tree import Refused

RULE = "rule-0123abcd"
OTHER = "rule-4567abcd"


def done(made: bytes | Refused) -> bytes:
    assert isinstance(made, bytes), made
    return made


def reason(made: bytes | Refused) -> str:
    assert isinstance(made, Refused), made
    return made.reason


words = st.text(alphabet="ab文 -#<>\n\r", max_size=40).map(str.encode)


@given(words, st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_everything_that_was_there_stays_byte_for_byte(text: bytes, mark: bytes) -> None:
    data = mark + text
    made = done(with_rule(data, RULE, "- Use `pnpm`."))
    assert made.startswith(data)
    assert made.count(BEGIN) == made.count(END) == 1
    if text:
        assert made.endswith(b"\n") == text.endswith(b"\n")


@given(words, words)
def test_a_second_rule_goes_into_the_block_and_nowhere_else(head: bytes, tail: bytes) -> None:
    first = done(with_rule(head, RULE, "- One.")) + b"\n" + tail
    second = done(with_rule(first, OTHER, "- Two."))
    end = second.index(b"- Two.")
    line = second[end : second.index(b"\n", end) + 1]
    assert second[:end] + second[end + len(line) :] == first


@given(words)
def test_the_same_rule_again_changes_nothing(text: bytes) -> None:
    once = done(with_rule(text, RULE, "- One."))
    assert done(with_rule(once, RULE, "- One.")) == once
    assert stands(once, RULE)
    assert not stands(once, OTHER)


def test_a_new_file_is_the_block() -> None:
    assert done(with_rule(None, RULE, "- One.")) == (
        b"<!-- dream:begin -->\n- One. <!-- rule-0123abcd -->\n<!-- dream:end -->\n"
    )


def test_a_changed_rule_takes_the_place_of_its_older_self() -> None:
    once = done(with_rule(b"# Rules\n", RULE, "- One."))
    both = done(with_rule(once, OTHER, "- Two."))
    made = done(with_rule(both, RULE, "- One, but better."))
    assert made == both.replace(b"- One.", b"- One, but better.")


def test_a_rule_that_a_person_moved_out_of_the_block_is_theirs() -> None:
    data = b"# Mine\n- One. <!-- rule-0123abcd -->\n"
    assert done(with_rule(data, RULE, "- One, but other words.")) == data


def test_windows_lines_stay_windows_lines() -> None:
    made = done(with_rule(b"\xef\xbb\xbf# Rules\r\n\r\n- Old.\r\n", RULE, "- One."))
    assert made.count(b"\r\n") == made.count(b"\n")
    assert made.startswith(b"\xef\xbb\xbf# Rules\r\n")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a\n<!-- dream:begin -->\nb\n", "lines 2"),
        (b"<!-- dream:end -->\n<!-- dream:begin -->\n", "lines 1, 2"),
        (b"<!-- dream:begin -->\n<!-- dream:end -->\n" * 2, "lines 1, 2, 3, 4"),
        ("# Règles\n".encode("latin-1"), "not text in UTF-8 (line 1)"),
        ("# Rules\n".encode("utf-16"), "not text in UTF-8"),
        (b"a\n<<<<<<< ours\nb\n", "lines 2-3"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused_with_its_lines(data: bytes, why: str) -> None:
    assert why in reason(with_rule(data, RULE, "- One."))


def test_an_underlined_heading_is_no_merge_mark() -> None:
    assert merge_marks(b"Title\n=======\n\ntext\n") == ()


@pytest.mark.shared
def test_open_merge_marks_are_named_by_line(shared: Path) -> None:
    data = (shared / "cases" / "rules" / "conflict" / "AGENTS.md").read_bytes()
    assert merge_marks(data) == ((4, 9),)
    assert "lines 4-9" in reason(with_rule(data, RULE, "- One."))


@pytest.mark.shared
def test_hand_written_rules_around_another_tools_block_stay(shared: Path) -> None:
    data = (shared / "cases" / "consolidation" / "existing-rules.md").read_bytes()
    made = done(with_rule(data, RULE, "- One."))
    assert made.startswith(data)
    kept = (shared / "cases" / "rules" / "bom-crlf" / "SKILL.md").read_bytes()
    assert done(with_rule(kept, RULE, "- One.")).startswith(kept)
