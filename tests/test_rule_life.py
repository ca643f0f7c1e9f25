"""The life of a rule comes out of its events, in whatever order and however often they are told."""

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dream.archive import ledger
from dream.rule_events import STATES, Event, digest, event
from dream.rule_life import Life, landings, lives, plan_digest

START = datetime(2026, 5, 1, 8, tzinfo=UTC)
RULE = "rule-1a2b3c4d"
TODAY = date(2026, 5, 20)


def after(hours: float) -> datetime:
    return START + timedelta(hours=hours)


def told(kind: str, hours: float, **facts: Any) -> Event:
    return event(kind, RULE, after(hours), "ada", **facts)


def life(*events: Event) -> Life:
    return lives(events)[RULE]


def proposed(hours: float, content: str = "c1", sessions: int = 3) -> Event:
    where = {"night": "2026-05-01", "folder": f"2026-05-01/{RULE}", "diff": ""}
    return told("proposed", hours, content=content, sessions=sessions, **where)


def landed(hours: float, revision: str = "r1", **facts: Any) -> Event:
    place = {"repository": "/repo/shop", "project": "/repo/shop", "file": "AGENTS.md"}
    return told(
        "landed",
        hours,
        revision=revision,
        landed=after(hours).isoformat(),
        commit="c0ffee",
        known_by="trailer",
        **place,
        **facts,
    )


def test_a_rule_goes_from_draft_to_where_agents_are_told_it() -> None:
    road = [
        told("drafted", 0, content="c1"),
        proposed(0),
        told("seen", 1, content="c1"),
        told("edited", 2, content="c2"),
        told("adopted", 2, content="c2", plan={"aim": "errors"}, reason="it is true"),
        landed(3),
    ]
    states = [life(*road[: n + 1]).state for n in range(len(road))]
    assert states == ["drafted", "proposed", "seen", "edited", "adopted", "landed"]
    last = life(*road)
    assert last.reasons == (("adopted", "it is true"),)
    (one,) = last.landings
    assert (one.revision, one.landed, one.commit) == ("r1", after(3), "c0ffee")
    assert (one.ended, one.known_by, one.plan) == (None, "trailer", plan_digest({"aim": "errors"}))
    assert not last.waits(TODAY)


def test_a_rejected_rule_is_silent_until_so_much_new_evidence_is_there() -> None:
    rejected = told("rejected", 1, content="c1", reason="we use npm here", again_at=6)
    silent = life(proposed(0), rejected, proposed(24, "c9", sessions=5))
    assert silent.state == "rejected"
    assert silent.is_silenced(5, TODAY)
    assert not silent.waits(TODAY)
    assert silent.reason == "we use npm here"
    back = life(proposed(0), rejected, proposed(24, "c9", sessions=6))
    assert (back.state, back.waits(TODAY), back.content) == ("proposed", True, "c9")
    assert back.reasons == (("rejected", "we use npm here"),)  # kept and shown


def test_a_snoozed_rule_comes_back_on_its_day() -> None:
    asleep = life(proposed(0), told("snoozed", 1, until="2026-05-20"))
    assert not asleep.waits(date(2026, 5, 19))
    assert asleep.is_silenced(3, date(2026, 5, 19))
    assert asleep.waits(date(2026, 5, 20))


def test_other_words_of_a_rule_that_stands_wait_for_a_decision() -> None:
    road = (proposed(0), told("adopted", 1, content="c1"), landed(2))
    assert not life(*road, proposed(30, "c1")).revision_waits
    again = life(*road, proposed(30, "c2"))
    assert (again.state, again.revision_waits) == ("landed", True)
    no = life(*road, proposed(30, "c2"), told("rejected", 31, reason="the old ones are better"))
    assert (no.state, no.waits(TODAY)) == ("landed", False)


