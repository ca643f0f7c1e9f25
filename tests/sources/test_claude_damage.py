"""Two thousand damaged files: nothing raises, and every line is a record or a Skip."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dream.records import SKIPS, Transcript
from dream.sources import jsonl
from tests.fuzz import rounds
from tests.sources.claude_makers import read

BAKERY = Path(__file__).resolve().parent.parent / "data" / "claude" / "bakery.jsonl"
ROUNDS = rounds(2_000)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, 1e308, float("nan"), "", "x", "\ud800", "\u2028", [], {}, [[]],
    [None], {"type": "text"}, [{"type": "tool_result"}], [{"type": "tool_use", "input": []}],
    "<system-reminder>", {"kind": "human"}, ["a", 1], "99999-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
)  # fmt: skip
COUNTED = {"housekeeping", "subagent", "unknown_type"}
TITLES = {"summary", "custom-title", "ai-title"}


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def flip(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]


def drop(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + data[place + draw.randrange(1, 200) :]


def glue(data: bytes, draw: random.Random) -> bytes:
    ends = [place for place, byte in enumerate(data) if byte == 10]
    place = draw.choice(ends)
    return data[:place] + draw.choice([b"", b" ", b"\x00", b"\xff"]) + data[place + 1 :]


def shuffle(data: bytes, draw: random.Random) -> bytes:
    rows = data.split(b"\n")[:-1]
    rows[draw.randrange(len(rows))] = draw.choice(rows)
    draw.shuffle(rows)
    return b"\n".join(rows) + b"\n"


def retell(data: bytes, draw: random.Random) -> bytes:
    """Another value somewhere inside some records, or a field less."""
    rows = [json.loads(row) for row in data.split(b"\n")[:-1]]
    for _ in range(draw.randrange(1, 12)):
        inside: Any = draw.choice(rows)
        while True:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(inside[key], dict | list) and inside[key] and draw.random() < 0.7:
                inside = inside[key]
                continue
            if draw.random() < 0.2:
                del inside[key]
            else:
                inside[key] = deepcopy(draw.choice(ODD))
            break
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.mark.parametrize("damage", [cut, flip, drop, glue, shuffle, retell])
def test_damage_costs_only_itself_and_is_told(
    tmp_path: Path, damage: Callable[[bytes, random.Random], bytes]
) -> None:
    whole = BAKERY.read_bytes()
    path = tmp_path / "bakery.jsonl"
    for seed in range(ROUNDS // 6 + 1):
        data = damage(whole, random.Random(seed))  # noqa: S311  # no secret hangs on it
        path.write_bytes(data)
        accounted(path, data, read(path))


def accounted(path: Path, data: bytes, made: Transcript) -> None:
    skips = made.skips
    assert {skip.reason for skip in skips} <= SKIPS.keys()
    told = {skip.line for skip in skips}
    if 0 in told:
        return
    records = list(jsonl.lines(path, []))
    assert made.records == len(records)
    written = {n for n, row in enumerate(data.split(b"\n"), 1) if row.strip(b" \t\r")}
    assert written == {line.number for line in records} | (told & written)
    silent = told | {m.line for m in made.messages} | {c.line for c in made.compactions}
    rest = [r for r in records if r.number not in silent and r.value["type"] not in TITLES]
    counted = [s for s in skips if s.reason in COUNTED and not s.detail.startswith("block ")]
    assert len(rest) <= sum(skip.count for skip in counted)
    ids = [message.message_id for message in made.messages]
    assert len(ids) == len(set(ids))
    for message in made.messages:
        message.text.encode()
    for call in made.calls:
        assert isinstance(json.loads(call.arguments), dict)
