"""One JSON document, read record by record: lines, tears, and what else may be wrong with it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream.digests import canonical_digest
from dream.records import Skip
from dream.sources import document, jsonl
from dream.sources.document import Way

OPENED: tuple[Way, ...] = ((), ("messages",), ("messages", -1), ("messages", -1, "parts"))
TALK = {
    "info": {"id": "s"},
    "messages": [
        {"info": {"id": "a"}, "parts": [{"text": "one"}, {"text": "two\n\u2028three"}]},
        {"info": {"id": "b"}, "parts": []},
    ],
}
WAYS: list[Way] = [
    ("info",), ("messages", 0, "info"), ("messages", 0, "parts", 0), ("messages", 0, "parts", 1),
    ("messages", 1, "info"),
]  # fmt: skip


def read(path: Path, data: bytes) -> tuple[list[document.Piece], list[Skip]]:
    path.write_bytes(data)
    skips: list[Skip] = []
    return list(document.pieces(path, OPENED, skips)), skips


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talk.json"


@pytest.mark.parametrize("indent", [None, 0, 1, 2, "\t"])
def test_every_record_comes_with_its_way_and_the_line_it_begins_on(
    path: Path, indent: int | str | None
) -> None:
    text = json.dumps(TALK, indent=indent)
    found, skips = read(path, text.encode())
    assert [piece.way for piece in found] == WAYS
    assert skips == []
    lines = text.split("\n")
    for piece in found:
        rest = "\n".join(lines[piece.line - 1 :])
        assert json.JSONDecoder().raw_decode(rest, rest.index("{"))[0] or indent is None


def test_a_record_s_digest_does_not_depend_on_how_it_was_laid_out(path: Path) -> None:
    plain = [canonical_digest(p.stored) for p in read(path, json.dumps(TALK).encode())[0]]
    other = json.dumps(TALK, indent=4, sort_keys=True, ensure_ascii=False)
    assert {canonical_digest(p.stored) for p in read(path, other.encode())[0]} == set(plain)


@pytest.mark.parametrize("value", [1 << 70, "\ud800", {"a": float("inf")}, [[0.1]]])
def test_what_one_parser_cannot_write_has_a_digest_all_the_same(value: Any) -> None:
    assert len(canonical_digest(value)) == 64


def test_a_value_nested_too_deep_has_none() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert canonical_digest(deep) == ""


def test_a_document_that_breaks_off_gives_what_stands_before_the_break(path: Path) -> None:
    whole = json.dumps(TALK, indent=2).encode()
    reasons = set()
    for end in range(1, len(whole)):
        found, skips = read(path, whole[:end])
        assert [piece.way for piece in found] == WAYS[: len(found)]
        assert len(skips) == 1
        assert 1 <= skips[0].line <= whole[:end].count(b"\n") + 1
        reasons.add(skips[0].reason)
    assert reasons <= {"torn", "damaged"}
    assert read(path, whole[:-3])[0][-1].way == WAYS[-1]


def test_bytes_broken_inside_are_told_with_their_line(path: Path) -> None:
    whole = json.dumps(TALK, indent=2).encode()
    found, skips = read(path, whole.replace(b'"two', b'"tw\x01o'))
    assert [piece.way for piece in found] == WAYS[:3]
    assert [(skip.reason, skip.lost) for skip in skips] == [("damaged", True)]
    assert skips[0].line == whole[: whole.index(b'"two')].count(b"\n")


def test_something_behind_the_document_is_told(path: Path) -> None:
    whole = json.dumps(TALK).encode()
    assert [skip.reason for skip in read(path, whole + b"\n{}")[1]] == ["not_json"]
    assert read(path, whole + b"\n\x00\x00")[1] == []


def test_a_mark_at_the_start_and_half_a_surrogate_pair_do_no_harm(path: Path) -> None:
    text = '\ufeff{"messages": [{"info": {"id": "a"}, "parts": [{"text": "x\\ud800y"}]}]}'
    found, skips = read(path, text.encode())
    assert found[-1].value == {"text": "x\ufffdy"}
    assert [(skip.reason, skip.lost) for skip in skips] == [("lone_surrogate", False)]


def test_bytes_that_are_not_utf_8_are_told(path: Path) -> None:
    found, skips = read(path, b'{"info": {"id": "\xff"}}')
    assert found[0].value == {"id": "\ufffd"}
    assert [skip.reason for skip in skips] == ["bad_encoding"]


def test_a_file_over_the_limit_is_not_read(path: Path) -> None:
    path.write_bytes(json.dumps(TALK).encode())
    skips: list[Skip] = []
    assert list(document.pieces(path, OPENED, skips, limit=20)) == []
    assert [skip.reason for skip in skips] == ["too_long"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{\n  "a": 1\n}\n', True),
        (b'{"a": 1, "b": [', True),  # broke off
        (b'{"a": 1}\n', False),
        (b'{"a": 1}\n{"b": 2}\n', False),
        (b'{"a": 1}\n{"b": ', False),
        (b'{"a"\n{"b": 2}\n', False),  # a line of lines is damaged
        (b"", False),
    ],
)
def test_a_document_is_told_from_lines(path: Path, data: bytes, expected: bool) -> None:
    path.write_bytes(data)
    assert jsonl.is_document(path) is expected


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_no_bytes_raise_anything(data: bytes) -> None:
    list(document.first_pieces(data, OPENED))
