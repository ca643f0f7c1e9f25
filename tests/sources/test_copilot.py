"""Copilot CLI events: whose words, what became of calls, and which prompts were never typed."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dream.records import Transcript
from dream.sources import HEAD, copilot
from tests.conftest import HOUSE, Golden
from tests.sources.stillness import listing
from tests.sources.told import told

ORCHARD = HOUSE / "tests" / "data" / "copilot" / "orchard.jsonl"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
Row = dict[str, Any]


def event(kind: str, /, *, wait: float = 1, top: Row | None = None, **data: Any) -> Row:
    """wait: seconds since the event before. top: fields beside data."""
    return {"type": kind, "data": data, "wait": wait, **(top or {})}


BEGIN = event("session.start", sessionId="s", context={"cwd": "/home/me/shop", "branch": "main"})


def typed(words: str, *, wait: float = 20, **more: Any) -> Row:
    return event("user.message", content=words, wait=wait, **more)


def reply(words: str, *calls: str, **more: Any) -> Row:
    requests = [{"toolCallId": c, "name": "bash", "arguments": {"command": "x"}} for c in calls]
    return event("assistant.message", content=words, toolRequests=requests, messageId=words, **more)


def complete(call: str, words: str, *, success: bool = True) -> Row:
    told_of: Row = {"result": {"content": words}} if success else {"error": {"message": words}}
    return event("tool.execution_complete", toolCallId=call, success=success, **told_of)


def file_of(rows: Sequence[Row]) -> bytes:
    stamp, lines = START, []
    for number, one in enumerate(rows):
        stamp += timedelta(seconds=one["wait"])
        rest = {key: value for key, value in one.items() if key != "wait"}
        parent = f"e{number - 1}" if number else None
        lines.append(
            {"id": f"e{number}", "timestamp": stamp.isoformat(), "parentId": parent, **rest}
        )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def read(path: Path) -> Transcript:
    (made,) = copilot.read(path, {}, path.parent)
    return made


def made_of(folder: Path, *rows: Row, name: str = "events.jsonl") -> Transcript:
    path = folder / name
    path.write_bytes(file_of(rows))
    return read(path)


def voices(made: Transcript) -> list[tuple[str, str, str]]:
    return [(one.role, one.kind, one.text) for one in made.messages]


def test_every_kind_of_event_comes_out_as_it_is_written_down(golden: Golden) -> None:
    before = listing(ORCHARD.parent)
    golden("copilot_orchard.txt", told(read(ORCHARD)))
    assert listing(ORCHARD.parent) == before


def test_only_events_are_claimed_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert copilot.claims(path, file_of([BEGIN]))
    assert copilot.claims(path, file_of([typed("go")]))
    long = file_of([{**BEGIN, "data": {"sessionId": "s", "context": "x" * HEAD}}])
    first = json.dumps({"type": "session.start", "data": {"sessionId": "x" * HEAD}}).encode()
    assert copilot.claims(path, first[:HEAD])
    assert not copilot.claims(path, long[:HEAD].replace(b"session.start", b"session.begin"))
    for other in (
        b'{"type":"session","id":"a","version":3}\n',
        b'{"timestamp":"t","type":"session_meta","payload":{}}\n',
        b'{"type":"user","sessionId":"a","message":{}}\n',
        b'{"type":"session.start"}\n',
        b"",
    ):
        assert not copilot.claims(path, other)


def test_a_session_is_named_by_its_start_else_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "session-state" / "abc"
    folder.mkdir(parents=True)
    assert list(copilot.find(tmp_path)) == []
    assert made_of(folder, BEGIN, typed("go")).sessions[0].session_id == "copilot-cli:s"
    assert made_of(folder, typed("go")).sessions[0].session_id == "copilot-cli:abc"
    assert list(copilot.find(tmp_path)) == [folder / "events.jsonl"]


def test_what_a_person_typed_is_taken_without_what_was_added(tmp_path: Path) -> None:
    prompt = typed("go", transformedContent="<current_datetime>now</current_datetime>\n\ngo")
    assert voices(made_of(tmp_path, BEGIN, prompt)) == [("human", "prompt", "go")]


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        (typed("Always prune.", source="skill-pruning"), "meta"),
        (typed("<skill-context name='x'>\nAlways prune.", wait=20), "meta"),
        (typed("/plan", source="command-plan"), "command"),
        (typed("tidy up", source="schedule-1"), "meta"),
        (typed("do it", inputOrigin="authenticated-cross-session"), "meta"),
    ],
)
def test_what_a_program_put_there_is_no_statement(tmp_path: Path, prompt: Row, kind: str) -> None:
    assert voices(made_of(tmp_path, BEGIN, prompt)) == [
        ("injected", kind, prompt["data"]["content"])
    ]


def test_a_prompt_that_is_there_at_once_was_handed_over(tmp_path: Path) -> None:
    made = made_of(tmp_path, BEGIN, typed("Say OK.", wait=0.1), reply("OK"))
    assert (made.sessions[0].kind, made.messages[0].role) == ("headless", "injected")
    hook = event("hook.start", hookType="userPromptSubmitted", wait=0.1)
    made = made_of(tmp_path, BEGIN, hook, typed("Say OK.", wait=9), reply("OK"))
    assert (made.sessions[0].kind, made.messages[0].role) == ("headless", "injected")
    trust = event("session.info", infoType="folder_trust", wait=40)
    made = made_of(tmp_path, BEGIN, trust, typed("# Task", wait=0.3), reply("OK"), typed("no, so"))
    assert made.sessions[0].kind == "interactive"
    assert [one.role for one in made.messages] == ["injected", "assistant", "human"]


def test_a_prompt_typed_while_the_model_worked_may_come_at_once(tmp_path: Path) -> None:
    made = made_of(tmp_path, BEGIN, typed("go"), reply("Done."), typed("not so", wait=0.01))
    assert [one.role for one in made.messages] == ["human", "assistant", "human"]
    again = event("session.resume", sessionId="s")
    made = made_of(tmp_path, BEGIN, typed("go"), reply("Done."), again, typed("on", wait=0.01))
    assert [one.role for one in made.messages] == ["human", "assistant", "human"]


@pytest.mark.parametrize(
    ("done", "status", "code"),
    [
        (complete("c", "x\n<exited with exit code 0>"), "ok", 0),
        (complete("c", "x\n<shellId: 6 completed with exit code 128>"), "error", 128),
        (complete("c", "<exited with exit code 1> and more"), "ok", None),
        (complete("c", "Path does not exist", success=False), "error", None),
        (complete("c", ""), "ok", None),
    ],
)
def test_what_became_of_a_call_is_told_by_the_client_or_the_commands_end(
    tmp_path: Path, done: Row, status: str, code: int | None
) -> None:
    made = made_of(tmp_path, BEGIN, typed("go"), reply("", "c"), done)
    (call,) = made.calls
    assert (call.status, call.exit_code) == (status, code)
    assert call.result_id == made.messages[-1].message_id


def permission(kind: str, **more: Any) -> list[Row]:
    return [
        event("permission.requested", requestId="r", permissionRequest={"toolCallId": "c"}),
        event("permission.completed", requestId="r", result={"kind": kind, **more}),
    ]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("approved", "ok"),
        ("denied-interactively-by-user", "refused"),
        ("denied-by-rules", "error"),
    ],
)
def test_only_a_person_refuses(tmp_path: Path, kind: str, status: str) -> None:
    rows = [BEGIN, typed("go"), reply("", "c"), *permission(kind, feedback="never push")]
    made = made_of(tmp_path, *rows, complete("c", "x"))
    assert made.calls[0].status == status
    refusals = [one.text for one in made.messages if one.kind == "refusal"]
    assert refusals == (["never push"] if status == "refused" else [])
    assert made_of(tmp_path, *rows).calls[0].status == ("unanswered" if status == "ok" else status)


def test_a_sub_agents_events_are_a_session_of_their_own(tmp_path: Path) -> None:
    helper: Row = {"agentId": "counter"}
    made = made_of(
        tmp_path, BEGIN, typed("go"), reply("", "c"),
        event("subagent.started", toolCallId="c"),
        event("user.message", content="never do x", top=helper),
        event("assistant.message", content="Seven.", top=helper), complete("c", "Seven."),
    )  # fmt: skip
    main, side = made.sessions
    assert (side.session_id, side.kind, side.parent_id) == (
        "copilot-cli:s:counter", "subagent", main.session_id
    )  # fmt: skip
    assert [m.role for m in made.messages if m.session_id == side.session_id] == [
        "injected", "assistant"
    ]  # fmt: skip
    assert (made.calls[0].status, main.cwd) == ("ok", side.cwd)


def test_runs_are_cut_at_prompts_and_not_at_remarks(tmp_path: Path) -> None:
    made = made_of(
        tmp_path, BEGIN, event("system.message", content="You are."), typed("go"), reply("", "c"),
        typed("rather there", delivery="steering"), complete("c", "x"), reply("Done."),
        typed("on"), reply("", "d"), event("abort", reason="user_initiated"),
    )  # fmt: skip
    assert [(run.number, run.state) for run in made.runs] == [
        (0, "settled"), (1, "settled"), (2, "interrupted")
    ]  # fmt: skip
    assert voices(made)[-1] == ("injected", "interrupt", "user_initiated")
    assert [call.status for call in made.calls] == ["ok", "interrupted"]


def test_only_what_was_written_is_known_of_a_replys_tokens(tmp_path: Path) -> None:
    made = made_of(tmp_path, BEGIN, typed("go"), reply("a", outputTokens=7), reply("b"))
    assert [(m.tokens_in, m.tokens_out) for m in made.messages[1:]] == [(None, 7), (None, None)]
    assert [m.reply_id for m in made.messages[1:]] == ["a", "b"]


def test_the_model_is_the_replys_own_else_the_sessions(tmp_path: Path) -> None:
    change = event("session.model_change", newModel="model-b")
    made = made_of(tmp_path, BEGIN, change, typed("go"), reply("a"), reply("b", model="model-c"))
    assert [m.model for m in made.messages] == [None, "model-b", "model-c"]


@pytest.mark.parametrize(
    ("begun", "about", "trigger"),
    [({"trigger": "manual"}, {}, "manual"), ({"trigger": "threshold"}, {}, "auto"),
     ({}, {"customInstructions": "short"}, "manual"), ({}, {}, "auto")],
)  # fmt: skip
def test_a_compaction_is_told_once_and_its_summary_is_no_statement(
    tmp_path: Path, begun: Row, about: Row, trigger: str
) -> None:
    done = event(
        "session.compaction_complete", success=True, preCompactionTokens=900,
        summaryContent="Always long forms.", **about,
    )  # fmt: skip
    failed = event("session.compaction_complete", success=False)
    start = event("session.compaction_start", **begun)
    made = made_of(tmp_path, BEGIN, typed("go"), reply("a"), start, done, failed)
    (one,) = made.compactions
    assert (one.trigger, one.number, one.tokens_before) == (trigger, 2, 900)
    assert voices(made)[-1] == ("injected", "summary", "Always long forms.")


def test_a_persons_own_command_is_neither_a_call_nor_a_statement(tmp_path: Path) -> None:
    asked = event(
        "tool.user_requested", toolCallId="u", toolName="bash", arguments={"command": "ls"}
    )
    made = made_of(tmp_path, BEGIN, asked, complete("u", "a.txt"))
    assert voices(made) == [("injected", "shell", "$ ls"), ("injected", "shell", "a.txt")]
    assert not made.calls


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}, "free text", None, [1]])
def test_arguments_are_always_an_object(tmp_path: Path, arguments: object) -> None:
    asked = event(
        "assistant.message", content="", toolRequests=[
            {"toolCallId": "c", "name": "edit", "arguments": arguments}
        ],
    )  # fmt: skip
    (call,) = made_of(tmp_path, BEGIN, asked).calls
    given = json.loads(call.arguments)
    assert given in ({"a": 1}, {"input": arguments}, {})


def test_odd_events_are_told_and_cost_only_themselves(tmp_path: Path) -> None:
    done = complete("c", "x")
    made = made_of(
        tmp_path, BEGIN, event("orchard.flooded"), event("orchard.flooded"),
        {"data": {}, "wait": 1}, {"type": "abort", "wait": 1}, event("user.message", content=7),
        event("assistant.message", content="a", toolRequests=7), reply("", "c"), done,
        complete("c", "y"), complete("z", "w"),
    )  # fmt: skip
    unknown = {s.detail: (s.count, s.lost) for s in made.skips if s.reason == "unknown_type"}
    assert unknown == {"orchard.flooded": (2, True)}
    rest = [s.reason for s in made.skips if s.reason not in ("housekeeping", "unknown_type")]
    assert sorted(rest) == [
        "bad_shape", "bad_shape", "bad_shape", "duplicate_result", "no_type", "result_without_call"
    ]  # fmt: skip


def test_a_broken_chain_is_noticed_and_a_slice_is_none(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = file_of([BEGIN, typed("go"), reply("a"), typed("on")]).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[2:]))
    assert not any(skip.reason == "broken_parent" for skip in read(path).skips)
    path.write_bytes(b"".join([*lines[:2], lines[3]]))
    made = read(path)
    assert [s.line for s in made.skips if s.reason == "broken_parent"] == [3]
    assert made.messages[-1].parent == made.messages[0].message_id


def test_a_copy_of_an_event_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    lines = file_of([BEGIN, typed("go"), reply("a")]).splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1]]))
    made = read(path)
    assert len(made.messages) == 2
    assert [skip.line for skip in made.skips if skip.reason == "duplicate"] == [4]


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    made = made_of(tmp_path, BEGIN, typed("go"))
    path = tmp_path / "events.jsonl"
    assert list(copilot.read(path, {"": made.token}, tmp_path)) == []
    longer = made_of(tmp_path, BEGIN, typed("go"), reply("a"))
    assert longer.messages[0].copy_key == made.messages[0].copy_key
