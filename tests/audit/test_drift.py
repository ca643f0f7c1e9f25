"""Deviation logs: read line by line, refused with a reason, counted into shares with ranges."""

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream.audit.deviations import KINDS, LabelledRun, LabelledTurn, read_log
from dream.audit.drift import BINS, LEAST, NAMES, bin_of, drift
from dream.audit.log_lines import NO_DENOMINATOR
from dream.audit.recorded_drift import At, by_agent
from dream.audit.share import difference, share

HEAD = "turn,turns since compaction,deviated,type,intervention"


def wrote(folder: Path, text: str | bytes, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def labelled(n: int, deviated: bool, intervention: str, distance: int | None = 3) -> LabelledTurn:
    kind = "path_drift" if deviated else None
    return LabelledTurn("l", n + 2, n, distance, deviated, kind, "", intervention, "")  # type: ignore[arg-type]  # narrowed


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_a_share_has_the_range_of_newcombes_table_for_wilsons_method(
    count: int, of: int, low: float, high: float
) -> None:
    found = share(count, of)
    assert [found.low, found.high] == pytest.approx([low, high], abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090),
     ((10, 10), (0, 10), 0.6075, 1.0)],
)  # fmt: skip
def test_a_difference_has_the_range_of_newcombes_table_for_his_tenth_method(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    found = difference(share(*one), share(*other))
    assert found is not None
    assert [found.low, found.high] == pytest.approx([low, high], abs=5e-5)


@given(st.integers(0, 5000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_share_lies_in_its_range_and_the_range_between_0_and_1(pair: tuple[int, int]) -> None:
    found = share(*pair)
    if found.share is None or found.low is None or found.high is None:
        assert pair[1] == 0
        assert difference(found, share(1, 2)) is None
        return
    assert 0 <= found.low <= found.share <= found.high <= 1
    other = share(pair[1] - pair[0], pair[1])  # the other side of the same coin
    assert other.low == pytest.approx(1 - found.high)
    apart = difference(found, found)
    assert apart is not None
    assert apart.low <= apart.difference == 0 <= apart.high


@given(st.integers(0, 10**6))
def test_every_distance_is_in_one_bin(distance: int) -> None:
    inside = [n for n, (a, b) in enumerate(BINS) if a <= distance and (b is None or distance <= b)]
    assert [NAMES[n] for n in inside] == [bin_of(distance)]


CSV = f"""{HEAD},mood
1,,no,,none,fine
2,0,yes,Information Loss,,fine
3,1,是,路径漂移,long memory,fine
3,4,yes,cosmic rays,long memory,fine
x,1,no,,,
4,1,maybe,,,
5,1,no,mismatch,,
6,1,yes,"mismatch,,
7,1,yes
8,-1,no,,,
"""


def test_lines_become_labelled_turns_and_what_cannot_is_named(tmp_path: Path) -> None:
    log = read_log(wrote(tmp_path, CSV))
    assert [(t.line, t.turn, t.distance, t.kind, t.intervention) for t in log.turns] == [
        (2, 1, None, None, "none"),
        (3, 2, 0, "information_loss", "none"),
        (4, 3, 1, "path_drift", "long memory"),
        (5, 3, 4, "unknown", "long memory"),
    ]
    assert [each.line for each in log.bad] == [6, 7, 8, 9, 10, 11]
    assert all(each.file == log.file and each.why for each in log.bad)
    assert log.unknown_columns == ("mood",)
    assert log.unknown_kinds == {"cosmic rays": 1}
    assert [len(run.turns) for run in log.runs] == [3, 1]  # turn 3 again begins another run


def test_the_same_log_as_jsonl_with_semicolons_or_from_a_spreadsheet_says_the_same(
    tmp_path: Path,
) -> None:
    rows = [("1", "0", "yes", "mismatch", "a"), ("2", "1", "no", "", "b")]
    text = "\n".join([HEAD, *(",".join(row) for row in rows)])
    records = [
        {"turn": 1, "turns_since_compaction": 0.0, "deviated": True, "type": "mismatch",
         "intervention": "a"},
        {"turn": 2, "Turns-Since-Compaction": "1", "deviated": False, "type": None,
         "intervention": "b"},
    ]  # fmt: skip
    files = [
        wrote(tmp_path, text, "a.csv"),
        wrote(tmp_path, text.replace(",", ";").replace("\n", "\r\n"), "b.csv"),
        wrote(tmp_path, text.replace(",", "\t").encode("utf-16"), "c.tsv"),
        wrote(tmp_path, b"\xef\xbb\xbf" + text.encode(), "d.csv"),
        wrote(tmp_path, "\n".join(json.dumps({**each}) for each in records[:1] * 1), "e.jsonl"),
    ]
    told = [
        [(t.turn, t.distance, t.deviated, t.kind, t.intervention) for t in read_log(path).turns]
        for path in files
    ]
    whole = [(1, 0, True, "mismatch", "a"), (2, 1, False, None, "b")]
    assert told == [whole, whole, whole, whole, whole[:1]]
    twice = read_log(wrote(tmp_path, "\n".join(map(json.dumps, records)), "f.jsonl"))
    assert twice.refused.startswith("several of its columns tell the same: distance")


def test_a_turn_of_a_named_run_counts_once(tmp_path: Path) -> None:
    log = read_log(wrote(tmp_path, f"{HEAD},run\n1,0,no,,,a\n1,0,no,,,b\n1,0,yes,,,a\n"))
    assert [run.name.rpartition("#")[2] for run in log.runs] == ["a", "b"]
    assert [(each.line, each.why) for each in log.bad] == [
        (4, "turn 1 of its run stands here again")
    ]


def test_shares_without_counts_are_refused_with_that_reason(shared: Path) -> None:
    log = read_log(shared / "oracles/seed004_shares.json")
    assert log.refused == NO_DENOMINATOR
    assert "not comparable" in log.refused
    assert (log.runs, log.bad) == ((), ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("type,baseline share,treated share\nmismatch,1,2\n", NO_DENOMINATOR),
        ('{"treatment": "a", "percent": [1, 2]}\n', NO_DENOMINATOR),
        ('{\n "a": {"shares": [1]}\n}\n', NO_DENOMINATOR),
        ('{\n "a": {"counts": [1]}\n}\n', "it is one JSON document; a deviation log is CSV or"),
        ("turn,deviated\n1,yes\n", "it has no column for: distance;"),
        (" \n\n", "it is empty"),
        (f"{HEAD},{HEAD}\n", "two of its columns have the same name"),
        (f"{HEAD},round\n", "several of its columns tell the same: turn;"),
    ],
)
def test_a_file_that_is_no_log_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    assert read_log(wrote(tmp_path, text)).refused.startswith(reason)


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        assert read_log(path).refused == "it is not there, or no regular file"


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b"")), max_size=20))
def test_no_line_is_lost_whatever_the_bytes(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    data = b"\n".join([HEAD.encode(), *lines, b"1,1,no,,"])
    log = read_log(wrote(tmp_path_factory.mktemp("log"), data))
    assert log.refused == ""
    blank = sum(not line.decode(errors="replace").strip("\x00\t \r") for line in lines)
    assert len(log.turns) + len(log.bad) == len(lines) - blank + 1


turns = st.builds(
    labelled,
    st.integers(0, 50),
    st.booleans(),
    st.sampled_from(["none", "engram", "long memory"]),
    st.none() | st.integers(0, 40),
)


@given(st.lists(turns, max_size=80))
def test_every_turn_is_in_each_table_once(given_turns: list[LabelledTurn]) -> None:
    found = drift([LabelledRun("l#1", tuple(given_turns))])
    assert found.deviated.of == len(given_turns)
    for rows in (found.distances, found.treatments):
        assert sum(row.deviated.of for row in rows) == len(given_turns)
        assert sum(row.deviated.count for row in rows) == found.deviated.count
        for row in rows:
            assert sum(row.kinds.values()) == row.deviated.count
    assert sum(row.share.count for row in found.kinds) == found.deviated.count
    assert [row.kind for row in found.kinds] == list(KINDS)


def test_treatments_are_compared_with_none_and_only_with_enough_turns() -> None:
    own = [labelled(n, n % 2 == 0, "baseline") for n in range(LEAST)]
    own += [labelled(n, n % 4 == 0, "engram") for n in range(40, 60)]
    own += [labelled(n, False, "short") for n in range(60, 65)]
    found = drift([LabelledRun("l#1", tuple(own))])
    engram, short = found.comparisons
    assert (engram.treatment, engram.baseline, engram.why_not) == ("engram", "baseline", "")
    assert engram.difference is not None
    assert engram.difference.difference == pytest.approx(-0.25)
    assert short.difference is None
    assert short.why_not == f"too few turns: 5, and {LEAST} are needed"
    assert found.in_turn
    mixed = drift([LabelledRun("l#1", tuple(sorted(own, key=lambda turn: turn.turn % 5)))])
    assert not mixed.in_turn


def test_without_a_baseline_nothing_is_compared() -> None:
    own = [labelled(n, False, name) for n, name in product(range(30), ("a", "b"))]
    found = drift([LabelledRun("l#1", tuple(own))])
    assert {each.why_not for each in found.comparisons} == {"no turns without treatment"}
    assert {each.difference for each in found.comparisons} == {None}


@given(
    st.lists(
        st.builds(
            lambda agent, session, talked, distance, failed, rest: At(
                agent, f"{agent}:{session}", talked, distance, failed, failed + rest
            ),
            st.sampled_from(["pi", "claude-code"]),
            st.integers(0, 3),
            st.booleans(),
            st.none() | st.integers(0, 40),
            st.integers(0, 5),
            st.integers(0, 5),
        )
    )
)
def test_every_recorded_call_is_in_one_bin_or_untold(calls: list[At]) -> None:
    found = by_agent(calls, [])
    assert [one.agent for one in found] == sorted({call.agent for call in calls})
    for one in found:
        own = [call for call in calls if call.agent == one.agent]
        assert sum(each.failed.of for each in one.calls) + one.untold == sum(c.tried for c in own)
        talked = [call for call in own if call.talked]
        assert sum(each.failed.count for each in one.calls) == sum(c.failed for c in talked)
