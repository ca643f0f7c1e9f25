"""A Claude Code file as a whole: runs, replies, branches, sessions, and what came of every line."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

from dream.records import Message, Transcript
from dream.sources import claude, jsonl
from dream.sources.claude_draft import Draft
from tests.sources.claude_makers import (
    CASE,
    Record,
    call,
    lines,
    model,
    read,
    record,
    result,
    skips,
    typed,
    user,
    uuid,
    voices,
)

BAKERY = Path(__file__).resolve().parent.parent / "data" / "claude" / "bakery.jsonl"
Made = Callable[..., Transcript]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """made(record, ...): what the reader makes of a file with these lines."""

    def write(*records: Record, name: str = "sess-a.jsonl") -> Transcript:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines(*records))
        return read(path)

    return write


def test_the_sample_has_one_voice_a_line() -> None:
    told = [(line, role, kind) for line, role, kind, _ in voices(read(BAKERY))]
    assert told == [
        (3, "injected", "meta"), (3, "human", "prompt"), (4, "assistant", "reply"),
        (5, "assistant", "reply"), (6, "assistant", "reply"), (7, "tool", "result"),
        (8, "assistant", "reply"), (10, "tool", "result"), (11, "human", "prompt"),
        (14, "assistant", "reply"), (15, "tool", "result"), (15, "human", "refusal"),
        (17, "human", "prompt"), (18, "assistant", "reply"), (19, "assistant", "reply"),
        (20, "tool", "result"), (21, "tool", "result"), (22, "injected", "interrupt"),
        (23, "injected", "command"), (24, "injected", "command"), (25, "injected", "shell"),
        (26, "human", "prompt"), (27, "assistant", "reply"), (28, "human", "prompt"),
        (29, "system", "api_error"), (31, "injected", "summary"), (32, "injected", "meta"),
        (33, "injected", "meta"), (34, "injected", "meta"), (34, "human", "prompt"),
        (36, "human", "prompt"), (37, "injected", "meta"), (38, "injected", "prompt"),
    ]  # fmt: skip


def test_the_samples_typed_words_stand_alone() -> None:
    assert [message.text for message in typed(read(BAKERY))] == [
        "Make the oven warm up in two steps.",
        "and keep the lamp on",
        "never touch oven.py, use heat.py",
        "then run the full suite",
        "Use a pan.",
        "Use a tin, \nnot a pan.",
        "Thanks, done.",
        "and tell me the time",
    ]


def test_the_samples_calls_runs_and_paths() -> None:
    sample = read(BAKERY)
    assert [(call.tool, call.status, call.exit_code) for call in sample.calls] == [
        ("Read", "ok", None),
        ("Bash", "error", 2),
        ("Edit", "refused", None),
        ("Bash", "refused", None),
        ("Bash", "sibling", None),
    ]
    assert [(run.number, run.state, run.line) for run in sample.runs] == [
        (1, "stopped", 3),
        (2, "interrupted", 17),
        (3, "settled", 26),
        (4, "settled", 28),  # the client gave up, after an error of the API
        (5, "stopped", 34),
        (0, "settled", 38),
    ]
    assert [message.line for message in sample.messages if not message.active] == [26, 27]
    assert [(b.active, b.line, b.reason) for b in sample.branches] == [
        (True, 37, None),
        (False, 27, "edit"),
        (True, 38, None),
    ]


def test_the_samples_usage_is_the_last_word_of_each_reply() -> None:
    told = [(m.line, m.tokens_in, m.tokens_out) for m in read(BAKERY).messages if m.tokens_in]
    assert told == [(8, 530, 45), (14, 7, 12), (19, 8, 20), (27, 9, 5)]


def test_the_sample_passes_nothing_over_in_silence() -> None:
    sample = read(BAKERY)
    assert skips(sample) == [
        ("housekeeping", 1, "file-history-snapshot", 1),
        ("housekeeping", 2, "progress/hook_progress", 1),
        ("housekeeping", 9, "progress/bash_progress", 1),
        ("housekeeping", 11, "queue-operation", 4),
        ("housekeeping", 28, "block image", 1),
        ("subagent", 35, "a7", 1),
        ("unknown_type", 40, "pr-link", 1),
    ]
    assert not any(skip.lost for skip in sample.skips)
    assert sample.records == 40


def test_the_samples_session_says_where_it_was_and_what_it_was_about() -> None:
    main, aside = read(BAKERY).sessions
    assert (main.cwd, main.git_branch, main.agent_version) == (
        "/home/ana/bakery",
        "ovens",
        "2.1.90",
    )
    assert (main.title, main.kind, main.parent_id) == ("A warm oven", "interactive", None)
    assert (aside.session_id, aside.kind) == (f"{main.session_id}:a7", "subagent")
    assert aside.parent_id == main.session_id


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(user(1, "hello")))
    (first,) = claude.read(path, {}, tmp_path)
    assert list(claude.read(path, {first.unit: first.token}, tmp_path)) == []
    path.write_bytes(lines(user(1, "hello"), model(2, "hi")))
    (second,) = claude.read(path, {first.unit: first.token}, tmp_path)
    assert [m.message_id for m in second.messages][:1] == [m.message_id for m in first.messages]


def test_find_lists_jsonl_files_in_name_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "a/9.jsonl", "a/1.jsonl", "a/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in claude.find(tmp_path)]
    assert found == ["a/1.jsonl", "a/9.jsonl", "b/2.jsonl"]
    assert list(claude.find(tmp_path / "a" / "1.jsonl")) == [tmp_path / "a" / "1.jsonl"]


def test_a_first_line_longer_than_the_head_is_still_claimed() -> None:
    assert claude.claims(Path("a.jsonl"), lines(user(1, "x" * 9000))[:4096])
    assert not claude.claims(Path("a.jsonl"), b'{"type":"message","text":"' + b"x" * 4000)


def test_an_empty_file_says_so(made: Made) -> None:
    assert skips(made()) == [("empty", 0, "", 1)]


def test_every_line_of_a_sub_agents_file_is_its_own(made: Made) -> None:
    for name in ("agent-a7.jsonl", "sess-a/subagents/run.jsonl"):
        sub = made(
            user(1, "find the ovens", agentId="a7"), model(2, "found", agentId="a7"), name=name
        )
        assert [session.session_id for session in sub.sessions] == [f"{CASE}:a7"]
        assert [session.kind for session in sub.sessions] == ["subagent"]
        assert typed(sub) == []
        assert [run.run_id for run in sub.runs] == [f"{CASE}:a7:start"]


def test_what_a_program_asks_is_typed_by_nobody_unless_the_line_says_so(made: Made) -> None:
    person: dict[str, Any] = {"origin": {"kind": "human"}}
    driven = made(
        user(1, "review this diff", entrypoint="sdk-ts"),
        model(2, "fine", entrypoint="sdk-ts"),
        user(3, "always use tabs", entrypoint="sdk-ts", **person),
    )
    assert [session.kind for session in driven.sessions] == ["headless"]
    assert [message.line for message in typed(driven)] == [3]
    assert driven.messages[0].kind == "prompt"


def test_a_prompt_a_program_queued_is_not_typed(made: Made) -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "sessionId": "sess-a"}
    driven = made(
        {**queued, "timestamp": "2026-05-04T08:00:00Z", "content": "never use npm"},
        user(1, "review", entrypoint="sdk-cli"),
    )
    assert typed(driven) == []


def test_lines_of_one_request_are_one_reply_even_with_results_between(made: Made) -> None:
    reply = made(
        user(1, "go"),
        model(2, call("t1"), reply="m"),
        user(3, [result("t1")]),
        model(4, call("t2"), above=3, reply="m"),
        user(5, [result("t2")]),
        model(6, "done", reply="n"),
    )
    told = [message.reply_id for message in reply.messages if message.reply_id]
    assert told[0] == told[1] != told[2]


def test_without_a_request_id_only_a_line_of_the_reply_goes_on_with_it(made: Made) -> None:
    def said(number: int, *content: Any) -> Record:
        return model(number, *content, reply="relay", requestId=None)

    reply = made(
        user(1, "go"),
        said(2, "I look"),
        said(3, call("t1")),
        user(4, [result("t1")]),
        said(5, "so"),
    )
    told = [message.reply_id for message in reply.messages if message.reply_id]
    assert told[0] == told[1] != told[2]


def test_no_reply_goes_on_over_a_typed_prompt(made: Made) -> None:
    reply = made(
        user(1, "a"), model(2, "x", reply="m"), user(3, "b"), model(4, "y", reply="m"),
    )  # fmt: skip
    assert len({message.reply_id for message in reply.messages if message.reply_id}) == 2


def test_a_copied_line_is_told_and_kept_once(made: Made) -> None:
    copied = made(user(1, "go"), model(2, "done"), user(1, "go", cwd="/other", version="2.2"))
    assert len(copied.messages) == 2
    assert skips(copied) == [("duplicate", 3, uuid(1), 1)]


def test_another_text_under_the_same_id_is_another_message(made: Made) -> None:
    twice = made(user(1, "go"), user(1, "go left"))
    assert [message.text for message in twice.messages] == ["go", "go left"]
    assert len({message.message_id for message in twice.messages}) == 2


def test_a_session_that_goes_on_in_the_same_file_is_linked_to_the_first(made: Made) -> None:
    later: dict[str, Any] = {"sessionId": "sess-b"}
    both = made(user(1, "go"), model(2, "done"), user(3, "more", **later), model(4, "ok", **later))
    first, second = both.sessions
    assert (first.parent_id, second.parent_id) == (None, CASE)
    assert [message.number for message in both.messages] == [0, 1, 0, 1]
    assert both.messages[2].parent == both.messages[1].message_id


def test_a_session_that_begins_with_copies_is_linked_and_keeps_its_tree(made: Made) -> None:
    later: dict[str, Any] = {"sessionId": "sess-b"}
    both = made(
        user(1, "go"), model(2, "done"),
        user(1, "go", **later), model(2, "done", **later), user(3, "more", **later),
    )  # fmt: skip
    assert [session.parent_id for session in both.sessions] == [None, CASE]
    assert both.messages[4].parent == both.messages[3].message_id
    assert [m.copy_key for m in both.messages[:2]] == [m.copy_key for m in both.messages[2:4]]
    assert skips(both) == []


def test_a_session_that_was_forked_says_from_where(made: Made) -> None:
    forked = made(user(1, "go", forkedFrom={"sessionId": "sess-0", "messageUuid": uuid(9)}))
    assert forked.sessions[0].parent_id == "claude-code:sess-0"


def test_a_compaction_joins_its_two_sides(made: Made) -> None:
    about = {"trigger": "auto", "preTokens": 9, "preservedSegment": {"headUuid": uuid(2)}}
    whole = made(
        user(1, "go"),
        model(2, "done"),
        record("system", 3, subtype="compact_boundary", compactMetadata=about,
               parentUuid=None, logicalParentUuid=uuid(2)),
        user(4, "This session is being continued", isCompactSummary=True),
        user(5, "more"),
    )  # fmt: skip
    (compaction,) = whole.compactions
    assert (compaction.trigger, compaction.number, compaction.tokens_before) == ("auto", 2, 9)
    assert compaction.kept_from == f"{CASE}/{uuid(2)}"
    assert whole.messages[2].parent == whole.messages[1].message_id
    assert [branch.length for branch in whole.branches] == [4]


def test_a_title_a_person_gave_is_the_strongest(made: Made) -> None:
    titled = made(
        {"type": "custom-title", "sessionId": "sess-a", "customTitle": "Ovens"},
        user(1, "go"),
        {"type": "summary", "leafUuid": uuid(1), "summary": "Going"},
        {"type": "ai-title", "sessionId": "sess-a", "aiTitle": "To go"},
        {"type": "ai-title", "sessionId": "sess-z", "aiTitle": "Elsewhere"},
    )
    assert titled.sessions[0].title == "Ovens"
    assert skips(titled) == [("foreign_summary", 5, "sess-z", 1)]


def test_parts_of_another_shape_cost_only_themselves(made: Made) -> None:
    odd = made(
        user(1, "go"),
        record("user", 2, message="text"),
        user(3, {"text": "x"}),
        user(4, [7, {"type": ["text"]}, {"type": "text", "text": 7}]),
        record("assistant", 5, message={"role": "user", "content": "x"}),
        model(6, {"type": "tool_use", "id": 7, "name": None, "input": "x"}),
        record("system", 7, subtype=["x"]),
        record("attachment", 8, attachment={"type": "queued_command", "prompt": 7}),
        record("progress", 9, data=None),
        user(10, "end", timestamp="soon", above=77),
    )
    assert [message.line for message in odd.messages] == [1, 4, 6, 10]
    assert {skip.line for skip in odd.skips} == set(range(2, 11))
    assert odd.messages[-1].happened is None


def test_a_record_is_found_again_by_its_line_and_digest(made: Made, tmp_path: Path) -> None:
    message = made(user(1, "go"), model(2, "done")).messages[1]
    line = jsonl.record(tmp_path / "sess-a.jsonl", message.line, message.digest)
    assert line is not None
    assert line.value["uuid"] == uuid(2)


def test_a_draft_has_the_fields_of_a_message_in_their_order() -> None:
    drafted = [(field.name, field.default) for field in fields(Draft)]
    assert drafted == [(field.name, field.default) for field in fields(Message)]


def test_what_the_reader_hands_out_is_frozen(made: Made) -> None:
    message = made(user(1, "go")).messages[0]
    assert type(message) is Message
    with pytest.raises(FrozenInstanceError):
        message.text = "stay"  # type: ignore[misc]  # on purpose


def test_a_line_that_stands_before_its_parent_is_tied_to_it(made: Made) -> None:
    late = made(user(1, "go"), model(3, "second"), model(2, "first"), user(4, "more"))
    ids = [message.message_id for message in late.messages]
    assert [message.parent for message in late.messages] == [None, ids[2], ids[0], ids[1]]
    assert skips(late) == []
    assert all(message.active for message in late.messages)
