"""What an agent did with its own context in a pi session: what it left, what it made short."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.records import Transcript
from dream.sources import pi
from dream.sources.pi_curation import Curation, ran_behind
from tests.sources.test_pi import entry, prompt, reply, result, session

SESSIONS = "archives/pi-sessions"


def asks(name: str, parent: str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A reply that calls one tool. The call's id is the entry's with a c before it."""
    made = reply(name, parent)
    call = {"type": "toolCall", "id": f"c{name}", "name": tool, "arguments": arguments}
    made["message"]["content"].append(call)
    return made


def went_back(folder: Path, tool: str, words: str, summary: str) -> Transcript:
    part = "message" if tool == "context_checkout" else "summary"
    return session(
        folder, prompt("a1", None), asks("a2", "a1", tool, target="root", **{part: words}),
        entry("branch_summary", "a3", "a1", fromId="a2", summary=summary),
        result("a4", "a3", "ca2", "Checked out a1"), reply("a5", "a4"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "words", "summary", "reason"),
    [
        (
            "context_checkout",
            "The plan.",
            "(summary from tag: raw)\nThe plan.",
            "checkout",
        ),
        ("context_checkout", "", "(summary from 0a1b2c3d)\n", "checkout"),
        (
            "context_compact",
            "回到起点。",
            "(handoff summary from ab)\n回到起点。",
            "squash",
        ),
        ("context_checkout", "The plan.", "(summary from tag: raw)\nOther words.", "summary"),
        (
            "context_checkout",
            "The plan.",
            "A person asked for this.\nThe plan.",
            "summary",
        ),
        ("bash", "The plan.", "(summary from tag: raw)\nThe plan.", "summary"),
    ],
)
def test_a_branch_was_left_by_the_call_whose_words_its_summary_carries(
    tmp_path: Path, tool: str, words: str, summary: str, reason: str
) -> None:
    made = went_back(tmp_path, tool, words, summary)
    (left,) = [branch for branch in made.branches if not branch.active]
    assert (left.reason, left.last) == (reason, "pi:one/a2")


def test_the_last_message_of_a_branch_is_told_where_its_tip_is_none(tmp_path: Path) -> None:
    made = session(
        tmp_path, prompt("a1", None), prompt("a2", "a1"),
        entry("label", "a3", "a2", targetId="a2", label="here"), prompt("a4", "a1"),
    )  # fmt: skip
    told = {branch.branch_id: branch.last for branch in made.branches}
    assert told == {"pi:one/a3": "pi:one/a2", "pi:one/a4": "pi:one/a4"}


def test_a_state_of_ranges_counts_where_one_is_new_and_is_lost_where_it_is_odd(
    tmp_path: Path,
) -> None:
    def state(name: str, parent: str, blocks: object) -> dict[str, Any]:
        data = {"version": 1, "blocks": blocks}
        return entry("custom", name, parent, customType="pi-context-range-compaction", data=data)

    one, two = {"id": "b1", "active": True}, {"id": "b2", "active": True}
    made = session(
        tmp_path, prompt("a1", None), state("a2", "a1", [one]), state("a3", "a2", [one]),
        state("a4", "a3", [one, two]), state("a5", "a4", "all"), state("a6", "a5", [{"id": 7}]),
    )  # fmt: skip
    assert [(row.trigger, row.line) for row in made.compactions] == [("range", 3), ("range", 5)]
    skips = [(skip.reason, skip.line, skip.count, skip.lost) for skip in made.skips]
    assert skips == [("bad_shape", 6, 1, True), ("bad_shape", 7, 1, True),
                     ("housekeeping", 4, 1, False)]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "error", "made"),
    [
        ("▣ ACP | 5.2K → 0.8K tokens (~4.4K reclaimed, 1 block)", False, 1),
        ("▣ ACP | 9K → 1K tokens (~8K reclaimed, 12 blocks)", False, 1),
        ("▣ ACP | 5.2K → 5.2K tokens (0 blocks)", False, 0),
        ("▣ ACP | 5.2K → 0.8K tokens (~4.4K reclaimed, 1 block)", True, 0),
        ("No ranges provided.", False, 0),
    ],
)
def test_a_compression_counts_when_its_panel_says_that_blocks_were_made(
    tmp_path: Path, text: str, error: bool, made: int
) -> None:
    found = session(
        tmp_path, prompt("a1", None), asks("a2", "a1", "compress", content=[]),
        result("a3", "a2", "ca2", text, isError=error),
        result("a4", "a3", "ca2", text, isError=error),
    )  # fmt: skip
    assert [row.trigger for row in found.compactions] == ["blocks"] * made


def test_real_sessions_say_what_was_left_and_what_was_made_short(shared: Path) -> None:
    found = {}
    for path in sorted((shared / SESSIONS).rglob("*.jsonl")):
        (made,) = pi.read(path, {}, path.parent)
        reasons = sorted(b.reason for b in made.branches if b.reason in ("checkout", "squash"))
        ranges = [row.line for row in made.compactions if row.trigger == "range"]
        if reasons or ranges:
            found[path.name[:10]] = (reasons, ranges)
    assert found == {
        "2026-11-06": (["checkout", "checkout"], []),
        "2026-11-09": (["squash"], []),  # one that was refused left nothing
        "2026-11-10": ([], [43, 66]),
    }


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["blocks", "id", "ranges", "x"]), inner, max_size=4),
))  # fmt: skip
def test_no_state_of_any_shape_is_a_fault_of_ours(data: object) -> None:
    curation = Curation()
    fresh = curation.new_ranges(data)
    assert fresh is None or fresh >= 0
    assert curation.new_ranges(data) in (None, 0)
    behind = ran_behind(data)
    assert behind is None or behind >= 0
