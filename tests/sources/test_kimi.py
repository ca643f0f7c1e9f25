"""The reader of Kimi CLI sessions: what happened between contexts, who speaks, what calls are."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dream.records import CallStatus, SessionKind, Transcript
from dream.sources import HEAD, jsonl, kimi
from dream.sources.registry import READERS
from tests.conftest import HOUSE, Golden
from tests.sources import kimi_makers as make
from tests.sources.coherent import check
from tests.sources.kimi_makers import call, lines, log, made_of, mark, model, read, result, user
from tests.sources.stillness import listing
from tests.sources.told import told

SAMPLE = HOUSE / "tests" / "data" / "kimi"
BEGUN = [*mark(0), user("Go."), *mark(1)]
GO = make.typed("Go.")
MORE = make.typed("More.")  # two inputs show a person


def voices(made: Transcript) -> list[tuple[str, str, str]]:
    return [(one.role, one.kind, one.text) for one in made.messages]


def typed(made: Transcript) -> list[str]:
    return [one.text for one in made.messages if one.role == "human"]


def noted(made: Transcript) -> Counter[tuple[str, str]]:
    counted: Counter[tuple[str, str]] = Counter()
    for skip in made.skips:
        counted[skip.reason, skip.detail] += skip.count
    return counted


def test_every_kind_of_record_comes_to_what_it_is(golden: Golden) -> None:
    before = listing(SAMPLE)
    found = list(kimi.find(SAMPLE))
    assert [path.parent.name for path in found] == [make.OWN, "a1b2c3d4e"]
    whole = [read(path) for path in found]
    check(whole[0])
    golden("kimi_beehive.txt", "\n".join(map(told, whole)))
    assert listing(SAMPLE) == before


def test_a_d_mail_leaves_a_branch_that_was_given_up_and_is_nobodys_wish(tmp_path: Path) -> None:
    tried = [model("A long way."), user("Not so."), *mark(2)]
    mail = [*mark(1), make.d_mail("Always take the short way."), model("Short.")]
    made = made_of(
        tmp_path,
        lines(BEGUN[:2], mail),
        log(GO, make.typed("Not so.")),
        context_1=lines(BEGUN, tried),
    )
    assert voices(made) == [
        ("human", "prompt", "Go."),
        ("assistant", "reply", "A long way."),
        ("human", "prompt", "Not so."),
        ("injected", "meta", make.d_mail("Always take the short way.")["content"]),
        ("assistant", "reply", "Short."),
    ]
    assert [one.active for one in made.messages] == [True, False, False, True, True]
    assert made.messages[3].parent == made.messages[0].message_id
    assert [(one.active, one.length, one.reason, one.summary) for one in made.branches] == [
        (True, 3, None, None),
        (False, 3, "d_mail", "Always take the short way."),
    ]
    assert made.branches[1].fork_point == made.messages[0].message_id
    # Lines are those of the context in force; what only an earlier one has, has none.
    assert [one.line for one in made.messages] == [2, 0, 0, 4, 5]


def test_a_step_back_behind_another_one_takes_its_mail_along(tmp_path: Path) -> None:
    one, two, three = model("One."), model("Two."), model("Three.")
    first = [*BEGUN, one, *mark(2)]
    second = [*BEGUN[:3], make.d_mail("not one"), two, *mark(2), three]
    third = [*BEGUN[:3], make.d_mail("not one"), two, *mark(2), make.d_mail("not three")]
    last = [*BEGUN[:2], *mark(1), make.d_mail("none of it"), model("Done.")]
    made = made_of(
        tmp_path, lines(last), log(GO, MORE),
        context_1=lines(first), context_2=lines(second), context_3=lines(third),
    )  # fmt: skip
    said = {one.text.partition("content:\n\n")[2] or one.text: one for one in made.messages}
    assert [text for text, one in said.items() if one.active] == [
        "Go.",
        "none of it</system>",
        "Done.",
    ]
    assert said["Three."].parent == said["Two."].message_id
    ends = {one.branch_id: (one.length, one.fork_point) for one in made.branches if not one.active}
    go = said["Go."].message_id
    assert ends == {
        said["One."].message_id: (2, go),
        said["Three."].message_id: (4, go),
        said["not three</system>"].message_id: (4, go),
    }
    check(made)


def test_a_compaction_gives_nothing_up_and_what_it_kept_is_no_copy(tmp_path: Path) -> None:
    before = [*BEGUN, model("A."), user("B."), make.usage(700), model("C.")]
    after = [*mark(0), user(make.SUMMARY, "So far."), before[-3], before[-1], *mark(1), model("D.")]
    made = made_of(
        tmp_path,
        lines(after),
        log(GO, make.typed("B."), make.event("CompactionBegin"), make.event("CompactionEnd")),
        context_1=lines(before),
    )
    assert [one.text for one in made.messages if one.active] == [
        "Go.", "A.", "B.", "C.", f"{make.SUMMARY}\nSo far.", "D.",
    ]  # fmt: skip
    (shrunk,) = made.compactions
    assert (shrunk.trigger, shrunk.number, shrunk.tokens_before) == ("auto", 4, 700)
    assert shrunk.kept_from == made.messages[2].message_id
    assert made.messages[4].kind == "summary"
    assert len(made.branches) == 1


def test_a_context_that_was_cleared_goes_on_and_is_counted(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        lines(mark(0), user("More.")),
        log(GO, make.typed("/clear"), MORE),
        context_1=lines(BEGUN, model("A.")),
    )
    assert [(one.text, one.active) for one in made.messages] == [
        ("Go.", True), ("A.", True), ("More.", True),
    ]  # fmt: skip
    assert noted(made)["housekeeping", "a context that was cleared"] == 1
    assert made.compactions == []


def test_a_step_back_without_a_mail_is_a_reset(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        lines(BEGUN, model("B.")),
        log(GO, MORE),
        context_1=lines(BEGUN, model("A."), *mark(2)),
    )
    assert [(one.text, one.active) for one in made.messages][1:] == [("A.", False), ("B.", True)]
    assert [one.reason for one in made.branches] == [None, "reset"]


def test_ids_stay_when_the_session_goes_on_and_steps_back(tmp_path: Path) -> None:
    early = made_of(tmp_path / "a", lines(BEGUN, model("A.")), log(GO, MORE))
    late = made_of(
        tmp_path / "b",
        lines(BEGUN[:2], mark(1), make.d_mail("no"), model("A.")),
        log(GO, MORE),
        context_1=lines(BEGUN, model("A.")),
    )
    names = [one.message_id for one in late.messages]
    assert [one.message_id for one in early.messages] == names[:2]
    assert len(set(names)) == 4


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (user("<system-reminder>\nPlan mode is active.\n</system-reminder>"), "meta"),
        (user("<system>The user just ran `/init` slash command.</system>"), "meta"),
        (user("<system>The user has imported context from x.</system>", "Always tabs."), "meta"),
        (user('<notification id="n">Always use tabs.</notification>'), "meta"),
        (user("<git-context>main</git-context>\n\nLook."), "meta"),
        (user("Always use tabs.", name="internal"), "meta"),
        (user(make.SUMMARY, "Always use tabs."), "summary"),
        (user("Tabs?\n\nAvailable branches:\n- A\n\nReply with a choice using"
              " <choice>...</choice>."), "command"),
        (user("The tests fail. Always run them first."), "meta"),  # a hook; no input is like it
    ],
)  # fmt: skip
def test_what_the_client_writes_under_user_is_not_a_persons(
    tmp_path: Path, record: dict[str, Any], kind: str
) -> None:
    made = made_of(tmp_path, lines(BEGUN, record), log(GO, MORE))
    assert [(m.role, m.kind) for m in made.messages] == [("human", "prompt"), ("injected", kind)]
    assert made.sessions[0].kind == "interactive"


def test_a_mark_of_a_checkpoint_is_no_message(tmp_path: Path) -> None:
    made = made_of(tmp_path, lines(mark(0, words=True), user("Go."), mark(1)), log(GO, MORE))
    assert typed(made) == ["Go."]
    assert len(made.messages) == 1
    assert noted(made)["housekeeping", "a checkpoint's words"] == 1


def test_what_was_typed_behind_a_skill_is_a_persons(tmp_path: Path) -> None:
    skill = "# Commit\nAlways sign.\n\nUser request:\nNever push."
    made = made_of(tmp_path, lines(mark(0), user(skill)), log(make.typed("/skill:c Never push.")))
    assert voices(made) == [
        ("injected", "command", "# Commit\nAlways sign.\n\nUser request:\n"),
        ("human", "prompt", "Never push."),
    ]
    alone = made_of(tmp_path, lines(mark(0), user("# Commit")), log(make.typed("/skill:c")))
    assert voices(alone) == [("injected", "meta", "# Commit")]


def test_what_a_hook_adds_to_a_prompt_is_not_typed(tmp_path: Path) -> None:
    made = made_of(tmp_path, lines(mark(0), user("Go.", "Always use tabs.")), log(GO, MORE))
    assert voices(made) == [("human", "prompt", "Go."), ("injected", "meta", "Always use tabs.")]


def test_a_flow_talks_without_a_person_until_its_turn_ends(tmp_path: Path) -> None:
    flow = [make.typed("/flow:release"), make.typed("Always tag."), make.event("TurnEnd"), GO]
    made = made_of(tmp_path, lines(mark(0), user("Always tag."), user("Go.")), log(flow))
    assert voices(made) == [("injected", "command", "Always tag."), ("human", "prompt", "Go.")]


def test_a_remark_typed_while_the_agent_works_is_a_persons(tmp_path: Path) -> None:
    made = made_of(
        tmp_path,
        lines(BEGUN, model("A."), user("Use tabs.")),
        log(GO, make.event("SteerInput", user_input=[{"type": "text", "text": "Use tabs."}])),
    )
    assert typed(made) == ["Go.", "Use tabs."]


AWAY = user("<system-reminder>\nYou are running in afk mode. No user is here.\n</system-reminder>")


@pytest.mark.parametrize(
    ("records", "wire", "kind", "told_of"),
    [
        ([], log(GO), "unknown", "whether a person typed it"),
        ([], None, "unknown", "who typed it: there is no log"),
        ([AWAY], log(GO), "headless", ""),
        ([AWAY], log(GO, MORE), "headless", ""),
        ([], log(GO, MORE), "interactive", ""),
        ([], log(GO, make.typed("/compact")), "interactive", ""),
        ([], log(GO, make.asked("x")), "interactive", ""),
        ([AWAY], log(GO, make.asked("x")), "interactive", ""),
    ],
)
def test_whom_a_session_talks_to(
    tmp_path: Path, records: list[Any], wire: bytes | None, kind: SessionKind, told_of: str
) -> None:
    made = made_of(tmp_path, lines(BEGUN, *records), wire)
    assert made.sessions[0].kind == kind
    assert typed(made) == (["Go."] if kind == "interactive" else [])
    notes = [skip.detail for skip in made.skips if skip.reason == "not_told"]
    assert [note for note in notes if "typed it" in note] == ([told_of] if told_of else [])


def test_sub_agents_are_sessions_of_their_own(tmp_path: Path) -> None:
    talk = lines(mark(0), user("Always use tabs."), model("Done."))
    files = {
        "context.jsonl": lines(BEGUN), "wire.jsonl": log(GO, MORE), "context_sub_1.jsonl": talk,
        "context_sub_1_1.jsonl": talk, "subagents/abc/context.jsonl": talk,
    }  # fmt: skip
    make.session(tmp_path, files)
    made = {one.sessions[0].session_id: one for one in map(read, kimi.find(tmp_path))}
    own = f"kimi-cli:{make.OWN}"
    assert list(made) == [own, f"{own}.sub_1", f"{own}.abc"]
    for name, one in made.items():
        assert one.sessions[0].cwd == make.WORK
        if name != own:
            assert (one.sessions[0].kind, one.sessions[0].parent_id) == ("subagent", own)
            assert voices(one)[0] == ("injected", "prompt", "Always use tabs.")


@pytest.mark.parametrize(
    ("said", "events", "status", "code"),
    [
        (["<system>Command executed successfully.</system>", "x"], [make.ended("c")], "ok", 0),
        (["<system>ERROR: Command failed with exit code: 3.</system>", "x"],
         [make.ended("c", True)], "error", 3),
        (["<system>ERROR: No such file.</system>"], [], "error", None),
        (["No such file."], [make.ended("c", True)], "error", None),
        (["<system>Read.</system>", "<system>ERROR: in a file</system>"], [make.ended("c")],
         "ok", None),
        (["<system>ERROR: The tool call is rejected by the user. Stop.</system>"],
         make.asked("c", "reject"), "refused", None),
        (["<system>ERROR: The tool call is rejected by the user. Stop.</system>"], [], "refused",
         None),
        (["<system>ERROR: If you see this message, the D-Mail was not sent successfully."],
         [make.ended("c", True)], "error", None),
    ],
)  # fmt: skip
def test_what_became_of_a_call(
    tmp_path: Path, said: list[str], events: list[Any], status: CallStatus, code: int | None
) -> None:
    tool = "SendDMail" if "D-Mail" in said[0] else "Shell"
    context = lines(BEGUN, model("", call("c", tool, command="ls")), result("c", *said))
    made = made_of(tmp_path, context, log(GO, MORE, *events))
    assert [(c.status, c.exit_code, c.tool) for c in made.calls] == [(status, code, tool)]
    assert made.calls[0].arguments == '{"command":"ls"}'
    assert made.calls[0].result_id == made.messages[2].message_id


def test_only_the_log_makes_a_refusal_s_words_a_persons(tmp_path: Path) -> None:
    said = "<system>ERROR: The tool call is rejected by the user. User feedback: Obey me.</system>"
    context = lines(BEGUN, model("", call("c")), result("c", said))
    forged = made_of(tmp_path, context, log(GO, MORE))
    assert typed(forged) == ["Go."]
    told_no = made_of(tmp_path, context, log(GO, MORE, make.asked("c", "reject", "Never push.")))
    assert typed(told_no) == ["Go.", "Never push."]
    assert told_no.messages[-1].kind == "refusal"


def test_calls_of_one_id_are_told_apart_and_a_lost_result_is_counted(tmp_path: Path) -> None:
    context = lines(
        BEGUN, model("", call("c")), result("c", "one"), model("", call("c")), result("c", "two"),
        result("c", "three"), result("d", "four"),
    )  # fmt: skip
    made = made_of(tmp_path, context, log(GO, MORE))
    results = {one.message_id: one.text for one in made.messages}
    assert [results[one.result_id or ""] for one in made.calls] == ["one", "two"]
    assert noted(made)["duplicate_result", "c"] == noted(made)["result_without_call", "d"] == 1
    check(made)


def test_times_and_tokens_come_from_the_log(tmp_path: Path) -> None:
    spent = {"input_other": 5, "input_cache_read": 40, "input_cache_creation": 7, "output": 2}
    wire = log(
        GO, make.event("StepBegin", n=1), make.event("ContentPart", type="text", text="A."),
        make.event("StatusUpdate", token_usage=spent), make.event("StatusUpdate", plan_mode=True),
        MORE,
    )  # fmt: skip
    made = made_of(tmp_path, lines(BEGUN, model("A."), model("B.")), wire)
    moments = [one.happened and one.happened.timestamp() - make.START for one in made.messages]
    assert moments == [0, 10, None]
    assert [(one.tokens_in, one.tokens_out) for one in made.messages][1:] == [(52, 2), (None, None)]
    assert made.sessions[0].ended is not None


def test_equal_words_of_two_sessions_without_times_are_no_copies(tmp_path: Path) -> None:
    folder = make.session(tmp_path, {"context.jsonl": lines(BEGUN)})
    other = make.session(tmp_path, {"context.jsonl": lines(BEGUN)}, "other")
    keys = [one.messages[0].copy_key for one in map(read, (folder, other))]
    assert len(set(keys)) == 2


def test_the_oldest_layout_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / make.HASH
    folder.mkdir(parents=True)
    (folder / f"{make.OWN}.jsonl").write_bytes(lines(BEGUN[:3], make.d_mail("no")))
    (folder / f"{make.OWN}_1.jsonl").write_bytes(lines(BEGUN, model("A.")))
    (folder / f"{make.OWN}_sub_1.jsonl").write_bytes(lines(BEGUN))
    names = [path.name for path in kimi.find(tmp_path)]
    assert names == [f"{make.OWN}.jsonl", f"{make.OWN}_sub_1.jsonl"]
    made = read(folder / names[0])
    assert made.sessions[0].session_id == f"kimi-cli:{make.OWN}"
    assert [one.active for one in made.messages] == [True, False, True]


def test_a_context_that_was_only_put_away_is_not_lost(tmp_path: Path) -> None:
    files = {"context_1.jsonl": lines(BEGUN[:3]), "context_2.jsonl": lines(BEGUN, model("A."))}
    folder = make.session(tmp_path, files | {"wire.jsonl": log(GO, MORE)}).parent
    assert [path.name for path in kimi.find(tmp_path)] == ["context_2.jsonl"]
    made = read(folder / "context_2.jsonl")
    assert [one.text for one in made.messages] == ["Go.", "A."]
    assert made.sessions[0].session_id == f"kimi-cli:{make.OWN}"


def test_a_change_in_any_file_of_a_session_is_noticed(tmp_path: Path) -> None:
    path = make.session(tmp_path, {"context.jsonl": lines(BEGUN), "wire.jsonl": log(GO)})
    seen = {kimi.look(path)}
    for name in ("wire.jsonl", "context_1.jsonl", "state.json"):
        (path.parent / name).write_bytes(lines(BEGUN, user("x")))
        seen.add(kimi.look(path))
    assert len(seen) == 4
    (made,) = kimi.read(path, {}, tmp_path)
    assert list(kimi.read(path, {"": made.token}, tmp_path)) == []


def test_what_is_not_known_is_counted_by_name(tmp_path: Path) -> None:
    odd: list[make.Record] = [
        {"role": "critic", "content": "x"}, {"role": "_wish", "content": "x"}, {"content": "x"},
        {"role": "assistant", "content": [{"type": "wish"}, {"type": "image_url"}, 3]},
        {"role": "assistant", "content": 7}, {"role": "user", "content": None},
    ]  # fmt: skip
    wire = log(GO, MORE, make.event("Wish"), make.event("SubagentEvent")) + lines(
        {"timestamp": 1, "message": {}}
    )
    made = made_of(tmp_path, lines(BEGUN, odd), wire)
    counted = noted(made)
    for expected in (
        ("unknown_role", "critic"), ("unknown_type", "_wish"), ("no_type", ""),
        ("unknown_type", "part wish"), ("housekeeping", "part image_url"),
        ("unknown_type", "wire Wish"), ("subagent", "in the log"), ("no_type", "wire"),
        ("not_told", "an input that no context has"),
    ):  # fmt: skip
        assert counted[expected] == 1, expected
    assert counted["bad_shape", "content"] == 2


@pytest.mark.parametrize(
    ("name", "head", "claimed"),
    [
        ("context.jsonl", lines(BEGUN), True),
        ("context.jsonl", lines(user("x")), True),
        ("x.jsonl", lines(user("x")), False),
        ("x.jsonl", lines({"role": "_usage", "token_count": 3}), True),
        ("context.jsonl", lines({"role": "_system_prompt", "content": "y" * HEAD}), True),
        ("context.jsonl", b'{"type":"session","id":"p"}\n', False),
        ("context.jsonl", b"", False),
        ("wire.jsonl", log(GO), False),
    ],
)
def test_only_its_own_files_are_claimed(
    tmp_path: Path, name: str, head: bytes, claimed: bool
) -> None:
    assert kimi.claims(tmp_path / name, head[:HEAD]) is claimed


def test_no_other_reader_takes_its_files() -> None:
    for path in kimi.find(SAMPLE):
        head = path.read_bytes()[:HEAD]
        assert [one.NAME for one in READERS if one.claims(path, head)] == [kimi.NAME]


def test_the_sample_holds_every_record_it_was_made_of() -> None:
    """Messages, marks and copies are all records of its contexts."""
    path = next(iter(kimi.find(SAMPLE)))
    made = read(path)
    files = [path, *sorted(path.parent.glob("context_*.jsonl"))]
    records = sum(len(list(jsonl.lines(file, []))) for file in files)
    marks = sum(n for (reason, what), n in noted(made).items() if what.startswith(("_", "a check")))
    copies = noted(made)["duplicate", "in a later context again"]
    own = {one.message_id.partition("#")[0] for one in made.messages}
    assert records == len(own) + marks + copies
    assert json.loads((path.parent / "state.json").read_text())["custom_title"] == "Hives"
