import sqlite3
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
import zstandard

from dream.errors import Damaged, NotAnArchive
from dream.records import Skip
from dream.sources import run2, run2_payload
from dream.sources.registry import READERS
from tests.sources.run2_maker import (
    PI_ID,
    START,
    Maker,
    asks,
    messages,
    read,
    reply,
    result,
    said,
    user,
)  # fmt: skip


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path / "runs.sqlite")


def test_the_reader_is_registered_and_finds_archives_by_name(tmp_path: Path) -> None:
    assert run2 in READERS
    for name in ("b/runs.sqlite", "a/x.sqlite", "a/x.sqlite-wal", "a/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert list(run2.find(tmp_path)) == [tmp_path / "a/x.sqlite", tmp_path / "b/runs.sqlite"]
    assert list(run2.find(tmp_path / "a/notes.txt")) == [tmp_path / "a/notes.txt"]
    assert run2.claims(tmp_path, b"SQLite format 3\x00...")
    assert not run2.claims(tmp_path, b"{}")


def test_a_run_becomes_messages_and_calls_that_lead_back(maker: Maker, tmp_path: Path) -> None:
    maker.run(
        user("Run the tests.", 1),
        asks("call_00000001", "pytest", 2),
        result("call_00000001", "no\n\nCommand exited with code 127", 3, failed=True),
        asks("call_00000002", "uv run pytest", 4),
        result("call_00000002", "3 passed", 5),
        reply("They pass.", 6),
    )
    first, last = read(maker.close(), tmp_path / "scratch")
    (run,) = first.runs
    session = f"pi:{PI_ID}"
    assert (run.name, run.session_id, run.number, run.state) == ("r1", session, 1, "settled")
    assert [m.name for m in first.messages] == [f"r1/m{n}" for n in range(1, 7)]
    assert [m.kind for m in first.messages] == [
        "prompt", "reply", "result", "reply", "result", "reply",
    ]  # fmt: skip
    assert [m.parent for m in first.messages[1:]] == [m.message_id for m in first.messages[:-1]]
    assert first.messages[0].happened == START + timedelta(minutes=1)
    failed, passed = first.calls
    assert (failed.status, failed.exit_code, failed.tool) == ("error", 127, "bash")
    assert failed.result_id == first.messages[2].message_id
    assert failed.message_id == first.messages[1].message_id
    assert (passed.status, passed.exit_code) == ("ok", None)
    assert orjson.loads(passed.arguments) == {"command": "uv run pytest"}
    assert first.skips == []
    assert [(s.session_id, s.cwd, s.title) for s in last.sessions] == [
        (session, "/home/dev/shop", "Shop")
    ]


def test_all_three_ways_of_storing_a_payload_give_the_same_message(tmp_path: Path) -> None:
    found = []
    for place, way in enumerate((None, 0, 1)):
        maker = Maker(tmp_path / f"{place}.sqlite")
        maker.archive.dictionary(b'{"role":"user","content":[{"type":"text","text":"Sort', START, 1)
        maker.run(user("Sort the list by date, please."), dictionary=way)
        (message,) = messages(read(maker.close(), tmp_path / "scratch"))
        found.append((message.digest, message.text, message.copy_key))
    assert len(set(found)) == 1


def test_a_wrong_dictionary_never_gives_other_words(tmp_path: Path) -> None:
    """A frame does not say which dictionary it was made with, and has no checksum."""
    maker = Maker(tmp_path / "runs.sqlite")
    texts = [f"Never round {word} before the total." for word in ("prices", "taxes", "weights")]
    held = b"".join(orjson.dumps(user(text)) for text in texts)
    maker.archive.dictionary(held, START, 3)
    for text in texts:
        maker.run(user(text), reply(text), dictionary=1)
    maker.sql("UPDATE dicts SET bytes = ?", held[7:] + held[:7])
    units = read(maker.close(), tmp_path / "scratch")
    assert messages(units) == []
    assert sum(skip.reason == "undecodable" for unit in units for skip in unit.skips) == 6


def test_a_frame_that_claims_gigabytes_is_not_decompressed(maker: Maker, tmp_path: Path) -> None:
    bomb = zstandard.ZstdCompressor().compress(b"\0" * (run2_payload.LIMIT + 1))
    maker.run(user("before"), user("bomb"), user("after"))
    maker.sql("UPDATE messages SET payload = ? WHERE first_seq = 2", bomb)
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert [m.name for m in unit.messages] == ["r1/m1", "r1/m3"]
    assert [(skip.reason, skip.line) for skip in unit.skips] == [("too_long", 2)]


def test_a_frame_that_does_not_say_its_size_is_read_to_its_end(
    maker: Maker, tmp_path: Path
) -> None:
    packer = zstandard.ZstdCompressor(write_content_size=False)
    data = orjson.dumps(user("Streamed."))
    whole = packer.compressobj()
    frame = whole.compress(data) + whole.flush()
    assert zstandard.frame_content_size(frame) == -1
    maker.run(user("x"))
    maker.sql("UPDATE messages SET payload = ?", frame)
    (message,) = messages(read(maker.close(), tmp_path / "scratch"))
    assert message.text == "Streamed."


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b'{"role":"user","content":"half \\ud83d of it"}', "lone_surrogate"),
        (b'{"role":"assistant","content":"x"}', "undecodable"),
        (b'["role"]', "undecodable"),
        (b'{"content":"x"}', "undecodable"),
        (b'{"role":"user","content":"\xff"}', "undecodable"),
        (b'{"role":"user","content":' + b"[" * 5000 + b"]" * 5000 + b"}", "undecodable"),
        (b"", "undecodable"),
    ],
)
def test_an_odd_payload_costs_only_itself(
    maker: Maker, tmp_path: Path, payload: bytes, reason: str
) -> None:
    maker.run(user("one"), user("two"), user("three"), dictionary=None)
    maker.sql("UPDATE messages SET payload = ? WHERE first_seq = 2", payload)
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert [(skip.reason, skip.line) for skip in unit.skips] == [(reason, 2)]
    texts = {m.name: m.text for m in unit.messages}
    assert (texts["r1/m1"], texts["r1/m3"]) == ("one", "three")
    if reason == "lone_surrogate":
        assert texts["r1/m2"] == "half � of it"


