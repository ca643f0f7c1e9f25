"""What a night takes in, what it leaves alone, and what a bad file costs."""

import dataclasses
import os
import resource
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dream.archive.manifest import fingerprint, load
from dream.archive.schema import TABLES, TEXTS
from dream.config import SourceSpec
from dream.errors import Damaged, StateBroken, TooNew
from dream.records import (
    Branch,
    Compaction,
    Deletion,
    Label,
    Memory,
    Run,
    Session,
    Skip,
    Transcript,
)
from tests.archive.fakes import NIGHT, FakeReader, House, at, call, message, talk

LATER = date(2026, 5, 5)


def whole() -> Transcript:
    """One session with a row in every table."""
    asked = message("please run the tests", 0)
    reply = message("I will", 1, role="assistant", number=1, model="m", tokens_out=3, name="r1/m2")
    result = message("1 failed", 2, role="tool")
    return talk(
        "pi:a",
        asked,
        dataclasses.replace(reply, parent=asked.message_id),
        result,
        head=Session(
            "pi:a", "pi", cwd="/repo/shop", git_branch="main", title="Tests", started=at(0),
            ended=at(9), agent_version="1.6.0", line=1,
        ),
        runs=[Run("pi:a:1", "pi:a", 1, "r1", "settled", at(0), at(2), 1)],
        calls=[call(reply, result_id=result.message_id, exit_code=1)],
        branches=[Branch("pi:a/x", "pi:a", True, 3, None, "root", None, at(2), 3)],
        compactions=[Compaction("pi:a/c", "pi:a", "auto", 3, 900, asked.message_id, at(3))],
        memories=[
            Memory(
                "pi:a/0123/e", "pi:a", "observation", "0123", "Tests are slow.", "active", True,
                (asked.message_id,), ("4567",), "high", "e", "2026-03-02 09:00", at(4), 5,
            )
        ],
        labels=[Label("pi:a", result.message_id, "here", at(5), 6)],
        deletions=[Deletion("run2:d", "r9", at(6), "by hand", 7)],
        skips=[Skip("torn", 8, "", False, 2)],
    )  # fmt: skip


def test_what_was_read_comes_back_as_it_was(house: House) -> None:
    path = house.put("a", given_ := whole())
    taken = house.night()
    found = house.everything()
    assert (taken.units, taken.messages, taken.noticed) == (1, 3, {"torn": 2})
    for name in ("messages", "calls", "runs", "branches", "compactions", "memories", "labels"):
        assert house.records(name) == sorted(getattr(given_, name), key=repr), name
    assert house.records("sessions") == list(given_.sessions)
    assert found["deletions"] == [("run2:d", "r9", at(6), "by hand", 7, str(path))]
    assert found["files"] == [(str(path), "fake", NIGHT, NIGHT, False, 3, 3)]
    assert found["coverage"] == [
        (str(path), "fake", NIGHT, "noticed", "torn", 8, "", False, 2),
        (str(path), "fake", NIGHT, "read", "", 0, "", False, 3),
    ]
    assert {row[4:] for row in found["sightings"]} == {
        (name, str(path), line, message.digest, "fake", False)
        for line, (message, name) in enumerate(
            zip(given_.messages, (None, "r1/m2", None), strict=True), 1
        )
    }


def test_a_second_night_opens_no_file_and_writes_the_same_bytes(house: House) -> None:
    house.put("a", whole())
    house.put("b", talk("pi:b", message("hello", session="pi:b")))
    (house.source / "c.fake").write_text("of another program")
    house.night()
    before = state_of(house)
    relations = house.everything()
    house.reader.opened.clear()
    house.reader.claims = None  # type: ignore[method-assign,assignment]  # asked, it fails
    taken = house.night()
    assert house.reader.opened == []
    assert not taken.changed
    assert (taken.units, taken.sources[0].unchanged) == (0, 3)
    assert state_of(house) == before
    assert house.everything() == relations


def state_of(house: House) -> dict[str, bytes]:
    files = sorted(path for path in house.state.rglob("*") if path.is_file())
    return {str(path.relative_to(house.state)): path.read_bytes() for path in files}


def test_only_what_changed_is_read_again(house: House) -> None:
    house.put("a", talk("pi:a", message("one")))
    house.put("b", talk("pi:b", message("two", session="pi:b")))
    first = house.night()
    house.put(
        "b", talk("pi:b", message("two", session="pi:b"), message("three", 1, session="pi:b"))
    )
    house.reader.opened.clear()
    second = house.night(LATER)
    assert house.reader.opened == ["b.fake"]
    assert second.changed
    assert first.fingerprint != second.fingerprint == fingerprint(house.state)
    assert house.ask("SELECT text FROM messages ORDER BY text") == [("one",), ("three",), ("two",)]
    assert house.ask("SELECT count(*) FROM sightings") == [(3,)]
    assert house.ask("SELECT first_night, last_night FROM files ORDER BY ALL") == [
        (NIGHT, LATER),
        (NIGHT, LATER),
    ]


