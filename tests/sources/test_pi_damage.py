"""Damaged session files: nothing but SourceUnreadable ever comes up, and no line gets lost."""

import json
import random
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest

from dream.errors import SourceUnreadable
from dream.records import SKIPS, Transcript
from dream.sources import jsonl, pi
from dream.sources.om_entries import LEGACY_ENTRY
from tests.conftest import HOUSE
from tests.fuzz import rounds

VARIANTS = rounds(2_000)
OWN = sorted((HOUSE / "tests" / "data" / "pi").glob("*.jsonl"))
ODD: list[Any] = [
    None, True, 0, -1, 1 << 70, 1.5e300, "", "x", "\ud800", "b0000003", "2026-13-40T99:00:00Z", [],
    [None], ["text"], {}, {"type": "text"}, [{"type": "toolCall"}], "9" * 400, [[[[]]]],
]  # fmt: skip

Damage = Callable[[random.Random, bytes], bytes]


def _flip(dice: random.Random, data: bytes) -> bytes:
    spoiled = bytearray(data)
    for _ in range(dice.randint(1, 12)):
        spoiled[dice.randrange(len(spoiled))] = dice.choice(
            (0, 10, 34, 123, 255, dice.randrange(256))
        )
    return bytes(spoiled)


def _cut(dice: random.Random, data: bytes) -> bytes:
    start, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    return data[:end] if dice.random() < 0.5 else data[:start] + data[end:]


def _shuffle(dice: random.Random, data: bytes) -> bytes:
    first, *lines = data.split(b"\n")
    for _ in range(dice.randint(1, 6)):
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                lines[one], lines[other] = lines[other], lines[one]
            case 1:
                lines.insert(one, lines[other])
            case 2:
                lines[one] += lines[other]  # glued together
            case _:
                lines[one] = b""
    return b"\n".join([first, *lines])


def _twist(dice: random.Random, data: bytes) -> bytes:
    """Good JSON in which some parts are of another shape."""
    values = [orjson.loads(line) for line in data.split(b"\n") if line]
    for _ in range(dice.randint(1, 8)):
        _twist_one(dice, values[dice.randrange(0 if dice.random() < 0.1 else 1, len(values))])
    return b"\n".join(orjson.dumps(value) if _plain(value) else _wide(value) for value in values)


def _twist_one(dice: random.Random, value: Any) -> None:
    while isinstance(value, dict | list) and value:
        key = dice.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        part = value[key]
        if not isinstance(part, dict | list) or not part or dice.random() < 0.35:
            if isinstance(value, dict) and dice.random() < 0.3:
                del value[key]
            else:
                value[key] = deepcopy(dice.choice(ODD))
            return
        value = part


def _plain(value: Any) -> bool:
    try:
        orjson.dumps(value)
    except TypeError:  # a number or half a surrogate pair that orjson does not write
        return False
    return True


def _wide(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("damage", [_flip, _cut, _shuffle, _twist])
def test_a_damaged_file_costs_only_what_is_damaged(damage: Damage, tmp_path: Path) -> None:
    wholes = [path.read_bytes() for path in OWN]
    read = 0
    for seed in range(VARIANTS // 4):
        dice = random.Random(f"{damage.__name__} {seed}")  # noqa: S311  # no secret
        path = tmp_path / f"{seed}.jsonl"  # a new file: to cut an old one short takes the disk long
        path.write_bytes(damage(dice, dice.choice(wholes)))
        try:
            (transcript,) = pi.read(path, {}, tmp_path)
        except SourceUnreadable:
            continue
        read += 1
        _accounted(path, transcript)
        _coherent(transcript)
    assert read > VARIANTS // 8


def _accounted(path: Path, transcript: Transcript) -> None:
    """Every line is a record or a Skip; every record is a row, counted by name, or a Skip."""
    whole = path.read_bytes().split(b"\n")
    written = {
        number for number, line in enumerate(whole, 1) if line.strip(b" \t\r\x00\xef\xbb\xbf")
    }
    records = list(jsonl.lines(path, []))[1:]
    assert transcript.records == len(records) + 1
    skipped = {skip.line for skip in transcript.skips}
    assert written <= {line.number for line in records} | skipped | {1}
    rows = (transcript.messages, transcript.compactions, transcript.memories)
    shown = {row.line for column in rows for row in column} | skipped
    names: Counter[str] = Counter()
    for line in records:
        kind, custom = line.value.get("type"), line.value.get("customType")
        names[f"custom {custom}"[:67] if kind == "custom" else str(kind)[:60]] += 1
        quiet = kind in ("label", "session_info") or custom == LEGACY_ENTRY
        counted = any(skip.count > 1 for skip in transcript.skips)
        assert line.number in shown or quiet or counted
    for skip in transcript.skips:
        assert skip.reason in SKIPS
        if skip.count > 1 and skip.reason != "legacy_memory":
            assert skip.count <= names[skip.detail]


def _coherent(transcript: Transcript) -> None:
    """Rows name one another by ids that are there, and no id names two of a kind."""
    messages = {message.message_id: message for message in transcript.messages}
    assert len(messages) == len(transcript.messages)
    assert [message.number for message in transcript.messages] == list(range(len(messages)))
    runs = {run.run_id: run for run in transcript.runs}
    assert len(runs) == len(transcript.runs)
    assert {message.run_id for message in transcript.messages} == set(runs)
    for message in transcript.messages:
        assert message.parent is None or message.parent in messages
        assert (message.role == "human") == (message.kind in ("prompt", "refusal"))
    assert len({call.call_id for call in transcript.calls}) == len(transcript.calls)
    for call in transcript.calls:
        asking = messages[call.message_id]
        assert (call.run_id, call.number) == (asking.run_id, asking.number)
        assert call.result_id is None or messages[call.result_id].kind == "result"
    assert len({row.memory_id for row in transcript.memories}) == len(transcript.memories)
    assert sum(branch.active for branch in transcript.branches) == (len(transcript.branches) > 0)
    for row in transcript.compactions:
        assert messages[row.compaction_id].number == row.number
