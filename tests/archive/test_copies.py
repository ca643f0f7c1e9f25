"""The same words seen twice are one thing, whatever held them: fork, resume, copy or archive."""

import dataclasses

import pytest

from dream.records import Branch, Compaction, Label, Memory, Message, Run, Session, Transcript
from tests.archive.fakes import House, at, call, message, talk


def session(id: str, minutes: float | None = 0, **rest: object) -> Session:  # noqa: A002
    started = None if minutes is None else at(minutes)
    return dataclasses.replace(Session(id, "pi", cwd="/repo/shop", started=started), **rest)  # type: ignore[arg-type]  # fields of Session


def copies(of: tuple[Message, ...], to: str) -> tuple[Message, ...]:
    """The same messages as another session holds them."""
    return tuple(
        dataclasses.replace(
            one,
            session_id=to,
            message_id=one.message_id.replace(one.session_id, to),
            run_id=one.run_id.replace(one.session_id, to),
            digest=one.digest[::-1],
        )
        for one in of
    )


FIRST = (
    message("Rename the report column.", 0),
    message("Renamed in the template.", 0.3, role="assistant"),
    message("No, also in the export.", 1),
)
GOES_ON = (
    message("Export renamed too.", 1.5, role="assistant", session="pi:b"),
    message("Good.", 2, session="pi:b"),
)


def test_a_session_that_begins_with_another_ones_messages_owns_only_its_own(house: House) -> None:
    house.put("first", talk("pi:a", *FIRST, head=session("pi:a", ended=at(1))))
    house.put(
        "second",
        talk("pi:b", *copies(FIRST, "pi:b"), *GOES_ON, head=session("pi:b", ended=at(2))),
    )
    house.night()
    assert house.ask("SELECT session_id, messages, human_prompts, parent_id FROM sessions") == [
        ("pi:a", 3, 2, None),
        ("pi:b", 2, 1, "pi:a"),
    ]
    assert house.ask("SELECT copies, count(*) FROM messages GROUP BY copies ORDER BY ALL") == [
        (1, 2),
        (2, 3),
    ]
    assert house.ask("SELECT count(*) FROM sightings") == [(8,)]


OWNERS = {
    "the one that began first": (session("pi:z", 0), session("pi:b", 5), "pi:z"),
    "the one that knows when it began": (session("pi:z", 9), session("pi:b", None), "pi:z"),
    "the one that was made from no other": (
        session("pi:z", 0),
        session("pi:b", 0, parent_id="pi:x"),
        "pi:z",
    ),
    "the one that ended first": (
        session("pi:z", 0, ended=at(5)),
        session("pi:b", 0, ended=at(7)),
        "pi:z",
    ),
    "the smaller id": (session("pi:z", 0, ended=at(5)), session("pi:b", 0, ended=at(5)), "pi:b"),
}


@pytest.mark.parametrize("why", OWNERS)
@pytest.mark.parametrize("names", ["12", "21"])
def test_of_two_sessions_with_one_message_it_belongs_to(house: House, why: str, names: str) -> None:
    one, other, owner = OWNERS[why]
    said = message("Ask before you change the public API.", 0)
    undated = dataclasses.replace(said, happened=None)
    for name, head in zip(names, (one, other), strict=True):
        house.put(name, talk(head.session_id, *copies((undated,), head.session_id), head=head))
    house.night()
    assert house.ask("SELECT session_id FROM messages") == [(owner,)]


def test_a_fork_of_a_fork_names_the_one_it_was_made_from(house: House) -> None:
    a = (message("one", 0), message("two", 1))
    b = (*copies(a, "pi:b"), message("three", 10, session="pi:b"))
    c = (*copies(a, "pi:c"), *copies(b[2:], "pi:c"), message("four", 20, session="pi:c"))
    house.put("a", talk("pi:a", *a, head=session("pi:a", 0)))
    house.put("b", talk("pi:b", *b, head=session("pi:b", 9)))
    house.put("c", talk("pi:c", *c, head=session("pi:c", 19)))
    house.night()
    assert house.ask("SELECT session_id, parent_id, messages FROM sessions") == [
        ("pi:a", None, 2),
        ("pi:b", "pi:a", 1),
        ("pi:c", "pi:b", 1),
    ]


def test_a_fork_without_a_word_of_its_own_is_known_and_supports_nothing(house: House) -> None:
    house.put("a", talk("pi:a", *FIRST))
    house.put("b", talk("pi:b", *copies(FIRST, "pi:b"), head=session("pi:b", 5)))
    house.night()
    assert house.ask("SELECT session_id, messages, human_prompts FROM sessions ORDER BY ALL") == [
        ("pi:a", 3, 2),
        ("pi:b", 0, 0),
    ]
    assert house.ask("SELECT run_id FROM runs") == [("pi:a:1",)]


