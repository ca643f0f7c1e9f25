"""The archive as it was at a moment: as it would be if nothing had come then or later."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dream.archive.archive import Archive
from dream.records import Branch, Memory, Message, Run, Session, ToolCall, Transcript
from tests.archive.fakes import House, at, call, message, talk

COMPARED = ("sessions", "runs", "messages", "calls", "branches", "memories")


def told(state: Path, until: datetime | None = None) -> dict[str, list[tuple[Any, ...]]]:
    """Every relation that judgements are made of, in one order. Which reading spoke is left out."""
    with Archive.open(state, until=until) as archive:
        tables = {name: archive._connection.table(name) for name in COMPARED}
        return {name: table.order("ALL").fetchall() for name, table in tables.items()}


def session(name: str, minutes: Sequence[int], runs: int, cuts: Sequence[int]) -> Transcript:
    """A session whose messages come at these minutes: a prompt, a call, its result, and so on."""
    messages: list[Message] = []
    calls: list[ToolCall] = []
    for number, minute in enumerate(minutes):
        run = f"{name}:{number * runs // max(len(minutes), 1)}"
        role = ("human", "assistant", "tool")[number % 3]
        active = number not in cuts
        made = message(
            f"{role} {number}", minute, session=name, role=role, run=run, number=number,  # type: ignore[arg-type]  # one of three
            active=active,
        )  # fmt: skip
        messages.append(made)
        if role == "assistant" and number + 1 < len(minutes):
            later = message(f"tool {number + 1}", minutes[number + 1], session=name)
            calls.append(
                replace(call(made), result_id=later.message_id, exit_code=0, active=active)
            )
    names = dict.fromkeys(each.run_id for each in messages)
    last = at(minutes[-1])
    found = []
    for number, run in enumerate(names, 1):
        times = [m.happened for m in messages if m.run_id == run and m.happened]
        found.append(Run(run, name, number, started=min(times), ended=max(times)))
    return replace(
        talk(name, *messages, runs=found),
        calls=calls,
        sessions=[Session(name, "pi", cwd="/repo/shop", started=at(minutes[0]), ended=last)],
        branches=[Branch(messages[-1].message_id, name, True, len(messages), happened=last)],
    )


def cut(whole: Transcript, until: datetime) -> Transcript | None:
    """The same as it stood at a moment, worked out record by record; None when it had not begun."""
    kept = [m for m in whole.messages if m.happened and m.happened < until]
    if not kept:
        return None
    ids = {m.message_id for m in kept}
    if len(kept) < len(whole.messages):
        standing = max((m.number for m in kept if m.active), default=-1)
        kept = [replace(m, active=m.active or m.number > standing) for m in kept]
    alive = {m.message_id: m.active for m in kept}
    calls = []
    for one in whole.calls:
        if one.message_id in ids:
            answered = one.result_id in ids
            calls.append(
                replace(
                    one,
                    active=alive[one.message_id],
                    status=one.status if answered else "unanswered",
                    exit_code=one.exit_code if answered else None,
                    result_id=one.result_id if answered else None,
                )
            )
    runs = []
    for run in whole.runs:
        mine = [m for m in whole.messages if m.run_id == run.run_id]
        if any(m.message_id in ids for m in mine):
            done = all(m.message_id in ids for m in mine)
            runs.append(run if done else replace(run, state="running", ended=None))
    last = max(m.happened for m in kept if m.happened)
    return replace(
        whole,
        messages=kept,
        calls=calls,
        runs=runs,
        sessions=[replace(each, ended=last) for each in whole.sessions],
        branches=[b for b in whole.branches if b.happened and b.happened < until],
        memories=[m for m in whole.memories if m.happened and m.happened < until],
    )


@given(
    talks=st.lists(
        st.tuples(
            st.lists(st.integers(0, 40), min_size=1, max_size=8).map(sorted),
            st.integers(1, 3),
            st.sets(st.integers(0, 7), max_size=3),
        ),
        min_size=1,
        max_size=3,
    ),
    moment=st.integers(0, 41),
)
@settings(max_examples=6)
def test_at_a_moment_the_archive_is_what_it_would_be_without_all_that_came_later(
    talks: list[tuple[list[int], int, set[int]]], moment: int
) -> None:
    whole = [
        session(f"pi:{name}", minutes, runs, sorted(cuts))
        for name, (minutes, runs, cuts) in zip("abc", talks, strict=False)
    ]
    with TemporaryDirectory() as folder:
        full, less = Path(folder) / "full", Path(folder) / "less"
        houses = []
        for place, talks_there in (
            (full, whole),
            (less, [short for each in whole if (short := cut(each, at(moment)))]),
        ):
            place.mkdir()
            house = House(place)
            for made in talks_there:
                house.put(made.sessions[0].session_id[-1], made)
            house.night()
            houses.append(house)
        then = told(houses[0].state, at(moment))
        now = told(houses[1].state)
        for name in COMPARED:
            there = {house.source: f"{number}" for number, house in enumerate(houses)}
            assert [_placeless(row, there) for row in then[name]] == [
                _placeless(row, there) for row in now[name]
            ], name


def _placeless(row: tuple[Any, ...], sources: dict[Path, str]) -> tuple[Any, ...]:
    """A row without the place of its source, which differs between the two."""
    return tuple(
        Path(value).name
        if isinstance(value, str) and any(value.startswith(str(source)) for source in sources)
        else value
        for value in row
    )


def test_what_comes_at_the_very_moment_has_not_come_yet(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.put("a", session("pi:a", [0, 5, 10], 1, ()))
    house.night()
    for minutes, count in ((0, 0), (1, 1), (5, 1), (6, 2), (10, 2), (11, 3)):
        assert len(told(house.state, at(minutes))["messages"]) == count


def test_a_message_without_a_time_came_with_the_one_before_it(tmp_path: Path) -> None:
    house = House(tmp_path)
    said = [message(f"m{n}", n, number=n) for n in range(4)]
    house.put("a", talk("pi:a", said[0], replace(said[1], happened=None), *said[2:]))
    house.put("b", talk("pi:b", replace(message("x", 1, session="pi:b"), happened=None)))
    house.night()
    texts = [row[6] for row in told(house.state, at(1))["messages"]]
    assert texts == ["m0", "m1"]
    assert "x" in [row[6] for row in told(house.state)["messages"]]


def test_a_note_that_was_dropped_later_stood_still(tmp_path: Path) -> None:
    house = House(tmp_path)
    made = talk("pi:a", message("use pnpm", 0), message("and now", 30))
    note = Memory(
        "pi:a/1/x", "pi:a", "observation", "1", "uses pnpm", "dropped", False, happened=at(5)
    )
    drop = Memory("pi:a/1/y", "pi:a", "drop", "1", "", "active", False, happened=at(20))
    house.put("a", replace(made, memories=[note, drop]))
    house.night()
    for minutes, status in ((10, "active"), (25, "dropped")):
        rows = told(house.state, at(minutes))["memories"]
        assert [row[5] for row in rows if row[2] == "observation"] == [status]
