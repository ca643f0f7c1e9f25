"""Damaged trajectories: nothing but SourceUnreadable ever comes up, and no record gets lost."""

import json
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dream.digests import canonical_digest
from dream.errors import SourceUnreadable
from dream.records import Skip, Transcript
from dream.sources import document, swe_agent
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources import coherent

VARIANTS = rounds(2_000)
OWN = sorted((HOUSE / "tests" / "data" / "swe-agent").rglob("*.traj"))
ODD: list[Any] = [
    None, True, 0, -1, 1 << 70, 1.5e300, float("nan"), "", "x", "\ud800", "\x00", "user", "tool",
    "assistant", [], [None], ["text"], {}, {"text": 1}, [{"type": "text"}], [[[[]]]], "[" * 3000,
    [{"function": 1}], [{"function": {"name": 2, "arguments": [3]}}], {"command": {"a": 1 << 70}},
]  # fmt: skip
OPENED: list[document.Way] = [
    *((), ("history",), ("trajectory",), ("attempts",), ("attempts", -1)),
    *(("attempts", -1, "history"), ("attempts", -1, "trajectory")),
]

Damage = Callable[[random.Random, bytes], bytes]


def _flip(dice: random.Random, data: bytes) -> bytes:
    spoiled = bytearray(data)
    for _ in range(dice.randint(1, 12)):
        spoiled[dice.randrange(len(spoiled))] = dice.choice(
            (0, 10, 34, 44, 123, 255, dice.randrange(256))
        )
    return bytes(spoiled)


def _cut(dice: random.Random, data: bytes) -> bytes:
    start, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    return data[:end] if dice.random() < 0.5 else data[:start] + data[end:]


def _twist(dice: random.Random, data: bytes) -> bytes:
    """Good JSON in which some parts are of another shape."""
    value = json.loads(data)
    for _ in range(dice.randint(1, 8)):
        _twist_one(dice, value)
    return json.dumps(value, indent=dice.choice((None, 1))).encode()


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


def _double(dice: random.Random, data: bytes) -> bytes:
    """A name that stands in an object twice, and records in another order."""
    value = json.loads(data)
    parts = value.get("attempts") or [value]
    for part in parts:
        dice.shuffle(part["history"])
        part["history"] += dice.choices(part["history"], k=dice.randint(0, 4))
    whole = json.dumps(value)[1:]
    return b"{" + (json.dumps(parts[0])[1:-1] + "," + whole).encode()


@pytest.mark.parametrize("damage", [_flip, _cut, _twist, _double])
def test_a_damaged_file_costs_only_what_is_damaged(damage: Damage, tmp_path: Path) -> None:
    wholes = [path.read_bytes() for path in OWN]
    read = 0
    for seed in range(VARIANTS // 4):
        dice = random.Random(f"{damage.__name__} {seed}")  # noqa: S311  # no secret
        path = tmp_path / f"{seed}.traj"
        path.write_bytes(damage(dice, dice.choice(wholes)))
        try:
            (transcript,) = swe_agent.read(path, {}, tmp_path)
        except SourceUnreadable:
            continue
        read += 1
        coherent.check(transcript)
        _accounted(path, transcript)
    assert read > VARIANTS // 8


def _accounted(path: Path, transcript: Transcript) -> None:
    """What document.py finds is a message, a Skip, or counted as told twice."""
    skips: list[Skip] = []
    found = list(document.pieces(path, OPENED, skips))
    told = {skip.line for skip in transcript.skips}
    held = {(message.line, message.digest) for message in transcript.messages}
    again = sum(s.count for s in transcript.skips if s.reason in ("housekeeping", "duplicate"))
    several = any(piece.way[:1] == ("attempts",) and len(piece.way) > 2 for piece in found)
    unseen = 0
    for piece in found:
        own = piece.way[2:] if piece.way[:1] == ("attempts",) else piece.way
        if len(own) != 2 or own[0] not in ("history", "trajectory"):
            continue
        if (piece.line, canonical_digest(piece.stored)) in held or piece.line in told:
            continue
        assert own[0] == "trajectory" or (several and own == piece.way)
        unseen += 1
    assert unseen <= again
    assert {skip.reason for skip in skips} <= {skip.reason for skip in transcript.skips}
