"""Ways in which a JSONL file gets broken, and what must still hold of what a reader makes of it."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from dream.records import SKIPS, Transcript
from dream.sources import jsonl

Damage = Callable[[bytes, random.Random], bytes]

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, 1e308, float("nan"), "", "x", "\ud800", "\u2028", [], {}, [[]],
    [None], {"type": "text"}, [{"type": "input_text"}], [{"type": "input_text", "text": 7}],
    {"content": {}}, {"Ok": []}, {"trigger": []}, "<turn_aborted>", {"exit_code": 2**70}, ["a", 1],
    '{"output":"x","metadata":{"exit_code":"y"}}', "Exit code: 99999999999999999999",
    "99999-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00",
)  # fmt: skip


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def flip(data: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.randrange(1, 9)):
        place = draw.randrange(len(data))
        data = data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
    return data


def drop(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + data[place + draw.randrange(1, 400) :]


def glue(data: bytes, draw: random.Random) -> bytes:
    ends = [place for place, byte in enumerate(data) if byte == 10]
    place = draw.choice(ends)
    return data[:place] + draw.choice([b"", b" ", b"\x00", b"\xff"]) + data[place + 1 :]


def shuffle(data: bytes, draw: random.Random) -> bytes:
    rows = data.split(b"\n")[:-1]
    for _ in range(draw.randrange(1, 6)):
        rows[draw.randrange(len(rows))] = draw.choice(rows)
    if draw.random() < 0.5:
        draw.shuffle(rows)
    return b"\n".join(rows) + b"\n"


def retell(data: bytes, draw: random.Random) -> bytes:
    """Another value somewhere inside some records, or a field less."""
    rows = [json.loads(row) for row in data.split(b"\n")[:-1]]
    for _ in range(draw.randrange(1, 12)):
        inside: Any = draw.choice(rows)
        while inside:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
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


DAMAGES: tuple[Damage, ...] = (cut, flip, drop, glue, shuffle, retell)


def accounted(path: Path, data: bytes, made: Transcript) -> None:
    """Every line is a message's, a compaction's or a Skip's; rows have ids of their own."""
    assert {skip.reason for skip in made.skips} <= SKIPS.keys()
    told = {skip.line for skip in made.skips}
    if 0 in told:
        return
    records = list(jsonl.lines(path, []))
    assert made.records == len(records)
    written = {n for n, row in enumerate(data.split(b"\n"), 1) if row.strip(b" \t\r")}
    assert written == {line.number for line in records} | (told & written)
    held = {one.line for one in made.messages} | {one.line for one in made.compactions}
    silent = [line for line in records if line.number not in held]
    assert len(silent) <= sum(skip.count for skip in made.skips)
    _coherent(made)


def _coherent(made: Transcript) -> None:
    ids = [message.message_id for message in made.messages]
    assert len(ids) == len(set(ids))
    calls = [call.call_id for call in made.calls]
    assert len(calls) == len(set(calls))
    assert {message.run_id for message in made.messages} == {run.run_id for run in made.runs}
    assert {message.session_id for message in made.messages} <= {
        session.session_id for session in made.sessions
    }
    for message in made.messages:
        message.text.encode()
        assert message.parent is None or message.parent in ids
    for call in made.calls:
        assert isinstance(json.loads(call.arguments), dict)
        assert call.message_id in ids
        assert call.result_id is None or call.result_id in ids
