"""The reader of SWE-agent's trajectories: every step once, and no word of a person."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dream.errors import SourceUnreadable
from dream.records import Transcript
from dream.sources import HEAD, swe_agent
from dream.sources.registry import READERS
from tests.conftest import HOUSE, Golden
from tests.corpora import Corpus
from tests.sources import coherent
from tests.sources.stillness import listing
from tests.sources.told import told

SAMPLES = sorted((HOUSE / "tests" / "data" / "swe-agent").rglob("*.traj"))
ASKED = {"role": "assistant", "content": "Look.", "action": "ls"}
OPENING = [{"role": "system", "content": "Bake."}, {"role": "user", "content": "ISSUE: cold"}]


def read(path: Path) -> Transcript:
    (transcript,) = swe_agent.read(path, {}, path.parent)
    coherent.check(transcript)
    return transcript


def run(folder: Path, *history: Any, name: str = "a.traj", **rest: Any) -> Transcript:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"history": [*OPENING, *history], **rest}))
    return read(path)


def reasons(transcript: Transcript) -> set[str]:
    return {skip.reason for skip in transcript.skips} - {"not_told"}


def test_every_layout_comes_to_what_it_says(golden: Golden) -> None:
    golden("swe_agent.txt", "\n".join(f"# {one.name}\n{told(read(one))}" for one in SAMPLES))


@pytest.mark.parametrize(
    ("name", "head", "claimed"),
    [
        ("a.traj", b'{"environment": "swe_main", "trajectory": [', True),
        ("a.traj", b'\xef\xbb\xbf\n{\n  "history": [\n', True),
        ("a.traj", b'{"attempts": []}', True),
        ("a.traj", b'{"messages": []}', False),
        ("a.traj", b'[{"history": 1}]', False),
        ("a.traj", b"", False),
        ("a.json", b'{"history": []}', False),
    ],
)
def test_a_file_is_claimed_by_its_name_and_its_names(name: str, head: bytes, claimed: bool) -> None:
    assert swe_agent.claims(Path(name), head) == claimed


def test_no_other_reader_takes_a_run_and_this_one_takes_nothing_else() -> None:
    for path in SAMPLES:
        head = path.read_bytes()[:HEAD]
        assert [one.NAME for one in READERS if one.claims(path, head)] == ["swe-agent"]
    for path in sorted((HOUSE / "tests" / "data").rglob("*.*")):
        if path.suffix != ".traj":
            assert not swe_agent.claims(path, path.read_bytes()[:HEAD])


def test_a_file_that_is_not_there_is_unreadable_and_an_unchanged_one_not_read_again(
    tmp_path: Path,
) -> None:
    with pytest.raises(SourceUnreadable):
        next(swe_agent.read(tmp_path / "missing.traj", {}, tmp_path))
    made = run(tmp_path, ASKED)
    assert list(swe_agent.read(tmp_path / "a.traj", {"": made.token}, tmp_path)) == []


def test_an_observation_stands_under_the_user_and_is_a_tools(tmp_path: Path) -> None:
    made = run(tmp_path, ASKED, {"role": "user", "content": "oven.py"})
    assert [(one.role, one.kind) for one in made.messages] == [
        ("system", "system"), ("injected", "meta"), ("assistant", "reply"), ("tool", "result"),
    ]  # fmt: skip
    assert [(call.tool, call.arguments) for call in made.calls] == [("bash", '{"command":"ls"}')]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Your proposed edit has introduced new syntax error(s).\n- E999", "error"),
        ("Starting\n\nEXECUTION TIMED OUT\n(Open file: n/a)", "error"),
        ("The command 'make\nbake' was cancelled because it took more than 30 seconds.", "error"),
        ("Interactive operation 'vim' is not supported by this environment.", "error"),
        ("Your bash command contained syntax errors and was NOT executed.", "error"),
        ("Traceback (most recent call last):", "ok"),
        ("grep: EXECUTION TIMED OUT is a word here", "ok"),
    ],
)
def test_what_the_environment_turned_down_or_cut_off_failed(
    tmp_path: Path, said: str, status: str
) -> None:
    made = run(tmp_path, ASKED, {"role": "user", "content": said})
    assert [call.status for call in made.calls] == [status]


def test_several_calls_of_one_reply_are_answered_by_their_ids(tmp_path: Path) -> None:
    calls = [
        {"id": name, "function": {"name": "bash", "arguments": {"command": name}}}
        for name in ("one", "two", "one")
    ]
    made = run(
        tmp_path, {**ASKED, "tool_calls": calls},
        {"role": "tool", "content": "2", "tool_call_ids": ["two"]},
        {"role": "tool", "content": "?", "tool_call_ids": ["none"]},
    )  # fmt: skip
    assert [call.status for call in made.calls] == ["unanswered", "ok", "unanswered"]
    assert made.messages[-1].role == "injected"
    assert "result_without_call" in reasons(made)


def test_what_the_history_left_out_is_taken_from_the_steps(tmp_path: Path) -> None:
    steps = [{"action": "ls", "observation": "oven.py"}, {"action": "submit", "observation": ""}]
    made = run(tmp_path, ASKED, trajectory=steps)
    assert [one.text for one in made.messages][2:] == ["Look.", "oven.py", "", ""]
    assert [call.status for call in made.calls] == ["ok", "ok"]
    whole = run(tmp_path, name="b.traj", trajectory=[{"response": "Look.", "action": "ls"}])
    assert whole.messages[2].text == "Look."


@pytest.mark.parametrize(
    ("rest", "state"),
    [
        ({"info": {"exit_status": "submitted"}}, "settled"),
        ({"info": {"exit_status": "submitted (exit_cost)"}}, "settled"),
        ({"info": {"exit_status": "exit_cost"}}, "stopped"),
        ({"info": {"exit_status": None}}, "stopped"),
        ({}, "settled"),
    ],
)
def test_a_run_settled_when_it_handed_something_in(
    tmp_path: Path, rest: dict[str, Any], state: str
) -> None:
    made = run(tmp_path, ASKED, {"role": "user", "content": "x"}, **rest)
    assert [one.state for one in made.runs] == [state]


def test_a_run_keeps_its_id_while_it_goes_on_and_in_another_place(tmp_path: Path) -> None:
    first = run(tmp_path / "x", ASKED, name="exp/bread-1/bread-1.traj")
    later = run(tmp_path / "y", ASKED, ASKED, name="exp/bread-1/bread-1.traj")
    other = run(tmp_path / "x", ASKED, name="exp2/bread-1/bread-1.traj")
    assert first.sessions[0].session_id == later.sessions[0].session_id
    assert first.sessions[0].session_id != other.sessions[0].session_id
    keys = [message.copy_key for message in first.messages]
    assert keys == [message.copy_key for message in later.messages][:3]


def test_a_document_that_breaks_off_keeps_what_is_before_the_break(tmp_path: Path) -> None:
    whole = json.dumps({"history": [*OPENING, ASKED, {"role": "user", "content": "oven.py"}]})
    path = tmp_path / "a.traj"
    path.write_text(whole[:-40])
    made = read(path)
    assert [one.role for one in made.messages] == ["system", "injected", "assistant"]
    assert "torn" in reasons(made)


def test_what_is_of_another_shape_is_told(tmp_path: Path) -> None:
    made = run(tmp_path, 7, {"role": "odd", "content": None}, attempts=7, info=[], spice="salt")
    assert {"bad_shape", "unknown_role", "unknown_type"} == reasons(made)
    assert sum(skip.reason == "bad_shape" for skip in made.skips) == 3


@pytest.mark.shared
def test_the_counts_are_those_of_the_corpus(corpus: Corpus) -> None:
    folder = corpus("swe-agent-demos")
    before = listing(folder)
    made = [read(path) for path in swe_agent.find(folder)]
    assert listing(folder) == before
    assert len(made) == len({session.session_id for one in made for session in one.sessions}) == 19
    assert {session.kind for one in made for session in one.sessions} == {"headless"}
    messages = [message for one in made for message in one.messages]
    assert not [message for message in messages if message.role == "human"]
    assert {message.happened for message in messages} == {None}
    kinds = Counter(message.kind for message in messages)
    assert kinds == {"system": 19, "meta": 19, "reply": 210, "result": 210}
    assert Counter(call.status for one in made for call in one.calls) == {"ok": 199, "error": 11}
    assert not any(skip.lost for one in made for skip in one.skips)


@pytest.mark.shared
def test_every_step_of_the_corpus_is_a_call(corpus: Corpus) -> None:
    for path in swe_agent.find(corpus("swe-agent-demos")):
        whole = json.loads(path.read_bytes())
        made = read(path)
        replies = [item for item in whole["history"] if item["role"] == "assistant"]
        steps = max(len(whole.get("trajectory", ())), len(replies))
        assert len(made.calls) == steps
        texts = Counter(message.text for message in made.messages)
        assert Counter(item["content"] for item in whole["history"]) - texts == Counter()
