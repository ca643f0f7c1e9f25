"""../shared/cases/transcripts through whole nights: each row of its table, as it is told."""

import shutil
from pathlib import Path

import pytest

from dream.sources.registry import READERS
from tests.cases.conftest import Spent
from tests.cases.nights import Night, home
from tests.night.places import stamps

pytestmark = pytest.mark.shared

HUMAN = "SELECT line, text FROM messages WHERE role = 'human' ORDER BY line"


def told(night: Night, *names: str) -> tuple[int, ...]:
    return tuple(night.totals[name] for name in names)


def test_one_reply_over_many_lines_is_one_reply_with_its_last_usage(spent: Spent) -> None:
    night = spent("transcripts/one-reply-many-lines.jsonl")
    assert told(night, "human", "replies", "calls", "unanswered") == (1, 2, 2, 0)
    assert told(night, "tokens_in", "tokens_out", "untold") == (200, 70, 0)
    assert "2 replies (200 tokens in, 70 out)" in night.said


def test_the_same_id_on_every_reply_makes_no_copies(spent: Spent) -> None:
    night = spent("transcripts/same-id-every-reply.jsonl")
    assert told(night, "human", "replies", "messages") == (3, 3, 6)
    assert told(night, "tokens_in", "tokens_out") == (180, 24)


def test_a_continued_session_owns_only_what_is_new_in_it(spent: Spent) -> None:
    night = spent("transcripts/continued")
    assert told(night, "sessions", "messages") == (2, 5)
    sessions = "SELECT session_id, parent_id, messages FROM sessions ORDER BY session_id"
    assert night.home.ask(sessions) == [
        ("claude-code:sess-a", None, 3),
        ("claude-code:sess-b", "claude-code:sess-a", 2),
    ]
    support = {each["statement"]: each for each in night.report["misses"]}
    miss = support["Templates and exports always change together."]
    assert (miss["gate"], miss["got"]) == ("rule_sessions", 1)
    why = night.home.dream("why", miss["cluster"]).out
    assert "1 session on 1 day" in why
    assert "continued/first.jsonl, line 3" in why


def test_a_torn_tail_costs_its_line_until_the_file_has_grown(cases: Path, tmp_path: Path) -> None:
    source = tmp_path / "source/torn-tail.jsonl"
    source.parent.mkdir()
    shutil.copyfile(cases / "transcripts/torn-tail.jsonl", source)
    torn = source.read_bytes().split(b"\n")[3]
    place = home(tmp_path / "home", [source.parent])
    night = place.night()
    assert told(night, "messages") == (3,)
    assert night.skips["torn", True]["count"] == 1
    assert night.skips["torn", True]["places"] == ["torn-tail.jsonl, line 4"]
    assert "read again when the file has grown" in night.said
    with source.open("ab") as file:
        file.write("€".encode()[2:] + b'."}]}}\n')
    later = place.night("2026-04-21")
    assert told(later, "messages") == (4,)
    assert ("torn", True) not in later.skips
    shown = place.dream("show", "00000000-0000-4000-8000-000000000004").out
    assert "| Price filled in: 20 €." in shown
    assert source.read_bytes().split(b"\n")[3].startswith(torn)


def test_glued_records_are_all_recovered_and_counted(spent: Spent) -> None:
    night = spent("transcripts/glued-records.jsonl")
    assert told(night, "messages") == (4,)
    assert night.skips["glued", False] == {
        "count": 1,
        "places": ["glued-records.jsonl, line 2"],
        "details": {"2 records": 1},
    }
    assert "2 records" in night.page
    texts = [text for (text,) in night.home.ask("SELECT text FROM messages WHERE line = 2")]
    assert "Braces in text like }{ are fine. Go on." in texts


def test_only_a_line_feed_ends_a_record(spent: Spent) -> None:
    night = spent("transcripts/line-separators.jsonl")
    assert told(night, "messages") == (3,)
    assert night.skips == {}
    (text,) = night.home.ask("SELECT text FROM messages WHERE line = 1")[0]
    assert {"\u2028", "\u2029", "\u0085"} <= set(text)


def test_unknown_lines_are_counted_by_name_and_cost_nothing_else(spent: Spent) -> None:
    night = spent("transcripts/unknown-lines.jsonl")
    assert told(night, "messages", "human") == (3, 2)
    unknown = [night.skips["unknown_type", lost]["details"] for lost in (True, False)]
    assert unknown[0] | unknown[1] == {
        "file-history-delta": 1,
        "kind-of-next-year": 1,
        "last-prompt": 1,
        "permission-mode": 1,
    }
    assert night.skips["not_a_record", True]["count"] == 2
    assert night.skips["no_type", True]["places"] == ["unknown-lines.jsonl, line 9"]
    assert [line for line, _ in night.home.ask(HUMAN)] == [3, 11]
    shown = night.home.ask("SELECT message_id FROM messages WHERE line = 11")[0][0]
    assert "unknown-lines.jsonl, line 11" in night.home.dream("show", shown).out