def test_a_revision_ends_one_landing_and_begins_another() -> None:
    road = (told("adopted", 1, content="c1"), landed(2, "r1"))
    gone = {"repository": "/repo/shop", "revision": "r1", "ended": after(9).isoformat()}
    both = life(*road, told("superseded", 9, **gone), landed(9, "r2"))
    assert [(one.revision, one.ended, one.why) for one in both.landings] == [
        ("r1", after(9), "superseded"),
        ("r2", None, ""),
    ]
    assert both.state == "landed"


def test_what_is_taken_away_has_ended_with_its_reason() -> None:
    road = (proposed(0), told("adopted", 1, content="c1"), landed(2))
    gone = life(*road, told("reverted", 9, reason="it slowed us down", again_at=8))
    assert (gone.state, gone.landings[0].ended, gone.adopted) == ("reverted", after(9), None)
    assert gone.is_silenced(7, TODAY)


def test_an_audit_brings_a_rule_back_until_somebody_answers() -> None:
    audited = told("retire", 50, why="unused", says="nobody did it")
    road = (proposed(0), told("adopted", 1, content="c1"), landed(2), audited)
    assert life(*road).waits(TODAY)
    assert life(*road).state == "landed"
    assert not life(*road, told("kept", 51, reason="it is new")).waits(TODAY)
    assert life(*road, told("retired", 51)).state == "retired"
    assert life(proposed(0), audited).retire is None  # it stands nowhere


def test_an_event_comes_after_those_it_was_decided_upon_where_a_clock_went_back() -> None:
    adopted = told("adopted", 10, content="c1")
    undone = event("reverted", RULE, after(3), "ada", [adopted])
    assert undone["happened"] == after(3).isoformat()
    assert life(adopted, undone).state == "reverted"


def test_the_same_landing_seen_twice_is_one_with_the_earlier_time() -> None:
    twice = life(landed(2), {**landed(5), "commit": "rebased"})
    (one,) = twice.landings
    assert (one.landed, one.commit) == (after(2), "rebased")


def test_a_line_that_a_hand_has_spoiled_changes_nothing() -> None:
    spoiled = {**told("snoozed", 5), "until": "soon"}
    found = life(proposed(0), spoiled)
    assert found.state == "proposed"
    assert len(found.events) == 2


KINDS = st.sampled_from((*STATES, "retire", "kept"))
EVENTS = st.lists(
    st.builds(
        lambda kind, hours, content, rule: {
            **event(kind, rule, after(hours), "ada", content=content, sessions=hours, again_at=4),
            **({"revision": content, "repository": "/repo"} if kind in "landed superseded" else {}),
        },
        KINDS,
        st.integers(0, 6),
        st.sampled_from(["c1", "c2"]),
        st.sampled_from([RULE, "skill-00000001"]),
    ),
    max_size=14,
)


@given(EVENTS, st.randoms(use_true_random=False))
def test_order_and_repetition_of_events_make_no_difference(
    events: list[Event], chance: random.Random
) -> None:
    other = [*events, *events[: len(events) // 2]]
    chance.shuffle(other)
    assert lives(other) == lives(events)
    assert landings(other) == landings(events)


@given(EVENTS, EVENTS)
def test_two_branches_of_a_ledger_merge_either_way(one: list[Event], other: list[Event]) -> None:
    assert lives([*one, *other]) == lives([*other, *one])


@given(EVENTS)
def test_landings_of_one_wording_in_one_place_never_overlap(events: list[Event]) -> None:
    for each in lives(events).values():
        for one in each.landings:
            assert one.ended is None or one.ended >= one.landed
            same = [x for x in each.landings if x.revision == one.revision and x.ended is None]
            assert len(same) <= 1


def test_a_torn_line_costs_itself_alone(tmp_path: Path) -> None:
    ledger.append_all(tmp_path, [proposed(0), told("adopted", 1, content="c1")])
    with (tmp_path / ledger.NAME).open("ab") as file:
        file.write(b'{"event":"reverted","id":"rule-1a')
    ledger.append(tmp_path, landed(2))
    book = ledger.read(tmp_path)
    assert book.torn == 1
    assert life(*book.events).state == "landed"
    assert len({digest(each) for each in book.events}) == 3