def test_a_night_with_nothing_new_is_told_by_the_fingerprint(house: House) -> None:
    house.put("a", whole())
    assert fingerprint(house.state) == ""
    first = house.night()
    assert house.night(LATER).fingerprint == first.fingerprint


HISTORIES = (
    *("checkpoints", "checkouts", "rule_commits", "commits", "rule_changes", "rule_texts"),
    *("rules_seen", "standings", "head_moves", "history_coverage"),
)
"""Relations that only a repository fills."""


def test_a_new_version_of_a_reader_reads_everything_again_and_doubles_nothing(house: House) -> None:
    house.put("a", whole())
    house.night()
    house.reader.VERSION = 2
    house.reader.holds["a.fake"] = [
        dataclasses.replace(
            whole(),
            messages=[dataclasses.replace(m, role="injected") for m in whole().messages],
        )
    ]
    house.night(LATER)
    assert house.reader.known["a.fake"] == {}
    assert house.ask("SELECT role, count(*) FROM messages GROUP BY role") == [("injected", 3)]
    assert house.ask("SELECT count(*) FROM sightings") == [(3,)]
    assert [len(rows) for name, rows in house.everything().items() if name != "coverage"] == [
        1, 1, 3, 1, 1, 1, 1, 1, 1, 3, 1, 0, 3, 1,
        *(0 for _ in HISTORIES),
    ]  # fmt: skip


def test_a_new_version_may_name_the_same_bytes_otherwise(house: House) -> None:
    house.put("a", talk("pi:a", message("hello", digest="d" * 64)))
    house.night()
    house.reader.VERSION = 2
    renamed = message("hello, read better", id="other", digest="d" * 64)
    house.reader.holds["a.fake"] = [talk("pi:a", renamed)]
    house.night(LATER)
    assert house.ask("SELECT text FROM messages") == [("hello, read better",)]


def test_what_a_rewritten_file_no_longer_has_stays_known(house: House) -> None:
    house.put("a", talk("pi:a", message("kept"), message("lost", 1)))
    house.night()
    house.put("a", talk("pi:a", message("kept")))
    house.night(LATER)
    assert house.ask("SELECT text FROM messages ORDER BY number") == [("kept",), ("lost",)]
    assert house.ask(
        "SELECT m.text, s.gone FROM sightings s JOIN messages m USING (copy_key) ORDER BY ALL"
    ) == [("kept", False), ("lost", True)]


def test_a_file_that_is_gone_is_kept_and_marked_and_may_come_back(house: House) -> None:
    path = house.put("a", whole())
    house.night()
    away = path.rename(path.with_suffix(".away"))
    taken = house.night(LATER)
    assert taken.sources[0].gone == 1
    assert house.ask("SELECT gone, last_night FROM files") == [(True, NIGHT)]
    assert house.ask("SELECT count(*), bool_and(gone) FROM sightings") == [(3, True)]
    assert (str(path), "fake", NIGHT, "gone", "gone", 0, "", False, 3) in (
        house.everything()["coverage"]
    )
    away.rename(path)
    house.reader.opened.clear()
    house.night(date(2026, 5, 6))
    assert house.reader.opened == []
    assert house.ask("SELECT gone, last_night FROM files") == [(False, date(2026, 5, 6))]


def test_a_source_that_is_missing_is_told_and_the_others_are_read(house: House) -> None:
    house.put("a", whole())
    absent = house.source.parent / "absent"
    taken = house.night(sources=[SourceSpec(absent), SourceSpec(house.source)])
    assert [total.missing for total in taken.sources] == ["No such file or directory", ""]
    assert (taken.unreadable, taken.of_readers, taken.needs_a_look) == (1, 2, True)
    assert house.ask("SELECT count(*) FROM messages") == [(3,)]
    missing = house.ask("SELECT source_file, reason, detail FROM coverage WHERE status = 'missing'")
    assert missing == [(str(absent), "unreadable", "No such file or directory")]


def test_a_source_that_went_missing_keeps_what_was_read_of_it(house: House) -> None:
    house.put("a", whole())
    house.night()
    house.source.rename(house.source.with_name("elsewhere"))
    taken = house.night(LATER)
    assert (taken.sources[0].gone, bool(taken.sources[0].missing)) == (1, True)
    assert house.ask("SELECT count(*), bool_and(gone) FROM sightings") == [(3, True)]


