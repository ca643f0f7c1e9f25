"""What is known of a run, asked of an archive."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dream.archive.archive import Archive
from dream.audit.worked import Worked, worked
from dream.records import Message, Run, Session, ToolCall
from tests.archive.fakes import House, at, call, message, talk

EVER = datetime(1970, 1, 1, tzinfo=UTC)


def asked(house: House, since: datetime = EVER) -> dict[str, Worked]:
    with Archive.open(house.state) as archive:
        return {one.run.run_id: one for one in worked(archive, since)}


def told(house: House, *said: Message, calls: list[ToolCall], **more: Any) -> Worked:
    house.put("a", talk("pi:a", *said, calls=calls, **more))
    house.night()
    (one,) = asked(house).values()
    return one


def called(of: Message, tool: str, place: int = 0, **more: Any) -> ToolCall:
    return replace(call(of, place, result_id=None, **more), tool=tool)


def replies(count: int) -> list[Message]:
    said = [message("Fix a.py", 0, id="m0")]
    return said + [
        message(f"reply {n}", n, role="assistant", id=f"m{n}", model="model-x", tokens_in=10 * n)
        for n in range(1, count + 1)
    ]


def test_a_path_is_the_calls_that_ran_on_the_branch_that_was_kept(tmp_path: Path) -> None:
    said = replies(5)
    said[3] = replace(said[3], active=False)
    fates = ["ok", "error", "ok", "refused", "sibling"]
    calls = [called(each, "Bash", status=fate) for each, fate in zip(said[1:], fates, strict=True)]
    one = told(House(tmp_path), *said, calls=calls)
    assert (one.run.path, one.run.calls, one.run.failed, one.run.turns) == (2, 5, 1, 4)
    assert (one.tools, one.failed) == (
        {"bash": 3},
        {"bash": 1},
    )  # the one on the branch that was given up could fail, too
    assert (one.run.model, one.run.tokens_in, one.run.tokens_out) == ("model-x", 150, None)


def test_a_request_is_read_and_its_words_are_not_kept(tmp_path: Path) -> None:
    one = told(House(tmp_path), *replies(1), calls=[])
    assert (one.request.task, one.request.files, one.request.fresh) == ("fix", 1, True)
    assert (one.run.request, one.run.asked) == ("", True)
    assert one.tools == {}


def test_what_a_program_put_in_is_the_request_where_no_person_asked(tmp_path: Path) -> None:
    plan = message("Implement the plan in a.md", 0, role="injected", kind="meta", id="p")
    reply = message("done", 1, role="assistant", id="r")
    late = message("Fix it all", 2, role="injected", kind="meta", id="l")
    one = told(House(tmp_path), plan, reply, late, calls=[])
    assert (one.run.asked, one.request.task, one.request.length) == (False, "build", 26)


def test_runs_that_no_model_answered_are_no_work(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.put("a", talk("pi:a", message("hello", 0)))
    house.night()
    assert asked(house) == {}


def test_runs_before_a_moment_are_left_out_and_those_without_a_time_are_not(
    tmp_path: Path,
) -> None:
    house = House(tmp_path)
    for name, minutes in (("pi:a", 0.0), ("pi:b", 100.0)):
        said = [
            message("Fix it", minutes, session=name, id="m0"),
            message("done", minutes + 1, session=name, role="assistant", id="m1"),
        ]
        head = Session(name, "pi", cwd="/repo/shop", started=at(minutes))
        house.put(name[-1], talk(name, *said, head=head))
    timeless = [
        replace(message("Fix it", 0, session="pi:c", role=role, id=role), happened=None)
        for role in ("human", "assistant")
    ]
    house.put("c", talk("pi:c", *timeless, head=Session("pi:c", "pi", cwd="/repo/shop")))
    house.night()
    assert sorted(asked(house, at(50))) == ["pi:b:1", "pi:c:1"]


def test_a_later_request_of_a_session_is_not_fresh_and_one_that_was_stopped_is_aborted(
    tmp_path: Path,
) -> None:
    said = [
        message("Fix a.py", 0, id="m0", run="pi:a:1"),
        message("done", 1, role="assistant", id="m1", run="pi:a:1"),
        message("and b.py", 2, id="m2", run="pi:a:2"),
        message("well", 3, role="assistant", id="m3", run="pi:a:2"),
    ]
    runs = [Run("pi:a:1", "pi:a", 1), Run("pi:a:2", "pi:a", 2, state="interrupted")]
    house = House(tmp_path)
    house.put("a", talk("pi:a", *said, runs=runs, calls=[called(said[3], "Read")]))
    house.night()
    first, second = asked(house).values()
    assert (first.request.fresh, second.request.fresh) == (True, False)
    assert (first.aborted, second.aborted) == (False, True)
    assert (first.tools, second.tools) == ({}, {"read": 1})