def test_a_missing_picture_and_a_lost_argument_are_told_apart(maker: Maker, tmp_path: Path) -> None:
    there, gone, lost = ("sha256-" + digit * 64 for digit in "abc")
    image = {"type": "image", "mimeType": "image/png", "bytes": 9}
    path = tmp_path / "runs.sqlite-blobs" / "aa" / f"{'a' * 62}.png"
    path.parent.mkdir(parents=True)
    path.touch()
    call = asks("call_00000001", "x")
    call["content"][0]["arguments"] = {
        "data": {"ref": lost, "bytes": 4, "mimeType": "application/octet-stream"}
    }
    content = [{**image, "ref": there}, {**image, "ref": gone}]
    maker.run({**user(""), "content": content}, call)
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert unit.skips == [
        Skip("missing_blob", 1, "b" * 12),
        Skip("lost_argument", 2, "c" * 12),
    ]


def test_a_prompt_that_an_extension_sent_is_not_a_persons(maker: Maker, tmp_path: Path) -> None:
    maker.event("input", source="rpc")
    maker.run(user("Typed."))
    maker.event("input", source="extension")
    maker.run(user("Always deploy on Fridays."))
    maker.event("input", source="interactive")
    maker.run(user("Typed again."))
    maker.run(said("custom", "Execute the next step."), reply("Done."))
    units = read(maker.close(), tmp_path / "scratch")
    assert [(m.role, m.kind) for m in messages(units)] == [
        ("human", "prompt"),
        ("injected", "meta"),
        ("human", "prompt"),
        ("injected", "meta"),
        ("assistant", "reply"),
    ]


