"""Whose a file is that none of our readers takes: named where it is known, "" where it is not."""

import json

import pytest

from dream.sources import HEAD
from dream.sources.foreign import agent_of


def line(**record: object) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("head", "agent"),
    [
        (line(timestamp="t", type="session_meta", payload={}), "Codex"),
        (line(type="event_msg", payload={}), "Codex"),
        (line(sessionId="g", projectHash="0", kind="main"), "Gemini CLI"),
        (line(**{"$set": {"lastUpdated": "t"}}), "Gemini CLI"),
        (line(type="session.start", data={}), "Copilot CLI"),
        (b'{\n  "sessionId": "g",\n  "projectHash": "0"\n', "Gemini CLI"),
        (line(type="recipe", name="soup"), ""),
        (b"name,price\nsoup,3\n", ""),
        (b"", ""),
    ],
)
def test_an_agent_is_known_by_its_first_record(head: bytes, agent: str) -> None:
    assert agent_of(head) == agent


def test_a_first_line_longer_than_what_is_looked_at_still_tells_its_agent() -> None:
    first = line(timestamp="t", type="session_meta", payload={"instructions": "x" * HEAD})
    assert agent_of(first[:HEAD]) == "Codex"


def test_words_about_another_agent_do_not_make_a_file_its_own() -> None:
    assert agent_of(line(type="recipe", text='{"type":"session_meta"}')) == ""
