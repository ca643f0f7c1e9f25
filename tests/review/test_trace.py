"""From a proposal back to the words, and every name a person may have for a message."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dream.config import Gates
from dream.errors import Ambiguous, NotFound
from dream.records import Deletion, Run, Session, ToolCall
from dream.review.propose import propose
from dream.review.publish import files_of, publish
from dream.review.record import Published, published
from dream.review.show import show, shown_text
from dream.review.source_lines import digests
from dream.review.verify import verify, verify_text
from dream.review.why import Known, known, why, why_text
from dream.templates.hidden import hidden
from dream.types import Cluster, Judgement, NearMiss, Scope
from tests.conftest import Golden
from tests.review.nouns import NIGHT, candidate, heard
from tests.review.tables import WHEN, Tables

UUID = "0f3a11d2-5b07-4d0e-9a77-0c6f5d1e2b3a"
OTHER = "9c4e7a10-2222-4d0e-9a77-0c6f5d1e2b3a"
DELETED = datetime(2026, 4, 9, 12, 0, tzinfo=UTC)


@pytest.fixture
def tables() -> Tables:
    """Two archives with a run r3 each, a session file, and a run that is deleted."""
    made = Tables()
    for session, uuid, source in (("pi:one", UUID, "a.sqlite"), ("pi:two", OTHER, "b.sqlite")):
        run = f"run2:{uuid}"
        shop = Session(session, "pi", started=WHEN)
        made.add("sessions", shop, project_key="/repo/shop", project_name="shop")
        made.add("runs", Run(run, session, 3, "r3", started=WHEN))
        for number, (role, text) in enumerate(
            [("human", f"Fix {session}\x1b[31m\n| now"), ("assistant", "Done."), ("tool", "ok\n")],
            1,
        ):
            made.say(
                text,
                session=session,
                native=f"{session[-3:]}{number}aaaa",
                role=role,
                name=f"r3/m{number}",
                run=run,
                source=source,
                line=10 + number if session == "pi:one" else 20 + number,
                number=number - 1,
                reader="run2",
            )
    call = ToolCall(
        "pi:one/c1", "pi:one", f"run2:{UUID}", "pi:one/one2aaaa", 1, 0, "bash",
        '{"command": "make"}', "error", 12, "k", "pi:one/one3aaaa", 2,
    )  # fmt: skip
    made.add("calls", call, source_file="a.sqlite")
    gone = Deletion("run2:dddddddd-0000-4000-8000-000000000000", "r7", DELETED, "asked by a person")
    made.add("deletions", gone, source_file="a.sqlite")
    return made


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("pi:one/one1aaaa", "pi:one/one1aaaa"),
        ("one1aaaa", "pi:one/one1aaaa"),
        ("one1", "pi:one/one1aaaa"),
        ("m12", "pi:one/one2aaaa"),
        ("one/one2aaaa", "pi:one/one2aaaa"),
        ("two/two3", "pi:two/two3aaaa"),
        ("pi:two", "pi:two"),
        ("two", "pi:two"),
        (UUID, f"run2:{UUID}"),
        ("0f3a11", f"run2:{UUID}"),
    ],
)
def test_a_thing_is_found_by_every_name_it_has(tables: Tables, ref: str, found: str) -> None:
    assert show(ref, tables).id == found


def test_a_name_that_two_archives_use_lists_both(tables: Tables) -> None:
    for ref, choices in (("r3", (UUID, OTHER)), ("r3/m2", ("pi:one/one2aaaa", "pi:two/two2aaaa"))):
        with pytest.raises(Ambiguous) as caught:
            show(ref, tables)
        assert all(choice in str(caught.value) for choice in choices)
        assert "2026-04-08" in str(caught.value)


def test_a_name_that_is_not_there_is_answered_with_the_nearest(tables: Tables) -> None:
    with pytest.raises(NotFound, match="Did you mean r3"):
        show("r33", tables)
    with pytest.raises(NotFound, match="r3 has 6 messages"):
        show("r3/m9", tables)
    with pytest.raises(NotFound, match="Nothing in the archive is called zzz⟨U\\+202E⟩"):
        show("zzz\u202e", tables)


def test_a_deleted_run_is_deleted_and_not_unknown(tables: Tables) -> None:
    for ref in ("r7", "r7/m2"):
        shown = show(ref, tables)
        assert shown.kind == "deleted"
        assert "deleted at its source on 2026-04-09 (asked by a person)" in shown_text(shown)


def test_what_a_message_looks_like(tables: Tables, golden: Golden) -> None:
    golden("show_message.txt", shown_text(show("one1", tables)))
    golden("show_call.txt", shown_text(show("one2", tables)))
    golden("show_run.txt", shown_text(show(UUID, tables)))
    golden("show_session.txt", shown_text(show("pi:one", tables)))


@pytest.mark.parametrize("ref", ["one1", "one2", UUID, "pi:one"])
def test_nothing_shown_can_command_a_terminal(tables: Tables, ref: str) -> None:
    text = shown_text(show(ref, tables))
    assert hidden(text) == ()


def test_our_copy_of_a_deleted_run_is_shown_as_one(tables: Tables) -> None:
    tables.add(
        "deletions", Deletion(f"run2:{UUID}", "r3", DELETED, "space"), source_file="a.sqlite"
    )
    text = shown_text(show("one1", tables))
    assert "deleted at its source on 2026-04-09 (space); this is our copy" in text


def evidence(tmp_path: Path, tables: Tables) -> tuple[list[Published], Mapping[str, Judgement]]:
    said = heard(tables, "Well. Please use pnpm, never npm. Thanks.", quote="use pnpm, never npm")
    against = heard(tables, "For the docs npm is fine.", count=1, first=9)
    asked = candidate(tuple(said), against=tuple(against))
    made = propose(
        [asked], said | against, tables, {}, night=NIGHT, earlier={}, gates=Gates(), git=None
    )
    publish(tmp_path, NIGHT, files_of(made))
    return list(published(tmp_path)), said | against


def test_the_way_from_a_proposal_to_the_words(tmp_path: Path, golden: Golden) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    walk = why("rule-00000001-use-pnpm", known(proposals), tables)
    assert [seen.side for seen in walk.words] == ["for", "for", "for", "against"]
    assert walk.words[0].before + walk.words[0].quote == "Well. Please use pnpm, never npm"
    golden("why_rule.txt", why_text(walk))


def test_why_takes_clusters_judgements_and_the_beginning_of_an_id(tmp_path: Path) -> None:
    tables = Tables()
    proposals, told = evidence(tmp_path, tables)
    members = tuple(told)
    cluster = Cluster(
        "c-0123456789ab", "correction", "Use pnpm", "do", Scope(), "en", members, 4, 4, WHEN, WHEN
    )
    miss = NearMiss("c-0123456789ab", "Use pnpm", "correction", "rule_sessions", 5, 4)
    what = known(proposals, [cluster], told.values(), [miss])
    walk = why("c-0123", what, tables)
    assert walk.kind == "cluster"
    assert "heard in 4 of the 5 sessions that a rule needs (rule_sessions)" in why_text(walk)
    assert why(members[0], what, tables).words[0].judgement.id == members[0]
    assert why(members[0][:8], what, tables).kind == "judgement"
    with pytest.raises(Ambiguous):
        why("rule-0", Known({each.id: each for each in (candidate(), candidate(number=2))}), tables)
    with pytest.raises(NotFound, match="Did you mean rule-00000001"):
        why("rule-0000001x", what, tables)


def test_every_quote_is_looked_at_again(tmp_path: Path, golden: Golden) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    seen = verify(
        proposals, tables, lambda path, numbers: {2: frozenset({""}), 3: frozenset({"x"})}
    )
    assert (seen.quotes, seen.proposals, seen.broken) == (4, 1, ())
    assert seen.sources == {"present": 1, "changed": 3}
    golden("verify_changed.txt", verify_text(seen))


def test_a_quote_that_our_store_no_longer_bears_out_is_broken(tmp_path: Path) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    tables.db.execute("UPDATE messages SET text = 'x' || text WHERE message_id = 'pi:1/m1'")
    seen = verify(proposals, tables, lambda path, numbers: None)
    assert [each.message_id for each in seen.broken] == ["pi:1/m1"]
    assert "BROKEN" in verify_text(seen)
    assert seen.sources == {"gone": 4}


def test_a_run_that_its_archive_deleted_is_told_with_its_day(tmp_path: Path) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    tables.db.execute("UPDATE sightings SET reader = 'run2'")
    tables.add("deletions", Deletion("pi:0:1", "r0", DELETED, "asked"), source_file="a.sqlite")
    seen = verify(proposals, tables, lambda path, numbers: pytest.fail("no file is read"))
    assert seen.sources == {"present": 3, "deleted": 1}
    assert seen.lost[0].detail == "run r0 was deleted on 2026-04-09: asked"


def test_a_copy_that_is_still_there_counts(tmp_path: Path) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    tables.db.execute(
        "INSERT INTO sightings SELECT * REPLACE ('copy.jsonl' AS source_file) FROM sightings"
    )
    found = {"copy.jsonl": {n: frozenset({""}) for n in range(20)}}
    seen = verify(proposals, tables, lambda path, numbers: found.get(str(path)))
    assert seen.sources == {"present": 4}


def test_a_record_without_a_line_is_looked_for_by_its_reader(tmp_path: Path) -> None:
    tables = Tables()
    proposals, _ = evidence(tmp_path, tables)
    tables.db.execute("UPDATE sightings SET line = 0, digest = 'd', reader = 'opencode'")
    asked = []

    def again(reader: str, path: Path) -> list[str]:
        asked.append((reader, path.name))
        return ["d"]

    seen = verify(proposals, tables, lambda path, numbers: {}, again)
    assert (seen.sources, {reader for reader, _ in asked}) == ({"present": 4}, {"opencode"})
    seen = verify(proposals, tables, lambda path, numbers: {})
    assert seen.sources == {"changed": 4}
    assert all(", line" not in each.detail for each in seen.lost)


def test_lines_of_a_source_are_read_as_digests(tmp_path: Path) -> None:
    from dream.sources.jsonl import digest_of, lines

    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n{"b": "}{"} {"c": 3}\n  {"d": NaN}\n{"e": 5}')
    before = path.stat()
    records = list(lines(path, []))
    assert len(records) == 5
    found = digests(path, range(1, 9))
    assert found is not None
    assert all(digest_of(line.raw) in found[line.number] for line in records)
    assert set(found) == {1, 2, 3, 4, 5}
    assert digests(tmp_path / "gone", [1]) is None
    assert path.stat() == before