def test_links_of_a_fork_lead_to_the_messages_that_stand_for_its_copies(house: House) -> None:
    asked, reply = message("go", 0), message("going", 1, role="assistant")
    house.put("a", talk("pi:a", asked, reply))
    copied = copies((asked, reply), "pi:b")
    own = message("and then?", 9, session="pi:b", parent=copied[1].message_id)
    house.put(
        "b",
        talk(
            "pi:b", *copied, own,
            head=session("pi:b", 5),
            labels=[Label("pi:b", copied[0].message_id, "start")],
            compactions=[Compaction("pi:b/c", "pi:b", "auto", 3, 10, copied[0].message_id, at(10))],
            memories=[
                Memory("pi:b/m/e", "pi:b", "observation", "m", "It goes.", "active", True,
                       (copied[1].message_id, own.message_id, copied[0].message_id))
            ],
        ),
    )  # fmt: skip
    house.night()
    assert house.ask("SELECT parent FROM messages WHERE text = 'and then?'") == [
        (reply.message_id,)
    ]
    assert house.ask("SELECT target FROM labels") == [(asked.message_id,)]
    assert house.ask("SELECT kept_from, number FROM compactions") == [(asked.message_id, 1)]
    assert house.ask("SELECT sources FROM memories") == [
        ([reply.message_id, own.message_id, asked.message_id],)
    ]


def test_calls_compactions_and_memories_of_a_fork_count_once(house: House) -> None:
    def all_of(name: str, *messages: Message) -> Transcript:
        return talk(
            name, *messages,
            head=session(name, 0 if name == "pi:a" else 5),
            calls=[call(messages[0], status="error")],
            compactions=[Compaction(f"{name}/c", name, "auto", 1, 10, None, at(3))],
            memories=[Memory(f"{name}/m/e", name, "reflection", "m", "Short.", "active", True,
                             happened=at(4))],
        )  # fmt: skip

    said = (message("do it", 0, role="assistant"), message("more", 1))
    house.put("a", all_of("pi:a", *said))
    house.put("b", all_of("pi:b", *copies(said, "pi:b"), message("own", 9, session="pi:b")))
    house.night()
    assert house.ask("SELECT session_id, call_id LIKE 'pi:a/%' FROM calls") == [("pi:a", True)]
    assert house.ask("SELECT session_id, number FROM compactions") == [("pi:a", 1)]
    assert house.ask("SELECT session_id FROM memories") == [("pi:a",)]


def test_an_answered_call_is_believed_before_one_that_was_cut_off(house: House) -> None:
    asked = message("run", 0, role="assistant", number=0)
    answer = message("done", 1, role="tool")
    house.put(
        "cut", talk("pi:a", asked, message("later", 5), calls=[call(asked, status="unanswered")])
    )
    house.put(
        "whole", talk("pi:a", asked, answer, calls=[call(asked, result_id=answer.message_id)])
    )
    house.night()
    assert house.ask("SELECT status, result_id FROM calls") == [("ok", answer.message_id)]


def test_slices_of_one_session_come_into_one_order(house: House) -> None:
    words = [message(text, n) for n, text in enumerate("abcdef")]
    house.put("s1", talk("pi:a", *words[2:4], head=session("pi:a", 2)))
    house.put("s2", talk("pi:a", *words[:2], head=session("pi:a", 0)))
    house.put("s3", talk("pi:a", *words[3:], head=session("pi:a", 3, ended=at(5))))
    house.night()
    assert house.ask("SELECT number, text FROM messages ORDER BY number") == [
        (n, text) for n, text in enumerate("abcdef")
    ]
    assert house.ask("SELECT started, ended FROM sessions") == [(at(0), at(5))]


def test_the_order_of_a_file_holds_also_when_a_clock_went_back(house: House) -> None:
    house.put("a", talk("pi:a", message("x", 9), message("y", 3), message("z", 4)))
    house.put("b", talk("pi:a", message("w", 20)))
    house.night()
    assert [text for (text,) in house.ask("SELECT text FROM messages ORDER BY number")] == [*"xyzw"]


def test_the_longest_copy_of_a_session_tells_its_tree(house: House) -> None:
    tip, other = message("given up", 1), message("instead", 2)
    begun = message("begin", 0)
    early = talk("pi:a", begun, tip, branches=[Branch("pi:a/tip", "pi:a", True, 2)])
    late = talk(
        "pi:a", begun, dataclasses.replace(tip, active=False), other,
        branches=[Branch("pi:a/other", "pi:a", True, 2), Branch("pi:a/tip", "pi:a", False, 2)],
    )  # fmt: skip
    house.put("1-early", early)
    house.put("2-late", late)
    house.night()
    assert house.ask("SELECT text, active FROM messages ORDER BY number") == [
        ("begin", True),
        ("given up", False),
        ("instead", True),
    ]
    assert house.ask("SELECT branch_id, active FROM branches ORDER BY ALL") == [
        ("pi:a/other", True),
        ("pi:a/tip", False),
    ]


def archive_of(*names: str, of: tuple[Message, ...], file_session: str = "pi:a") -> Transcript:
    """Messages as a run archive holds them: other ids, runs of its own, no tree."""
    rows = [
        dataclasses.replace(
            one,
            message_id=f"{file_session}/uuid-{n}",
            run_id=f"run2:{name}",
            name=f"{name}/m{n}",
            parent=None,
            digest=one.digest[::-1],
        )
        for n, (name, one) in enumerate(zip(names, of, strict=True), 1)
    ]
    runs = [Run(f"run2:{name}", file_session, 1, name, "settled", at(0)) for name in {*names}]
    return talk(file_session, *rows, runs=sorted(runs, key=lambda run: run.run_id), unit=names[0])


