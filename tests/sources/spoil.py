"""Ways to spoil a file, a document or lines, for fuzz tests: the same dice give the same damage."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import orjson

Spoil = Callable[[random.Random, bytes], bytes]

ODD: list[Any] = [
    None, True, 0, -1, 1 << 70, 1.5e300, "", "x", "\ud800", "2026-13-40T99:00:00Z", [], [None],
    ["text"], {}, {"type": "text"}, [{"functionCall": {}}], [{"id": "x"}], "9" * 400, [[[[]]]],
    {"start": "x"}, {"messages": {}}, {"status": "completed", "output": 3}, "REDACTED",
]  # fmt: skip


def flip(dice: random.Random, data: bytes) -> bytes:
    """Some bytes are others."""
    spoiled = bytearray(data)
    for _ in range(dice.randint(1, 12)):
        spoiled[dice.randrange(len(spoiled))] = dice.choice(
            (0, 10, 34, 44, 123, 125, 255, dice.randrange(256))
        )
    return bytes(spoiled)


def cut(dice: random.Random, data: bytes) -> bytes:
    """The end is missing, or a piece inside."""
    start, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    return data[:end] if dice.random() < 0.5 else data[:start] + data[end:]


def shuffle(dice: random.Random, data: bytes) -> bytes:
    """Lines change places, stand twice, are glued together or empty."""
    lines = data.split(b"\n")
    for _ in range(dice.randint(1, 6)):
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                lines[one], lines[other] = lines[other], lines[one]
            case 1:
                lines.insert(one, lines[other])
            case 2:
                lines[one] += lines[other]
            case _:
                lines[one] = b""
    return b"\n".join(lines)


def twist(dice: random.Random, data: bytes) -> bytes:
    """Good JSON in which some parts are of another shape."""
    try:
        whole = orjson.loads(data)
    except orjson.JSONDecodeError:
        values = [orjson.loads(line) for line in data.split(b"\n") if line]
        for _ in range(dice.randint(1, 8)):
            _twist_one(dice, values[dice.randrange(len(values))])
        return b"\n".join(map(_written, values))
    for _ in range(dice.randint(1, 8)):
        _twist_one(dice, whole)
    return _written(whole, indent=dice.choice((None, 2)))


SPOILS: tuple[Spoil, ...] = (flip, cut, shuffle, twist)


def _twist_one(dice: random.Random, value: Any) -> None:
    while isinstance(value, dict | list) and value:
        key = dice.choice(sorted(value) if isinstance(value, dict) else range(len(value)))
        part = value[key]
        if not isinstance(part, dict | list) or not part or dice.random() < 0.2:
            if isinstance(value, dict) and dice.random() < 0.3:
                del value[key]
            else:
                value[key] = deepcopy(dice.choice(ODD))
            return
        value = part


def _written(value: Any, indent: int | None = None) -> bytes:
    return json.dumps(value, indent=indent).encode()
