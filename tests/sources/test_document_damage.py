"""Damaged sessions of Gemini CLI and OpenCode: nothing but SourceUnreadable, and nothing lost.

Every record of the file is a row, is counted by name, or is a Skip; what was typed stays what a
person typed.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dream.errors import SourceUnreadable
from dream.records import SKIPS, Transcript
from dream.sources import document, gemini, jsonl, opencode
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources.opencode_stores import Store, database, tree
from tests.sources.spoil import SPOILS, Spoil, cut, flip

VARIANTS = rounds(2_000)
STORED = rounds(200)
DATA = HOUSE / "tests" / "data"
LINES = (DATA / "gemini/till.jsonl").read_bytes()
EXPORT = (DATA / "opencode/till.json").read_bytes()


def as_document(lines: bytes) -> bytes:
    """The same Gemini session in the older layout."""
    records = [json.loads(line) for line in lines.split(b"\n") if line]
    turns = {one["id"]: one for one in records if "id" in one}
    return json.dumps(records[0] | {"messages": list(turns.values())}, indent=2).encode()


SAMPLES = [
    (gemini, LINES, "session-1.jsonl"),
    (gemini, as_document(LINES), "session-1.json"),
    (opencode, EXPORT, "ses_1.json"),
]


@pytest.mark.parametrize("spoil", SPOILS)
@pytest.mark.parametrize(("reader", "whole", "name"), SAMPLES, ids=["lines", "document", "export"])
def test_a_damaged_file_costs_only_what_is_damaged(
    reader: ModuleType, whole: bytes, name: str, spoil: Spoil, tmp_path: Path
) -> None:
    each = VARIANTS // len(SAMPLES) // len(SPOILS)
    read = 0
    for seed in range(each):
        dice = random.Random(f"{spoil.__name__} {name} {seed}")  # noqa: S311  # no secret
        path = tmp_path / f"{seed}.{name}"
        path.write_bytes(spoil(dice, whole))
        try:
            (made,) = reader.read(path, {}, tmp_path)
        except SourceUnreadable:
            continue
        read += 1
        _coherent(made)
        _accounted(path, made)
        path.unlink()
    assert read == each


def _accounted(path: Path, made: Transcript) -> None:
    skips: list[Any] = []
    if path.name.endswith(".jsonl") and not jsonl.is_document(path):
        records = {line.number: line.value for line in jsonl.lines(path, skips)}
        assert made.records >= len(records)
    assert all(skip.reason in SKIPS for skip in made.skips)
    whole = path.read_bytes().strip(b" \t\r\n\x00\xef\xbb\xbf")
    assert made.records or made.skips or not whole
    broken = Counter(skip.reason for skip in skips)
    told = Counter(skip.reason for skip in made.skips)
    assert all(told[reason] >= count for reason, count in broken.items())
    shown = {message.line for message in made.messages} | {one.line for one in made.compactions}
    if path.name.endswith("ses_1.json"):
        _parts_are_told(path, made, shown)
    else:
        _turns_are_told(path, made)


def _turns_are_told(path: Path, made: Transcript) -> None:
    """Of a Gemini session: every turn is a row, or as many are counted by what they are."""
    own = made.sessions[0].session_id if made.sessions else ""
    rows = {message.message_id[len(own) + 1 :].split("#")[0] for message in made.messages}
    if jsonl.is_document(path):
        found = [piece.value for piece in document.pieces(path, gemini._OPENED, [])]
    else:
        found = [line.value for line in jsonl.lines(path, [])]
    turns = {one["id"] for one in found if type(one) is dict and type(one.get("id")) is str}
    counted = sum(skip.count for skip in made.skips)
    assert len({turn for turn in turns if turn.split("#")[0] not in rows}) <= counted


def _parts_are_told(path: Path, made: Transcript, shown: set[int]) -> None:
    """Of an export: every part that can be read is a row, is counted by its kind, or is lost with
    its message.
    """
    counted: Counter[str] = Counter()
    for skip in made.skips:
        counted[skip.detail] += skip.count
    with_message = sum(skip.count - 1 for skip in made.skips if skip.reason == "unknown_role")
    lines = {skip.line for skip in made.skips}
    kinds: Counter[str] = Counter()
    for piece in document.pieces(path, opencode._OPENED, []):
        part = piece.value if len(piece.way) == 4 and type(piece.value) is dict else {}
        if part and part.get("text") != "" and piece.line not in shown | lines:
            kinds[f"part {part.get('type')}"[:60]] += 1
    for quiet in ("part reasoning", "part compaction"):  # one compaction may be said twice
        del kinds[quiet]
    if not path.read_bytes().count(b"\n"):
        return  # all stands on one line
    untold = sum(max(0, count - counted[name]) for name, count in kinds.items())
    assert untold <= with_message


def _coherent(made: Transcript) -> None:
    """Rows name one another by ids that are there, and no id names two of a kind."""
    messages = {message.message_id: message for message in made.messages}
    assert len(messages) == len(made.messages)
    assert [message.number for message in made.messages] == list(range(len(messages)))
    runs = {run.run_id for run in made.runs}
    assert len(runs) == len(made.runs)
    assert {message.run_id for message in made.messages} == runs
    for message in made.messages:
        assert message.parent is None or message.parent in messages
        if message.role == "human":
            assert message.kind in ("prompt", "refusal")
            assert made.sessions[0].kind == "interactive"
        assert message.text == message.text.encode().decode()
    assert _unique(call.call_id for call in made.calls)
    for call in made.calls:
        asking = messages[call.message_id]
        assert (call.run_id, call.number) == (asking.run_id, asking.number)
        assert call.result_id is None or messages[call.result_id].kind == "result"
        assert isinstance(json.loads(call.arguments), dict)
    standing = sum(message.active for message in made.messages)
    assert sum(branch.active for branch in made.branches) == (standing > 0)
    assert _unique(branch.branch_id for branch in made.branches)
    assert all(0 <= one.number <= len(messages) for one in made.compactions)
    assert len(made.sessions) == bool(made.messages) or not made.messages


def _unique(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(listed) == len(set(listed))


@pytest.mark.parametrize("store", [tree, database])
def test_a_damaged_store_costs_only_what_is_damaged(store: Store, tmp_path: Path) -> None:
    """One file of the tree at a time, or the bytes of the database."""
    session = store(tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    whole = {path: path.read_bytes() for path in files}
    read = 0
    for seed in range(STORED):
        dice = random.Random(f"{store.__name__} {seed}")  # noqa: S311  # no secret
        path = dice.choice(files)
        path.write_bytes(dice.choice((flip, cut))(dice, whole[path]))
        try:
            units = list(opencode.read(session, {}, tmp_path))
        except SourceUnreadable:
            units = []
        for made in units:
            read += 1
            _coherent(made)
            assert all(skip.reason in SKIPS for skip in made.skips)
        path.write_bytes(whole[path])
    assert read > STORED // 20


@pytest.mark.parametrize(("reader", "whole", "name"), SAMPLES, ids=["lines", "document", "export"])
def test_nothing_that_breaks_off_puts_words_into_a_persons_mouth(
    reader: ModuleType, whole: bytes, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(whole)
    (made,) = reader.read(path, {}, tmp_path)
    typed = {message.text for message in made.messages if message.role == "human"}
    assert len(typed) > 2
    for end in range(1, len(whole), 1 + len(whole) // 400):
        path.write_bytes(whole[:end])
        (made,) = reader.read(path, {}, tmp_path)
        assert {message.text for message in made.messages if message.role == "human"} <= typed
