"""The archive over genuine files: nothing is lost on the way in, and the same work is one thing."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import orjson
import pytest

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import SourceSpec
from dream.sources.registry import READERS
from dream.types import Taken
from tests.archive.fakes import everything

pytestmark = pytest.mark.shared

RUN2 = ("v1", "v2", "migrated", "compacted", "live", "pi16", "unicode")


@pytest.fixture(scope="module")
def genuine(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Taken]:
    state = tmp_path_factory.mktemp("genuine") / "state"
    taken = ingest(state, [SourceSpec(shared / "archives")], READERS, date(2026, 12, 1))
    return state, taken


@pytest.fixture
def archive(genuine: tuple[Path, Taken]) -> Iterator[Archive]:
    with Archive.open(genuine[0]) as opened:
        yield opened


def ask(archive: Archive, sql: str) -> list[tuple[object, ...]]:
    return archive._connection.execute(sql).fetchall()


def messages_of(shared: Path, name: str) -> list[dict[str, object]]:
    path = shared / f"archives/expected/run2-{name}.messages.jsonl"
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_every_message_of_every_run_archive_is_there_under_its_digest_and_name(
    shared: Path, archive: Archive
) -> None:
    for name in RUN2:
        seen = set(
            ask(
                archive,
                "SELECT name, digest FROM sightings "  # noqa: S608 - a name of RUN2
                f"WHERE source_file LIKE '%/run2-{name}.sqlite'",
            )
        )
        told = {(row["ref"], row["sha256"]) for row in messages_of(shared, name)}
        assert told - seen == set() or name == "live", name
        assert len(seen) > 0.9 * len(told)


def test_a_session_file_and_the_archive_of_its_session_are_joined(archive: Archive) -> None:
    joined = ask(
        archive,
        """
        SELECT count(DISTINCT m.copy_key)
        FROM messages m
        JOIN sightings r ON r.copy_key = m.copy_key AND r.reader = 'run2'
        JOIN sightings p ON p.copy_key = m.copy_key AND p.reader = 'pi'
        WHERE r.source_file LIKE '%/run2-v2.sqlite'
        """,
    )
    assert joined == [(1756,)]  # of 1757; one is a custom message, which a file stores otherwise


def test_a_joined_message_has_the_archives_run_and_the_files_place(archive: Archive) -> None:
    astray = ask(
        archive,
        """
        SELECT m.message_id, m.run_id, m.source_file
        FROM messages m
        WHERE m.copy_key IN (SELECT copy_key FROM sightings WHERE reader = 'run2')
            AND m.copy_key IN (SELECT copy_key FROM sightings WHERE reader = 'pi')
            AND (m.run_id NOT LIKE 'run2:%' OR m.source_file LIKE '%.sqlite' OR m.name IS NULL)
        """,
    )
    assert astray == []


def test_every_link_leads_somewhere(archive: Archive) -> None:
    for sql in (
        "SELECT parent FROM messages WHERE parent NOT IN (SELECT message_id FROM messages)",
        "SELECT run_id FROM messages WHERE run_id NOT IN (SELECT run_id FROM runs)",
        "SELECT session_id FROM messages WHERE session_id NOT IN (SELECT session_id FROM sessions)",
        "SELECT message_id FROM calls WHERE message_id NOT IN (SELECT message_id FROM messages)",
        "SELECT result_id FROM calls WHERE result_id NOT IN (SELECT message_id FROM messages)",
        "SELECT target FROM labels WHERE target NOT IN (SELECT message_id FROM messages)",
        "SELECT message_id FROM messages GROUP BY message_id HAVING count(*) > 1",
        "SELECT call_id FROM calls GROUP BY call_id HAVING count(*) > 1",
        "SELECT run_id FROM runs GROUP BY run_id HAVING count(*) > 1",
    ):
        assert ask(archive, sql) == [], sql


def test_migrated_and_compacted_archives_are_the_same_runs(shared: Path, archive: Archive) -> None:
    runs = {row[0] for row in ask(archive, "SELECT run_id FROM runs WHERE run_id LIKE 'run2:%'")}
    told = set()
    for name in RUN2:
        facts = orjson.loads((shared / f"archives/expected/run2-{name}.json").read_bytes())
        told |= {f"run2:{run['uuid']}" for run in facts["runs"] if not run["recording"]}
    assert told - runs == set()
    assert len(runs) <= len(told) + 4  # the runs that were still being recorded


def test_a_deleted_run_is_told_with_its_day(archive: Archive) -> None:
    rows = ask(archive, "SELECT run_id, name, deleted IS NOT NULL FROM deletions ORDER BY ALL")
    assert rows
    assert all(dated for *_, dated in rows)
    assert len({run for run, *_ in rows}) == len(rows)


def test_numbers_are_without_gaps_in_every_session(archive: Archive) -> None:
    assert (
        ask(
            archive,
            "SELECT session_id FROM messages GROUP BY session_id "
            "HAVING max(number) <> count(*) - 1 OR count(DISTINCT number) <> count(*)",
        )
        == []
    )
    assert (
        ask(
            archive,
            "SELECT session_id FROM runs GROUP BY session_id HAVING count(DISTINCT number) <> "
            "count(*) AND session_id NOT IN (SELECT session_id FROM sessions WHERE messages = 0)",
        )
        == []
    )


def test_a_second_night_adds_nothing(genuine: tuple[Path, Taken], shared: Path) -> None:
    state, first = genuine
    before = everything(state)
    again = ingest(state, [SourceSpec(shared / "archives")], READERS, date(2026, 12, 1))
    assert (again.units, again.changed) == (0, False)
    assert again.fingerprint == first.fingerprint
    assert everything(state) == before


def test_the_continued_case_counts_its_sentence_once(shared: Path, tmp_path: Path) -> None:
    source = SourceSpec(shared / "cases/transcripts/continued")
    ingest(tmp_path / "state", [source], READERS, date(2026, 12, 1))
    with Archive.open(tmp_path / "state") as archive:
        assert ask(archive, "SELECT count(*), count(DISTINCT copy_key) FROM messages") == [(5, 5)]
        assert ask(
            archive, "SELECT session_id, messages, parent_id FROM sessions ORDER BY ALL"
        ) == [
            ("claude-code:sess-a", 3, None),
            ("claude-code:sess-b", 2, "claude-code:sess-a"),
        ]
        assert ask(
            archive,
            "SELECT count(DISTINCT session_id) FROM messages WHERE text LIKE '%always change%'",
        ) == [(1,)]


def test_the_secrets_case_keeps_its_sentences_and_no_secret(shared: Path, tmp_path: Path) -> None:
    source = SourceSpec(shared / "cases/consolidation/secrets.jsonl")
    taken = ingest(tmp_path / "state", [source], READERS, date(2026, 12, 1))
    assert taken.redacted == {"github-token": 1, "private-key": 1, "url-password": 1}
    stored = repr(everything(tmp_path / "state"))
    for secret in ("ghp_EXAMPLE", "notARealPw1", "TUFERSBVUCBOT1"):
        assert secret not in stored
    for sentence in (
        "always deploy from the release branch",
        "Keys like that never go into the repository.",
        "The password field must be masked on every form. The sample id AKIAIOSFODNN7EXAMPLE",
    ):
        assert sentence in stored


@pytest.fixture
def built(shared: Path, tmp_path: Path) -> Path:
    script = shared / "cases/archives/build_archives.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "built")], check=True)
    return tmp_path / "built"


def test_the_case_of_a_deleted_run_is_told_with_its_day(built: Path, tmp_path: Path) -> None:
    source = SourceSpec(built / "mixed-payloads.sqlite")
    taken = ingest(tmp_path / "state", [source], READERS, date(2026, 12, 1))
    assert taken.skipped["missing_dictionary"] == 1
    with Archive.open(tmp_path / "state") as archive:
        assert ask(archive, "SELECT name, deleted::DATE FROM deletions") == [
            ("r2", date(2026, 4, 9))
        ]
        assert ask(archive, "SELECT count(*) FROM messages WHERE name LIKE 'r1/%'") == [(2,)]


def test_the_bad_source_case_costs_itself(built: Path, tmp_path: Path) -> None:
    source = SourceSpec(built / "one-bad-source")
    taken = ingest(tmp_path / "state", [source], READERS, date(2026, 12, 1))
    assert (taken.unreadable, taken.of_readers, taken.needs_a_look) == (1, 2, True)
    with Archive.open(tmp_path / "state") as archive:
        assert ask(archive, "SELECT reason FROM coverage WHERE status = 'refused'") == [
            ("damaged",)
        ]
        assert ask(archive, "SELECT count(*) FROM runs") == [(1,)]
