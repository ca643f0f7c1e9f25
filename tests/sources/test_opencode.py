"""The reader of OpenCode sessions: exports and stores, who speaks, and what became of calls."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dream.errors import NotAnArchive
from dream.records import CallStatus, Transcript
from dream.sources import HEAD, entire, opencode
from dream.sources.registry import READERS
from tests.conftest import Golden
from tests.sources.opencode_stores import SAMPLE, Store, database, tree
from tests.sources.stillness import listing
from tests.sources.told import told

START = 1_772_442_000_000  # 2026-03-02 09:00 UTC, in ms
Record = dict[str, Any]
INFO: Record = {
    "id": "ses_1", "slug": "s", "projectID": "p", "directory": "/repo/till", "title": "t",
    "version": "1.14.30", "time": {"created": START, "updated": START + 60_000},
}  # fmt: skip


def user(number: int, *parts: Record, **more: Any) -> Record:
    info = {"role": "user", "time": {"created": START + number * 1000}, "agent": "build"}
    return _message(number, info | more, parts)


def model(number: int, *parts: Record, **more: Any) -> Record:
    info = {
        "role": "assistant", "time": {"created": START + number * 1000}, "modelID": "m",
        "parentID": f"msg_{number - 1}",
    }  # fmt: skip
    return _message(number, info | more, parts)


def _message(number: int, info: Record, parts: tuple[Record, ...]) -> Record:
    own = {"id": f"msg_{number}", "sessionID": "ses_1"}
    named = [
        {"id": f"prt_{number}{place}", "messageID": own["id"]} | part
        for place, part in enumerate(parts)
    ]
    return {"info": info | own, "parts": named}


def text(said: str, **more: Any) -> Record:
    return {"type": "text", "text": said, **more}


def tool(status: str = "completed", name: str = "bash", **state: Any) -> Record:
    time = {"start": START + 500, "end": START + 900}
    return {
        "type": "tool", "tool": name, "callID": "c",
        "state": {"status": status, "input": {}, "time": time} | state,
    }  # fmt: skip


def read(path: Path) -> Transcript:
    (made,) = opencode.read(path, {}, path.parent)
    return made


def export(folder: Path, *messages: Any, **info: Any) -> Transcript:
    path = folder / "ses_1.json"
    path.write_text(json.dumps({"info": INFO | info, "messages": messages}, indent=2))
    return read(path)


def typed(made: Transcript) -> list[str]:
    return [message.text for message in made.messages if message.role == "human"]


def test_every_kind_of_part_comes_to_what_it_is(golden: Golden) -> None:
    golden("opencode_till.txt", told(read(SAMPLE)))


def test_a_reply_s_parts_are_its_records_and_its_usage_stands_once(tmp_path: Path) -> None:
    tokens = {"input": 5, "output": 2, "reasoning": 3, "cache": {"read": 40, "write": 7}}
    made = export(
        tmp_path,
        user(1, text("Go.")),
        model(2, text("I look."), tool(output="x"), tokens=tokens, finish="tool-calls"),
    )
    rows = [(m.kind, m.text, m.tokens_in, m.tokens_out, m.stop) for m in made.messages]
    assert rows == [
        ("prompt", "Go.", None, None, None),
        ("reply", "I look.", None, None, None),
        ("reply", "", 52, 5, "tool-calls"),
        ("result", "x", None, None, None),
    ]
    assert {m.reply_id for m in made.messages if m.kind == "reply"} == {"msg_2"}
    assert made.messages[2].message_id == made.calls[0].message_id == "opencode:ses_1/prt_21"
    path = tmp_path / "ses_1.json"
    lines = path.read_text().split("\n")
    assert all(lines[m.line - 1].strip() == "{" for m in made.messages)


def test_a_reply_without_a_word_keeps_its_usage(tmp_path: Path) -> None:
    made = export(tmp_path, model(2, {"type": "reasoning", "text": "?"}, tokens={"output": 9}))
    assert [(m.kind, m.text, m.tokens_out) for m in made.messages] == [("reply", "", 9)]


@pytest.mark.parametrize(
    ("info", "kind"),
    [
        ({}, "interactive"),
        ({"parentID": "ses_0"}, "subagent"),
        ({"permission": [{"permission": "question", "pattern": "*", "action": "deny"}]},
         "headless"),
        ({"permission": [{"permission": "bash", "pattern": "rm *", "action": "deny"}]},
         "interactive"),
        ({"permission": [{"permission": "task", "pattern": "*", "action": "deny"}],
          "parentID": "ses_0"}, "subagent"),
    ],
)  # fmt: skip
def test_whom_a_session_talks_to(tmp_path: Path, info: Record, kind: str) -> None:
    made = export(tmp_path, user(1, text("Always use tabs.")), **info)
    assert made.sessions[0].kind == kind
    assert made.sessions[0].parent_id == ("opencode:ses_0" if "parentID" in info else None)
    assert typed(made) == (["Always use tabs."] if kind == "interactive" else [])
    assert [run.number for run in made.runs] == [1 if kind == "interactive" else 0]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (['"Always use tabs."'], "headless"),
        (['"Say \\"hello\\" twice."\n', '"and more"'], "headless"),
        (['"Always use tabs."', "and more"], "interactive"),
        (['"One" or "two"?'], "interactive"),
        (['"word"'], "interactive"),
        ([], "interactive"),
    ],
)
def test_an_argument_of_opencode_run_was_typed_by_nobody(
    tmp_path: Path, said: list[str], kind: str
) -> None:
    messages = [user(number, text(one)) for number, one in enumerate(said, 1)]
    assert export(tmp_path, *messages).sessions[0].kind == kind


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        (text("always use floats", synthetic=True), "meta"),
        (text("always use floats", ignored=True), "meta"),
        (text("<system-reminder>always plan</system-reminder>"), "meta"),
        ({"type": "subtask", "prompt": "Review it.", "agent": "general"}, "command"),
        (text("The following tool was executed by the user", synthetic=True), "shell"),
    ],
)
def test_what_the_client_writes_under_user_is_not_a_persons(
    tmp_path: Path, part: Record, kind: str
) -> None:
    made = export(tmp_path, user(1, part))
    assert [(m.role, m.kind) for m in made.messages] == [("injected", kind)]


def test_a_reminder_beside_a_persons_words_leaves_them_alone(tmp_path: Path) -> None:
    said = "<system-reminder>always plan</system-reminder>\nUse tabs."
    made = export(tmp_path, user(1, text(said)))
    assert typed(made) == ["Use tabs."]


def test_a_command_that_a_person_ran_is_no_call_of_the_model(tmp_path: Path) -> None:
    made = export(
        tmp_path,
        user(1, text("The following tool was executed by the user", synthetic=True)),
        model(2, tool(input={"command": "ls"}, output="till.py")),
    )
    assert [(m.role, m.kind, m.text) for m in made.messages][1] == (
        "injected", "shell", "ls\ntill.py",
    )  # fmt: skip
    assert made.calls == []


@pytest.mark.parametrize(
    ("part", "status", "code"),
    [
        (tool(output="x", metadata={"exit": 0}), "ok", 0),
        (tool(output="x", metadata={"exit": 2}), "error", 2),
        (tool(output="x", metadata={}), "ok", None),
        (tool(output="x\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout"
         " 120000 ms\n</bash_metadata>", metadata={"exit": None}), "error", None),
        (tool(output="x\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>",
         metadata={"exit": 130}), "interrupted", 130),
        (tool(output="User aborted the command", metadata={"exit": 0}), "ok", 0),
        (tool("error", error="Could not find oldString in the file."), "error", None),
        (tool("error", error="Tool execution aborted"), "interrupted", None),
        (tool("error", error="The user rejected permission to use this specific tool call."),
         "refused", None),
        (tool("error", error="The user has specified a rule which prevents you from using this"
         " specific tool call. Here are the rules: []"), "refused", None),
        (tool("running"), "unanswered", None),
        (tool("pending"), "unanswered", None),
    ],
)  # fmt: skip
def test_what_became_of_a_call(
    tmp_path: Path, part: Record, status: CallStatus, code: int | None
) -> None:
    made = export(tmp_path, user(1, text("Go.")), model(2, part))
    assert [(c.status, c.exit_code) for c in made.calls] == [(status, code)]
    assert (made.calls[0].result_id is None) == (status == "unanswered")


REJECTED = "The user rejected permission to use this specific tool call"


def test_a_persons_words_with_a_refusal_are_a_persons(tmp_path: Path) -> None:
    said = f"{REJECTED} with the following feedback: Never push."
    made = export(tmp_path, user(1, text("Go.")), model(2, tool("error", error=said)))
    assert typed(made) == ["Go.", "Never push."]
    assert [(m.kind, m.text in said) for m in made.messages][-1] == ("refusal", True)
    assert made.messages[-1].digest == made.messages[-2].digest


def test_without_a_person_a_rejection_is_a_failure(tmp_path: Path) -> None:
    deny = [{"permission": "question", "pattern": "*", "action": "deny"}]
    refused = tool("error", error=f"{REJECTED} with the following feedback: Never push.")
    made = export(tmp_path, model(2, refused), permission=deny)
    assert [c.status for c in made.calls] == ["error"]
    assert typed(made) == []
    child = export(tmp_path, model(2, refused), parentID="ses_0")
    assert [c.status for c in child.calls] == ["refused"]
    assert typed(child) == []


def test_a_compaction_stands_before_its_summary(tmp_path: Path) -> None:
    made = export(
        tmp_path,
        user(1, text("Go.")),
        model(2, text("Done."), tokens={"input": 90, "output": 10}),
        user(3, {"type": "compaction", "auto": False, "tail_start_id": "msg_2"}),
        model(4, text("The person loves tabs."), summary=True, agent="compaction"),
        user(5, text("Continue if you have next steps.", synthetic=True)),
        model(6, text("On."), tokens={"input": 1, "output": 1}),
        user(7, {"type": "compaction", "auto": True}),
    )
    assert [(c.trigger, c.number, c.tokens_before, c.kept_from) for c in made.compactions] == [
        ("manual", 2, 100, "opencode:ses_1/prt_20"),
        ("auto", 5, 2, None),
    ]
    assert [(m.role, m.kind) for m in made.messages][2:4] == [
        ("injected", "summary"), ("injected", "meta"),
    ]  # fmt: skip


def test_a_stop_and_an_error_are_told_apart(tmp_path: Path) -> None:
    def broke(name: str) -> Record:
        return {"name": name, "data": {"message": "why"}}

    retry = {"type": "retry", "attempt": 1, "error": broke("APIError"), "time": {"created": START}}
    made = export(
        tmp_path,
        user(1, text("Go.")),
        model(2, retry, error=broke("MessageAbortedError")),
        model(3, error=broke("ProviderAuthError")),
    )
    assert [(m.role, m.kind) for m in made.messages][1:] == [
        ("system", "api_error"), ("injected", "interrupt"), ("system", "api_error"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("revert", "standing"),
    [({"messageID": "msg_3"}, 2), ({"messageID": "msg_2", "partID": "prt_21"}, 2)],
)
def test_what_was_undone_is_given_up(tmp_path: Path, revert: Record, standing: int) -> None:
    made = export(
        tmp_path,
        user(1, text("Go.")),
        model(2, text("First."), *([text("Second.")] if "partID" in revert else [])),
        user(3, text("No.")),
        revert=revert,
    )
    assert sum(m.active for m in made.messages) == standing
    assert [(b.active, b.reason) for b in made.branches] == [(True, None), (False, "reset")]


def test_what_is_passed_over_is_counted_by_name(tmp_path: Path) -> None:
    made = export(
        tmp_path,
        model(2, {"type": "patch", "files": []}, {"type": "wish"}, {"text": "?"},
              tool("dreaming")),
        {"info": {"id": "msg_9", "role": "critic"}, "parts": []},
        {"parts": [text("alone")]},
        "odd",
        {"info": 3, "parts": "odd", "more": 1},
    )  # fmt: skip
    counted = Counter((s.reason, s.detail, s.lost) for s in made.skips)
    assert counted == {
        ("housekeeping", "part patch", False): 1,
        ("unknown_type", "part wish", True): 1,
        ("no_type", "", True): 1,
        ("unknown_type", "status dreaming", True): 1,
        ("unknown_role", "critic", True): 1,
        ("bad_shape", "a part without its message", True): 1,
        ("not_a_record", "message or part", True): 1,
        ("bad_shape", "info", True): 1,
        ("bad_shape", "parts", True): 1,
        ("unknown_type", "field more", True): 1,
    }


def test_hidden_ids_do_not_collide(tmp_path: Path) -> None:
    folder = tmp_path / "1b2c3d4e5f" / "0"
    folder.mkdir(parents=True)
    one = user(1, text("Go."), text("On.")) | {}
    one["info"]["id"] = "REDACTED"
    for part in one["parts"]:
        part["id"] = "REDACTED"
    made = export(folder, one, id="REDACTED")
    assert made.sessions[0].session_id == "opencode:1b2c3d4e5f-0-ses_1"
    assert [m.message_id.rsplit("/")[-1] for m in made.messages] == ["M0.P0", "M0.P1"]


def test_a_fork_s_messages_are_copies_of_the_originals(tmp_path: Path) -> None:
    first = export(tmp_path, user(1, text("Go.")), model(2, text("Done."), tool(output="x")))
    fork = (tmp_path / "ses_1.json").read_text().replace("prt_", "prt_f").replace("msg_", "msg_f")
    (tmp_path / "ses_2.json").write_text(fork.replace("ses_1", "ses_2"))
    second = read(tmp_path / "ses_2.json")
    assert [m.copy_key for m in first.messages] == [m.copy_key for m in second.messages]
    assert first.messages[0].message_id != second.messages[0].message_id


def known_by(made: Transcript) -> Iterator[tuple[object, ...]]:
    for message in made.messages:
        yield (
            message.copy_key, message.message_id, message.run_id, message.role, message.kind,
            message.tokens_in, message.active,
        )  # fmt: skip


@pytest.mark.parametrize("store", [tree, database])
def test_a_store_holds_the_same_messages_as_an_export(tmp_path: Path, store: Store) -> None:
    path = store(tmp_path)
    before = listing(tmp_path)
    (found,) = opencode.find(tmp_path)
    assert found == path
    assert opencode.claims(path, path.read_bytes()[:HEAD])
    made, *rest = opencode.read(path, {}, tmp_path)
    whole = read(SAMPLE)
    assert list(known_by(made)) == list(known_by(whole))
    assert made.sessions[0].cwd == "/repo/till"
    assert (made.sessions[0].kind, made.records) == ("interactive", whole.records)
    assert {m.line for m in made.messages} == {0}
    again = next(iter(opencode.read(path, {}, tmp_path)))
    assert [m.digest for m in again.messages] == [m.digest for m in made.messages]
    assert len({m.digest for m in made.messages}) > 10
    known = {one.unit: one.token for one in (made, *rest)}
    assert [one.seen for one in opencode.read(path, known, tmp_path)] == [["ses_till1"]] * len(rest)
    assert listing(tmp_path) == before


def test_a_session_of_small_files_is_looked_at_with_all_its_files(tmp_path: Path) -> None:
    path = tree(tmp_path)
    before = opencode.look(path)
    part = tmp_path / "storage/part/msg_15/prt_25.json"
    part.write_text(part.read_text().replace("Euros now.", "Euros it is."))
    assert opencode.look(path) != before
    assert opencode.look(SAMPLE) == ""
    part.write_text("{")
    made = read(path)
    assert [(s.reason, s.detail) for s in made.skips if s.reason != "housekeeping"][:1] == [
        ("not_json", "prt_25.json")
    ]


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE soup (id INTEGER)")
    db.close()
    with pytest.raises(NotAnArchive):
        list(opencode.read(path, {}, tmp_path))


def test_only_sessions_that_changed_are_read_again(tmp_path: Path) -> None:
    path = database(tmp_path)
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO session SELECT 'ses_2', parent_id, directory, title, version,"
                   " time_created, time_updated, permission, revert FROM session")  # fmt: skip
    db.close()
    first = {one.unit: one.token for one in opencode.read(path, {}, tmp_path)}
    assert set(first) == {"ses_till1", "ses_2", ""}
    with sqlite3.connect(path) as db:
        db.execute("UPDATE part SET time_updated = 2, data = '{' WHERE id = 'prt_25'")
    db.close()
    again = list(opencode.read(path, first, tmp_path))
    assert [one.unit for one in again] == ["ses_till1", ""]
    assert ("not_json", "prt_25") in [(s.reason, s.detail) for s in again[0].skips]


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (json.dumps({"info": INFO, "messages": []}), True),
        (json.dumps({"info": INFO, "messages": []}, indent=2), True),
        (json.dumps({"info": INFO | {"zz": "x" * HEAD}, "messages": []}, indent=2), True),
        (json.dumps(INFO), False),  # no store around it
        (json.dumps({"info": "a recipe", "messages": []}), False),
        (json.dumps({"info": {"id": 3}, "messages": []}), False),
        (json.dumps({"sessionId": "g", "projectHash": "0", "messages": []}), False),
        (json.dumps({"type": "session", "id": "p"}) + "\n", False),
        ("SQLite format 3\0", False),
        ("", False),
    ],
)
def test_only_its_own_files_are_claimed(tmp_path: Path, head: str, claimed: bool) -> None:
    assert opencode.claims(tmp_path / "ses_1.json", head.encode()[:HEAD]) is claimed


def test_a_folder_is_searched_by_names_alone(tmp_path: Path) -> None:
    for name in ("full.jsonl", "ses_1.json", "msg_1.json", "opencode-beta.db", "other.db",
                 "todo/ses_1.json"):  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in opencode.find(tmp_path)]
    assert found == ["full.jsonl", "opencode-beta.db", "ses_1.json"]


def test_no_other_reader_takes_its_files_and_entire_reads_them(tmp_path: Path) -> None:
    folder = tmp_path / "0a/1b2c3d4e5f/0"
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text('{"session_id": "x", "branch": "ovens"}')
    (folder / "full.jsonl").write_bytes(SAMPLE.read_bytes())
    (made,) = entire.read(folder / "full.jsonl", {}, tmp_path)
    assert [s.git_branch for s in made.sessions] == ["ovens"]
    assert [m.copy_key for m in made.messages] == [m.copy_key for m in read(SAMPLE).messages]
    head = SAMPLE.read_bytes()[:HEAD]
    assert [one.NAME for one in READERS if one.claims(SAMPLE, head)] == [opencode.NAME]


def test_a_document_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    whole = SAMPLE.read_bytes()
    path = tmp_path / "ses_1.json"
    path.write_bytes(whole[: whole.index(b"Euros now.")])
    made = read(path)
    assert [m.text for m in made.messages][-2:] == ["Use euros.", ""]
    # What the torn reply itself said is lost, and told.
    torn = [(s.reason, s.lost) for s in made.skips if s.reason == "torn"]
    assert torn == [("torn", True)]


def test_where_it_is_lost_whose_session_it_is_nothing_was_typed(tmp_path: Path) -> None:
    path = tree(tmp_path)
    path.write_text("{")
    made = read(path)
    assert (made.sessions[0].kind, typed(made)) == ("unknown", [])
    assert len(made.messages) == len(read(SAMPLE).messages)
    document = tmp_path / "ses_1.json"
    document.write_text(json.dumps({"messages": [user(1, text("Use tabs."))]}))
    assert typed(read(document)) == []


def test_a_session_without_a_message_is_empty(tmp_path: Path) -> None:
    assert [s.reason for s in export(tmp_path).skips] == ["empty"]
