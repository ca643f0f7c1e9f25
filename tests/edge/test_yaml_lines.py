"""YAML read as strings with lines: what it refuses, and that a quoted text comes back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream import yaml_lines
from dream.errors import BadConfig
from dream.yaml_lines import Items, Keys, Text, quoted

HERE = Path("dream.yaml")


def parse(text: str) -> yaml_lines.Node | None:
    return yaml_lines.parse(text.encode(), HERE)


def test_words_that_yaml_would_take_for_something_else_stay_words() -> None:
    node = parse("- no\n- 1.10\n- 12:30:00\n- 2026-01-02\n- ~\n- 0x10\n")
    assert isinstance(node, Items)
    texts = [value.value for value in node.values if isinstance(value, Text)]
    assert texts == ["no", "1.10", "12:30:00", "2026-01-02", "~", "0x10"]


def test_every_value_knows_its_line() -> None:
    node = parse("# first\nstate: x\n\nsources:\n  - a\n")
    assert isinstance(node, Keys)
    assert [(key.value, key.line) for key, _ in node.values] == [("state", 2), ("sources", 4)]
    assert node.values[1][1].line == 5


def test_a_byte_order_mark_and_an_empty_file_are_no_trouble() -> None:
    assert yaml_lines.parse(b"", HERE) is None
    assert yaml_lines.parse(b"# nothing yet\n", HERE) is None
    assert yaml_lines.parse("\ufeffstate: x\n".encode(), HERE) == parse("state: x\n")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("a: &x 1\nb: 2\n", 1, "anchor &x"),
        ("a: 1\nb: *x\n", 2, "alias \\*x"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "a tag"),
        ("a: !secret x\n", 1, "a tag"),
        ("a: 1\nb: 2\na: 3\n", 3, "set on line 1"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("? [a, b]\n: 1\n", 1, "a key must be a word"),
        ("a: [1, 2\nb: 3\n", 2, "is not YAML"),
        ("a:\n\t- b\n", 2, "is not YAML"),
        ("[" * 40, 1, "nested too deep"),
    ],
)
def test_what_is_too_clever_or_broken_is_refused_with_its_line(
    text: str, line: int, reason: str
) -> None:
    with pytest.raises(BadConfig, match=f"dream.yaml:{line}: .*{reason}"):
        parse(text)


def test_bytes_that_are_not_utf_8_are_refused_with_their_line() -> None:
    with pytest.raises(BadConfig, match=r"dream\.yaml:2: is not UTF-8"):
        yaml_lines.parse(b"a: 1\nb: \xff\n", HERE)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "dream.yaml"
    path.write_bytes(b"#" * (yaml_lines.SIZE_LIMIT + 1))
    with pytest.raises(BadConfig, match="larger than"):
        yaml_lines.read(path)


@given(st.text())
def test_a_quoted_text_comes_back_as_it_was(text: str) -> None:
    assert parse(f"key: {quoted(text)}  # a note\n") == Keys(
        ((Text("key", 1), Text(text, 1, plain=False)),), 1
    )


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=8))
def test_a_file_name_that_is_not_text_comes_back_too(text: str) -> None:
    node = parse(f"- {quoted(text)}\n")
    assert node == Items((Text(text, 1, plain=False),), 1)
