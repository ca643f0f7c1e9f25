"""The Entire CLI's checkpoints: where a transcript stands, and what is told when it is missing."""

import json
from pathlib import Path

import pytest

from dream.records import Transcript
from dream.sources import HEAD, entire
from tests.sources.claude_makers import lines, model, skips, user

ULID = "01J8ZQ5N3VYB6W7K4T2M9XCDEF"


def session(root: Path, folder: str, transcript: bytes | None, **about: object) -> Path:
    place = root / folder
    place.mkdir(parents=True)
    place.joinpath("metadata.json").write_text(json.dumps(about))
    place.joinpath("prompt.txt").write_text("go")
    if transcript is not None:
        place.joinpath("full.jsonl").write_bytes(transcript)
    return place / ("full.jsonl" if transcript is not None else "metadata.json")


def read(path: Path) -> Transcript:
    (made,) = entire.read(path, {}, path.parent)
    return made


TALK = lines(user(1, "go"), model(2, "done"))


@pytest.mark.parametrize(
    "folder",
    [
        "repo/0a/1b2c3d4e5f/0",
        "repo/0a/1b2c3d4e5f/12",
        "repo/0a/1b2c3d4e5f",
        "refs/entire/checkpoints/0a/0a1b2c3d4e5f/0",
        f"refs/entire/checkpoints/01/{ULID}/0",
        f"repo/01/{ULID[2:]}/1",
    ],
)
def test_every_layout_is_found_and_claimed(tmp_path: Path, folder: str) -> None:
    path = session(tmp_path, folder, TALK, session_id="sess-a")
    assert list(entire.find(tmp_path)) == [path]
    assert entire.claims(path, TALK[:HEAD])
    assert [message.text for message in read(path).messages] == ["go", "done"]


@pytest.mark.parametrize("folder", ["repo/src/0", "projects/-home-me-shop", "0a/1b2c3d4e5f/zero"])
def test_a_transcript_elsewhere_is_left_to_others(tmp_path: Path, folder: str) -> None:
    path = session(tmp_path, folder, TALK)
    assert list(entire.find(tmp_path)) == []
    assert not entire.claims(path, TALK[:HEAD])


def test_files_come_in_name_order_and_the_checkpoints_own_metadata_is_none(tmp_path: Path) -> None:
    (tmp_path / "0b" / "1b2c3d4e5f").mkdir(parents=True)
    (tmp_path / "0b" / "1b2c3d4e5f" / "metadata.json").write_text("{}")
    second = session(tmp_path, "0b/1b2c3d4e5f/1", None)
    first = session(tmp_path, "0b/1b2c3d4e5f/0", TALK)
    other = session(tmp_path, "0a/9b2c3d4e5f/0", TALK)
    assert list(entire.find(tmp_path)) == [other, first, second]


def test_a_transcript_that_is_not_there_is_missing_and_no_empty_session(tmp_path: Path) -> None:
    path = session(tmp_path, "0a/1b2c3d4e5f/0", None, session_id="2026-01-15-sess-a")
    assert entire.claims(path, path.read_bytes())
    made = read(path)
    assert skips(made) == [("missing_blob", 0, "full.jsonl of session sess-a", 1)]
    assert made.skips[0].lost
    assert not made.sessions


def test_metadata_fills_in_what_the_lines_do_not_say(tmp_path: Path) -> None:
    bare = [user(1, "go"), model(2, "done")]
    for one in bare:
        del one["sessionId"], one["gitBranch"]
    path = session(
        tmp_path, "0a/1b2c3d4e5f/0", lines(*bare), session_id="2026-01-15-sess-a", branch="ovens"
    )
    assert [(s.session_id, s.git_branch) for s in read(path).sessions] == [
        ("claude-code:sess-a", "ovens")
    ]


def test_the_lines_own_word_goes_before_the_metadatas(tmp_path: Path) -> None:
    path = session(
        tmp_path, "0a/1b2c3d4e5f/0", TALK, session_id="x", branch="ovens", agent="Gemini CLI"
    )
    assert [(s.session_id, s.git_branch) for s in read(path).sessions] == [
        ("claude-code:sess-a", "main")
    ]


def test_a_broken_metadata_costs_only_itself(tmp_path: Path) -> None:
    path = session(tmp_path, "0a/1b2c3d4e5f/0", TALK)
    path.with_name("metadata.json").write_bytes(b'{"session_id": "x"')
    made = read(path)
    assert skips(made) == [("bad_shape", 0, "metadata.json", 1)]
    assert len(made.messages) == 2


@pytest.mark.parametrize(
    ("transcript", "agent"),
    [
        (
            json.dumps({"sessionId": "a", "projectHash": "0", "messages": []}, indent=2),
            "gemini-cli",
        ),
        (json.dumps({"info": {"id": "a", "projectID": "0"}, "messages": []}, indent=2), "opencode"),
        ('{"type":"session_meta","payload":{"id":"a"}}\n', "codex"),
        ('{"type":"session.start","data":{"sessionId":"a"}}\n', "copilot-cli"),
    ],
)
def test_the_content_says_whose_a_transcript_is(
    tmp_path: Path, transcript: str, agent: str
) -> None:
    path = session(tmp_path, "0a/1b2c3d4e5f/0", transcript.encode(), agent="Claude Code")
    assert [(s.agent, s.session_id) for s in read(path).sessions] == [(agent, f"{agent}:a")]


def test_a_transcript_of_an_agent_nobody_knows_is_one_skip(tmp_path: Path) -> None:
    unknown = b'{"role":"user","content":"go"}\n' * 30
    made = read(session(tmp_path, "0a/1b2c3d4e5f/0", unknown))
    assert skips(made) == [("foreign_format", 0, "an agent unknown to this reader", 1)]
    assert not made.messages


def test_a_session_is_read_again_when_its_file_or_its_metadata_changes(tmp_path: Path) -> None:
    path = session(tmp_path, "0a/1b2c3d4e5f/0", TALK)
    known = {"": read(path).token}
    assert list(entire.read(path, known, tmp_path)) == []
    path.with_name("metadata.json").write_text('{"branch": "ovens"}')
    assert len(list(entire.read(path, known, tmp_path))) == 1


def test_the_same_slice_stored_twice_gives_equal_keys(tmp_path: Path) -> None:
    longer = TALK + lines(user(3, "more"))
    paths = [
        session(tmp_path, f"0a/{number}b2c3d4e5f/0", data)
        for number, data in enumerate((TALK, longer))
    ]
    keys = [[message.copy_key for message in read(path).messages] for path in paths]
    assert keys[1][:2] == keys[0]
    assert len(keys[1]) == 3
