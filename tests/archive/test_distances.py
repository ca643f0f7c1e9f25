"""How far a message and a run stand behind the last compaction of their session."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime

import orjson
import pytest

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import SourceSpec
from dream.records import Compaction, Message, Run
from dream.sources import claude, entire, pi
from tests.archive.fakes import House, at, message, talk
from tests.corpora import Corpus

DISTANCES = "SELECT turns, messages FROM distances ORDER BY session_id, number"


def said(number: int, role: str = "assistant", **rest: object) -> Message:
    return message(f"{role} {number}", number, role=role, run=f"pi:a:{number // 3}", **rest)  # type: ignore[arg-type]  # a maker's


def put(house: House, *messages: Message, compacted: list[tuple[int, bool]]) -> None:
    runs = [
        Run(name, "pi:a", n) for n, name in enumerate(sorted({one.run_id for one in messages}), 1)
    ]
    compactions = [
        Compaction(f"pi:a/c{n}", "pi:a", "auto", n, happened=at(n), active=active)
        for n, active in compacted
    ]
    house.put("a", talk("pi:a", *messages, runs=runs, compactions=compactions))
    house.night()


def test_before_any_compaction_the_distance_is_not_known_and_then_it_grows(house: House) -> None:
    talked = [said(n, "human" if n % 3 == 0 else "assistant") for n in range(9)]
    put(house, *talked, compacted=[(4, True)])
    assert house.ask(DISTANCES) == [
        *[(None, None)] * 4, (0, 0), (0, 1), (1, 2), (1, 3), (1, 4),
    ]  # fmt: skip
    assert house.ask("SELECT * EXCLUDE session_id FROM run_distances ORDER BY run_id") == [
        ("pi:a:0", None, None, 0),
        ("pi:a:1", None, None, 1),  # the compaction fell into it
        ("pi:a:2", 1, 2, 0),
    ]


def test_the_last_of_several_compactions_counts_also_where_two_stand_together(
    house: House,
) -> None:
    talked = [said(n, "human") for n in range(6)]
    put(house, *talked, compacted=[(2, True), (4, True), (4, True)])
    assert house.ask(DISTANCES) == [
        (None, None), (None, None), (1, 0), (2, 1), (1, 0), (2, 1),
    ]  # fmt: skip


def test_what_was_given_up_does_not_count_for_what_was_kept(house: House) -> None:
    given_up = [said(n, "human", active=False) for n in (2, 3)]
    kept = [said(n, "human") for n in (0, 1, 4, 5)]
    put(house, *kept[:2], *given_up, *kept[2:], compacted=[(1, True), (3, False)])
    assert house.ask(DISTANCES) == [
        (None, None), (1, 0), (2, 1), (1, 0), (2, 1), (3, 2),
    ]  # fmt: skip


def test_a_compaction_at_the_end_counts_for_what_comes_in_a_later_night(house: House) -> None:
    talked = [said(n, "human") for n in range(2)]
    put(house, *talked, compacted=[(2, True)])
    assert house.ask(DISTANCES) == [(None, None)] * 2
    more = [*talked, replace(said(7, "human"), happened=at(9))]
    put(house, *more, compacted=[(2, True)])
    assert house.ask(DISTANCES) == [(None, None), (None, None), (1, 0)]


def test_an_empty_archive_has_no_distances(house: House) -> None:
    assert house.ask(DISTANCES) == []
    assert house.ask("SELECT * FROM run_distances") == []


@pytest.fixture(scope="module")
def genuine(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    state = tmp_path_factory.mktemp("genuine") / "state"
    names = ("claude-entire-cli-early", "pi-mono-fixtures", "pi-raquezha")
    sources = [SourceSpec(corpus(name)) for name in names]
    ingest(state, sources, (pi, entire, claude), date(2026, 12, 1), git_dir=lambda cwd: None)
    with Archive.open(state) as archive:
        yield archive


def ask(archive: Archive, sql: str) -> list[tuple[object, ...]]:
    return archive._connection.execute(sql).fetchall()


@pytest.mark.shared
def test_every_message_has_a_place_and_every_summary_stands_at_a_compaction(
    genuine: Archive,
) -> None:
    everyone = "SELECT count(*), count(DISTINCT message_id) FROM "
    assert ask(genuine, everyone + "distances") == ask(genuine, everyone + "messages")
    assert ask(genuine, "SELECT count(*) FROM run_distances") == ask(
        genuine, "SELECT count(*) FROM runs"
    )
    far = ask(
        genuine,
        """
        SELECT d.messages, count(*)
        FROM compactions AS c
        INNER JOIN distances AS d ON d.session_id = c.session_id AND d.number = c.number
        GROUP BY ALL
        """,
    )
    assert [distance for distance, _ in far] == [0]
    assert far[0][1] > 40  # type: ignore[operator]  # a count


@pytest.mark.shared
def test_the_turns_of_a_pi_session_are_counted_from_its_compactions(
    corpus: Corpus, genuine: Archive
) -> None:
    """Against the file itself, an old one: a plain list of lines, two of them compactions."""
    (path,) = corpus("pi-mono-fixtures").rglob("before-compaction.jsonl")
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    expected: dict[str, tuple[int, int]] = {}
    turns = messages = -1
    for number, line in enumerate(lines, 1):
        if line["type"] == "compaction":
            turns, messages = 0, 0
        elif line["type"] == "message" and messages >= 0:
            turns += line["message"]["role"] == "user"
            messages += 1
            expected[f"pi:{lines[0]['id']}/L{number}"] = (turns, messages)
    seen = ask(genuine, "SELECT message_id, turns, messages FROM distances WHERE messages > 0")
    own = {str(name): (turns, far) for name, turns, far in seen if name in expected}
    assert own == expected
    assert len(own) > 500


@pytest.mark.shared
def test_prompts_behind_a_boundary_of_claude_code_know_how_many_came_since(
    corpus: Corpus, genuine: Archive
) -> None:
    """Against the times in the files: boundaries by their stamps, prompts by theirs."""
    stamps: dict[str, set[datetime]] = {}
    for path in sorted(corpus("claude-entire-cli-early").rglob("full.jsonl")):
        for line in path.read_bytes().splitlines():
            if b'"compact_boundary"' not in line:
                continue
            record = orjson.loads(line)
            when = datetime.fromisoformat(record["timestamp"])
            stamps.setdefault(f"claude-code:{record['sessionId']}", set()).add(when)
    prompts: dict[str, list[tuple[datetime, int | None]]] = {}
    rows: list[tuple[str, datetime, int | None]] = ask(  # type: ignore[assignment]  # as asked
        genuine,
        """
        SELECT d.session_id, m.happened, d.turns
        FROM distances AS d
        INNER JOIN messages AS m ON m.message_id = d.message_id
        WHERE m.role = 'human' AND m.kind = 'prompt' AND m.active
        ORDER BY d.session_id, d.number
        """,
    )
    for session, when, turns in rows:
        prompts.setdefault(session, []).append((when, turns))
    right = wrong = 0
    for session in sorted(stamps.keys() & prompts.keys()):
        since: int | None = None
        waiting = sorted(stamps[session])
        for when, turns in prompts[session]:
            while waiting and waiting[0] <= when:
                waiting.pop(0)
                since = 0
            since = None if since is None else since + 1
            right += turns == since
            wrong += turns != since
    assert right > 300
    assert wrong == 0
