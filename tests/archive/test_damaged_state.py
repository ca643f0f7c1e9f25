"""A state folder that something else has had its hands in: told in words, and never made worse."""

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dream.archive import ledger
from dream.archive.redact import state_key
from dream.errors import StateBroken
from dream.records import Branch
from tests.archive.fakes import House, message, talk

NIGHT_WAS = {"event": "night", "night": "2026-05-04", "happened": "2026-05-04T02:30:00+00:00"}


def first(table: str, **values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda manifest: manifest[table][0].update(values)


def cell(place: int, value: object) -> Callable[[dict[str, Any]], Any]:
    return lambda manifest: manifest["scans"][0].__setitem__(place, value)


@pytest.mark.parametrize(
    "damage",
    [
        first("parts", part="../../x"),
        first("parts", tables=3),
        first("parts", tables=[3]),
        first("files", first_night="x"),
        first("files", last_night=None),
        first("files", gone="no"),
        cell(1, 7),
        cell(1, -1),
        cell(6, "not a date"),
        cell(7, "many"),
        lambda manifest: manifest.update(next=["a", "b", "c"]),
        lambda manifest: manifest.update(next=[1, 1, 1]),
        lambda manifest: manifest.update(parts=[5]),
        lambda manifest: manifest.update(scans={"a": 1}),
        lambda manifest: manifest.update(content=5),
        lambda manifest: manifest.pop("retired"),
    ],
)
def test_a_manifest_with_a_wrong_value_anywhere_is_refused_in_words(
    house: House, damage: Callable[[dict[str, Any]], Any]
) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.night()
    path = house.state / "manifest.json"
    manifest = json.loads(path.read_bytes())
    damage(manifest)
    path.write_text(json.dumps(manifest))
    broken = path.read_bytes()
    with pytest.raises(StateBroken, match="Nothing was written"):
        house.ask("SELECT 1")
    with pytest.raises(StateBroken, match="Nothing was written"):
        house.night()
    assert path.read_bytes() == broken


def test_parts_whose_manifest_is_gone_are_not_swept_away(house: House) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.night()
    ledger.append(house.state, NIGHT_WAS)
    (house.state / "manifest.json").rename(house.state / "elsewhere")
    kept = sorted(path.name for path in (house.state / "parts/000001").iterdir())
    for _ in range(2):
        with pytest.raises(StateBroken, match="it is gone"):
            house.night()
    with pytest.raises(StateBroken, match="it is gone"):
        house.ask("SELECT 1")
    assert sorted(path.name for path in (house.state / "parts/000001").iterdir()) == kept
    (house.state / "elsewhere").rename(house.state / "manifest.json")
    house.night()
    assert house.ask("SELECT text FROM messages") == [("one",)]


def test_a_state_begun_anew_with_its_old_ledger_is_fine(house: House) -> None:
    house.state.mkdir(exist_ok=True)
    ledger.append(house.state, NIGHT_WAS)
    house.put("a", talk("pi:a", message("one")))
    house.night()
    assert house.ask("SELECT text FROM messages") == [("one",)]


def test_what_is_not_ours_in_the_state_is_left_there(house: House) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.night()
    theirs = [
        house.state / "parts/.DS_Store",
        house.state / "parts/backup of 000001/messages.parquet",
        house.state / "spill/-1/x",
        house.state / "spill/notes/x",
    ]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("theirs")
    (house.state / "spill/99999999999999999999").mkdir()
    house.put("b", talk("pi:b", message("two", session="pi:b")))
    house.night()
    assert all(path.read_text() == "theirs" for path in theirs)
    assert not (house.state / "spill/99999999999999999999").exists()
    assert house.ask("SELECT text FROM messages ORDER BY text") == [("one",), ("two",)]


def test_a_key_that_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    whole = state_key(tmp_path)
    assert state_key(tmp_path) == whole
    (tmp_path / "redaction.key").write_bytes(b"")
    fresh = state_key(tmp_path)
    assert len(fresh) == len(whole)
    assert fresh != whole
    assert state_key(tmp_path) == fresh


def test_a_disk_that_fills_up_between_two_lines_is_told_as_such(house: House) -> None:
    house.put("a", talk("pi:a", *(message(f"line {n} " * 9, n) for n in range(2000))))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StateBroken, match=r"(?s)could not be written.*Make room"):
            house.night()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    house.night()
    assert house.ask("SELECT count(*) FROM messages") == [(2000,)]


def test_parts_of_an_earlier_version_lack_columns_and_are_read(house: House) -> None:
    house.put("a", talk("pi:a", message("one"), branches=[Branch("pi:a/m1", "pi:a", True, 1)]))
    house.night()
    path = house.state / "parts/000001/branches.parquet"
    older = path.with_suffix(".older")
    stored = duckdb.read_parquet(str(path))
    kept = [name for name in stored.columns if name not in ("last", "line")]
    stored.select(*kept).write_parquet(str(older))
    older.replace(path)
    assert house.ask("SELECT branch_id, last, line FROM branches") == [("pi:a/m1", None, None)]
    assert house.ask("SELECT branch_id FROM branches WHERE line > 0") == []