def test_a_source_taken_out_of_the_settings_is_not_gone(house: House) -> None:
    house.put("a", whole())
    house.night()
    house.night(LATER, sources=[])
    assert house.ask("SELECT gone, last_night FROM files") == [(False, NIGHT)]


def test_nobodys_file_is_counted_and_not_opened_again_until_a_reader_may_know_it(
    house: House,
) -> None:
    (house.source / "x.fake").write_text("of another program")
    (house.source / "y.fake").write_text("")
    taken = house.night(whose=lambda head: head.decode().removeprefix("of "))
    assert (taken.sources[0].foreign, taken.needs_a_look) == (2, False)
    foreign = house.ask("SELECT reason, detail FROM coverage WHERE status = 'foreign' ORDER BY ALL")
    assert foreign == [("empty", ""), ("foreign_format", "another program")]
    other = FakeReader("other", b"of another")
    other.holds["x.fake"] = [whole()]
    house.night(LATER, readers=[house.reader, other])
    assert other.opened == ["x.fake"]
    assert house.ask("SELECT DISTINCT reader FROM files") == [("other",)]


@pytest.mark.parametrize("kind", [Damaged, TooNew])
def test_a_source_that_cannot_be_read_costs_itself_and_is_tried_again(
    house: House, kind: type[Damaged | TooNew]
) -> None:
    house.put("a", whole())
    path = house.put("b", kind(Path("b.fake"), "reading the list of tables failed"))
    taken = house.night()
    assert (taken.unreadable, taken.of_readers, taken.needs_a_look) == (1, 2, True)
    assert taken.troubles == ()
    refused = house.ask("SELECT source_file, reason, detail FROM coverage WHERE status = 'refused'")
    assert refused == [(str(path), kind.reason, "reading the list of tables failed")]
    assert house.ask("SELECT count(*) FROM messages") == [(3,)]
    house.reader.holds["b.fake"] = [talk("pi:b", message("whole again", session="pi:b"))]
    assert not house.night(LATER).needs_a_look
    assert house.ask("SELECT count(*) FROM messages") == [(4,)]


def test_a_file_that_could_not_be_read_is_no_trouble_once_it_is_gone(house: House) -> None:
    house.put("a", whole())
    path = house.put("b", Damaged(Path("b.fake"), "page 9"))
    assert house.night().needs_a_look
    path.unlink()
    assert not house.night(LATER).needs_a_look
    stands = house.ask("SELECT status FROM coverage WHERE source_file LIKE '%b.fake'")
    assert stands == [("gone",)]


def test_a_file_that_fails_half_way_keeps_what_was_read_before(house: House) -> None:
    unit = talk("pi:a", message("before"), unit="run 1", token="1")
    house.put("a", unit, Damaged(Path("a.fake"), "page 9"))
    house.night()
    assert house.ask("SELECT text FROM messages") == [("before",)]
    house.night(LATER)
    assert house.reader.known["a.fake"] == {"run 1": "1"}


def test_a_readers_own_fault_is_logged_and_the_night_goes_on(house: House) -> None:
    secret = "gh" + "p_" + "a1" * 18
    house.put("a", ZeroDivisionError(f"with {secret}"))
    house.put("b", whole())
    taken = house.night()
    assert taken.needs_a_look
    assert len(taken.troubles) == 1
    assert "a.fake: our own reader failed (ZeroDivisionError)" in taken.troubles[0]
    log = (house.state / "logs" / "bug-reader-2026-05-04.log").read_text()
    assert "Traceback" in log
    assert secret not in log
    assert house.ask("SELECT reason, detail FROM coverage WHERE status = 'refused'") == [
        ("unreadable", "ZeroDivisionError")
    ]
    assert house.ask("SELECT count(*) FROM messages") == [(3,)]


def test_only_the_reader_that_a_source_names_may_take_its_files(house: House) -> None:
    house.put("a", whole())
    other = FakeReader("other", b"fake")
    spec = SourceSpec(house.source, "other")
    other.holds = house.reader.holds
    house.night(sources=[spec], readers=[house.reader, other])
    assert house.reader.opened == []
    assert other.opened == ["a.fake"]


def test_a_file_below_two_sources_is_read_once(house: House) -> None:
    house.put("a", whole())
    both = [SourceSpec(house.source), SourceSpec(house.source.parent)]
    taken = house.night(sources=both)
    assert house.reader.opened == ["a.fake"]
    assert [total.found for total in taken.sources] == [1, 0]


