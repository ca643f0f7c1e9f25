"""Queries by name: their headers hold, their columns become nouns, and many may be open at once."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from dream.archive import query
from dream.archive.archive import Archive
from dream.archive.query import BadQuery, header, nouns, statement
from dream.archive.relations import INDEX, VIEWS
from dream.archive.schema import TABLES
from dream.errors import StateBroken
from dream.types import Judgement, Scope
from tests.archive.fakes import House, message, talk

NAMES = sorted(
    path.relative_to(query.HOUSE).with_suffix("").as_posix()
    for path in (query.HOUSE / "archive").rglob("*.sql")
)


@pytest.mark.parametrize("name", NAMES)
def test_every_query_of_the_archive_has_a_header_that_holds(name: str) -> None:
    said = header(name)
    assert said.about.endswith(".")
    assert said.grain
    folder, _, stem = name.removeprefix("archive/").rpartition("/")
    if folder == "views":
        assert said.into == f"view {stem}"
        assert stem in VIEWS
    elif stem in INDEX:
        assert said.into == f"table {stem}"


def test_tables_are_made_from_those_before_them() -> None:
    known = {f"stored_{name}" for name in TABLES}
    known |= {"file_facts", "scan_facts", "missing_sources", "history_facts", "histories_unread"}
    known |= {"places", "stored_history_skips"}
    for name in INDEX:
        assert set(header(f"archive/index/{name}").reads) <= known, name
        known.add(name)
    for name in VIEWS:
        assert set(header(f"archive/views/{name}").reads) <= known, name
        known.add(name)


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    tool: str


@dataclass(frozen=True, slots=True)
class Odd:
    name: str
    scope: Scope
    steps: tuple[Step, ...]
    words: tuple[str, ...]
    happened: datetime | None
    kind: Literal["a", "b"]
    detail: Mapping[str, Any]
    root: Path | None


@pytest.fixture
def sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A house whose only queries are those a test writes, beside the archive's own."""
    for path in (query.HOUSE / "archive").rglob("*.sql"):
        target = tmp_path / "house" / path.relative_to(query.HOUSE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    monkeypatch.setattr(query, "HOUSE", tmp_path / "house")
    for cached in (statement, header):
        cached.cache_clear()
    return tmp_path / "house"


HEAD = "-- A row.\n-- grain:  one row\n-- reads:  none\n-- params: {}\n-- into:   Odd\n"


def test_structs_lists_json_and_times_become_parts_of_a_noun(sql: Path, tmp_path: Path) -> None:
    (sql / "odd.sql").write_text(
        HEAD.format("word (text), since (timestamp, UTC)")
        + """
        SELECT
            'a' AS kind, $word AS name, $since AS happened,
            {'project': '/repo', 'path': '', 'tool': 'git'} AS scope,
            [{'number': 1, 'tool': 'Bash'}, {'number': 2, 'tool': 'Edit'}] AS steps,
            NULL::VARCHAR[] AS words, '{"n": [1, 2]}' AS detail, '/repo' AS root
        UNION ALL
        SELECT
            'b', 'json', NULL, {'project': '', 'path': 'src', 'tool': ''}, [], ['x', 'y'], '{}',
            NULL
        ORDER BY kind
        """
    )
    since = datetime(2026, 3, 2, 9, tzinfo=UTC)
    with Archive.open(tmp_path / "state") as archive:
        rows = list(archive.rows("odd", Odd, word="行", since=since))
    assert rows == [
        Odd(
            "行",
            Scope("/repo", "", "git"),
            (Step(1, "Bash"), Step(2, "Edit")),
            (),
            since,
            "a",
            {"n": [1, 2]},
            Path("/repo"),
        ),
        Odd("json", Scope(path="src"), (), ("x", "y"), None, "b", {}, None),
    ]
    assert rows[0].happened is not None
    assert rows[0].happened.tzinfo is UTC


def test_columns_that_are_not_the_fields_are_named(sql: Path, tmp_path: Path) -> None:
    (sql / "odd.sql").write_text(HEAD.format("none") + "SELECT 1 AS number, 'x' AS toool")
    with (
        Archive.open(tmp_path / "state") as archive,
        pytest.raises(BadQuery, match=r"(?s)dream/odd\.sql.*Step.*number, toool.*number, tool"),
    ):
        list(archive.rows("odd", Step))


@pytest.mark.parametrize("given", [{}, {"word": 1, "more": 2}, {"wird": 1}])
def test_values_that_the_header_does_not_name_are_refused(
    sql: Path, tmp_path: Path, given: dict[str, int]
) -> None:
    (sql / "odd.sql").write_text(
        HEAD.format("word (a number)") + "SELECT $word AS number, '' AS tool"
    )
    with Archive.open(tmp_path / "state") as archive:
        with pytest.raises(BadQuery, match=r"takes \['word'\], and got"):
            list(archive.rows("odd", Step, **given))
        assert list(archive.rows("odd", Step, word=3)) == [Step(3, "")]


@pytest.mark.parametrize(
    "head",
    [
        "SELECT 1",
        "-- A row.\nSELECT 1",
        "-- grain:  one\n-- reads:  none\n-- params: none\n-- into:   Step\nSELECT 1",
        HEAD.format("none").replace("-- into:   Odd\n", ""),
        HEAD.format("none").replace("-- into:", "-- grain:"),
    ],
)
def test_a_query_without_a_whole_header_is_refused(sql: Path, head: str) -> None:
    (sql / "bad.sql").write_text(head)
    with pytest.raises(BadQuery, match=r"dream/bad\.sql"):
        header("bad")


def test_a_header_may_go_over_several_lines(sql: Path) -> None:
    (sql / "long.sql").write_text(
        "-- One\n-- sentence.\n-- grain:  one row\n-- reads:  a (which is\n--   long), b\n"
        "-- params: x (text, or none), y\n-- into:   Step\nSELECT 1 ORDER BY 1"
    )
    said = header("long")
    assert (said.about, said.reads, said.params) == ("One sentence.", ("a", "b"), ("x", "y"))


def test_a_query_that_is_not_there_is_named() -> None:
    with pytest.raises(BadQuery, match=r"there is no dream/signals/nothing\.sql"):
        statement("signals/nothing")


def test_only_dataclasses_can_be_made_of_rows() -> None:
    with pytest.raises(BadQuery, match="no noun"):
        list(nouns("x", dict, ["a"], iter([])))


def test_many_results_may_be_read_at_once_and_left_half_read(sql: Path, tmp_path: Path) -> None:
    (sql / "odd.sql").write_text(
        HEAD.format("n") + "SELECT range AS number, 'Bash' AS tool FROM range($n) ORDER BY 1"  # noqa: S608
    )
    with Archive.open(tmp_path / "state") as archive:
        one = archive.rows("odd", Step, n=9_000)
        other = archive.rows("odd", Step, n=3)
        assert [next(one).number, next(other).number, next(one).number] == [0, 0, 1]
        assert [step.number for step in other] == [1, 2]
        assert sum(1 for _ in one) == 8_998


def test_a_part_that_goes_away_while_it_is_read_is_named(sql: Path, house: House) -> None:
    house.put("a", talk("pi:a", message("hello")))
    house.night()
    (sql / "late.sql").write_text(
        HEAD.format("none") + "SELECT number, text AS tool FROM messages ORDER BY number"  # noqa: S608
    )
    with Archive.open(house.state) as archive:
        assert list(archive.rows("late", Step)) == [Step(0, "hello")]
        (house.state / "parts/000001/messages.parquet").unlink()
        with pytest.raises(StateBroken, match=r"messages\.parquet"):
            list(archive.rows("late", Step))


def test_a_query_can_neither_leave_the_parts_nor_change_the_settings(house: House) -> None:
    house.put("a", talk("pi:a", message("hello")))
    house.night()
    with Archive.open(house.state) as archive:
        for sql in (
            "SELECT * FROM read_text('/etc/passwd')",
            "ATTACH 'x.db'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(Exception, match=r"(?i)permission|disabled|locked|access"):
                archive._connection.execute(sql)


def test_memory_is_spilled_to_the_state_and_nothing_is_left_there(house: House) -> None:
    house.put("a", talk("pi:a", message("hello")))
    house.night()
    with Archive.open(house.state, memory=50) as archive:
        ask = archive._connection.execute
        ask("CREATE TABLE much AS SELECT md5(range::VARCHAR) AS word FROM range(2_000_000)")
        assert ask("SELECT count(*) FROM much WHERE word <> ''").fetchall() == [(2_000_000,)]
        assert list((house.state / "spill").iterdir()) != []
    assert list((house.state / "spill").iterdir()) == []


def test_a_judgement_can_be_made_of_a_row() -> None:
    columns = [part.name for part in dataclasses.fields(Judgement)]
    scope = {"project": "/repo", "path": "", "tool": ""}
    row = ("j-1", "correction", "s", "r", "m", 0, 4, "No, ", "0" * 64, "No", "none", scope, "en",
           datetime(2026, 3, 2), 0.5, ["said so"], '{"step": 1}')  # fmt: skip  # noqa: DTZ001
    [made] = nouns("x", Judgement, columns, iter([[row]]))
    assert made.scope == Scope("/repo")
    assert made.reasons == ("said so",)
    assert made.detail == {"step": 1}
    assert made.happened == datetime(2026, 3, 2, tzinfo=UTC)
