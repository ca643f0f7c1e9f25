"""Codex rollouts: whose words, what became of calls, turns, forks, what a person took back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dream.records import Transcript
from dream.sources import HEAD, codex
from tests.conftest import HOUSE, Golden
from tests.sources.codex_makers import (
    Row,
    called,
    event,
    item,
    made_of,
    meta,
    read,
    rollout,
    row,
    said,
    skips,
    spent,
    text,
    turn,
    typed,
    uuid,
)
from tests.sources.stillness import listing
from tests.sources.told import told

GREENHOUSE = HOUSE / "tests" / "data" / "codex" / "greenhouse.jsonl"
OWN, PARENT = uuid(100, 1), uuid(0, 2)
FIRST, SECOND, THIRD = uuid(101), uuid(150), uuid(200)


def voices(made: Transcript) -> list[tuple[str, str, str]]:
    return [(one.role, one.kind, one.text) for one in made.messages]


def typed_in(made: Transcript, session: str | None = None) -> list[str]:
    return [
        one.text
        for one in made.messages
        if one.role == "human" and session in (None, one.session_id)
    ]


def test_every_kind_of_record_comes_out_as_it_is_written_down(golden: Golden) -> None:
    before = listing(GREENHOUSE.parent)
    golden("codex_greenhouse.txt", told(read(GREENHOUSE)))
    assert listing(GREENHOUSE.parent) == before


def test_only_a_rollout_is_claimed_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert codex.claims(path, rollout([meta(OWN)])[:HEAD])
    assert codex.claims(path, rollout(typed("go"))[:HEAD])
    long = rollout([meta(OWN, base_instructions={"text": "x" * HEAD})])[:HEAD]
    assert codex.claims(path, long)
    for other in (
        b'{"type":"session","id":"a","version":3}\n',
        b'{"type":"session.start","data":{}}\n',
        b'{"type":"user","sessionId":"a","parentUuid":null}\n',
        b'{"text":"\\"type\\":\\"session_meta\\",\\"payload\\":"}\n',
        b'{"type":"session_meta"}\n',
        b"",
    ):
        assert not codex.claims(path, other)


def test_rollouts_are_found_wherever_they_lie_compressed_ones_too(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "2026" / "03"
    folder.mkdir(parents=True)
    plain = folder / f"rollout-2026-03-02T09-00-00-{OWN}.jsonl"
    plain.write_bytes(rollout([meta(OWN), *typed("go")]))
    packed = folder / f"rollout-2026-03-02T10-00-00-{PARENT}.jsonl.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd rest")
    (folder / "notes.txt").write_text("no")
    assert list(codex.find(tmp_path)) == [plain, packed]
    assert list(codex.find(plain)) == [plain]
    assert codex.claims(packed, packed.read_bytes())
    assert [(skip.reason, skip.lost) for skip in read(packed).skips] == [("damaged", True)]


def test_a_prompt_counts_once_though_it_stands_twice(tmp_path: Path) -> None:
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *typed("use pnpm"), *said("Done."))])
    assert voices(made) == [("human", "prompt", "use pnpm"), ("assistant", "reply", "Done.")]
    assert made.messages[0].line == 3  # where the model saw it
    twins = {skip.detail: skip.count for skip in made.skips if skip.reason == "duplicate"}
    assert twins == {"event_msg/user_message": 1, "response_item/message": 1}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_item_and_event_are_twins_in_either_order(tmp_path: Path, order: tuple[int, int]) -> None:
    prompt, reply = typed("use pnpm"), said("Done.")
    rows = [prompt[order[0]], prompt[order[1]], reply[order[0]], reply[order[1]]]
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)])
    assert voices(made) == [("human", "prompt", "use pnpm"), ("assistant", "reply", "Done.")]


def test_the_same_words_typed_twice_are_two_prompts(tmp_path: Path) -> None:
    rows = turn(FIRST, *typed("continue"), *said("Yes."), *typed("continue"), *said("Yes."))
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert typed_in(made) == ["continue", "continue"]
    assert len({one.copy_key for one in made.messages}) == 4


PUT_IN = [
    ("# AGENTS.md instructions for /home/me/shop\n\n<INSTRUCTIONS>\nAlways x.", "meta"),
    ("<environment_context>\n  <cwd>/home/me</cwd>\n</environment_context>", "meta"),
    ("<user_instructions>\nnever y\n</user_instructions>", "meta"),
    ("<skill>\n<name>z</name>\n</skill>", "meta"),
    ("<permissions instructions>\nask\n</permissions instructions>", "meta"),
    ("<turn_aborted>\nThe user interrupted.\n</turn_aborted>", "interrupt"),
    ("<user_shell_command>\nls\n</user_shell_command>", "shell"),
    ("<subagent_notification>\ndone\n</subagent_notification>", "subagent"),
    ("Another language model started to solve this problem and so on", "summary"),
    ("whatever a newer release may put here", "meta"),
]


@pytest.mark.parametrize(("words", "kind"), PUT_IN)
def test_a_users_item_without_its_event_is_a_programs(
    tmp_path: Path, words: str, kind: str
) -> None:
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, text("user", words), *typed("go"))])
    assert voices(made) == [("injected", kind, words), ("human", "prompt", "go")]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        *(pair for pair in PUT_IN[:9] if pair[1] != "interrupt"),
        ("Generate a file named AGENTS.md that serves as a contributor guide for this", "command"),
        ("Implement the plan.", "meta"),
        ("PLEASE IMPLEMENT THIS PLAN:\n# Shelves", "meta"),
        ("Automation: nightly\nAutomation ID: nightly-1\n\nTidy up.", "meta"),
    ],
)
def test_even_an_event_of_the_users_is_not_always_typed(
    tmp_path: Path, words: str, kind: str
) -> None:
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *typed(words))])
    assert voices(made) == [("injected", kind, words)]


def test_an_older_release_marks_what_it_put_in(tmp_path: Path) -> None:
    rows = turn(FIRST, event("user_message", message="cwd: /home", kind="environment_context"))
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert voices(made) == [("injected", "meta", "cwd: /home")]


@pytest.mark.parametrize(
    "heading", ["# Context from my IDE setup:", "# Files mentioned by the user:"]
)
def test_a_persons_words_stand_apart_from_the_clients(tmp_path: Path, heading: str) -> None:
    before = f"{heading}\n\n## Active file: a.py\n## My request for Codex:\nnot these"
    whole = f"\n{before}\n\n## My request for Codex:\nRename it.\n"
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *typed(whole))])
    assert voices(made) == [("injected", "meta", before), ("human", "prompt", "Rename it.")]
    assert len({one.message_id for one in made.messages}) == 2


def test_a_heading_in_a_persons_own_text_cuts_nothing(tmp_path: Path) -> None:
    words = "Look at this:\n## My request for Codex:\nno"
    assert typed_in(made_of(tmp_path, [meta(OWN), *turn(FIRST, *typed(words))])) == [words]


def test_pictures_are_no_words_of_a_persons(tmp_path: Path) -> None:
    blocks = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": "IMG"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "[Image #1] like this"},
    ]
    rows = [
        item("message", role="user", content=blocks),
        event("user_message", message="[Image #1] like this"),
    ]
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)])
    assert voices(made) == [
        ("injected", "meta", "<image name=[Image #1]>\n</image>"),
        ("human", "prompt", "[Image #1] like this"),
    ]


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({"source": "cli"}, "interactive"),
        ({"source": "vscode", "originator": "Codex Desktop"}, "interactive"),
        ({}, "interactive"),
        ({"source": "cli", "thread_source": "user"}, "interactive"),
        ({"source": "a client of next year"}, "unknown"),
        ({"source": "exec"}, "headless"),
        ({"source": "mcp"}, "headless"),
        ({"source": "cli", "originator": "codex_sdk_ts"}, "headless"),
        ({"source": "vscode", "originator": "codex_exec"}, "headless"),
        ({"source": {"internal": "memory_consolidation"}}, "headless"),
        ({"source": "cli", "thread_source": "memory_consolidation"}, "headless"),
        ({"source": {"subagent": "review"}}, "review"),
        ({"source": {"subagent": {"other": "guardian"}}}, "review"),
        ({"source": "cli", "thread_source": "guardian_review"}, "review"),
        ({"source": {"subagent": "compact"}}, "subagent"),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}}, "subagent"),
        ({"source": "cli", "thread_source": "subagent"}, "subagent"),
        ({"parent_thread_id": PARENT}, "subagent"),
    ],
)
def test_who_leads_a_thread_says_whether_a_person_typed_in_it(
    tmp_path: Path, about: dict[str, Any], kind: str
) -> None:
    made = made_of(tmp_path, [meta(OWN, **about), *turn(FIRST, *typed("never do x"))])
    assert made.sessions[0].kind == kind
    role = "human" if kind in ("interactive", "unknown") else "injected"
    assert voices(made) == [(role, "prompt", "never do x")]


def test_a_sub_agent_names_whom_it_works_for(tmp_path: Path) -> None:
    for about in (
        {"parent_thread_id": PARENT},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}},
        {"forked_from_id": PARENT},
    ):
        made = made_of(tmp_path, [meta(OWN, **about)])
        assert made.sessions[0].parent_id == f"codex:{PARENT}"


OUTPUTS = [
    ("Exit code: 0\nWall time: 1 seconds\nOutput:\nExit code: 7", "ok", 0),
    ("Exit code: 101\nWall time: 1 seconds\nOutput:\n", "error", 101),
    ("exit code 2", "error", 2),
    ("Chunk ID: a1\nWall time: 0.5 seconds\nProcess exited with code 2\nOutput:\nx", "error", 2),
    ("Chunk ID: a1\nWall time: 0.5 seconds\nProcess exited with code 0\nOutput:\n", "ok", 0),
    (
        "Chunk ID: a1\nWall time: 1 seconds\nProcess running with session ID 5\nOutput:\n"
        "Process exited with code 3\n",
        "ok",
        None,
    ),
    ('{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}', "error", 1),
    ('{"output":"Success. Updated","metadata":{"exit_code":0}}', "ok", 0),
    ('{"output": half', "ok", None),
    ("apply_patch verification failed: Failed to find expected lines", "error", None),
    ("write_stdin failed: Unknown process id 5", "error", None),
    ("failed to parse function arguments: missing field", "error", None),
    ("unsupported call: fly", "error", None),
    ("exec command rejected by user", "refused", None),
    ("patch rejected by user", "refused", None),
    ("aborted by user after 3.1s", "interrupted", None),
    ("aborted", "interrupted", None),
    ("Plan updated", "ok", None),
    ("The tests failed last year; all is well now", "ok", None),
]


@pytest.mark.parametrize(("output", "status", "code"), OUTPUTS)
def test_what_became_of_a_call_stands_in_the_first_words_of_its_output(
    tmp_path: Path, output: str, status: str, code: int | None
) -> None:
    (call,) = made_of(tmp_path, [meta(OWN), *turn(FIRST, *called("c", output))]).calls
    assert (call.status, call.exit_code) == (status, code)


@pytest.mark.parametrize(
    ("end", "status", "code"),
    [
        (event("exec_command_end", call_id="c", exit_code=3, status="failed"), "error", 3),
        (event("exec_command_end", call_id="c", exit_code=0, status="completed"), "ok", 0),
        (event("exec_command_end", call_id="c", exit_code=-1, status="declined"), "refused", None),
        (event("patch_apply_end", call_id="c", success=False), "error", None),
        (event("mcp_tool_call_end", call_id="c", result={"Err": "gone"}), "error", None),
        (event("mcp_tool_call_end", call_id="c", result={"Ok": {"isError": True}}), "error", None),
        (event("mcp_tool_call_end", call_id="c", result={"Ok": {"content": []}}), "ok", None),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_the_event_that_ended_a_call_knows_better_than_its_output(
    tmp_path: Path, end: Row, status: str, code: int | None, *, before: bool
) -> None:
    asked, output = called("c", "something")
    rows = [asked, end, output] if before else [asked, output, end]
    (call,) = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)]).calls
    assert (call.status, call.exit_code) == (status, code)
    assert call.result_id == read(tmp_path / "rollout.jsonl").messages[1].message_id


def test_an_event_does_not_undo_that_a_person_stepped_in(tmp_path: Path) -> None:
    rows = [*called("c", "aborted by user after 1s"), event("exec_command_end", call_id="c",
            exit_code=137)]  # fmt: skip
    (call,) = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)]).calls
    assert (call.status, call.exit_code) == ("interrupted", 137)


@pytest.mark.parametrize(
    ("output", "words", "status"),
    [
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb", "ok"),
        ({"content": "a", "success": False}, "a", "error"),
        (
            {"content": "Exit code: 0\nOutput:\na", "success": True},
            "Exit code: 0\nOutput:\na",
            "ok",
        ),
        (None, "", "ok"),
    ],
)
def test_outputs_come_in_other_shapes_too(
    tmp_path: Path, output: object, words: str, status: str
) -> None:
    asked, _ = called("c", "")
    rows = [asked, item("function_call_output", call_id="c", output=output)]
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)])
    assert (made.messages[1].text, made.calls[0].status) == (words, status)


@pytest.mark.parametrize(
    ("asked", "tool", "arguments"),
    [
        (item("function_call", name="f", arguments='{"a": 1}', call_id="c"), "f", '{"a": 1}'),
        (item("function_call", name="f", arguments="{broken", call_id="c"), "f",
         '{"input":"{broken"}'),
        (item("function_call", name="ask", namespace="mcp__w", arguments="{}", call_id="c"),
         "mcp__w__ask", "{}"),
        (item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c"),
         "apply_patch", '{"input":"*** Begin"}'),
        (item("local_shell_call", call_id="c", action={"type": "exec", "command": ["ls"]}),
         "local_shell", '{"type":"exec","command":["ls"]}'),
        (item("tool_search_call", call_id="c", arguments={"query": "q"}), "tool_search",
         '{"query":"q"}'),
        (item("web_search_call", status="completed", action={"query": "q"}), "web_search",
         '{"query":"q"}'),
    ],
)  # fmt: skip
def test_every_kind_of_call_is_one(tmp_path: Path, asked: Row, tool: str, arguments: str) -> None:
    (call,) = made_of(tmp_path, [meta(OWN), *turn(FIRST, asked)]).calls
    assert (call.tool, call.arguments) == (tool, arguments)
    assert call.status == ("ok" if tool == "web_search" else "unanswered")


def test_a_call_without_a_result_in_a_turn_that_was_stopped_is_interrupted(tmp_path: Path) -> None:
    rows = turn(FIRST, called("c", "")[0], end="turn_aborted")
    assert made_of(tmp_path, [meta(OWN), *rows]).calls[0].status == "interrupted"


def test_odd_results_are_told(tmp_path: Path) -> None:
    asked, output = called("c", "a")
    other = called("d", "b")[1]
    again = item("function_call_output", call_id="c", output="again")
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, asked, output, output, again, other)])
    assert skips(made) == {"duplicate": 1, "duplicate_result": 1, "result_without_call": 1}
    assert len(made.calls) == 1


def test_the_running_total_of_tokens_is_never_added_up(tmp_path: Path) -> None:
    rows = turn(
        FIRST, *typed("go"), *said("a"), *called("c", "x"), spent(100, 10), spent(100, 10),
        *said("b"), spent(250, 30),
    )  # fmt: skip
    made = made_of(tmp_path, [meta(OWN), *rows])
    told_of = [(one.text, one.tokens_in, one.tokens_out) for one in made.messages if one.tokens_in]
    assert told_of == [("", 100, 10), ("b", 150, 20)]
    replies = [one.reply_id for one in made.messages if one.role == "assistant"]
    assert replies[0] == replies[1] != replies[2]


def test_a_resumed_count_begins_anew_and_an_unknown_one_stays_unknown(tmp_path: Path) -> None:
    rows = turn(
        FIRST, *typed("go"), *said("a"), spent(100, 10), *said("b"), spent(40, 4), *said("c")
    )
    made = made_of(tmp_path, [meta(OWN), *rows])
    told_of = [(one.text, one.tokens_in) for one in made.messages if one.role == "assistant"]
    assert told_of == [("a", 100), ("b", 40), ("c", None)]


def test_a_turn_is_a_run_and_a_remark_in_it_begins_none(tmp_path: Path) -> None:
    rows = [
        *turn(FIRST, *typed("go"), *said("a"), *typed("rather there"), *said("b")),
        *turn(SECOND, *typed("stop that"), *said("c"), end="turn_aborted"),
    ]
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert [(run.number, run.state) for run in made.runs] == [(1, "settled"), (2, "interrupted")]
    assert [one.run_id for one in made.messages] == [f"codex:{OWN}:{FIRST}"] * 4 + [
        f"codex:{OWN}:{SECOND}"
    ] * 3
    assert made.messages[-1].kind == "interrupt"


def test_without_turns_a_prompt_begins_a_run(tmp_path: Path) -> None:
    rows = [*said("Hello."), *typed("go"), *said("a"), *typed("on"), *said("b")]
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert [(run.number, run.state) for run in made.runs] == [
        (0, "settled"), (1, "settled"), (2, "settled")
    ]  # fmt: skip


def test_an_interruption_counts_once_in_either_order(tmp_path: Path) -> None:
    mark = text("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>")
    end = event("turn_aborted", turn_id=FIRST, reason="interrupted")
    for rows in ([mark, end], [end, mark], [end], [mark]):
        begun = event("task_started", turn_id=FIRST)
        made = made_of(tmp_path, [meta(OWN), begun, *typed("go"), *rows])
        assert [one.kind for one in made.messages] == ["prompt", "interrupt"]
        assert made.runs[0].state == "interrupted"


def test_a_turn_that_a_newer_one_replaced_is_no_interruption(tmp_path: Path) -> None:
    rows = [
        event("task_started", turn_id=FIRST), *typed("go"),
        event("turn_aborted", turn_id=FIRST, reason="replaced"),
    ]  # fmt: skip
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert [one.kind for one in made.messages] == ["prompt"]
    assert made.runs[0].state == "stopped"


def test_what_a_person_took_back_stays_as_a_branch_given_up(tmp_path: Path) -> None:
    rows = [
        *turn(FIRST, *typed("one"), *said("a")),
        *turn(SECOND, *typed("two"), *said("b"), *typed("three"), *said("c")),
        event("thread_rolled_back", num_turns=2),
        *turn(THIRD, *typed("two, but better"), *said("d")),
    ]
    made = made_of(tmp_path, [meta(OWN), *rows])
    assert [(one.text, one.active) for one in made.messages] == [
        ("one", True), ("a", True), ("two", False), ("b", False), ("three", False), ("c", False),
        ("two, but better", True), ("d", True),
    ]  # fmt: skip
    stays, gone = made.branches
    assert (stays.active, stays.length) == (True, 4)
    assert (gone.active, gone.length, gone.reason) == (False, 6, "rollback")
    assert gone.fork_point == made.messages[1].message_id == made.messages[6].parent


def test_a_compaction_counts_once_and_its_history_is_not_said_again(tmp_path: Path) -> None:
    history = [text("user", "keep me")["payload"], {"type": "compaction"}]
    rows = [
        *turn(FIRST, *typed("forget me"), *said("a"), spent(90, 10)),
        *turn(SECOND, *typed("keep me"), *said("b"),
              row("compacted", message="", replacement_history=history),
              event("context_compacted")),
        *turn(THIRD, row("compacted", message="All of it.", replacement_history=[]),
              event("context_compacted")),
    ]  # fmt: skip
    made = made_of(tmp_path, [meta(OWN), *rows])
    first, second = made.compactions
    assert (first.trigger, first.number, first.tokens_before) == ("auto", 4, 100)
    assert first.kept_from == made.messages[2].message_id
    assert (second.trigger, second.number, second.kept_from) == ("manual", 4, None)
    assert typed_in(made) == ["forget me", "keep me"]
    assert voices(made)[-1] == ("injected", "summary", "All of it.")


def test_a_compaction_of_which_only_the_event_is_there_counts(tmp_path: Path) -> None:
    rows = turn(FIRST, *typed("go"), event("context_compacted"), event("context_compacted"))
    assert len(made_of(tmp_path, [meta(OWN), *rows]).compactions) == 2


def test_a_resumed_thread_goes_on_in_the_same_session(tmp_path: Path) -> None:
    rows = [
        meta(OWN, cli_version="1"), *turn(FIRST, *typed("one")),
        meta(OWN, cli_version="2"), *turn(SECOND, *typed("two")),
    ]  # fmt: skip
    made = made_of(tmp_path, rows)
    assert len(made.sessions) == 1
    assert typed_in(made) == ["one", "two"]
    assert "copied" not in skips(made)


PARENTS = [
    meta(PARENT, source="cli"),
    *turn(uuid(10), *typed("port it"), *said("a"), *called("c", "exit code 1"), spent(80, 10)),
    *turn(uuid(60), *typed("never the full suite"), *said("b"), spent(90, 20)),
]
CHILDS = turn(FIRST, *typed("do this part"), *said("c"), spent(100, 30))


def fork(tmp_path: Path, **about: Any) -> Transcript:
    path = tmp_path / "child.jsonl"
    copied = rollout([meta(OWN, **about), *PARENTS], at=100, step=0.001)
    path.write_bytes(copied + rollout(CHILDS, at=101))
    return read(path)


def test_the_history_that_a_fork_begins_with_is_its_parents(tmp_path: Path) -> None:
    made = fork(tmp_path, forked_from_id=PARENT)
    assert [one.parent_id for one in made.sessions] == [f"codex:{PARENT}", None]
    assert typed_in(made, f"codex:{PARENT}") == ["port it", "never the full suite"]
    assert typed_in(made, f"codex:{OWN}") == ["do this part"]
    assert skips(made) == {"copied": len(PARENTS)}


def test_what_is_copied_has_the_keys_and_ids_of_the_original(tmp_path: Path) -> None:
    original = made_of(tmp_path, PARENTS, "parent.jsonl")
    copy = [one for one in fork(tmp_path).messages if one.session_id == f"codex:{PARENT}"]
    keys = [(one.copy_key, one.message_id, one.run_id, one.tokens_in) for one in copy]
    assert keys == [
        (one.copy_key, one.message_id, one.run_id, one.tokens_in) for one in original.messages
    ]
    assert copy[0].happened == datetime(2026, 3, 2, 9, 0, 10, tzinfo=UTC)  # when its turn began


def test_a_sub_agent_has_no_statement_and_no_token_of_its_parents(tmp_path: Path) -> None:
    made = fork(tmp_path, parent_thread_id=PARENT, forked_from_id=PARENT)
    own = [one for one in made.messages if one.session_id == f"codex:{OWN}"]
    assert {one.role for one in own} == {"injected", "assistant"}
    assert [(one.tokens_in, one.tokens_out) for one in own if one.tokens_in] == [(10, 10)]
    assert made.sessions[0].kind == "subagent"


def test_of_a_fork_of_a_fork_each_turn_is_its_own_threads(tmp_path: Path) -> None:
    middle = uuid(70, 3)
    path = tmp_path / "child.jsonl"
    rows = [meta(OWN), meta(middle), *PARENTS, *turn(uuid(80), *typed("in the middle"))]
    path.write_bytes(rollout(rows, at=100, step=0.001) + rollout(CHILDS, at=101))
    made = read(path)
    assert typed_in(made, f"codex:{PARENT}") == ["port it", "never the full suite"]
    assert typed_in(made, f"codex:{middle}") == ["in the middle"]
    assert typed_in(made, f"codex:{OWN}") == ["do this part"]


def test_where_ids_tell_no_time_the_burst_of_the_copy_does(tmp_path: Path) -> None:
    path = tmp_path / "child.jsonl"
    copied = [meta("child"), meta("parent"), *turn("p-1", *typed("port it"), *said("a"))]
    for gap in (5.0, 0.01):  # the child's own turn may begin at once
        own = [event("task_started", turn_id="k-1"), *typed("do this part")]
        late = rollout(said("c"), at=109)
        path.write_bytes(
            rollout(copied, at=100, step=0.001) + rollout(own, at=100 + gap, step=0.001) + late
        )
        made = read(path)
        assert typed_in(made, "codex:parent") == ["port it"]
        assert typed_in(made, "codex:child") == ["do this part"]
        assert [one.text for one in made.messages if one.session_id == "codex:child"] == [
            "do this part", "c",
        ]  # fmt: skip


def test_a_fork_without_a_turn_of_its_own_is_all_copied(tmp_path: Path) -> None:
    path = tmp_path / "child.jsonl"
    path.write_bytes(rollout([meta(OWN), *PARENTS], at=100, step=0.001))
    made = read(path)
    assert {one.session_id for one in made.messages} == {f"codex:{PARENT}"}


def test_a_newer_release_tells_prompts_as_finished_items(tmp_path: Path) -> None:
    def done(kind: str, words: str) -> Row:
        content = [{"type": "text", "text": words}]
        return event("item_completed", item={"type": kind, "id": "x", "content": content})

    rows = [
        text("user", "use pnpm"), done("UserMessage", "use pnpm"),
        done("AgentMessage", "Done."), text("assistant", "Done."), done("Reasoning", ""),
    ]  # fmt: skip
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *rows)])
    assert voices(made) == [("human", "prompt", "use pnpm"), ("assistant", "reply", "Done.")]


def test_a_slice_without_a_header_goes_by_its_name_and_nobody_typed_in_it(tmp_path: Path) -> None:
    """It may be an automatic reviewer's as well."""
    name = f"rollout-2026-03-02T09-00-00-{OWN}.jsonl"
    rows = [*turn(FIRST, *typed("never do x"), *said("a"))]
    made = made_of(tmp_path, rows, name)
    assert [(one.session_id, one.kind) for one in made.sessions] == [(f"codex:{OWN}", "unknown")]
    assert voices(made)[0] == ("injected", "prompt", "never do x")
    assert skips(made) == {"not_told": 1}
    rows += [meta(OWN, source="cli"), *turn(SECOND, *typed("do y"))]
    made = made_of(tmp_path, rows, name)
    assert typed_in(made) == ["do y"]
    assert (made.sessions[0].kind, made.sessions[0].cwd) == ("interactive", "/home/me/shop")


