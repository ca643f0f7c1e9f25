"""What failed by distance from the last compaction, asked of an archive."""

from datetime import UTC, datetime
from pathlib import Path

from dream.archive.archive import Archive
from dream.audit.recorded_drift import AgentDrift, Bin, recorded_drift
from dream.records import Compaction, Session
from tests.archive.fakes import House, at, call, message, talk

EVER = datetime(1970, 1, 1, tzinfo=UTC)


def counts(bins: tuple[Bin, ...]) -> dict[str, tuple[int, int]]:
    return {each.name: (each.failed.count, each.failed.of) for each in bins if each.failed.of}


def asked(house: House, *corrections: str, since: datetime = EVER) -> tuple[AgentDrift, ...]:
    with Archive.open(house.state) as archive:
        return recorded_drift(archive, corrections, since)


def talked(house: House, kind: str = "interactive") -> None:
    """Prompt and reply in turn, a compaction between the second reply and the third prompt."""
    said = [
        message(f"words {n}", n, role="assistant" if n % 2 else "human", id=f"m{n}")
        for n in range(10)
    ]
    calls = [
        call(said[n], status=status, result_id=None)
        for n, status in ((1, "ok"), (3, "error"), (5, "ok"), (7, "error"), (9, "refused"))
    ]
    told = talk(
        "pi:a",
        *said,
        calls=calls,
        compactions=[Compaction("pi:a/c", "pi:a", "auto", 4, happened=at(3.5))],
        sessions=[Session("pi:a", "pi", kind=kind, cwd="/repo/shop")],  # type: ignore[arg-type]  # a kind
    )
    house.put("a", told)
    house.night()


def test_calls_stand_at_their_distance_and_refused_ones_nowhere(tmp_path: Path) -> None:
    house = House(tmp_path)
    talked(house)
    (one,) = asked(house)
    assert (one.agent, one.sessions, one.compacted, one.untold) == ("pi", 1, 1, 0)
    assert counts(one.calls) == {"": (1, 2), "1": (0, 1), "2-3": (1, 1)}


def test_a_correction_counts_where_the_work_was_that_it_corrects(tmp_path: Path) -> None:
    house = House(tmp_path)
    talked(house)
    (one,) = asked(house, "pi:a/m4", "pi:a/m8", "pi:a/m0")
    # m4 stands behind the compaction, what it corrects before it; nothing stands before m0.
    assert counts(one.prompts) == {"": (1, 2), "1": (0, 1), "2-3": (1, 1)}


def test_prompts_from_before_the_judged_time_do_not_count(tmp_path: Path) -> None:
    house = House(tmp_path)
    talked(house)
    (one,) = asked(house, "pi:a/m4", since=at(5))
    assert counts(one.prompts) == {"1": (0, 1), "2-3": (0, 1)}
    assert counts(one.calls) == {"": (1, 2), "1": (0, 1), "2-3": (1, 1)}


def test_where_no_person_talks_turns_tell_no_distance(tmp_path: Path) -> None:
    house = House(tmp_path)
    talked(house, kind="subagent")
    (one,) = asked(house, "pi:a/m4")
    assert (one.sessions, one.untold, counts(one.calls), counts(one.prompts)) == (0, 4, {}, {})


def test_an_empty_archive_tells_nothing(tmp_path: Path) -> None:
    assert asked(House(tmp_path)) == ()