SPOKEN = (
    message("first", 0, run="pi:a:p1"),
    message("reply", 1, role="assistant", run="pi:a:p1"),
    message("note", 2, role="injected", run="pi:a:p1", active=False),
    message("second", 3, run="pi:a:p2"),
    message("reply 2", 4, role="assistant", run="pi:a:p2"),
    message("third", 5, run="pi:a:p3"),
)
CUTS = [Run(f"pi:a:p{n}", "pi:a", n) for n in (1, 2, 3)]


def test_a_run_archive_and_a_session_file_of_one_session_are_joined(house: House) -> None:
    house.put("file", talk("pi:a", *SPOKEN, runs=CUTS))
    house.put("archive", archive_of("r1", "r1", "r1", "r1", of=(*SPOKEN[:2], *SPOKEN[3:5])))
    house.night()
    assert house.ask(
        "SELECT text, run_id, name, active, source_file LIKE '%/file.fake', copies FROM messages "
        "ORDER BY number"
    ) == [
        ("first", "run2:r1", "r1/m1", True, True, 2),
        ("reply", "run2:r1", "r1/m2", True, True, 2),
        ("note", "run2:r1", None, False, True, 1),
        ("second", "run2:r1", "r1/m3", True, True, 2),
        ("reply 2", "run2:r1", "r1/m4", True, True, 2),
        ("third", "pi:a:p3", None, True, True, 1),
    ]
    assert house.ask("SELECT run_id, number, session_id FROM runs ORDER BY number") == [
        ("run2:r1", 1, "pi:a"),
        ("pi:a:p3", 2, "pi:a"),
    ]
    assert house.ask("SELECT count(*) FROM sessions") == [(1,)]


def test_the_same_run_in_a_migrated_and_a_compacted_archive_is_one(house: House) -> None:
    for name in ("v1", "v2", "compacted"):
        house.put(name, archive_of("r1", "r1", of=SPOKEN[:2]))
    house.night()
    assert house.ask("SELECT name, copies FROM messages ORDER BY ALL") == [
        ("r1/m1", 3),
        ("r1/m2", 3),
    ]
    assert house.ask("SELECT run_id FROM runs") == [("run2:r1",)]


def test_what_only_an_archive_still_has_is_told_in_its_place(house: House) -> None:
    house.put("archive", archive_of("r1", "r2", "r2", of=(SPOKEN[0], *SPOKEN[3:5])))
    house.put("file", talk("pi:a", SPOKEN[0], SPOKEN[4], runs=CUTS))
    house.night()
    assert house.ask("SELECT text, run_id FROM messages ORDER BY number") == [
        ("first", "run2:r1"),
        ("second", "run2:r2"),
        ("reply 2", "run2:r2"),
    ]


def test_calls_that_both_hold_count_once_with_the_run_of_the_archive(house: House) -> None:
    result = message("ok", 2, role="tool", run="pi:a:p1")
    asked = dataclasses.replace(SPOKEN[1], number=1)
    house.put(
        "file",
        talk(
            "pi:a", SPOKEN[0], asked, result, runs=CUTS,
            calls=[call(asked, call_id="pi:a/c1", result_id=result.message_id)],
        ),
    )  # fmt: skip
    archive = archive_of("r1", "r1", "r1", of=(SPOKEN[0], asked, result))
    own = archive.messages[1]
    house.put(
        "archive",
        dataclasses.replace(
            archive,
            calls=[call(own, call_id="pi:a/c1", result_id=archive.messages[2].message_id)],
        ),
    )
    house.night()
    assert house.ask("SELECT call_id, run_id, message_id, number, result_id FROM calls") == [
        ("pi:a/c1", "run2:r1", asked.message_id, 1, result.message_id)
    ]


def test_support_is_counted_in_sessions_that_said_it_first(house: House) -> None:
    """The case one-loud-session: an error twelve times in one session, a correction in three."""
    noisy = [message("no module named 'queue_client'", n, role="tool", session="pi:noisy")
             for n in range(12)]  # fmt: skip
    house.put("noisy", talk("pi:noisy", *noisy, head=session("pi:noisy")))
    for n in (2, 3, 4):
        said = message("Ask before you change the public API.", 100 * n, session=f"pi:{n}")
        house.put(f"s{n}", talk(f"pi:{n}", said, head=session(f"pi:{n}", 100 * n)))
    forked = copies(
        (message("Ask before you change the public API.", 400, session="pi:4"),), "pi:f"
    )
    house.put("fork", talk("pi:f", *forked, head=session("pi:f", 400, parent_id="pi:4")))
    house.night()
    assert house.ask(
        "SELECT text, count(*), count(DISTINCT session_id) FROM messages GROUP BY text ORDER BY ALL"
    ) == [
        ("Ask before you change the public API.", 3, 3),
        ("no module named 'queue_client'", 12, 1),
    ]