def test_messages_outside_of_any_run_are_a_unit_of_their_own(maker: Maker, tmp_path: Path) -> None:
    maker.run(user("In a run."))
    maker.message(None, user("Outside."))
    units = read(maker.close(), tmp_path / "scratch")
    assert [unit.unit for unit in units][1:] == ["loose:1:", ""]
    (message,) = units[1].messages
    assert (message.text, message.name) == ("Outside.", "m2")
    assert message.run_id == units[1].runs[0].run_id == f"pi:{PI_ID}:start"
    assert units[-1].seen == [units[0].unit, "loose:1:"]


def test_words_left_behind_by_a_deleted_run_do_not_come_back(maker: Maker, tmp_path: Path) -> None:
    kept = maker.run(user("Keep."))
    gone = maker.run(user("Forget."))
    maker.archive.delete_run(gone, START + timedelta(days=3), "asked")
    maker.message(gone, user("Left behind."))
    units = read(maker.close(), tmp_path / "scratch")
    assert [m.text for m in messages(units)] == ["Keep."]
    (deletion,) = units[-1].deletions
    assert (deletion.name, deletion.deleted) == (f"r{gone}", START + timedelta(days=3))
    assert kept == 1
    assert [(skip.reason, skip.detail) for skip in units[-1].skips] == [("deleted", "r2")]


def test_a_message_without_a_time_takes_the_one_of_its_event(maker: Maker, tmp_path: Path) -> None:
    bare = {"role": "user", "content": "Go on."}
    maker.run(bare, bare)
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert [m.happened for m in unit.messages] == [START, START]


def test_messages_of_no_known_time_are_no_copies_of_each_other(
    maker: Maker, tmp_path: Path
) -> None:
    bare = {"role": "user", "content": "Go on."}
    maker.run(bare, bare)
    maker.sql("DELETE FROM events")
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert [m.happened for m in unit.messages] == [None, None]
    assert len({m.copy_key for m in unit.messages}) == 2


def test_a_running_run_is_left_and_read_once_it_has_ended(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "runs.sqlite")
    maker.run(user("Done."))
    maker.run(user("Going."), status="running", ended=False)
    maker.archive.connection.commit()
    first = read(maker.path, tmp_path / "scratch")
    assert [m.text for m in messages(first)] == ["Done."]
    assert [(s.reason, s.detail, s.lost) for s in first[-1].skips] == [("running", "r2", False)]
    maker.message(2, reply("Gone."))
    maker.sql("UPDATE runs SET status = 'completed', ended_at = updated_at WHERE ordinal = 2")
    known = {unit.unit: unit.token for unit in first}
    second = read(maker.close(), tmp_path / "scratch", known)
    assert [m.text for m in messages(second)] == ["Going.", "Gone."]


@pytest.mark.parametrize(
    ("status", "ended", "recovered", "state"),
    [
        ("completed", True, False, "settled"),
        ("completed", False, True, "stopped"),
        ("completed", True, True, "stopped"),
        ("interrupted", True, False, "interrupted"),
        ("failed", True, False, "stopped"),
        ("recovery_required", False, False, "stopped"),
    ],
)
def test_completed_says_that_recording_ended_and_nothing_more(
    maker: Maker, tmp_path: Path, status: str, ended: bool, recovered: bool, state: str
) -> None:
    run = maker.run(user("Go.", 7), status=status, ended=ended)
    if recovered:
        maker.event("archive.recording_stopped", run, reason="writer_disappeared")
    (read_back,) = read(maker.close(), tmp_path / "scratch")[0].runs
    assert read_back.state == state
    if not ended:  # the last thing that is known of it
        assert read_back.ended == START + timedelta(minutes=7)


def test_a_run_that_a_person_broke_off_is_interrupted(maker: Maker, tmp_path: Path) -> None:
    maker.run(user("Go."), reply("The import has", stopReason="aborted"))
    maker.run(user("Go."), asks("call_00000001", "x") | {"stopReason": "aborted"})
    units = read(maker.close(), tmp_path / "scratch")
    assert [unit.runs[0].state for unit in units[:-1]] == ["interrupted", "interrupted"]
    assert [call.status for call in units[1].calls] == ["interrupted"]