def test_what_stands_under_the_user_role_is_not_all_typed(spent: Spent) -> None:
    night = spent("transcripts/not-user-turns.jsonl")
    assert [line for line, _ in night.home.ask(HUMAN)] == [1, 10]
    assert told(night, "sessions", "human", "interruptions", "compactions") == (1, 2, 1, 1)
    assert night.home.ask("SELECT trigger FROM compactions") == [("manual",)]
    assert "always wants long forms" not in night.said + night.page
    assert not any("long forms" in each for each in night.misses)


def test_a_title_of_another_session_is_no_word_of_this_one(spent: Spent) -> None:
    night = spent("transcripts/foreign-summaries.jsonl")
    assert night.home.ask("SELECT title FROM sessions") == [("Header colour question",)]
    assert night.skips["foreign_summary", False]["count"] == 2
    assert "belongs to another session" in night.page
    everything = night.said + night.page + str(night.home.ask("FROM messages"))
    assert "tax" not in everything.lower()
    assert "billing" not in everything.lower()


def test_dead_ends_are_evidence_and_no_part_of_the_path_that_finished(spent: Spent) -> None:
    night = spent("transcripts/dead-ends.jsonl")
    assert told(night, "messages", "abandoned", "failed") == (10, 3, 1)
    lines = "SELECT line FROM messages WHERE NOT active ORDER BY line"
    assert night.home.ask(lines) == [(3,), (4,), (5,)]
    assert night.home.ask("SELECT status FROM calls WHERE active") == [("ok",)]
    assert night.skips["broken_parent", False]["count"] == 1
    assert 9 in [line for line, _ in night.home.ask(HUMAN)]
    errors = [each for each in night.report["misses"] if each["kind"] == "tool_error"]
    assert "dead-ends.jsonl, line 5" in night.home.dream("why", errors[0]["cluster"]).out


def test_calls_and_results_without_their_other_half_are_told_apart(spent: Spent) -> None:
    night = spent("transcripts/orphan-tools.jsonl")
    assert told(night, "calls", "unanswered", "failed") == (2, 1, 0)
    assert told(night, "human", "interruptions") == (1, 1)
    assert night.skips["duplicate_result", False]["count"] == 1
    assert night.skips["result_without_call", False]["count"] == 1
    assert night.report["kinds"].get("tool_error") is None


def test_what_the_client_wrote_is_no_reply_and_unknown_usage_is_not_zero(spent: Spent) -> None:
    night = spent("transcripts/placeholder-model.jsonl")
    models = "SELECT DISTINCT model FROM messages WHERE model IS NOT NULL"
    assert night.home.ask(models) == [("model-x",)]
    assert told(night, "api_errors", "failed", "replies") == (2, 1, 3)
    assert told(night, "tokens_in", "tokens_out", "untold") == (30, 9, 1)
    assert "3 replies (30 tokens in, 9 out; 1 without a number)" in night.said


def test_a_field_may_change_its_type_and_a_time_its_spelling(spent: Spent) -> None:
    night = spent("transcripts/late-type-change.jsonl")
    assert told(night, "messages", "human") == (7, 2)
    assert [line for line, _ in night.home.ask(HUMAN)] == [1, 5]
    (moment,) = night.home.ask("SELECT epoch_ms(happened) FROM messages WHERE line = 4")[0]
    assert moment == 1773306003000  # 2026-03-12T09:00:03Z
    (text,) = night.home.ask("SELECT text FROM messages WHERE line = 5")[0]
    assert "000123" in text
    assert "25-11-2025" in text


def test_a_session_tree_keeps_what_was_given_up_apart(spent: Spent) -> None:
    night = spent("transcripts/pi-tree.jsonl")
    entries = night.home.ask(
        "SELECT split_part(message_id, '/', 2), role, active FROM messages ORDER BY number"
    )
    typed = [entry for entry, role, active in entries if role == "human" and active]
    assert typed == ["aa000001", "aa000008"]
    lost = [entry for entry, _, active in entries if not active]
    assert lost == ["aa000003", "aa000004", "aa000005"]
    branches = "SELECT split_part(branch_id, '/', 2), active FROM branches ORDER BY 1"
    assert night.home.ask(branches) == [("aa000006", False), ("aa000011", True)]
    assert night.home.ask("SELECT status, visible FROM memories") == [("off_branch", False)]
    assert night.home.ask("SELECT split_part(target, '/', 2), text FROM labels") == [
        ("aa000008", "good rule")
    ]
    summary = "SELECT role FROM messages WHERE text LIKE '%was tried and given up%'"
    assert night.home.ask(summary) == [("injected",)]
    assert told(night, "abandoned", "failed") == (3, 1)