def test_units_are_read_by_token_and_the_ones_gone_are_kept(house: House) -> None:
    def archive(*names: str) -> list[Transcript]:
        runs = [
            talk("pi:a", message(f"of {name}", minutes=int(name), run=f"run2:{name}"),
                 unit=name, token="t", runs=[Run(f"run2:{name}", "pi:a", int(name))])
            for name in names
        ]  # fmt: skip
        return [*runs, Transcript("", "", seen=names)]

    house.put("a", *archive("1", "2"))
    house.night()
    house.put("a", *archive("2", "3"))
    house.night(LATER)
    assert house.reader.known["a.fake"] == {"1": "t", "2": "t", "": ""}
    assert house.ask("SELECT run_id, gone FROM sightings ORDER BY ALL") == [
        ("run2:1", True),
        ("run2:2", False),
        ("run2:3", False),
    ]
    assert house.ask("SELECT run_id FROM runs ORDER BY ALL") == [
        ("run2:1",),
        ("run2:2",),
        ("run2:3",),
    ]


def test_a_changed_write_ahead_log_makes_a_database_new(house: House) -> None:
    path = house.put("a", whole())
    house.night()
    Path(f"{path}-wal").write_bytes(b"rows")
    house.reader.opened.clear()
    house.night()
    assert house.reader.opened == ["a.fake"]


def test_no_secret_reaches_the_state(house: House, shared: Path) -> None:
    lines = (shared / "cases/consolidation/secrets.jsonl").read_bytes()
    secrets = ("ghp_EXAMPLE", "notARealPw1", "TUFERSBVUCBOT1")
    texts = [
        "export DEPLOY_TOKEN=ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE1 and deploy from release",
        "postgres://app:notARealPw1@db.internal:5432/shop",
        "-----BEGIN PRIVATE KEY-----\nTUFERSBVUCBOT1QgQSBLRVk=\n-----END PRIVATE KEY-----\nNever.",
    ]
    assert all(secret.encode() in lines for secret in secrets)
    prompt = message("see the call", 0)
    rows = [message(text, n + 1) for n, text in enumerate(texts)]
    asked = dataclasses.replace(
        call(prompt), arguments='{"password":"hunter2hunter","command":"echo ' + texts[0] + '"}'
    )
    house.put("a", talk("pi:a", prompt, *rows, calls=[asked]))
    taken = house.night()
    assert taken.redacted == {"github-token": 2, "password": 1, "private-key": 1, "url-password": 1}
    stored = repr(house.everything()).encode() + b"".join(state_of(house).values())
    assert not any(secret.encode() in stored for secret in (*secrets, "hunter2hunter"))
    assert house.ask("SELECT text FROM messages WHERE number = 1") == [
        ("export DEPLOY_TOKEN=[redacted:github-token] and deploy from release",)
    ]
    assert house.ask(
        "SELECT line, detail, lost, count FROM coverage WHERE reason = 'redacted' ORDER BY ALL"
    ) == [
        (1, "github-token", False, 1),
        (1, "password", False, 1),
        (2, "github-token", False, 1),
        (3, "url-password", False, 1),
        (4, "private-key", False, 1),
    ]
    assert house.ask("SELECT count(DISTINCT mark) FROM removals WHERE kind = 'github-token'") == [
        (1,)
    ]


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(codec=None), max_size=30), min_size=1, max_size=12))
def test_any_text_is_stored_word_for_word_but_for_half_characters(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    house = House(tmp_path_factory.mktemp("text"))
    house.put("a", talk("pi:a", *(message(text, n) for n, text in enumerate(texts))))
    house.night()
    mended = ["".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text) for text in texts]
    assert [text for (text,) in house.ask("SELECT text FROM messages ORDER BY number")] == mended


def test_a_row_that_fits_no_column_costs_the_odd_value_alone(house: House) -> None:
    odd = message("odd", tokens_in=2**63 + 5, tokens_out=2**70, model="\ud800")
    house.put("a", talk("pi:a", odd, message("plain", 1, tokens_in=7)))
    house.night()
    assert house.ask("SELECT text, tokens_in, tokens_out, model FROM messages ORDER BY number") == [
        ("odd", None, None, "\ufffd"),
        ("plain", 7, None, None),
    ]


def test_a_very_long_line_is_stored_whole(house: House) -> None:
    house.put("a", talk("pi:a", message("x" * 60_000_000), message("short", 1)))
    house.night()
    assert house.ask("SELECT length(text) FROM messages ORDER BY number") == [(60_000_000,), (5,)]


