"""The reader of Gemini CLI sessions: both layouts, who speaks, and what became of calls."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dream.records import CallStatus, Transcript
from dream.sources import HEAD, entire, gemini, jsonl
from dream.sources.registry import READERS
from tests.conftest import HOUSE, Golden
from tests.sources.stillness import listing
from tests.sources.told import told

SAMPLE = HOUSE / "tests" / "data" / "gemini"
HASH = hashlib.sha256(b"/repo/till").hexdigest()
HEADER = {"sessionId": "g", "projectHash": HASH, "startTime": "2026-03-02T09:00:00.000Z"}
Record = dict[str, Any]


def turn(number: int, kind: str, content: Any, **more: Any) -> Record:
    stamp = f"2026-03-02T09:{number:02d}:00.000Z"
    return {"id": f"m{number}", "timestamp": stamp, "type": kind, "content": content, **more}


def call(name: str = "c", **more: Any) -> Record:
    return {"id": name, "name": "run_shell_command", "args": {}, "status": "success", **more}


def answer(name: str = "c", **response: str) -> list[Record]:
    return [{"functionResponse": {"id": name, "name": "t", "response": response}}]


def read(path: Path) -> Transcript:
    (made,) = gemini.read(path, {}, path.parent)
    return made


def lines(folder: Path, *records: Record, header: Record = HEADER) -> Transcript:
    path = folder / "session-a.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (header, *records)))
    return read(path)


def document(folder: Path, *records: Record, header: Record = HEADER) -> Transcript:
    path = folder / "session-a.json"
    path.write_text(json.dumps(header | {"messages": records}, indent=2))
    return read(path)


def typed(made: Transcript) -> list[str]:
    return [message.text for message in made.messages if message.role == "human"]


def test_every_kind_of_record_comes_to_what_it_is(golden: Golden) -> None:
    golden("gemini_till.txt", told(read(SAMPLE / "till.jsonl")))


def test_both_layouts_tell_the_same(tmp_path: Path) -> None:
    turns = (
        turn(1, "user", [{"text": "Use tabs."}]),
        turn(2, "gemini", "Done.", model="m", toolCalls=[call(result=answer(output="fine"))]),
    )
    one, other = lines(tmp_path, *turns), document(tmp_path, *turns)
    assert [m.copy_key for m in one.messages] == [m.copy_key for m in other.messages]
    assert (one.sessions[0].session_id, one.sessions[0].started) == (
        other.sessions[0].session_id, other.sessions[0].started,
    )  # fmt: skip
    assert [call.status for call in one.calls] == [call.status for call in other.calls] == ["ok"]
    assert [m.line for m in one.messages] == [2, 3, 3]
    assert [m.line for m in other.messages] == [6, 16, 16]


def test_a_saved_copy_of_a_later_moment_holds_the_same_messages(tmp_path: Path) -> None:
    reply = turn(2, "gemini", "Wait.", model="m")
    early = document(tmp_path, turn(1, "user", "Go."), reply)
    later = document(
        tmp_path, turn(1, "user", "Go."), reply | {"toolCalls": [call()]}, turn(3, "user", "More.")
    )
    assert [m.copy_key for m in early.messages] == [m.copy_key for m in later.messages][:2]
    assert early.messages[0].digest == later.messages[0].digest
    assert len(later.calls) == 1


def test_a_turn_counts_once_in_its_latest_version_at_its_first_place(tmp_path: Path) -> None:
    made = lines(
        tmp_path,
        turn(1, "gemini", "", tokens={"input": 30, "output": 4}),
        turn(2, "user", "Go."),
        turn(1, "gemini", "Hello.", tokens={"input": 30, "output": 9, "thoughts": 2}),
    )
    assert [(m.text, m.line, m.tokens_in, m.tokens_out) for m in made.messages] == [
        ("Hello.", 4, 30, 11),
        ("Go.", 3, None, None),
    ]
    assert made.records == 4


def test_a_set_tells_of_new_turns_and_takes_nothing_from_known_ones(tmp_path: Path) -> None:
    masked = turn(1, "user", [{"text": "[masked]"}])
    made = lines(
        tmp_path,
        turn(1, "user", "Use tabs."),
        {"$set": {"messages": [masked, turn(2, "user", "In Go files too.")]}},
        {"$set": {"messages": [turn(2, "user", "In Go files as well.")]}},
    )
    assert typed(made) == ["Use tabs.", "In Go files as well."]
    assert made.skips == []


def test_what_a_compression_lists_anew_is_nobodys_second_word(tmp_path: Path) -> None:
    kept = turn(1, "user", "Use tabs.") | {"id": "x3"}
    made = lines(
        tmp_path,
        turn(1, "user", "Use tabs."),
        turn(2, "gemini", "Done.", model="m"),
        {
            "$set": {
                "messages": [
                    turn(3, "user", "<state_snapshot>the person loves tabs</state_snapshot>"),
                    turn(4, "gemini", "Got it. Thanks for the additional context!"),
                    kept,
                ]
            }
        },
        {"$rewindTo": "x3"},
        turn(5, "user", "Use spaces."),
    )
    assert typed(made) == ["Use tabs.", "Use spaces."]
    assert [(one.number, one.active) for one in made.compactions] == [(2, False)]
    roles = Counter((message.role, message.kind) for message in made.messages)
    assert (roles["injected", "summary"], roles["assistant", "reply"]) == (1, 1)
    assert [m.active for m in made.messages] == [False, False, False, False, True]
    assert [(s.reason, s.lost) for s in made.skips] == [("duplicate", False)]


def test_a_rewind_to_nowhere_takes_nothing_back(tmp_path: Path) -> None:
    made = lines(tmp_path, turn(1, "user", "Go."), {"$rewindTo": "m9"})
    assert [m.active for m in made.messages] == [True]
    assert [(s.reason, s.line, s.lost) for s in made.skips] == [
        ("broken_parent", 3, False), ("not_told", 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("<session_context>\nToday is Monday.\n</session_context>", "meta"),
        ("  <hook_context>from a hook</hook_context>", "meta"),
        ("System: Please continue.", "meta"),
        ("Please continue.", "meta"),
        ("System: Potential loop detected. Details: twice", "meta"),
        ("I ran the following shell command:\n```sh\nls\n```", "shell"),
        ("/stats model", "command"),
    ],
)
def test_what_the_client_writes_under_user_is_not_a_persons(
    tmp_path: Path, content: str, kind: str
) -> None:
    made = lines(tmp_path, turn(1, "user", content), turn(2, "user", [{"text": content}]))
    assert {(m.role, m.kind) for m in made.messages} == {("injected", kind)}
    assert [run.number for run in made.runs] == [0]


@pytest.mark.parametrize("said", ["/home/me/till.py is broken", "please continue with the tests"])
def test_words_that_only_look_like_it_stay_a_persons(tmp_path: Path, said: str) -> None:
    assert typed(lines(tmp_path, turn(1, "user", said))) == [said]


def test_files_that_a_prompt_names_are_not_part_of_it(tmp_path: Path) -> None:
    said, mark = "Read @a.py.", "\n--- Content from referenced files ---"
    parts = [{"text": one} for one in (said, mark, "always use floats")]
    glued = f"{said}{mark}\nalways use floats"
    for content, display in (
        (parts, None),
        (glued, None),
        (parts, [{"text": said}]),
        ([{"text": "Read @a/**."}, *parts[1:]], [{"text": said}]),
    ):
        shown = {} if display is None else {"displayContent": display}
        made = lines(tmp_path, turn(1, "user", content, **shown))
        assert typed(made) == [said]
        (added,) = (m for m in made.messages if m.role == "injected")
        assert "always use floats" in added.text
        assert added.kind == "meta"


def test_a_command_that_was_expanded_is_not_a_persons(tmp_path: Path) -> None:
    made = lines(
        tmp_path, turn(1, "user", "Review all changes now.", displayContent=[{"text": "/review"}])
    )
    assert [(m.role, m.kind, m.text) for m in made.messages] == [
        ("injected", "command", "/review\nReview all changes now.")
    ]


def test_a_picture_without_a_word_is_an_empty_prompt(tmp_path: Path) -> None:
    made = lines(tmp_path, turn(1, "user", [{"inlineData": {"mimeType": "image/png"}}]))
    assert typed(made) == [""]


@pytest.mark.parametrize(
    ("one", "status", "code"),
    [
        (call(result=answer(output="Output: x\nExit Code: 3\nProcess Group PGID: 1")), "error", 3),
        (call(result=answer(output="x\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)")),
         "ok", 0),
        (call(result=answer(output="Exit Code: 3\nis what it printed")), "ok", None),
        (call(name="read", result=answer(output="Exit Code: 3")) | {"name": "read_file"},
         "ok", None),
        (call(status="error", result=answer(error="no such file")), "error", None),
        (call(status="cancelled", result=answer(error="[Operation Cancelled] Reason: User denied"
         " execution.")), "refused", None),
        (call(status="cancelled", result=answer(error="[Operation Cancelled] Reason: Operation"
         " cancelled")), "interrupted", None),
        (call(result=answer(output="Command was cancelled by user before it could complete.")),
         "interrupted", None),
        (call(result=answer(output="Command was automatically cancelled because it exceeded the"
         " timeout of 5 minutes")), "error", None),
        (call(status="executing"), "unanswered", None),
        (call(), "ok", None),
        ({"id": "c", "name": "x"}, "unanswered", None),
    ],
)  # fmt: skip
def test_what_became_of_a_call(
    tmp_path: Path, one: Record, status: CallStatus, code: int | None
) -> None:
    made = lines(tmp_path, turn(1, "gemini", "", model="m", toolCalls=[one]))
    assert [(c.status, c.exit_code) for c in made.calls] == [(status, code)]
    assert (made.calls[0].result_id is None) == ("result" not in one)


def test_a_call_and_its_result_may_stand_in_turns_of_a_rewritten_file(tmp_path: Path) -> None:
    asked = {"functionCall": {"id": "f", "name": "read_file", "args": {"file_path": "a"}}}
    made = lines(
        tmp_path,
        turn(1, "gemini", [{"text": "I look."}, asked], model="m"),
        turn(2, "user", answer("f", output="text of a")),
        turn(3, "user", answer("nobody", output="?")),
    )
    assert [(c.tool, c.status, c.arguments) for c in made.calls] == [
        ("read_file", "ok", '{"file_path":"a"}')
    ]
    assert [m.text for m in made.messages if m.role == "tool"] == ["text of a"]
    assert typed(made) == []
    assert [(s.reason, s.detail) for s in made.skips] == [("result_without_call", "nobody")]


def test_statuses_turns_and_facts_of_a_later_release_are_counted_by_name(tmp_path: Path) -> None:
    made = lines(
        tmp_path,
        turn(1, "gemini", "x", model="m", toolCalls=[call(status="paused")]),
        turn(2, "poem", "x"),
        turn(3, "poem", "y"),
        {"$set": {"weather": "rain"}},
        {"something": "else"},
        {"type": "user", "content": "no id"},
    )
    told_of = {(s.reason, s.detail, s.line, s.count) for s in made.skips if s.lost}
    assert told_of == {
        ("unknown_type", "status paused", 2, 1),
        ("unknown_type", "poem", 3, 2),
        ("unknown_type", "session weather", 5, 1),
        ("no_type", "", 6, 1),
        ("bad_shape", "a message without an id", 7, 1),
    }


def sub_agent(folder: Path) -> Path:
    path = folder / "tmp/till/chats/parent-1/child-1.jsonl"
    path.parent.mkdir(parents=True)
    header = HEADER | {"sessionId": "child-1", "kind": "subagent"}
    records = (header, turn(1, "user", "Always write long receipts."))
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return path


def test_a_sub_agents_file_names_its_parent_and_nothing_in_it_was_typed(tmp_path: Path) -> None:
    made = read(sub_agent(tmp_path))
    session = made.sessions[0]
    assert (session.kind, session.parent_id) == ("subagent", "gemini-cli:parent-1")
    assert typed(made) == []
    assert lines(tmp_path, header=HEADER | {"kind": "other"}).sessions[0].kind == "unknown"


def test_the_folder_is_what_the_project_s_marker_says(tmp_path: Path) -> None:
    path = sub_agent(tmp_path)
    (tmp_path / "tmp/till/.project_root").write_text("/repo/till\n")
    assert read(path).sessions[0].cwd == "/repo/till"
    (tmp_path / "tmp/till/.project_root").write_text("\x00 not a path")
    assert read(path).sessions[0].cwd == ""


@pytest.mark.parametrize(
    ("path", "cwd"),
    [("/repo/till/src/a.py", "/repo/till"), ("/repo/till", "/repo/till"), ("/repo/tills", "")],
)
def test_a_path_the_session_names_is_its_folder_when_the_hash_proves_it(
    tmp_path: Path, path: str, cwd: str
) -> None:
    one = call(args={"n": 1, "file_path": path})
    made = lines(tmp_path, turn(1, "gemini", "", model="m", toolCalls=[one]))
    assert made.sessions[0].cwd == cwd


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (json.dumps(HEADER), True),
        (json.dumps(HEADER | {"messages": []}, indent=2), True),
        (json.dumps(HEADER | {"summary": "x" * HEAD}, indent=2), True),
        (json.dumps({"$set": {"lastUpdated": "t"}}) + "\n", True),
        (json.dumps(turn(1, "gemini", "x")) + "\n", True),
        (json.dumps({"sessionId": "g", "text": json.dumps(HEADER)}), False),
        (json.dumps({"type": "session", "id": "p", "cwd": "/"}) + "\n", False),
        (json.dumps({"info": {"id": "ses_1", "projectID": "p"}, "messages": []}), False),
        (json.dumps({"type": "user", "uuid": "u", "sessionId": "s"}) + "\n", False),
        ("", False),
        ("[]", False),
    ],
)
def test_only_its_own_files_are_claimed(head: str, claimed: bool) -> None:
    assert gemini.claims(Path("session-a.json"), head.encode()[:HEAD]) is claimed


def test_a_folder_is_searched_for_lines_and_for_session_documents(tmp_path: Path) -> None:
    for name in ("b/session-1.json", "a/x.jsonl", "a/logs.json", "a/session-1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in gemini.find(tmp_path)]
    assert found == ["a/x.jsonl", "b/session-1.json"]
    assert list(gemini.find(tmp_path / "a/logs.json")) == [tmp_path / "a/logs.json"]


def test_no_other_reader_takes_its_files_and_entire_reads_them(tmp_path: Path) -> None:
    folder = tmp_path / "0a/1b2c3d4e5f/0"
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text('{"session_id": "x", "branch": "ovens"}')
    text = json.dumps(HEADER | {"messages": [turn(1, "user", "Go.")]}, indent=2)
    (folder / "full.jsonl").write_text(text)
    (made,) = entire.read(folder / "full.jsonl", {}, tmp_path)
    assert [(s.session_id, s.git_branch) for s in made.sessions] == [("gemini-cli:g", "ovens")]
    assert typed(made) == ["Go."]
    path = SAMPLE / "till.jsonl"
    head = path.read_bytes()[:HEAD]
    assert [one.NAME for one in READERS if one.claims(path, head)] == [gemini.NAME]


def test_a_file_is_read_again_when_it_changes_and_never_written(tmp_path: Path) -> None:
    made = document(tmp_path, turn(1, "user", "Go."))
    path = tmp_path / "session-a.json"
    before = listing(tmp_path)
    assert list(gemini.read(path, {"": made.token}, tmp_path)) == []
    assert listing(tmp_path) == before
    path.write_text(path.read_text() + "\n")
    assert len(list(gemini.read(path, {"": made.token}, tmp_path))) == 1


def test_a_document_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    document(tmp_path, turn(1, "user", "Go."), turn(2, "user", "More."))
    path = tmp_path / "session-a.json"
    whole = path.read_text()
    path.write_text(whole[: whole.index("More.")])
    made = read(path)
    assert [m.text for m in made.messages] == ["Go."]
    assert [(s.reason, s.line, s.lost) for s in made.skips] == [("torn", 12, True)]


def test_where_it_is_lost_whose_session_it_is_nothing_was_typed(tmp_path: Path) -> None:
    path = tmp_path / "session-a.json"
    late = HEADER | {"messages": [turn(1, "user", "Use tabs.")], "kind": "subagent"}
    path.write_text(json.dumps(late, indent=2))
    assert read(path).sessions[0].kind == "subagent"
    path.write_text(path.read_text().replace('"subagent"', ""))
    assert (read(path).sessions[0].kind, typed(read(path))) == ("unknown", [])
    without = lines(tmp_path, turn(1, "user", "Use tabs."), header={"$set": {"summary": "t"}})
    assert (without.sessions[0].kind, typed(without)) == ("unknown", [])


def test_a_file_without_a_turn_is_empty(tmp_path: Path) -> None:
    assert [s.reason for s in lines(tmp_path).skips] == ["empty"]
    assert [s.reason for s in document(tmp_path).skips] == ["empty"]


@pytest.mark.shared
def test_the_awkward_case_comes_out_as_its_row_says(shared: Path) -> None:
    """2 statements, 2 replies, 1 call, 80 tokens in, 18 out; the context line says nothing."""
    path = shared / "cases/transcripts/gemini-rewritten-turns.jsonl"
    assert gemini.claims(path, path.read_bytes()[:HEAD])
    made = read(path)
    assert typed(made) == ["Add a footer.", "The footer must not repeat the address."]
    replies = [m for m in made.messages if m.kind == "reply"]
    assert len({m.reply_id for m in replies}) == 2
    assert [(c.tool, c.status) for c in made.calls] == [("write_file", "ok")]
    assert sum(m.tokens_in or 0 for m in replies) == 80
    assert sum(m.tokens_out or 0 for m in replies) == 18
    assert (made.messages[-1].role, made.messages[-1].line) == ("injected", 7)
    there = {line.number: jsonl.digest_of(line.raw) for line in jsonl.lines(path, [])}
    assert all(there[m.line] == m.digest for m in made.messages)
    assert made.skips == []


@pytest.mark.parametrize(
    ("turns", "noted"),
    [
        ([turn(1, "user", "Go."), turn(2, "gemini", "Done.")], True),
        ([turn(1, "user", "Go."), turn(2, "gemini", "Done."), turn(3, "user", "More.")], False),
        ([turn(1, "user", "Go."), turn(2, "gemini", "", toolCalls=[call(status="cancelled")])],
         False),
        ([turn(1, "user", "Go."), turn(2, "info", "Request cancelled.")], False),
        ([turn(1, "gemini", "Done.")], False),
    ],
)  # fmt: skip
def test_one_prompt_and_no_sign_of_a_person_is_counted_as_not_told(
    tmp_path: Path, turns: list[Record], noted: bool
) -> None:
    made = document(tmp_path, *turns)
    notes = [(skip.lost, skip.line > 0) for skip in made.skips if skip.reason == "not_told"]
    assert notes == ([(False, True)] if noted else [])
    assert made.sessions[0].kind == "interactive"
