"""Looking tells what is new without opening anything."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.look import Found, delta, look, means, nobody
from dream.archive.manifest import FileEntry, FileStatus
from dream.config import SourceSpec
from tests.archive.fakes import FakeReader, House, message, talk

READER = FakeReader()
NIGHT = "2026-05-04"


def entry(name: str, source: str, seen: str, status: FileStatus, with_: str) -> FileEntry:
    return FileEntry(name, source, "fake", with_, seen, status, NIGHT, NIGHT, NIGHT)


NAMES = st.sampled_from([f"/{source}/{name}" for source in "st" for name in "abc"])
LOOKS = st.sampled_from(["", "1.1", "2.2"])
ENTRIES = st.dictionaries(
    NAMES,
    st.tuples(
        LOOKS,
        st.sampled_from(["partly", "read", "foreign", "refused"]),
        st.sampled_from([means(READER), nobody([READER, READER]), "old/1/1"]),
    ),
)


@given(ENTRIES, st.dictionaries(NAMES, LOOKS), st.sets(st.sampled_from(["/s", "/t"])))
def test_every_file_is_changed_unchanged_or_gone(
    known: dict[str, tuple[str, FileStatus, str]], there: dict[str, str], sources: set[str]
) -> None:
    entries = {name: entry(name, name[:2], *parts) for name, parts in known.items()}
    found = {
        name: Found(name, Path(name), name[:2], (READER,), seen)
        for name, seen in there.items()
        if name[:2] in sources
    }
    told = delta(found, sources, entries)
    changed = {file.source_file for file in told.changed}
    assert changed | set(told.unchanged) == set(found)
    assert not changed & set(told.unchanged)
    assert set(told.gone) == {n for n in known if n not in found and n[:2] in sources}
    for name in told.unchanged:
        assert entries[name].look == there[name] != ""
        assert entries[name].means == means(READER)


def test_a_relative_source_is_the_same_from_everywhere(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.put("a", talk("pi:a", message("hello")))
    monkeypatch.chdir(house.source.parent)
    house.night(sources=[SourceSpec(Path("source"))])
    assert house.ask("SELECT source_file FROM files") == [(str(house.source / "a.fake"),)]
    (house.source / "a.fake").unlink()
    taken = house.night(sources=[SourceSpec(Path("./source/"))])
    assert (taken.sources[0].source, taken.sources[0].gone) == (str(house.source), 1)


def test_a_file_that_goes_away_while_one_looks_is_refused_not_fatal(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.put("a", talk("pi:a", message("hello")))
    path = house.put("b", talk("pi:b", message("there", session="pi:b")))
    find = house.reader.find

    def found_then_gone(root: Path) -> list[Path]:
        paths = list(find(root))
        path.unlink(missing_ok=True)
        return paths

    monkeypatch.setattr(house.reader, "find", found_then_gone)
    taken = house.night()
    assert (taken.unreadable, taken.messages) == (1, 1)
    assert house.ask("SELECT detail FROM coverage WHERE status = 'refused'") == [
        ("No such file or directory",)
    ]


def test_a_name_that_is_not_utf_8_is_a_name(house: House) -> None:
    odd = Path(os.fsdecode(os.fsencode(house.source) + b"/\xff\xe4.fake"))
    try:
        odd.write_bytes(b"fake")
    except OSError:
        pytest.skip("this file system takes no such name")
    house.reader.holds[odd.name] = [talk("pi:a", message("hello"))]
    house.night()
    house.reader.opened.clear()
    assert house.night().sources[0].unchanged == 1
    assert house.ask("SELECT source_file FROM files") == [(str(house.source) + "/\\xff\\xe4.fake",)]


def test_a_source_may_be_one_file(house: House) -> None:
    path = house.put("a", talk("pi:a", message("hello")))
    assert look([SourceSpec(path)], [house.reader]).files.keys() == {str(path)}