def test_the_oldest_session_layout_is_read_in_line_order(spent: Spent) -> None:
    night = spent("transcripts/pi-v1.jsonl")
    assert told(night, "human") == (2,)
    hook = "SELECT role FROM messages WHERE role = 'human' AND text LIKE '%hook%'"
    assert night.home.ask(hook) == []
    lines = [line for (line,) in night.home.ask("SELECT line FROM messages ORDER BY number")]
    assert lines == sorted(lines)


def test_a_childs_file_with_its_parents_history_counts_that_for_the_parent(spent: Spent) -> None:
    night = spent("transcripts/codex-child-with-parent-history.jsonl")
    assert night.home.ask("SELECT session_id, kind, parent_id FROM sessions ORDER BY ALL") == [
        ("codex:child-1", "subagent", "codex:parent-1"),
        ("codex:parent-1", "interactive", None),
    ]
    assert night.skips["copied", False]["count"] == 7
    human = "SELECT session_id, count(*) FROM messages WHERE role = 'human' GROUP BY ALL"
    assert night.home.ask(human) == [("codex:parent-1", 2)]
    own = "FROM calls WHERE session_id = 'codex:child-1'"
    assert night.home.ask(f"SELECT count(*) {own}") == [(1,)]
    tokens = "SELECT sum(tokens_in) FROM messages WHERE session_id = 'codex:child-1'"
    assert night.home.ask(tokens) == [(1500,)]


def test_turns_of_gemini_that_are_written_again_count_once(spent: Spent) -> None:
    night = spent("transcripts/gemini-rewritten-turns.jsonl")
    assert told(night, "human", "replies", "calls", "unanswered") == (2, 2, 1, 0)
    assert told(night, "tokens_in", "tokens_out") == (80, 18)
    assert night.home.ask(HUMAN) == [
        (2, "Add a footer."),
        (6, "The footer must not repeat the address."),
    ]
    assert night.skips == {}


FOREIGN = {"codex-child-with-parent-history": "Codex", "gemini-rewritten-turns": "Gemini CLI"}
UNREAD = [
    name
    for name, agent in FOREIGN.items()
    if agent.split()[0].lower() not in {reader.NAME.split("-")[0] for reader in READERS}
]
"""Files of agents that no reader of ours takes."""


def refused(night: Night, name: str, agent: str) -> None:
    """That a file was passed over as another agent's: counted, named, and said everywhere."""
    assert told(night, "sessions", "messages") == (0, 0)
    line = {"count": 1, "places": [name], "details": {agent: 1} if agent else {}}
    assert night.skips == {("foreign_format", False): line}
    for shown in (night.said, night.page):
        words = " ".join(shown.split())
        assert "a file of another agent's format" in words
        assert name in "".join(shown.split())  # a narrow terminal breaks a long path
        assert agent in words
    assert night.code == 1
    doctor = night.home.dream("doctor").out
    assert f"1 file of no agent that Dream reads: {agent or 'unknown'} 1" in doctor


def test_a_file_of_an_agent_without_a_reader_is_refused_counted_and_named(spent: Spent) -> None:
    for name in UNREAD:
        refused(spent(f"transcripts/{name}.jsonl"), f"{name}.jsonl", FOREIGN[name])


def test_so_is_a_file_of_an_agent_that_nobody_knows(tmp_path: Path) -> None:
    source = tmp_path / "nobody.jsonl"
    source.write_text('{"type":"soup","spoon":1}\n{"type":"bread","slices":2}\n')
    refused(home(tmp_path / "home", [source]).night(), source.name, "")


def test_a_folder_read_as_a_whole_loses_nothing_to_its_bad_files(
    cases: Path, spent: Spent, tmp_path: Path
) -> None:
    folder = cases / "transcripts"
    before = stamps(folder)
    night = home(tmp_path, [folder]).night()
    assert stamps(folder) == before
    alone = [path.name for path in folder.iterdir() if path.is_file()]
    apart = [spent(f"transcripts/{name}") for name in alone if name != "torn-tail.jsonl"]
    apart.append(spent("transcripts/continued"))
    assert night.totals["messages"] == 3 + sum(each.totals["messages"] for each in apart)
    assert night.totals["human"] == 2 + sum(each.totals["human"] for each in apart)
    passed = night.skips.get(("foreign_format", False), {"places": []})["places"]
    assert passed == [f"{name}.jsonl" for name in UNREAD]
    assert night.report["unread"] == []
    assert night.code == 0
