"""The awkward inputs of shared/cases/transcripts that are Claude Code's, and those that are not."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dream.records import Transcript
from dream.sources import HEAD, claude
from tests.sources.claude_makers import CASE, read, skips, typed

OURS = (
    "continued/first", "continued/second", "dead-ends", "foreign-summaries", "glued-records",
    "late-type-change", "line-separators", "not-user-turns", "one-reply-many-lines",
    "orphan-tools", "placeholder-model", "same-id-every-reply", "torn-tail", "unknown-lines",
)  # fmt: skip
FOREIGN = {
    "codex-child-with-parent-history": "Codex",
    "gemini-rewritten-turns": "Gemini CLI",
    "pi-tree": "pi",
    "pi-v1": "pi",
}


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases" / "transcripts"


def replies(made: Transcript) -> int:
    return len({message.reply_id for message in made.messages if message.reply_id})


def usage(made: Transcript) -> tuple[int, int]:
    told = [m for m in made.messages if m.tokens_in is not None]
    return sum(m.tokens_in or 0 for m in told), sum(m.tokens_out or 0 for m in told)


@pytest.mark.parametrize("name", OURS)
def test_our_files_are_claimed_by_their_first_bytes(cases: Path, name: str) -> None:
    path = cases / f"{name}.jsonl"
    assert claude.claims(path, path.read_bytes()[:HEAD])


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_agent_is_refused_by_name_and_counted(cases: Path, name: str) -> None:
    path = cases / f"{name}.jsonl"
    assert not claude.claims(path, path.read_bytes()[:HEAD])
    made = read(path)
    assert skips(made) == [("foreign_format", 0, FOREIGN[name], 1)]
    assert not made.sessions
    assert not made.messages


def test_one_reply_over_many_lines_is_one_reply(cases: Path) -> None:
    made = read(cases / "one-reply-many-lines.jsonl")
    assert len(typed(made)) == 1
    assert replies(made) == 2
    assert [(call.status, call.result_id is not None) for call in made.calls] == [("ok", True)] * 2
    assert usage(made) == (200, 70)


def test_one_id_for_every_reply_is_no_proof_of_a_copy(cases: Path) -> None:
    made = read(cases / "same-id-every-reply.jsonl")
    assert replies(made) == 3
    assert len(typed(made)) == 3
    assert usage(made) == (180, 24)
    assert len({message.copy_key for message in made.messages}) == 6


def test_a_continued_session_holds_copies_with_equal_keys(cases: Path) -> None:
    first, second = (read(cases / "continued" / f"{name}.jsonl") for name in ("first", "second"))
    keys = [[message.copy_key for message in made.messages] for made in (first, second)]
    assert keys[1][:3] == keys[0]
    assert len({*keys[0], *keys[1]}) == 5
    assert (first.sessions[0].session_id, second.sessions[0].session_id) == (
        CASE,
        "claude-code:sess-b",
    )


def test_a_torn_tail_costs_its_line(cases: Path) -> None:
    made = read(cases / "torn-tail.jsonl")
    assert made.records == len(made.messages) == 3
    assert [skip[:2] for skip in skips(made)] == [("torn", 4)]


def test_glued_records_are_four_messages(cases: Path) -> None:
    made = read(cases / "glued-records.jsonl")
    assert [message.line for message in made.messages] == [1, 2, 2, 3]
    assert made.messages[2].text == "Braces in text like }{ are fine. Go on."
    assert len({message.digest for message in made.messages}) == 4
    assert skips(made) == [("glued", 2, "2 records", 1)]


def test_line_separators_are_text(cases: Path) -> None:
    made = read(cases / "line-separators.jsonl")
    assert len(made.messages) == 3
    assert {"\u2028", "\u2029", "\u0085"} <= set(made.messages[0].text)
    assert not made.skips


def test_unknown_lines_are_counted_by_name(cases: Path) -> None:
    made = read(cases / "unknown-lines.jsonl")
    assert [message.line for message in typed(made)] == [3, 11]
    assert len(made.messages) == 3
    assert skips(made) == [
        ("not_a_record", 6, "list", 1),
        ("not_a_record", 7, "str", 1),
        ("no_type", 9, "", 1),
        ("unknown_type", 1, "last-prompt", 1),
        ("unknown_type", 2, "permission-mode", 1),
        ("unknown_type", 4, "file-history-delta", 1),
        ("unknown_type", 5, "kind-of-next-year", 1),
    ]


def test_what_stands_under_the_user_role_is_not_all_typed(cases: Path) -> None:
    made = read(cases / "not-user-turns.jsonl")
    assert [message.line for message in typed(made)] == [1, 10]
    kinds = Counter(message.kind for message in made.messages if message.role == "injected")
    assert kinds == {"meta": 1, "interrupt": 1, "command": 2, "summary": 1}
    assert [(c.trigger, c.tokens_before, c.line) for c in made.compactions] == [("manual", 9000, 8)]
    assert len(made.sessions) == 1
    assert all(message.active for message in made.messages)


def test_a_title_counts_only_where_its_leaf_stands(cases: Path) -> None:
    made = read(cases / "foreign-summaries.jsonl")
    assert [session.title for session in made.sessions] == ["Header colour question"]
    assert [skip[:2] for skip in skips(made)] == [("foreign_summary", 1), ("foreign_summary", 2)]


def test_dead_ends_are_kept_and_do_not_lengthen_the_path(cases: Path) -> None:
    made = read(cases / "dead-ends.jsonl")
    assert len(made.messages) == 10
    assert [message.line for message in made.messages if not message.active] == [3, 4, 5]
    assert [(call.status, call.active) for call in made.calls] == [("error", False), ("ok", True)]
    assert [skip[:2] for skip in skips(made)] == [("broken_parent", 9)]
    assert 9 in [message.line for message in typed(made)]
    active, lost = made.branches
    assert (active.active, active.length, active.line) == (True, 7, 10)
    assert (lost.active, lost.length, lost.line, lost.reason) == (False, 5, 5, "edit")
    assert lost.fork_point == made.messages[1].message_id


def test_orphan_calls_and_results_are_told_apart(cases: Path) -> None:
    made = read(cases / "orphan-tools.jsonl")
    assert [call.status for call in made.calls] == ["ok", "unanswered"]
    assert skips(made) == [
        ("duplicate_result", 4, "t1", 1),
        ("result_without_call", 5, "t-lost", 1),
    ]
    assert [m.kind for m in made.messages].count("interrupt") == 1
    assert len(typed(made)) == 1


def test_what_the_client_wrote_in_the_models_place_is_no_reply(cases: Path) -> None:
    made = read(cases / "placeholder-model.jsonl")
    assert {message.model for message in made.messages} == {"model-x", None}
    assert [m.kind for m in made.messages].count("api_error") == 2
    assert [call.status for call in made.calls] == ["error"]
    assert replies(made) == 3
    assert usage(made) == (30, 9)
    told = [m.tokens_in for m in made.messages if m.kind == "reply"]
    assert told == [10, 20, None]


def test_a_field_may_change_its_type_and_a_time_its_spelling(cases: Path) -> None:
    made = read(cases / "late-type-change.jsonl")
    assert made.records == len(made.messages) == 7
    assert made.messages[3].happened == datetime(2026, 3, 12, 9, 0, 3, tzinfo=UTC)
    assert made.messages[2].happened == datetime(2026, 3, 12, 9, 0, 2, 1, tzinfo=UTC)
    assert [message.line for message in typed(made)] == [1, 5]
    assert "000123" in made.messages[4].text
    assert "25-11-2025" in made.messages[4].text


def test_nothing_in_the_folder_changes(cases: Path) -> None:
    def look() -> list[tuple[str, bytes]]:
        return [(str(p), p.read_bytes()) for p in sorted(cases.rglob("*")) if p.is_file()]

    before = look()
    found = list(claude.find(cases))
    assert [path for path, _ in before if path.endswith(".jsonl")] == [str(path) for path in found]
    assert all(list(claude.read(path, {}, Path("unused"))) for path in found)
    assert look() == before
