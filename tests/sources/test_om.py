"""Folding a memory ledger: the rules one by one, and what holds for any ledger."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.sources import om
from dream.sources.om_entries import (
    Folded,
    Ledger,
    Noted,
    Observation,
    Reflection,
    folded,
    is_legacy,
    noted,
)  # fmt: skip

OBSERVED, REFLECTED = "om.observations.recorded", "om.reflections.recorded"
DROPPED = "om.observations.dropped"


def name(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def observation(content: str, /, **other: Any) -> dict[str, Any]:
    usual = {
        "id": name(content), "content": content, "timestamp": "2026-03-02 10:00",
        "relevance": "high", "sourceEntryIds": ["m1"], "tokenCount": 9,
    }  # fmt: skip
    return {**usual, **other}


def reflection(content: str, /, *supports: str, **other: Any) -> dict[str, Any]:
    usual = {
        "id": name(content), "content": content,
        "supportingObservationIds": [name(one) for one in supports], "tokenCount": 4,
    }  # fmt: skip
    return {**usual, **other}


def seen(entry: str, covers: str, *contents: str) -> Noted:
    data = {"observations": [observation(one) for one in contents], "coversUpToId": covers}
    made = noted(entry, OBSERVED, data)
    assert made is not None
    return made


def thought(entry: str, covers: str, content: str, *supports: str) -> Noted:
    data = {"reflections": [reflection(content, *supports)], "coversUpToId": covers}
    made = noted(entry, REFLECTED, data)
    assert made is not None
    return made


def drop(entry: str, covers: str, *contents: str) -> Noted:
    data = {"observationIds": [name(one) for one in contents], "coversUpToId": covers}
    made = noted(entry, DROPPED, data)
    assert made is not None
    return made


def ledger(*notes: Noted, folds: Sequence[Folded] = ()) -> Ledger:
    return Ledger({one.entry_id: one for one in notes}, {one.entry_id: one for one in folds})


def fold_of(entry: str, kept: str, full: bool, *contents: str) -> Folded:
    details = {
        "type": "om.folded", "version": 1, "fullFold": full,
        "observations": [observation(one) for one in contents], "reflections": [],
    }  # fmt: skip
    made = folded(entry, kept, details)
    assert made is not None
    return made


def contents(records: Sequence[Observation] | Sequence[Reflection]) -> str:
    return " ".join(record.content for record in records)


@pytest.mark.parametrize(
    "other",
    [
        {"id": "B6241A14C983"}, {"id": "abc"}, {"id": 7}, {"content": ""}, {"content": None},
        {"timestamp": ""}, {"timestamp": 3}, {"relevance": "urgent"}, {"relevance": []},
        {"sourceEntryIds": []}, {"sourceEntryIds": ["m1", ""]}, {"sourceEntryIds": "m1"},
        {"tokenCount": -1}, {"tokenCount": "9"}, {"tokenCount": True},
        {"tokenCount": float("inf")}, {"tokenCount": float("nan")},
    ],
)  # fmt: skip
def test_one_bad_observation_makes_the_whole_entry_worthless(other: dict[str, Any]) -> None:
    good, bad = observation("a"), observation("b", **other)
    assert noted("e", OBSERVED, {"observations": [good], "coversUpToId": "m1"})
    assert noted("e", OBSERVED, {"observations": [good, bad], "coversUpToId": "m1"}) is None


@pytest.mark.parametrize(
    "other", [{"content": "two\nlines"}, {"content": "a\rb"}, {"supportingObservationIds": []}]
)
def test_a_reflection_is_one_line_that_rests_on_something(other: dict[str, Any]) -> None:
    bad = reflection("r", "a", **other)
    assert noted("e", REFLECTED, {"reflections": [bad], "coversUpToId": "m1"}) is None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (OBSERVED, None), (OBSERVED, []), (OBSERVED, {}),
        (OBSERVED, {"observations": [], "coversUpToId": "m1"}),
        (OBSERVED, {"observations": [observation("a")]}),
        (OBSERVED, {"observations": [observation("a")], "coversUpToId": ""}),
        (OBSERVED, {"observations": ["a"], "coversUpToId": "m1"}),
        (DROPPED, {"observationIds": [], "coversUpToId": "m1"}),
        (DROPPED, {"observationIds": ["a", 1], "coversUpToId": "m1"}),
    ],
)  # fmt: skip
def test_an_entry_of_another_shape_is_no_memory(kind: str, data: object) -> None:
    assert noted("e", kind, data) is None


def test_of_equal_ids_the_first_record_on_the_branch_holds() -> None:
    book = ledger(seen("e1", "m1", "a", "b"), seen("e2", "m2", "b", "c"))
    fold = om.fold(["m1", "e1", "m2", "e2"], book)
    assert list(fold.observations) == [name("a"), name("b"), name("c")]
    assert fold.observed_in[name("b")] == "e1"
    other_way = om.fold(["m2", "e2", "m1", "e1"], book)
    assert other_way.observed_in[name("b")] == "e2"


def test_a_drop_is_for_ever_even_before_the_first_recording() -> None:
    book = ledger(drop("d", "m1", "a", "never"), seen("e1", "m1", "a"), seen("e2", "m2", "a", "b"))
    fold = om.fold(["m1", "d", "e1", "m2", "e2"], book)
    assert contents(fold.active) == "b"
    assert fold.dropped == (name("a"), name("never"))


def test_only_what_lies_on_the_branch_counts() -> None:
    book = ledger(seen("e1", "m1", "a"), seen("e2", "m2", "b"), drop("d", "m1", "a"))
    assert contents(om.fold(["m1", "e1", "d"], book).active) == ""
    assert contents(om.fold(["m1", "e1", "m2", "e2"], book).active) == "a b"


def test_a_watermark_is_the_latest_on_the_branch_and_not_the_last_written() -> None:
    book = ledger(seen("e1", "m3", "a"), seen("e2", "m1", "b"), seen("e3", "gone", "c"))
    branch = ["m1", "m2", "m3", "e1", "e2", "e3"]
    assert om.watermark(branch, book, "observation") == "m3"
    assert om.watermark(branch, book, "drop") is None


def test_a_projection_leaves_out_what_was_read_behind_its_bound() -> None:
    book = ledger(seen("e1", "m1", "a"), seen("e2", "m2", "b"), seen("e3", "gone", "c"))
    branch = ["m1", "e1", "m2", "e2", "e3"]
    assert contents(om.fold(branch, book).active) == "a b c"
    assert contents(om.full_projection(branch, book).observations) == "a b"
    assert contents(om.full_projection(branch, book, "m1").observations) == "a"
    assert contents(om.full_projection(branch, book, "gone").observations) == ""


def test_between_full_folds_drops_and_reflections_are_not_seen() -> None:
    notes = (seen("e1", "m1", "a", "b"), thought("t", "m1", "r", "a"), drop("d", "m1", "b"))
    branch = ["m1", "e1", "t", "d", "m2"]
    normal = om.at_fold(branch, ledger(*notes), "m2", full=False)
    assert (contents(normal.observations), contents(normal.reflections)) == ("a b", "")
    full = om.at_fold(branch, ledger(*notes), "m2", full=True)
    assert (contents(full.observations), contents(full.reflections)) == ("a", "r")
    later = ledger(*notes, seen("e2", "m3", "c"), folds=[fold_of("k", "m2", True, "a")])
    grown = [*branch, "k", "m3", "e2"]
    assert om.full_fold_boundary(grown, later) == "m2"
    after = om.at_fold(grown, later, "m3", full=False)
    assert (contents(after.observations), contents(after.reflections)) == ("a c", "r")


def test_the_model_sees_the_latest_fold_and_not_the_ledger() -> None:
    book = ledger(
        seen("e1", "m1", "a", "b"),
        folds=[fold_of("k1", "m1", False, "a"), fold_of("k2", "m2", False, "a", "b")],
    )
    branch = ["m1", "e1", "k1", "m2", "k2"]
    assert contents(om.visible_projection(branch, book).observations) == "a b"
    assert contents(om.visible_projection(branch[:4], book).observations) == "a"
    assert om.visible_projection(branch[:2], book) == om.Projection()
    assert om.full_fold_boundary(branch, book) is None


def test_recall_finds_what_was_dropped_and_what_a_reflection_rests_on() -> None:
    book = ledger(
        seen("e1", "m1", "a"), seen("e2", "m1", "a"), drop("d", "m1", "a"),
        thought("t", "m1", "r", "a", "unknown"),
    )  # fmt: skip
    branch, types = ["m1", "e1", "e2", "d", "t"], {"m1": "message", "e1": "custom"}
    direct = om.recall(branch, book, types, name("a"))
    assert (direct.kind, direct.collision, direct.partial) == ("observation", True, False)
    assert [(one.entry_id, one.status) for one in direct.observations] == [
        ("e1", "dropped"),
        ("e2", "dropped"),
    ]
    rests = om.recall(branch, book, types, name("r"))
    assert (rests.kind, rests.collision, rests.partial) == ("reflection", False, True)
    assert [one.entry_id for one in rests.observations] == ["e1"]
    assert rests.missing_supports == (name("unknown"),)
    nothing = om.recall(branch, book, types, name("nothing"))
    assert (nothing.kind, nothing.collision, nothing.partial) == (None, False, False)


def test_recall_names_sources_that_are_missing_or_no_sources() -> None:
    sources = ["m1", "label", "elsewhere", "m1"]
    data = {"observations": [observation("a", sourceEntryIds=sources)], "coversUpToId": "m1"}
    made = noted("e1", OBSERVED, data)
    assert made is not None
    types = {"m1": "message", "label": "label", "elsewhere": "message"}
    (one,) = om.recall(["m1", "label", "e1"], ledger(made), types, name("a")).observations
    assert one.sources == ("m1", "label", "elsewhere")
    assert (one.missing, one.not_sources) == (("elsewhere",), ("label",))


def test_older_layouts_are_known_by_sight_only() -> None:
    assert is_legacy({"type": "observational-memory", "version": 4, "reflections": ["text"]})
    assert not is_legacy({"readFiles": [], "modifiedFiles": []})
    assert folded("k", None, {"type": "observational-memory", "version": 3}) is None
    details = {"type": "om.folded", "version": 1, "observations": [], "reflections": []}
    assert folded("k", None, {**details, "fullFold": False}) is not None
    for other in ({}, {"fullFold": 1}, {"fullFold": True, "version": 2}):
        assert folded("k", None, {**details, **other}) is None


events = st.lists(
    st.tuples(st.sampled_from("odt"), st.sampled_from("abcde"), st.integers(0, 12)), max_size=16
)


def _book(steps: list[tuple[str, str, int]]) -> tuple[list[str], Ledger]:
    """Every second entry of the branch is a message; watermarks point anywhere, also nowhere."""
    notes: list[Noted] = []
    branch: list[str] = []
    for number, (kind, content, covers) in enumerate(steps):
        branch += [f"m{number}", f"e{number}"]
        mark = f"m{covers}"
        if kind == "o":
            notes.append(seen(branch[-1], mark, content))
        elif kind == "t":
            notes.append(thought(branch[-1], mark, f"of {content}", content))
        else:
            notes.append(drop(branch[-1], mark, content))
    return branch, ledger(*notes)


@given(events)
def test_the_active_and_the_dropped_never_overlap(steps: list[tuple[str, str, int]]) -> None:
    branch, book = _book(steps)
    fold = om.fold(branch, book)
    active = [one.id for one in fold.active]
    assert len(active) == len(set(active))
    assert not set(active) & set(fold.dropped)
    assert set(active) | set(fold.dropped) >= set(fold.observations)


@given(events, st.integers(0, 32))
def test_what_was_recorded_or_dropped_stays_so_down_a_branch(
    steps: list[tuple[str, str, int]], cut: int
) -> None:
    branch, book = _book(steps)
    early, late = om.fold(branch[:cut], book), om.fold(branch, book)
    assert list(late.observations)[: len(early.observations)] == list(early.observations)
    assert late.dropped[: len(early.dropped)] == early.dropped
    assert early.observed_in.items() <= late.observed_in.items()


@given(events)
def test_a_projection_shows_nothing_that_the_ledger_does_not_hold(
    steps: list[tuple[str, str, int]],
) -> None:
    branch, book = _book(steps)
    fold = om.fold(branch, book)
    for upto in (None, *branch):
        shown = om.full_projection(branch, book, upto)
        assert {one.id for one in shown.observations} <= set(fold.observations)
        assert {one.id for one in shown.reflections} <= set(fold.reflections)


@given(events)
def test_recall_and_fold_agree(steps: list[tuple[str, str, int]]) -> None:
    branch, book = _book(steps)
    fold = om.fold(branch, book)
    types = {one: "message" for one in branch if one.startswith("m")}
    for content in "abcde":
        found = om.recall(branch, book, types, name(content))
        assert (found.kind is not None) == (name(content) in fold.observations)
        for one in found.observations:
            assert (one.status == "dropped") == (name(content) in fold.dropped)
