"""Compressed rollouts: the same as plain ones, as far as the file goes."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from dream.records import Skip, Transcript
from dream.sources import codex
from dream.sources.unpacked import unpacked
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources import damage
from tests.sources.spoil import Spoil, cut, flip
from tests.sources.stillness import listing

PLAIN = HOUSE / "tests" / "data" / "codex" / "greenhouse.jsonl"
NAME = "rollout-2026-03-02T09-00-00-00000000-0000-7000-8000-000000000001.jsonl.zst"
ROUNDS = rounds(600)


def packed(folder: Path, data: bytes) -> Path:
    path = folder / "source" / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def read(path: Path, scratch: Path) -> Transcript:
    (made,) = codex.read(path, {}, scratch)
    return made


def whole() -> bytes:
    return zstandard.compress(PLAIN.read_bytes())


def test_a_compressed_rollout_says_what_the_plain_one_says(tmp_path: Path) -> None:
    path = packed(tmp_path, whole())
    before = listing(path.parent)
    made = read(path, tmp_path)
    plain = read(PLAIN, tmp_path)
    assert made == replace(plain, token=made.token)
    assert len(made.messages) > 5
    assert listing(path.parent) == before
    assert [one.name for one in tmp_path.iterdir()] == ["source"]  # nothing of it is left
    assert list(codex.read(path, {"": made.token}, tmp_path)) == []


def test_several_frames_are_read_one_after_the_other(tmp_path: Path) -> None:
    lines = PLAIN.read_bytes().splitlines(keepends=True)
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00note"
    frames = [zstandard.compress(b"".join(half)) for half in (lines[:7], lines[7:])]
    made = read(packed(tmp_path, skippable + frames[0] + frames[1]), tmp_path)
    assert made.messages == read(PLAIN, tmp_path).messages


def test_a_frame_that_breaks_off_gives_what_stands_before_the_break(tmp_path: Path) -> None:
    writer = zstandard.ZstdCompressor().compressobj()
    data = writer.compress(PLAIN.read_bytes()) + writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    made = read(packed(tmp_path, data), tmp_path)
    assert [(skip.reason, skip.lost) for skip in made.skips if skip.line == 0] == [("torn", True)]
    assert made.messages == read(PLAIN, tmp_path).messages


def test_bytes_that_are_no_frame_are_told(tmp_path: Path) -> None:
    for data in (b"\x28\xb5\x2f\xfd rest", whole() + b"and more"):
        made = read(packed(tmp_path, data), tmp_path)
        assert "damaged" in {skip.reason for skip in made.skips}


def test_a_file_that_unpacks_to_more_than_the_limit_is_cut_there(tmp_path: Path) -> None:
    path, skips = packed(tmp_path, zstandard.compress(bytes(1 << 22))), list[Skip]()
    with unpacked(path, tmp_path, skips, limit=1 << 20) as plain:
        assert plain.stat().st_size <= 1 << 20
    assert [skip.reason for skip in skips] == ["too_long"]


@pytest.mark.parametrize("spoil", [flip, cut])
def test_a_damaged_frame_costs_only_what_is_damaged(tmp_path: Path, spoil: Spoil) -> None:
    data, told = whole(), 0
    for seed in range(ROUNDS // 2):
        broken = spoil(random.Random(seed), data)  # noqa: S311  # no secret hangs on it
        made = read(packed(tmp_path, broken), tmp_path)
        damage._coherent(made)
        told += bool(made.skips)
        assert made.records or made.skips
    assert told > ROUNDS // 4  # a frame without a checksum does not show every other bit