def test_an_unknown_status_is_believed_only_with_an_end(maker: Maker, tmp_path: Path) -> None:
    maker.run(user("Ended."))
    maker.run(user("Open."), ended=False)
    maker.sql("PRAGMA ignore_check_constraints = ON")
    maker.sql("UPDATE runs SET status = 'paused'")
    units = read(maker.close(), tmp_path / "scratch")
    assert [m.text for m in messages(units)] == ["Ended."]
    assert [(skip.reason, skip.lost) for skip in units[-1].skips] == [
        ("bad_shape", False),
        ("bad_shape", True),
    ]


def test_a_branch_left_for_the_root_makes_its_runs_inactive_and_read_again(
    tmp_path: Path,
) -> None:
    maker = Maker(tmp_path / "runs.sqlite")
    maker.run(user("First try."))
    maker.archive.connection.commit()
    before = read(maker.path, tmp_path / "scratch")
    assert before[0].messages[0].active
    left = maker.branch
    maker.branch = maker.archive.branch(maker.session, START, "tree_navigation", left, None)
    maker.run(user("Second try."))
    after = read(maker.close(), tmp_path / "scratch", {u.unit: u.token for u in before})
    assert [(m.text, m.active) for m in messages(after)] == [
        ("First try.", False),
        ("Second try.", True),
    ]
    assert [branch.active for branch in after[-1].branches] == [False, True]


def test_a_branch_left_for_an_entry_says_which_and_keeps_what_it_cannot_tell(
    maker: Maker, tmp_path: Path
) -> None:
    maker.run(user("First try."))
    left = maker.branch
    maker.branch = maker.archive.branch(maker.session, START, "tree_navigation", left, "9f2c")
    entry = {"id": "9f2c", "summary": "Tried and given up."}
    maker.event("session_tree", newLeafId="9f2c", summaryEntry=entry)
    units = read(maker.close(), tmp_path / "scratch")
    old, new = units[-1].branches
    assert (old.active, old.length, old.fork_point) == (False, 1, f"pi:{PI_ID}/9f2c")
    assert (old.summary, new.summary) == ("Tried and given up.", None)
    assert messages(units)[0].active


def test_a_session_resumed_in_another_folder_is_one_session(maker: Maker, tmp_path: Path) -> None:
    maker.run(user("Here."))
    again = maker.archive.session(PI_ID, "/home/dev/other", START, START + timedelta(days=1), "New")
    maker.session, maker.runs = again, 0
    maker.branch = maker.archive.branch(again, START)
    maker.run(user("There."))
    units = read(maker.close(), tmp_path / "scratch")
    (session,) = units[-1].sessions
    assert (session.cwd, session.title) == ("/home/dev/shop", "New")
    assert session.ended == START + timedelta(days=1)
    assert [unit.runs[0].number for unit in units[:-1]] == [1, 2]


def test_a_fork_names_its_parent_and_compactions_are_told(maker: Maker, tmp_path: Path) -> None:
    file = (
        "/home/dev/.pi/agent/sessions/--home-dev-shop--/2026-03-01T08-00-00-000Z_01a1-parent.jsonl"
    )
    maker.event("session_start", reason="fork", previousSessionFile=file)
    maker.event("session_compact", reason="overflow")
    maker.event("session_compact", reason="manual")
    last = read(maker.close(), tmp_path / "scratch")[-1]
    assert last.sessions[0].parent_id == "pi:01a1-parent"
    assert [(c.trigger, c.number) for c in last.compactions] == [("auto", 2), ("manual", 3)]


def test_short_call_ids_of_a_model_that_counts_anew_stay_apart(
    maker: Maker, tmp_path: Path
) -> None:
    for minute in (1, 3):
        maker.run(user("x"), asks("call_0", "ls", minute), result("call_0", "ok", minute + 1))
    units = read(maker.close(), tmp_path / "scratch")
    calls = [call for unit in units for call in unit.calls]
    assert len({call.call_id for call in calls}) == 2
    assert [call.status for call in calls] == ["ok", "ok"]


