"""Damaged exports: nothing but SourceUnreadable ever comes up, and no line gets lost."""

import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from dream.errors import SourceUnreadable
from dream.records import Transcript
from dream.sources import specstory
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources import coherent

VARIANTS = rounds(2_000)
OWN = sorted((HOUSE / "tests" / "data" / "specstory").glob("*.md"))
ODD = [
    b"_**User**_", b"_**User (2026-13-40 99:99Z)**_", b"_**Agent (model x)**_", b"_**Agent",
    b"_**Helper (2026-03-02 09:00Z)**_", b"_**User - sidechain**_", b"---", b"```", b"````", b"~~~",
    b"```json", b"<tool-use data-tool-type=\"shell\" data-tool-name=\"Bash\"><details>",
    b"<tool-use ", b"</tool-use>", b"</details></tool-use>", b"<summary>", b"Parameters:",
    b"Result:", b"**Input:**", b"**Error:**", b"Status: **odd**", b"Status: **failed**",
    b"<think>", b"{\"a\": \"\\ud800\"}", b"[" * 3000, b"\xff\xfe", b"\x00", b"", b"# (", b"\r",
    b'{"isConfirmed": [1], "resultDetails": [2], "content": 3}', b'{"commandLine": {"a": 7}}',
    b"<!-- vscode Session 7a000000-0000-4000-8000-000000000001 (x) -->", b"- plan:", b"- a: `b`",
]  # fmt: skip

Damage = Callable[[random.Random, bytes], bytes]


def _flip(dice: random.Random, data: bytes) -> bytes:
    spoiled = bytearray(data)
    for _ in range(dice.randint(1, 12)):
        spoiled[dice.randrange(len(spoiled))] = dice.choice(
            (0, 10, 13, 42, 45, 96, 255, dice.randrange(256))
        )
    return bytes(spoiled)


def _cut(dice: random.Random, data: bytes) -> bytes:
    start, end = sorted((dice.randrange(len(data)), dice.randrange(len(data))))
    return data[:end] if dice.random() < 0.5 else data[:start] + data[end:]


def _shuffle(dice: random.Random, data: bytes) -> bytes:
    first, *lines = data.split(b"\n")
    for _ in range(dice.randint(1, 8)):
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                lines[one], lines[other] = lines[other], lines[one]
            case 1:
                lines.insert(one, lines[other])
            case 2:
                lines[one] += lines[other]
            case _:
                del lines[one]
    return b"\n".join([first, *lines])


def _disturb(dice: random.Random, data: bytes) -> bytes:
    """Lines that mean something, where they mean something else."""
    first, *lines = data.split(b"\n")
    for _ in range(dice.randint(1, 8)):
        place = dice.randrange(len(lines))
        if dice.random() < 0.3:
            lines[place] = dice.choice(ODD)
        else:
            lines.insert(place, dice.choice(ODD))
    return (b"\r\n" if dice.random() < 0.1 else b"\n").join([first, *lines])


@pytest.mark.parametrize("damage", [_flip, _cut, _shuffle, _disturb])
def test_a_damaged_file_costs_only_what_is_damaged(damage: Damage, tmp_path: Path) -> None:
    wholes = [path.read_bytes() for path in OWN]
    read = 0
    for seed in range(VARIANTS // 4):
        dice = random.Random(f"{damage.__name__} {seed}")  # noqa: S311  # no secret
        path = tmp_path / f"{seed}.md"
        path.write_bytes(damage(dice, dice.choice(wholes)))
        try:
            (transcript,) = specstory.read(path, {}, tmp_path)
        except SourceUnreadable:
            continue
        read += 1
        coherent.check(transcript)
        _accounted(path, transcript)
    assert read > VARIANTS // 8


def _accounted(path: Path, transcript: Transcript) -> None:
    """Every line is a message's, as its digest says, a heading of the file, or told as a Skip."""
    lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    held = {skip.line for skip in transcript.skips}
    starts = sorted({message.line for message in transcript.messages})
    ends = dict(zip(starts, [*starts, len(lines) + 1][1:], strict=True))
    for message in transcript.messages:
        body = lines[message.line - 1 : ends[message.line] - 1]
        end = next(
            size
            for size in range(len(body), 0, -1)
            if sha256(b"\n".join(body[:size])).hexdigest() == message.digest
        )
        held.update(range(message.line, message.line + end))
    first = starts[0] if starts else len(lines) + 1
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        opening = number < first and (bare.startswith((b"#", b"<!--")) or number == 1)
        assert number in held or bare in (b"", b"---") or opening, (number, line)