def test_a_full_disk_leaves_what_was_stored_before(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.put("a", whole())
    house.night()
    relations = house.everything()
    house.put("b", *(talk(f"pi:{n}", message(f"m {n}", session=f"pi:{n}"), unit=str(n))
                     for n in range(3)))  # fmt: skip
    sync = os.fsync

    def no_room(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    for place in ("dream.archive.parts.os.fsync", "dream.archive.manifest.os.fsync"):
        monkeypatch.setattr(place, no_room)
        with pytest.raises(StateBroken, match=r"(?s)No space left.*as it was.*goes on"):
            house.night(LATER)
        assert house.everything() == relations
        monkeypatch.setattr("os.fsync", sync)
    house.night(LATER)
    assert house.ask("SELECT count(*) FROM messages") == [(6,)]


def test_a_disk_that_takes_no_parquet_is_told_as_such(house: House) -> None:
    house.put("a", talk("pi:a", *(message(os.urandom(9000).hex(), n) for n in range(40))))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(StateBroken, match="could not be written"):
            house.night()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert house.everything()["messages"] == []
    house.night()
    assert house.ask("SELECT count(*) FROM messages") == [(40,)]


def test_parts_hold_many_files_and_end_when_they_are_full(house: House) -> None:
    for n in range(9):
        session = f"pi:{n}"
        house.put(f"f{n}", talk(session, message("w" * 900, n, session=session)))
    house.night(part=3000)
    manifest = load(house.state)
    assert [part.rows for part in manifest.parts.values()] == [6, 6, 6, 6, 3]
    assert house.ask("SELECT count(*) FROM messages") == [(9,)]


def test_a_manifest_of_another_make_is_refused_and_left_alone(house: House) -> None:
    house.put("a", whole())
    house.night()
    path = house.state / "manifest.json"
    for broken in (b"{", b'{"format":99}', b"[]"):
        path.write_bytes(broken)
        with pytest.raises(StateBroken, match="Nothing was written"):
            house.night()
        with pytest.raises(StateBroken):
            house.ask("SELECT 1")
        assert path.read_bytes() == broken


def test_a_missing_part_is_named(house: House) -> None:
    house.put("a", whole())
    house.night()
    (house.state / "parts/000001/messages.parquet").unlink()
    with pytest.raises(StateBroken, match=r"messages\.parquet"):
        house.ask("SELECT 1")


def test_the_state_is_for_its_owner_only(house: House) -> None:
    house.put("a", whole())
    house.night()
    for path in (house.state, house.state / "parts", house.state / "manifest.json"):
        assert path.stat().st_mode & 0o077 == 0


def test_sources_are_left_as_they_were(house: House) -> None:
    house.put("a", whole())
    before = {path: path.stat() for path in (house.source, *house.source.iterdir())}
    house.night()
    after = {path: path.stat() for path in (house.source, *house.source.iterdir())}
    assert [(s.st_mtime_ns, s.st_size) for s in before.values()] == [
        (s.st_mtime_ns, s.st_size) for s in after.values()
    ]


PLAIN = {
    *("session_id", "agent", "kind", "parent_id", "agent_version", "run_id", "state", "message_id"),
    *("role", "copy_key", "digest", "name", "parent", "reply_id", "model", "stop", "call_id"),
    *("status", "result_id", "branch_id", "fork_point", "compaction_id", "trigger", "kept_from"),
    *("memory_id", "ledger_id", "relevance", "covers_up_to", "stated", "target", "mark"),
    *("checkpoint_id", "session", "commit_id", "moved_from", "repository", "anchor", "before"),
    *("change", "blob_id", "last"),
}
"""Fields with ids, numbers in words, and words from short lists: no secret can stand there."""


def test_every_field_with_words_is_looked_through_for_secrets() -> None:
    for table in TABLES.values():
        words = {name for name, kind in table.columns.items() if kind == "VARCHAR"}
        words -= set(TEXTS.get(table.noun.__name__, ()))
        assert words - PLAIN <= {"reason"}, table.name  # of a Skip: a word of SKIPS


def test_the_messages_of_a_session_without_a_head_are_kept(house: House) -> None:
    lonely = Transcript("", "t", messages=[message("hello", session="pi:z")], records=1)
    house.put("a", lonely)
    house.night()
    assert house.ask("SELECT session_id, agent, kind, messages FROM sessions") == [
        ("pi:z", "pi", "unknown", 1)
    ]
    assert house.ask("SELECT run_id, number FROM runs") == [("pi:z:1", 1)]


def test_an_empty_state_has_every_relation_and_no_row(house: House) -> None:
    assert all(rows == [] for rows in house.everything().values())
    assert not house.state.exists()
    house.night()
    assert all(rows == [] for rows in house.everything().values())