def test_a_result_without_a_call_and_a_second_result_are_noticed(
    maker: Maker, tmp_path: Path
) -> None:
    maker.run(
        asks("call_00000001", "ls"),
        result("call_00000001", "a"),
        result("call_00000001", "b"),
        result("call_00000009", "c"),
    )
    unit = read(maker.close(), tmp_path / "scratch")[0]
    assert len(unit.messages) == 4
    assert [(s.reason, s.line, s.lost) for s in unit.skips] == [
        ("duplicate_result", 3, False),
        ("result_without_call", 4, False),
    ]


def test_an_archive_that_is_written_to_while_it_is_read_gives_each_run_once(
    tmp_path: Path,
) -> None:
    maker = Maker(tmp_path / "runs.sqlite")
    for number in range(600):
        maker.run(user(f"Ask {number}."))
    path = maker.close()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    units = []
    for unit in run2.read(path, {}, scratch):
        units.append(unit)
        if len(units) == 10:
            writer = sqlite3.connect(path)
            writer.execute(
                "INSERT INTO runs SELECT 601, 'new', session_ref, branch_ref, 601, agent_id,"
                " status, started_at, ended_at, updated_at, reason, overview, summary_error, goal"
                " FROM runs WHERE ordinal = 1"
            )
            writer.execute("UPDATE messages SET run_ref = 601 WHERE run_ref = 600")
            writer.commit()
    writer.close()
    names = [unit.runs[0].name for unit in units if unit.unit]
    assert len(set(names)) == len(names) == 601
    assert {unit.unit for unit in units if unit.unit} == set(units[-1].seen)
    by_name = {unit.runs[0].name: unit for unit in units if unit.unit}
    assert [m.text for m in by_name["r601"].messages] == ["Ask 599."]
    assert by_name["r600"].messages == []


@pytest.mark.parametrize("table", ["sessions", "runs", "messages"])
def test_without_a_table_that_is_needed_it_is_damaged(
    maker: Maker, tmp_path: Path, table: str
) -> None:
    maker.run(user("x"))
    maker.sql(f"DROP TABLE {table}")
    with pytest.raises(Damaged, match=f"no table {table}"):
        read(maker.close(), tmp_path / "scratch")


def test_without_another_table_it_is_read_with_a_note(maker: Maker, tmp_path: Path) -> None:
    maker.run(user("x"))
    for table in ("events", "branches", "deleted_runs", "dicts", "writers"):
        maker.sql(f"DROP TABLE {table}")
    units = read(maker.close(), tmp_path / "scratch")
    assert [m.text for m in messages(units)] == ["x"]
    assert sorted(skip.detail for skip in units[-1].skips) == [
        "no table branches", "no table deleted_runs", "no table events",
    ]  # fmt: skip


def test_a_view_in_the_place_of_a_table_is_not_run(maker: Maker, tmp_path: Path) -> None:
    maker.sql("DROP TABLE messages")
    maker.sql(
        "CREATE VIEW messages AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id FROM n)"
        " SELECT id FROM n"
    )
    with pytest.raises(Damaged, match="no table messages"):
        read(maker.close(), tmp_path / "scratch")


def test_the_mark_alone_does_not_make_a_layout(maker: Maker, tmp_path: Path) -> None:
    maker.sql("PRAGMA user_version = 0")
    with pytest.raises(NotAnArchive, match="layout 0"):
        read(maker.close(), tmp_path / "scratch")


def test_an_empty_archive_is_read_and_says_so_little(maker: Maker, tmp_path: Path) -> None:
    maker.sql("DELETE FROM branches")
    maker.sql("DELETE FROM sessions")
    (last,) = read(maker.close(), tmp_path / "scratch")
    assert (last.unit, last.sessions, last.seen, last.skips) == ("", [], [], [])