def test_unknown_records_are_counted_by_name(tmp_path: Path) -> None:
    rows = [
        row("tide"), row("tide"), event("gust"), item("squall"), {"type": "event_msg"},
        {"payload": {}}, event("user_message", message=7), text("bystander", "hm"),
        item("message", role="user", content=[{"type": "smell"}, 3]),
    ]  # fmt: skip
    made = made_of(tmp_path, [meta(OWN), *rows])
    unknown = {s.detail: (s.count, s.lost) for s in made.skips if s.reason == "unknown_type"}
    assert unknown == {
        "tide": (2, True), "event_msg/gust": (1, True), "response_item/squall": (1, True),
        "block smell": (1, True),
    }  # fmt: skip
    rest = {s.reason for s in made.skips} - {"housekeeping", "unknown_type"}
    assert rest == {"bad_shape", "no_type", "unknown_role"}


def test_a_file_is_read_again_only_when_it_has_changed(tmp_path: Path) -> None:
    made = made_of(tmp_path, [meta(OWN), *turn(FIRST, *typed("go"))])
    path = tmp_path / "rollout.jsonl"
    assert list(codex.read(path, {"": made.token}, tmp_path)) == []
    path.write_bytes(path.read_bytes() + rollout(typed("more")))
    assert typed_in(read(path)) == ["go", "more"]


