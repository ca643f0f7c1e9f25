"""Two thousand damaged rollouts and sessions: nothing raises, and every line is accounted for."""

import random
from pathlib import Path
from types import ModuleType

import pytest

from dream.sources import codex, copilot
from tests.conftest import HOUSE
from tests.fuzz import rounds
from tests.sources.damage import DAMAGES, Damage, accounted

DATA = HOUSE / "tests" / "data"
WHOLES: dict[str, tuple[ModuleType, Path]] = {
    "codex": (codex, DATA / "codex" / "greenhouse.jsonl"),
    "codex-fork": (codex, DATA / "codex" / "fork.jsonl"),
    "copilot": (copilot, DATA / "copilot" / "orchard.jsonl"),
}
ROUNDS = rounds(2_000)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", WHOLES)
def test_damage_costs_only_itself_and_is_told(tmp_path: Path, name: str, damage: Damage) -> None:
    reader, whole = WHOLES[name]
    data = whole.read_bytes()
    path = tmp_path / whole.name
    for seed in range(ROUNDS // len(WHOLES) // len(DAMAGES) + 1):
        broken = damage(data, random.Random(seed))  # noqa: S311  # no secret hangs on it
        path.write_bytes(broken)
        (made,) = reader.read(path, {}, tmp_path)
        accounted(path, broken, made)
