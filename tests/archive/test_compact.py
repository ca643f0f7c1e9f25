"""A session that grows every night is not stored as often as there were nights."""

import dataclasses
from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dream.archive.archive import Archive
from dream.archive.compact import MANY, SMALL, WASTE, plan
from dream.archive.manifest import Manifest, Part, Scan, load
from dream.records import Branch, Compaction, Deletion, Memory, Skip
from tests.archive.fakes import NIGHT, House, at, call, message, talk


def test_a_growing_session_is_stored_about_once(house: House) -> None:
    words = [message(f"word {n} " + "long " * 40, n, role="assistant") for n in range(40)]
    for n in range(1, 40):
        calls = [call(dataclasses.replace(one, number=k)) for k, one in enumerate(words[:n])]
        house.put("a", talk("pi:a", *words[:n], calls=calls, skips=[Skip("torn", n)]))
        house.night(NIGHT + timedelta(days=n))
        assert house.ask("SELECT count(*), max(number) FROM messages") == [(n, n - 1)]
        assert house.ask("SELECT count(*) FROM calls") == [(n,)]
    assert house.ask("SELECT count(*) FROM stored_messages")[0][0] < (MANY + 1) * 39
    assert len(load(house.state).parts) <= MANY
    assert len(list((house.state / "parts").iterdir())) <= 2 * MANY
    assert house.ask("SELECT reason, line FROM coverage WHERE status = 'skipped'") == [("torn", 39)]


def test_what_only_we_still_hold_is_carried_over(house: House) -> None:
    lost, kept = message("lost", 0, role="assistant"), message("kept", 1)
    given_ = talk(
        "pi:a", lost, kept,
        calls=[call(lost)],
        branches=[Branch("pi:a/b", "pi:a", True, 2)],
        compactions=[Compaction("pi:a/c", "pi:a", "auto", 1, happened=at(2))],
        memories=[Memory("pi:a/m/e", "pi:a", "observation", "m", "Noted.", "active", True)],
        deletions=[Deletion("run2:x", "r1", at(3), "by hand")],
    )  # fmt: skip
    house.put("a", given_)
    house.night()
    for n in range(1, MANY + 3):
        house.put("a", talk("pi:a", kept, message(f"new {n}", 9 + n)))
        house.night(NIGHT + timedelta(days=n))
    before = house.everything()
    assert len(load(house.state).parts) < MANY
    assert [row[6] for row in before["messages"]].count("lost") == 1
    for name in ("calls", "compactions", "memories", "deletions"):
        assert len(before[name]) == 1, name
    # Once carried over, it is not carried again as long as nothing joins it.
    numbers = set(load(house.state).parts)
    house.put("b", talk("pi:b", message("other", session="pi:b")))
    house.night(NIGHT + timedelta(days=99))
    assert numbers <= set(load(house.state).parts)


def test_compaction_changes_no_relation(house: House) -> None:
    for n in range(MANY - 1):
        session = f"pi:{n}"
        house.put(f"s{n}", talk(session, message(f"m{n}", n, session=session)))
        house.night()
    house.put("s0", talk("pi:0", message("instead", 50, session="pi:0")))
    before = house.everything()
    house.night()
    after = house.everything()
    assert len(load(house.state).parts) == 1
    texts = sorted(row[6] for row in after["messages"])
    assert texts == sorted(["instead", *(row[6] for row in before["messages"])])


def test_old_parts_stay_for_readers_until_a_later_night(house: House) -> None:
    for n in range(MANY):
        session = f"pi:{n}"
        house.put(f"s{n}", talk(session, message(f"m{n}", n, session=session)))
        if n == MANY - 1:
            reading = Archive.open(house.state)
            archive = reading.__enter__()
        house.night()
    folders = {path.name for path in (house.state / "parts").iterdir()}
    assert len(load(house.state).parts) == 1
    assert len(folders) == MANY + 1
    assert len(archive._connection.execute("SELECT * FROM messages").fetchall()) == MANY - 1
    reading.__exit__(None, None, None)
    house.night()
    assert {path.name for path in (house.state / "parts").iterdir()} == folders
    house.night(NIGHT + timedelta(days=1))
    assert len(list((house.state / "parts").iterdir())) == 1


def scan(number: int, part: int, rows: int, *, live: bool) -> Scan:
    return Scan(number, "f", "r", f"u{number}", "t", part, "2026-05-04", rows, rows, rows, live)


SCANS = st.lists(st.tuples(st.integers(1, 16), st.integers(1, 50), st.booleans()), max_size=40)


@given(SCANS, st.lists(st.integers(1, 60_000_000), min_size=16, max_size=16))
def test_a_plan_takes_each_part_once_and_is_worth_it(
    scans: list[tuple[int, int, bool]], sizes: list[int]
) -> None:
    manifest = Manifest()
    for number, (part, rows, live) in enumerate(scans):
        manifest.scans[number] = scan(number, part, rows, live=live)
    for part in {part for part, *_ in scans}:
        rows = sum(rows for p, rows, _ in scans if p == part)
        manifest.parts[part] = Part(part, ["messages"], rows, sizes[part - 1])
    dead = {
        part: sum(rows for p, rows, live in scans if p == part and not live) / held.rows
        for part, held in manifest.parts.items()
    }
    worn = {part for part, share in dead.items() if share > 0.5}
    small = {part for part, held in manifest.parts.items() if held.bytes < SMALL}
    taken = [part for batch in plan(manifest) for part in batch]
    assert len(taken) == len(set(taken))
    assert set(taken) <= worn | small
    if len(worn | small) >= MANY:
        assert set(taken) == worn | small
    elif taken:
        assert set(taken) == worn
        waste = sum(dead[part] * manifest.parts[part].bytes for part in worn)
        assert waste >= WASTE


def test_a_state_folder_can_be_moved(house: House, tmp_path: Path) -> None:
    house.put("a", talk("pi:a", message("hello")))
    house.night()
    house.state = house.state.rename(tmp_path / "it's elsewhere")
    assert house.ask("SELECT text FROM messages") == [("hello",)]
