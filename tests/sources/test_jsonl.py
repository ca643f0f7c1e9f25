"""The line reader: what a line gives, and how everything else is accounted for."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.errors import SourceUnreadable
from dream.records import SKIPS, Skip
from dream.sources import jsonl


def read(data: bytes, limit: int = jsonl.LIMIT) -> tuple[list[jsonl.Line], list[Skip]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(data)
        skips: list[Skip] = []
        return list(jsonl.lines(path, skips, limit)), skips


def reasons(skips: list[Skip]) -> list[tuple[str, int, bool]]:
    return [(skip.reason, skip.line, skip.lost) for skip in skips]


def test_a_line_has_its_number_offset_and_own_bytes() -> None:
    found, skips = read(b'{"a":1}\n\n  \r\n {"b":2} \r\n')
    assert found == [
        jsonl.Line(1, 0, b'{"a":1}', {"a": 1}),
        jsonl.Line(4, 13, b'{"b":2}', {"b": 2}),
    ]
    assert skips == []


def test_only_a_line_feed_ends_a_line() -> None:
    text = "one\u2028two\u2029three\u0085four"
    found, skips = read(json.dumps({"t": text}, ensure_ascii=False).encode() + b"\n")
    assert [line.value["t"] for line in found] == [text]
    assert skips == []


def test_a_complete_last_line_needs_no_line_feed() -> None:
    found, skips = read(b'{"a":1}\n{"b":2}')
    assert len(found) == 2
    assert skips == []


@pytest.mark.parametrize("tail", [b'{"b":"caf\xc3', b'{"b":', b"{", b"nul"])
def test_a_last_line_cut_off_is_torn_and_nothing_else(tail: bytes) -> None:
    found, skips = read(b'{"a":1}\n' + tail)
    assert len(found) == 1
    assert reasons(skips) == [("torn", 2, True)]


def test_glued_records_are_recovered_with_braces_inside_text_intact() -> None:
    found, skips = read(b'{"a":"}{"}{"b":1}  {"c":2}\n{"d":3}\n')
    assert [(line.number, line.value) for line in found] == [
        (1, {"a": "}{"}),
        (1, {"b": 1}),
        (1, {"c": 2}),
        (2, {"d": 3}),
    ]
    assert [line.raw for line in found[:3]] == [b'{"a":"}{"}', b'{"b":1}', b'{"c":2}']
    assert reasons(skips) == [("glued", 1, False)]


def test_a_whole_record_before_a_torn_one_is_kept() -> None:
    found, skips = read(b'{"x":0}\n{"a":1}{"b":"\xe2\x82')
    assert [line.value for line in found] == [{"x": 0}, {"a": 1}]
    assert reasons(skips) == [("torn", 2, True)]


def test_a_record_followed_by_stray_signs_is_not_trusted() -> None:
    found, skips = read(b'{"x":0}\n{"a":1},"b":2}\n')
    assert [line.value for line in found] == [{"x": 0}]
    assert reasons(skips) == [("not_json", 2, True)]


def test_json_that_is_no_object_is_not_a_record() -> None:
    found, skips = read(b'[]\n"text"\n1\nnull\n{"a":1}\n')
    assert len(found) == 1
    assert [skip.reason for skip in skips] == ["not_a_record"] * 4
    assert [skip.detail for skip in skips] == ["list", "str", "int", "NoneType"]


def test_bad_bytes_and_lone_surrogates_are_replaced_and_counted() -> None:
    found, skips = read(b'{"a":"x\xffy"}\n{"a":"x\\ud83dy","\\udc00":["\\ud83d\\ude00"]}\n')
    assert [line.value for line in found] == [
        {"a": "x\ufffdy"},
        {"a": "x\ufffdy", "\ufffd": ["\U0001f600"]},
    ]
    assert found[0].raw == b'{"a":"x\xffy"}'
    assert reasons(skips) == [("bad_encoding", 1, False), ("lone_surrogate", 2, False)]


def test_marks_and_nul_padding_around_a_record_are_stripped() -> None:
    found, skips = read(b'\xef\xbb\xbf{"a":1}\n\x00\x00{"b":2}\x00\n\x00\x00\x00')
    assert [line.value for line in found] == [{"a": 1}, {"b": 2}]
    assert reasons(skips) == [("not_json", 3, True)]


def test_numbers_outside_json_are_read() -> None:
    found, skips = read(b'{"a":NaN,"b":Infinity}\n')
    assert str(found[0].value) == "{'a': nan, 'b': inf}"
    assert skips == []


@pytest.mark.parametrize("depth", [1100, 5000, 200_000])
def test_deep_nesting_costs_its_line_only(depth: int) -> None:
    found, skips = read(b'{"x":' + b"[" * depth + b"]" * depth + b'}\n{"a":1}\n')
    assert [line.value for line in found] == [{"a": 1}]
    assert reasons(skips) == [("not_json", 1, True)]


def test_a_line_over_the_limit_is_passed_over_whole() -> None:
    long = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    found, skips = read(long + b'\n{"b":2}\n' + long, limit=1000)
    assert [(line.number, line.offset) for line in found] == [(2, len(long) + 1)]
    assert reasons(skips) == [("too_long", 1, True), ("too_long", 3, True)]


def test_a_line_of_exactly_the_limit_is_read() -> None:
    assert len(read(b'{"a":1}\n{"b":2}', limit=7)[0]) == 2


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"messages": [{"a": 1}, {}], "id": "x"}, indent=2).encode(),
        b'[\n{"a":1},\n{"a":2}\n]\n',
        b'{ "a": [1,\n 2,\n 3] }',
        json.dumps([{"a": n} for n in range(40)], indent=1).encode()[:-9],  # cut off as well
        '{"a":1}\n{"b":2}\n'.encode("utf-16"),
        b"no json at all, line by line\n" * 40,
    ],
)
def test_a_file_that_is_no_jsonl_costs_one_skip(data: bytes) -> None:
    found, skips = read(data)
    assert found == []
    assert reasons(skips) == [("foreign_format", 0, True)]


def test_two_bad_lines_at_the_start_do_not_give_up_the_file() -> None:
    found, skips = read(b'{\n{"torn\n{"a":1}\n{"b":2}\n')
    assert [line.number for line in found] == [3, 4]
    assert reasons(skips) == [("not_json", 1, True), ("not_json", 2, True)]


def test_a_file_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="No such file"):
        list(jsonl.lines(tmp_path / "gone.jsonl", []))


def test_the_token_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n')
    before = jsonl.token(path)
    assert jsonl.token(path) == before
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    assert jsonl.token(path) != before


def test_a_record_is_found_again_by_line_and_digest(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}{"b":2}\n{"c":3}\n')
    for line in jsonl.lines(path, []):
        assert jsonl.record(path, line.number, jsonl.digest_of(line.raw)) == line
    assert jsonl.record(path, 2, jsonl.digest_of(b'{"a":1}')) is None


json_text = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), json_text, min_size=1), max_size=6))
def test_what_was_written_is_what_is_read(records: list[dict[str, object]]) -> None:
    data = b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in records)
    found, skips = read(data)
    assert [line.value for line in found] == records
    assert [line.number for line in found] == list(range(1, len(records) + 1))
    assert skips == []


@given(st.binary(max_size=200))
def test_any_bytes_give_records_and_known_skips(data: bytes) -> None:
    found, skips = read(data)
    assert {skip.reason for skip in skips} <= SKIPS.keys()
    for line in found:
        json.dumps(line.value, ensure_ascii=False).encode()
