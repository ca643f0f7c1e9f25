"""The reader of pi's session files: what each entry comes to, and what is told when one is odd."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dream.errors import SourceUnreadable
from dream.records import Skip, Transcript
from dream.sources import HEAD, pi
from tests.conftest import HOUSE, Golden
from tests.sources.stillness import listing

SAMPLE = HOUSE / "tests" / "data" / "pi"
HEADER = {
    "type": "session", "version": 3, "id": "one", "timestamp": "2026-03-02T09:00:00.000Z",
    "cwd": "/repo/till",
}  # fmt: skip


def read(path: Path) -> Transcript:
    (transcript,) = pi.read(path, {}, path.parent)
    return transcript


def session(folder: Path, *entries: Any, header: Any = HEADER) -> Transcript:
    """What a file of these entries comes to. Bytes stand for a line as it is."""
    path = folder / "session.jsonl"
    lines = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in entries)
    path.write_bytes(b"".join(line + b"\n" for line in (json.dumps(header).encode(), *lines)))
    return read(path)


def entry(kind: str, name: str, parent: str | None, /, **own: Any) -> dict[str, Any]:
    minute = int(name[-2:], 36) % 60
    stamp = f"2026-03-02T09:{minute:02d}:00.000Z"
    return {"type": kind, "id": name, "parentId": parent, "timestamp": stamp, **own}


def prompt(name: str, parent: str | None, text: str = "Go on.") -> dict[str, Any]:
    return entry("message", name, parent, message={"role": "user", "content": text})


def reply(name: str, parent: str, *calls: str, stop: str = "stop") -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": "Well."}]
    content += [{"type": "toolCall", "id": one, "name": "bash", "arguments": {}} for one in calls]
    message = {"role": "assistant", "content": content, "model": "m", "stopReason": stop}
    return entry("message", name, parent, message=message)


def result(name: str, parent: str, call: str, text: str = "fine", **own: Any) -> dict[str, Any]:
    message = {
        "role": "toolResult", "toolCallId": call, "toolName": "bash",
        "content": [{"type": "text", "text": text}], "isError": False, **own,
    }  # fmt: skip
    return entry("message", name, parent, message=message)


def short(names: Iterable[str | None]) -> list[str]:
    return [(name or "").removeprefix("pi:one").removeprefix("/") for name in names]


def told(transcript: Transcript) -> list[tuple[str, int, str, bool]]:
    return [(one.reason, one.line, one.detail, one.lost) for one in transcript.skips]


# What a reader is


def test_every_kind_of_entry_comes_to_what_it_is(golden: Golden) -> None:
    golden("pi_every_entry.txt", "".join(_told(read(SAMPLE / "every-entry.jsonl"))))


def test_the_oldest_layout_is_read_by_its_lines(golden: Golden) -> None:
    golden("pi_version_1.txt", "".join(_told(read(SAMPLE / "version-1.jsonl"))))


def _told(transcript: Transcript) -> Iterator[str]:
    yield f"records: {transcript.records}\n"
    for name in (
        "sessions", "runs", "messages", "calls", "branches", "compactions", "memories", "labels",
        "skips",
    ):  # fmt: skip
        yield f"\n{name}\n"
        for row in getattr(transcript, name):
            parts = {key: value for key, value in asdict(row).items() if key != "session_id"}
            words = json.dumps(parts, ensure_ascii=False, default=_plain)
            yield f"  {words.replace(transcript.sessions[0].session_id, '~')}\n"


def _plain(value: object) -> str:
    assert isinstance(value, datetime)
    assert value.tzinfo is UTC
    return value.isoformat()


def test_a_folder_is_searched_for_session_files_in_name_order(tmp_path: Path) -> None:
    names = ("b/2026_b.jsonl", "a/2026_c.jsonl", "a/2026_a.jsonl", "a/2026_a.jsonl.acp.json")
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = [path.relative_to(tmp_path).as_posix() for path in pi.find(tmp_path)]
    assert found == ["a/2026_a.jsonl", "a/2026_c.jsonl", "b/2026_b.jsonl"]
    assert list(pi.find(tmp_path / names[0])) == [tmp_path / names[0]]


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (b'{"type":"session","id":"x"}\n{"type":"message"}\n', True),
        (b'\xef\xbb\xbf\n\n{"type":"session","id":"x"}', True),
        (b'{"type":"session","id":"x","cwd":"' + b"x" * HEAD, True),
        (b'{"type":"session","id":"x","cw', False),
        (b'{"type":"session"}\n', False),
        (b'{"type":"session","id":7}\n', False),
        (b'{"type":"session_meta","id":"x"}\n', False),
        (b'garbage\n{"type":"session","id":"x"}\n', False),
        (b'{\n  "type": "session",\n  "id": "x"\n}\n', False),
        (b'["session"]\n', False),
        (b"", False),
        (b"SQLite format 3\x00", False),
    ],
)
def test_a_file_is_claimed_by_its_first_line(head: bytes, claimed: bool) -> None:
    assert pi.claims(Path("any.jsonl"), head[:HEAD]) == claimed


def test_a_file_that_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    first = session(tmp_path, prompt("a1", None))
    path = tmp_path / "session.jsonl"
    assert list(pi.read(path, {"": first.token}, tmp_path)) == []
    with path.open("ab") as file:
        file.write(json.dumps(prompt("a2", "a1")).encode() + b"\n")
    (second,) = pi.read(path, {"": first.token}, tmp_path)
    assert (len(first.messages), len(second.messages)) == (1, 2)


def test_a_file_without_a_header_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    for first in (b"{}", b'{"type":"session"}', b"torn", b""):
        path.write_bytes(first + b"\n" + json.dumps(prompt("a1", None)).encode() + b"\n")
        with pytest.raises(SourceUnreadable):
            read(path)
    with pytest.raises(SourceUnreadable):
        read(tmp_path / "nowhere.jsonl")


# The cases


def test_the_tree_case(shared: Path) -> None:
    transcripts = shared / "cases" / "transcripts"
    before = listing(transcripts)
    case = read(transcripts / "pi-tree.jsonl")
    names = [message.message_id.rpartition("/")[2] for message in case.messages]
    active = {message.message_id.rpartition("/")[2] for message in case.messages if message.active}
    assert names == [f"aa00000{number}" for number in (1, 2, 3, 4, 5, 7, 8, 9)]
    assert active == {"aa000001", "aa000002", "aa000007", "aa000008", "aa000009"}
    human = [message for message in case.messages if message.role == "human"]
    assert [message.active for message in human] == [True, False, True]
    (path, given_up) = sorted(case.branches, key=lambda branch: not branch.active)
    assert (path.branch_id[-8:], path.length) == ("aa000011", 7)
    assert (given_up.branch_id[-8:], given_up.reason) == ("aa000006", "summary")
    assert (given_up.fork_point or "")[-8:] == "aa000002"
    (observation,) = case.memories
    assert (observation.status, observation.visible) == ("off_branch", False)
    assert [source[-8:] for source in observation.sources] == ["aa000005"]
    (summary,) = [message for message in case.messages if message.kind == "summary"]
    assert summary.role == "injected"
    (label,) = case.labels
    assert (label.target[-8:], label.text) == ("aa000008", "good rule")
    (call,) = case.calls
    assert (call.status, call.active) == ("error", False)
    assert case.sessions[0].title == "Sortable list"
    assert case.skips == []
    assert listing(transcripts) == before


def test_the_version_1_case(shared: Path) -> None:
    transcripts = shared / "cases" / "transcripts"
    before = listing(transcripts)
    case = read(transcripts / "pi-v1.jsonl")
    assert [message.line for message in case.messages] == [2, 3, 4, 5, 6]
    assert [message.role for message in case.messages].count("human") == 2
    note = case.messages[2]
    assert (note.role, note.kind, note.text) == ("injected", "meta", "added by an extension")
    assert [message.parent for message in case.messages][1:] == [
        message.message_id for message in case.messages[:-1]
    ]
    (compaction,) = case.compactions
    assert (compaction.kept_from or "").endswith("/L3")
    assert (len(case.branches), case.skips) == (1, [])
    assert listing(transcripts) == before


# Runs


def test_a_run_goes_from_prompt_to_prompt(tmp_path: Path) -> None:
    note = entry("custom_message", "a0", None, customType="n", content="note", display=True)
    made = session(
        tmp_path, note, prompt("a1", "a0"), reply("a2", "a1"), prompt("a3", "a2"), reply("a4", "a3")
    )
    assert [(short([run.run_id])[0], run.number) for run in made.runs] == [
        (":start", 0), (":a1", 1), (":a3", 2),
    ]  # fmt: skip
    assert short(message.run_id for message in made.messages) == [
        ":start", ":a1", ":a1", ":a3", ":a3",
    ]  # fmt: skip
    assert {run.state for run in made.runs} == {"settled"}


def test_a_prompt_on_an_abandoned_branch_has_a_run_of_its_own(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), reply("a2", "a1"),
        prompt("a3", "a2"), reply("a4", "a3"),
        prompt("a5", "a2"), reply("a6", "a5"), prompt("a7", "a6"),
    )  # fmt: skip
    assert [(message.run_id[-2:], message.active) for message in made.messages] == [
        ("a1", True), ("a1", True), ("a3", False), ("a3", False),
        ("a5", True), ("a5", True), ("a7", True),
    ]  # fmt: skip
    assert [run.number for run in made.runs] == [1, 2, 3, 4]
    assert [run.state for run in made.runs] == ["settled", "settled", "settled", "stopped"]
    assert [branch.reason for branch in made.branches] == ["edit", None]


def test_a_path_taken_up_again_without_a_prompt_goes_on_with_its_run(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), reply("a2", "a1"), prompt("a3", "a2"), reply("a4", "a3"),
        entry("branch_summary", "a5", "a2", fromId="a4", summary="Tried."), reply("a6", "a5"),
    )  # fmt: skip
    assert [message.run_id[-2:] for message in made.messages][-2:] == ["a1", "a1"]
    assert [run.run_id[-2:] for run in made.runs] == ["a1", "a3"]


@pytest.mark.parametrize(
    ("rest", "state"),
    [
        ([reply("a2", "a1")], "settled"),
        ([reply("a2", "a1", stop="length")], "settled"),
        ([reply("a2", "a1", stop="aborted")], "interrupted"),
        ([reply("a2", "a1", "c", stop="toolUse")], "stopped"),
        ([reply("a2", "a1", "c", stop="toolUse"), result("a3", "a2", "c")], "stopped"),
        ([], "stopped"),
    ],
)
def test_a_run_is_settled_when_the_model_had_the_last_word(
    tmp_path: Path, rest: list[Any], state: str
) -> None:
    (run,) = session(tmp_path, prompt("a1", None), *rest).runs
    assert run.state == state


# Calls


def test_a_result_on_another_path_than_its_call_still_answers_it(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), reply("a2", "a1", "c1", stop="toolUse"),
        entry("branch_summary", "a3", "a1", fromId="a2", summary="Left while it ran."),
        result("a4", "a3", "c1"),
    )  # fmt: skip
    (call,) = made.calls
    assert (call.status, call.active, short([call.result_id])) == ("ok", False, ["a4"])


def test_calls_without_results_and_results_without_calls_are_told(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), reply("a2", "a1", "c1", "c2", stop="toolUse"),
        result("a3", "a2", "c1", "no\n\nCommand exited with code 3", isError=True),
        result("a4", "a3", "c1"), result("a5", "a4", "c9"),
    )  # fmt: skip
    assert [(call.status, call.exit_code) for call in made.calls] == [
        ("error", 3), ("unanswered", None),
    ]  # fmt: skip
    assert told(made) == [
        ("duplicate_result", 5, "c1", False),
        ("result_without_call", 6, "c9", False),
    ]


def test_calls_of_a_reply_that_was_broken_off_were_interrupted(tmp_path: Path) -> None:
    made = session(tmp_path, prompt("a1", None), reply("a2", "a1", "c1", stop="aborted"))
    assert [call.status for call in made.calls] == ["interrupted"]


def test_a_call_id_used_again_is_another_call(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), reply("a2", "a1", "c"), result("a3", "a2", "c", "first"),
        reply("a4", "a3", "c"), result("a5", "a4", "c", "second"),
    )  # fmt: skip
    assert short(call.result_id for call in made.calls) == ["a3", "a5"]
    assert len({call.call_id for call in made.calls}) == 2


# Copies


def test_a_fork_repeats_its_parent_under_equal_copy_keys(tmp_path: Path) -> None:
    entries = [prompt("a1", None), reply("a2", "a1", "c1"), result("a3", "a2", "c1")]
    own = session(tmp_path, *entries)
    parent = "/home/me/.pi/agent/sessions/--repo--/2026-03-02T09-00-00-000Z_one.jsonl"
    header = {**HEADER, "id": "two", "timestamp": "2026-03-03T09:00:00Z", "parentSession": parent}
    fork = session(tmp_path, *entries, prompt("a4", "a3"), header=header)
    assert fork.sessions[0].parent_id == "pi:one"
    keys = [message.copy_key for message in own.messages]
    assert [message.copy_key for message in fork.messages][:3] == keys
    assert len({message.copy_key for message in fork.messages}) == 4
    assert [call.copy_key for call in fork.calls] == [call.copy_key for call in own.calls]
    last = fork.sessions[0]
    assert last.started is not None
    assert last.ended == last.started


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("C:\\Users\\me\\2026-03-02T09-00-00-000Z_my_own.id.jsonl", "pi:my_own.id"),
        ("2026-03-02T09-00-00-000Z_x.jsonl", "pi:x"),
        ("/home/me/x.jsonl", None),
        ("", None),
        (7, None),
    ],
)
def test_a_parent_is_known_by_the_name_of_its_file(
    tmp_path: Path, path: object, parent: str | None
) -> None:
    made = session(tmp_path, header={**HEADER, "parentSession": path})
    assert made.sessions[0].parent_id == parent


def test_messages_without_any_time_are_never_taken_for_copies(tmp_path: Path) -> None:
    entries = [{**prompt(name, None), "timestamp": "soon"} for name in ("a1", "a2")]
    made = session(tmp_path, *entries)
    assert len({message.copy_key for message in made.messages}) == 2
    assert [one[:2] for one in told(made)] == [("bad_time", 2), ("bad_time", 3)]


def test_the_same_entry_twice_in_one_file_is_one(tmp_path: Path) -> None:
    drop = {"observationIds": ["0" * 12], "coversUpToId": "a1"}
    entries = [
        prompt("a1", None), reply("a2", "a1"),
        entry("custom", "a3", "a2", customType="om.observations.dropped", data=drop),
    ]  # fmt: skip
    made = session(tmp_path, *entries, HEADER, *entries)
    assert (len(made.messages), len(made.memories), len(made.branches)) == (2, 1, 1)
    assert Counter(skip.reason for skip in made.skips) == {"duplicate": 3, "bad_shape": 1}
    assert not any(skip.lost for skip in made.skips)


def test_other_words_under_a_known_id_are_kept_under_their_line(tmp_path: Path) -> None:
    made = session(tmp_path, prompt("a1", None), prompt("a1", None, "Other words."))
    assert short(message.message_id for message in made.messages) == ["a1", "L3"]
    assert told(made) == [("bad_shape", 3, "id a1 a second time", False)]


# Odd entries


def test_unknown_types_are_counted_by_name_and_hold_their_place(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), entry("teleport", "a2", "a1"), entry("teleport", "a3", "a2"),
        reply("a4", "a3"), entry("hologram", "a5", "a4"),
        entry("custom", "a6", "a5", customType="om.future"),
        entry("custom", "a7", "a6", customType="my-state", data={"n": 1}),
    )  # fmt: skip
    assert short([made.messages[1].parent]) == ["a1"]
    assert made.branches[0].branch_id.endswith("/a7")
    assert made.skips == [
        Skip("unknown_type", 3, "teleport", lost=True, count=2),
        Skip("unknown_type", 6, "hologram", lost=True),
        Skip("unknown_type", 7, "custom om.future", lost=True),
        Skip("housekeeping", 8, "custom my-state", lost=False),
    ]


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"type": 7, "id": "a2", "parentId": "a1"}, "no_type"),
        ({"id": "a2", "parentId": "a1"}, "no_type"),
        (entry("message", "a2", "a1"), "bad_shape"),
        (entry("message", "a2", "a1", message="text"), "bad_shape"),
        (entry("label", "a2", "a1", label="x"), "bad_shape"),
        (entry("label", "a2", "a1", targetId="a1", label=["x"]), "bad_shape"),
        (entry("session_info", "a2", "a1", name={}), "bad_shape"),
        (entry("custom", "a2", "a1", customType=None), "bad_shape"),
        (entry("custom", "a2", "a1", customType="om.observations.recorded"), "invalid_memory"),
        (
            entry("compaction", "a2", "a1", summary="s", firstKeptEntryId="a1", tokensBefore=1,
                  details={"type": "om.folded", "version": 1}),
            "invalid_memory",
        ),
        (b"[1, 2]", "not_a_record"),
        (b'{"type": "message", "id": ', "not_json"),
    ],
)  # fmt: skip
def test_a_part_of_another_shape_costs_only_itself(tmp_path: Path, odd: Any, reason: str) -> None:
    made = session(tmp_path, prompt("a1", None), odd, prompt("a3", "a1"))
    assert [(skip.reason, skip.line, skip.lost) for skip in made.skips] == [(reason, 3, True)]
    assert short(message.message_id for message in made.messages if message.role == "human") == [
        "a1", "a3",
    ]  # fmt: skip


def test_a_broken_parent_ends_the_walk_and_is_told(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), prompt("a2", "nobody"), prompt("a3", 7),  # type: ignore[arg-type]
        prompt("a4", "a4"), prompt("a5", "a4"),
    )  # fmt: skip
    assert told(made) == [
        ("broken_parent", 3, "nobody", False),
        ("broken_parent", 4, "a int", False),
        ("broken_parent", 5, "a4", False),
    ]
    assert [message.active for message in made.messages] == [False, False, False, True, True]
    assert [branch.reason for branch in made.branches] == ["reset", "reset", "reset", None]


def test_children_that_stand_before_their_parents_find_them(tmp_path: Path) -> None:
    made = session(tmp_path, reply("a2", "a1", "c1"), prompt("a1", None), result("a3", "a2", "c1"))
    assert short(message.parent for message in made.messages) == ["a1", "", "a2"]
    assert short(message.run_id for message in made.messages) == [":a1", ":a1", ":a1"]
    assert [call.run_id for call in made.calls] == ["pi:one:a1"]
    assert all(message.active for message in made.messages)
    assert made.skips == []


def test_entries_without_ids_follow_one_another(tmp_path: Path) -> None:
    bare = [{key: value for key, value in prompt("a1", None).items() if key not in ("id",)}]
    plain = {"type": "message", "message": {"role": "user", "content": "And then?"}}
    glued = json.dumps({**plain, "timestamp": "2026-03-02T09:30:00Z"}).encode() * 2
    made = session(tmp_path, *bare, {**plain, "timestamp": "2026-03-02T09:31:00Z"}, glued)
    assert short(message.message_id for message in made.messages) == ["L2", "L3", "L4", "L4.3"]
    assert short(message.parent for message in made.messages) == ["", "L2", "L3", "L4"]
    assert told(made) == [("glued", 4, "2 records", False)]


def test_a_compaction_says_what_it_kept_and_who_made_it(tmp_path: Path) -> None:
    own = {"summary": "So far.", "tokensBefore": 10}
    made = session(
        tmp_path, prompt("a1", None), entry("compaction", "a2", "a1", firstKeptEntryId="a1", **own),
        entry("compaction", "a3", "a2", firstKeptEntryId="zz", fromHook=True, **own),
        entry("compaction", "a4", "a3", firstKeptEntryIndex=99, **own),
        entry("compaction", "a5", "a4", firstKeptEntryId=["a1"], **own),
    )  # fmt: skip
    assert [(row.trigger, short([row.kept_from])[0]) for row in made.compactions] == [
        ("unknown", "a1"), ("extension", ""), ("unknown", ""), ("unknown", ""),
    ]  # fmt: skip
    assert [one[:3] for one in told(made)] == [
        ("bad_shape", line, "first kept entry") for line in (4, 5, 6)
    ]
    assert [made.messages[row.number].kind for row in made.compactions] == ["summary"] * 4


def test_of_several_labels_the_last_holds_and_an_empty_one_takes_it_off(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), prompt("a2", "a1"),
        entry("label", "a3", "a2", targetId="a1", label="old"),
        entry("label", "a4", "a2", targetId="a2", label="gone"),
        entry("label", "a5", "a1", targetId="a1", label="new"),
        entry("label", "a6", "a5", targetId="a2"),
    )  # fmt: skip
    assert [(short([label.target])[0], label.text, label.line) for label in made.labels] == [
        ("a1", "new", 6)
    ]


def test_the_last_name_is_the_title_and_an_empty_one_takes_it_off(tmp_path: Path) -> None:
    names = [entry("session_info", "a1", None, name="first"), prompt("a2", "a1")]
    assert session(tmp_path, *names).sessions[0].title == "first"
    cleared = entry("session_info", "a3", "a2", name="")
    assert session(tmp_path, *names, cleared).sessions[0].title is None


def test_a_session_of_a_header_alone_is_empty_and_told(tmp_path: Path) -> None:
    made = session(tmp_path)
    assert (len(made.sessions), made.messages, made.branches, made.runs) == (1, [], [], [])
    assert told(made) == [("empty", 1, "only a header", False)]


def test_a_last_line_without_an_end_is_read_and_a_torn_one_is_told(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    whole = json.dumps(HEADER).encode() + b"\n" + json.dumps(prompt("a1", None)).encode()
    path.write_bytes(whole)
    assert len(read(path).messages) == 1
    path.write_bytes(whole + b'\n{"type":"message","id":"a2","mess')
    assert [(skip.reason, skip.line) for skip in read(path).skips] == [("torn", 3)]


def test_separators_that_are_not_line_feeds_stay_in_the_text(tmp_path: Path) -> None:
    words = "one\u2028two\u2029three\x85four\x0bfive\x0csix\rseven"
    path = tmp_path / "session.jsonl"
    record = json.dumps(prompt("a1", None, words), ensure_ascii=False)
    path.write_bytes(f"{json.dumps(HEADER)}\n{record}\n".encode())
    (message,) = read(path).messages
    assert message.text == words
