"""Work that an agent gave up by a tool of its own."""

import dataclasses
from datetime import date
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import SourceSpec
from dream.signals.evidence import sha256
from dream.signals.given_up import GivenUp, given_up, judged
from dream.sources.registry import READERS
from dream.types import Judgement
from tests.signals.talk import START

ROW = GivenUp(
    "s/t", "s", "r", "checkout", "p", "c9", "m9", "key",
    "\n Checked out 0a1b2c3d\nmessage: x", START,
    ("bash", "bash", "context_checkout"), ('{"command":"make test"}',) * 2 + ("{}",),
    ("ok", "error", "ok"),
)  # fmt: skip


def test_the_quote_is_the_first_line_of_the_tools_own_word() -> None:
    found = judged(ROW)
    assert found is not None
    assert found.quote == "Checked out 0a1b2c3d" == ROW.text[found.start : found.end]
    assert found.text_sha256 == sha256(ROW.text)
    assert (found.kind, found.polarity, found.scope.tool) == ("detour", "none", "make test")
    assert found.reasons == (
        "the agent went back to an earlier point of its session and left 2 calls behind",
        "1 of them had failed",
    )


def test_without_work_or_a_word_of_the_tool_nothing_was_given_up() -> None:
    idle = dataclasses.replace(ROW, tools=("context_tag", "TodoWrite", "context_checkout"))
    assert judged(idle) is None
    assert judged(dataclasses.replace(ROW, text=" \n")) is None


@pytest.fixture(scope="module")
def found(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Judgement]:
    state = tmp_path_factory.mktemp("state")
    sources = [SourceSpec(shared / "archives" / "pi-sessions")]
    ingest(state, sources, READERS, date(2026, 12, 1))
    with Archive.open(state) as archive:
        return sorted(given_up(archive, START.replace(year=2020)), key=lambda each: each.id)


def test_every_checkout_and_squash_of_the_real_sessions_is_a_judgement(
    found: list[Judgement],
) -> None:
    told = sorted((each.detail["by"], each.quote, each.detail["calls"]) for each in found)
    assert told == [
        ("checkout", "Checked out 7baa00aa", 18),
        ("checkout", "Checked out e3e7c188", 11),
        ("squash", "compact start", 9),
    ]
    assert {each.message_id.rpartition("/")[2] for each in found} == {
        "b2780673", "44763926", "bf5e8327",
    }  # fmt: skip
