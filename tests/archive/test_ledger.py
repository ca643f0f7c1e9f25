"""What was decided is only ever added to, and a crash costs the last line at most."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive import ledger
from dream.errors import StateBroken

EVENT = {"event": "noted", "happened": "2026-05-04T02:30:00+00:00"}


def test_events_come_back_in_the_order_they_were_written(tmp_path: Path) -> None:
    assert ledger.events(tmp_path) == ()
    ledger.append(tmp_path, {**EVENT, "text": "行\u2028 \n"})
    ledger.append_all(tmp_path, [{**EVENT, "n": n} for n in range(3)])
    ledger.append_all(tmp_path, [])
    assert ledger.events(tmp_path) == (
        {**EVENT, "text": "行\u2028 \n"},
        *({**EVENT, "n": n} for n in range(3)),
    )
    assert (tmp_path / ledger.NAME).stat().st_mode & 0o077 == 0


@given(st.integers(0, 70), st.integers(1, 3))
def test_a_torn_tail_is_counted_and_costs_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, cut: int, more: int
) -> None:
    state = tmp_path_factory.mktemp("torn")
    ledger.append(state, EVENT)
    whole = (state / ledger.NAME).read_bytes()
    torn = whole[: min(cut, len(whole) - 1)]
    (state / ledger.NAME).write_bytes(whole + torn)
    cost = 1 if torn and torn != whole.rstrip(b"\n") else 0
    for _ in range(more):
        ledger.append(state, {**EVENT, "after": True})
    read = ledger.read(state)
    assert read.torn == cost
    assert [event for event in read.events if event.get("after")] == [
        {**EVENT, "after": True}
    ] * more


@pytest.mark.parametrize("event", [{}, {"event": "x"}, {"happened": "y"}, {**EVENT, "event": 1}])
def test_an_event_without_kind_or_time_is_refused(tmp_path: Path, event: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="needs `event` and `happened`"):
        ledger.append(tmp_path, event)
    assert not (tmp_path / ledger.NAME).exists()


def test_a_line_that_is_no_event_is_counted(tmp_path: Path) -> None:
    (tmp_path / ledger.NAME).write_text('[1]\n{"a":1}\n\nnonsense\n')
    assert ledger.read(tmp_path) == ledger.Ledger((), 3)


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"night","night":5,"happened":7}',
        '{"event":"night","night":"2026-13-45","happened":"2026-05-04T02:30:00+00:00"}',
        '{"event":"night","night":null,"happened":"2026-05-04T02:30:00+00:00"}',
        '{"event":"night","night":"2026-05-04","happened":"yesterday"}',
        '{"event":"night","night":"2026-05-04","happened":"2026-05-04T02:30:00"}',
        '{"event":"night","night":"2026-05-04","happened":"0001-01-01T00:00:00+05:00"}',
        '{"event":"night","night":"2026-05-04","happened":"9999-12-31T23:59:59+00:00"}',
        '{"event":"proposed","happened":"2026-05-04T02:30:00+00:00"}',
        '{"event":"proposed","happened":"2026-05-04T02:30:00+00:00","night":"2026-05-04","id":{},'
        '"folder":[],"content":"","diff":""}',
        '{"event":["a"],"happened":{}}',
    ],
)
def test_a_line_that_does_not_hold_what_its_kind_promises_is_counted_and_stays(
    tmp_path: Path, line: str
) -> None:
    ledger.append(tmp_path, EVENT)
    with (tmp_path / ledger.NAME).open("a") as file:
        file.write(f"{line}\n")
    assert ledger.read(tmp_path) == ledger.Ledger((EVENT,), 1)
    ledger.append(tmp_path, EVENT)
    assert line in (tmp_path / ledger.NAME).read_text()


def test_a_ledger_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / ledger.NAME).mkdir()
    with pytest.raises(StateBroken, match="could not be written"):
        ledger.append(tmp_path, EVENT)
    with pytest.raises(StateBroken, match="cannot be read"):
        ledger.events(tmp_path)


def test_of_several_events_the_last_one_holds() -> None:
    past = [
        {**EVENT, "event": "shown", "id": "r-1", "n": 1},
        {**EVENT, "event": "shown", "id": "r-2", "n": 2},
        {**EVENT, "event": "shown", "id": "r-1", "n": 3},
        {**EVENT, "event": "other", "id": "r-1", "n": 4},
        {**EVENT, "event": "shown", "n": 5},
    ]
    assert ledger.latest(past, "shown", "id") == {"r-1": past[2], "r-2": past[1]}