def test_a_file_that_has_grown_keeps_its_keys(tmp_path: Path) -> None:
    rows = [meta(OWN), *turn(FIRST, *typed("go"), *said("a"), *called("c", "x"))]
    before = made_of(tmp_path, rows)
    after = made_of(tmp_path, [*rows, *turn(SECOND, *typed("on"))])
    size = len(before.messages)
    assert [one.copy_key for one in after.messages][:size] == [
        one.copy_key for one in before.messages
    ]


def test_a_childs_file_with_its_parents_history_comes_out_as_the_cases_say(shared: Path) -> None:
    path = shared / "cases" / "transcripts" / "codex-child-with-parent-history.jsonl"
    made = read(path)
    child, parent = made.sessions
    assert (child.session_id, child.kind, child.parent_id) == (
        "codex:child-1", "subagent", "codex:parent-1"
    )  # fmt: skip
    assert (parent.session_id, parent.kind) == ("codex:parent-1", "interactive")
    assert skips(made) == {"copied": 7}
    assert typed_in(made, child.session_id) == []
    assert len(typed_in(made, parent.session_id)) == 2
    own = [call for call in made.calls if call.session_id == child.session_id]
    assert [(call.call_id, call.status) for call in own] == [("codex:child-1/c2", "ok")]
    tokens = [one.tokens_in for one in made.messages if one.session_id == child.session_id]
    assert sum(filter(None, tokens)) == 1500
