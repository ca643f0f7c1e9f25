"""Damaged sessions of the Kimi CLI: nothing raises, every record is told or counted, and no file
that breaks off puts words into a person's mouth.
"""

import random
import shutil
from pathlib import Path

import pytest

from dream.records import SKIPS, Skip, Transcript
from dream.sources import jsonl, kimi
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources import damage
from tests.sources.kimi_makers import read
from tests.sources.spoil import SPOILS, Spoil

SAMPLE = HOUSE / "tests" / "data" / "kimi"
ROUNDS = rounds(2_000)
FILES = ("context.jsonl", "context_1.jsonl", "context_2.jsonl", "wire.jsonl")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """The context in force of a copy of the sample."""
    shutil.copytree(SAMPLE, tmp_path / "kimi")
    return next(iter(kimi.find(tmp_path / "kimi")))


@pytest.mark.parametrize("spoil", SPOILS)
def test_damage_costs_only_itself_and_is_told(main: Path, spoil: Spoil) -> None:
    whole = {name: main.with_name(name).read_bytes() for name in FILES}
    for seed in range(ROUNDS // len(SPOILS)):
        dice = random.Random(f"{spoil.__name__} {seed}")  # noqa: S311  # no secret
        spoiled = dice.sample(FILES, dice.choice((1, 1, 2)))
        for name in spoiled:
            main.with_name(name).write_bytes(spoil(dice, whole[name]))
        made = read(main)
        damage._coherent(made)
        _accounted(main, made)
        for name in spoiled:
            main.with_name(name).write_bytes(whole[name])


def _accounted(main: Path, made: Transcript) -> None:
    """Every record of the context in force is a message's, or is counted."""
    assert {skip.reason for skip in made.skips} <= SKIPS.keys()
    broken: list[Skip] = []
    records = list(jsonl.lines(main, broken))
    assert len(broken) <= sum(skip.reason in {one.reason for one in broken} for skip in made.skips)
    shown = {message.line for message in made.messages}
    silent = sum(line.number not in shown for line in records)
    assert silent <= sum(skip.count for skip in made.skips)
    for message in made.messages:
        assert message.role != "human" or made.sessions[0].kind == "interactive"
    assert [branch.active for branch in made.branches].count(True) <= 1


@pytest.mark.parametrize("name", FILES)
def test_nothing_that_breaks_off_puts_words_into_a_persons_mouth(main: Path, name: str) -> None:
    typed = {one.text for one in read(main).messages if one.role == "human"}
    assert len(typed) > 3
    path = main.with_name(name)
    whole = path.read_bytes()
    for end in range(0, len(whole), 1 + len(whole) // 150):
        path.write_bytes(whole[:end])
        assert {one.text for one in read(main).messages if one.role == "human"} <= typed
