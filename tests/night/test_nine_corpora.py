"""All nine corpora in one night: the archive counts what each of their READMEs counts.

What a README counts in another way than the archive stands as a sum beside it.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.config import Config, Gates, SourceSpec
from dream.nightly import NightResult
from dream.report.terminal import terminal
from tests.corpora import Corpus
from tests.night.places import stamps
from tests.night.test_nightly import spend

NAMES = (
    *("claude-context-evaluator", "claude-entire-cli-early", "codex-agentv"),
    *("mixed-session-bridge", "opencode-gatomia", "pi-mono-fixtures", "pi-raquezha"),
    *("swe-agent-demos", "zh-destyler-specstory"),
)


@dataclass(frozen=True, slots=True)
class Night:
    """One night over all of them. `folders` by corpus, `before` how each was."""

    result: NightResult
    archive: Archive
    folders: dict[str, Path]
    before: dict[str, object]

    def counts(self, sql: str) -> dict[tuple[str, ...], int]:
        """Rows of texts and at last a number; the first text is a path that becomes a corpus."""
        found: dict[tuple[str, ...], int] = {}
        for path, *rest, count in self.archive._connection.execute(sql).fetchall():
            (name,) = [one for one, folder in self.folders.items() if path.startswith(str(folder))]
            found[name, *rest] = found.get((name, *rest), 0) + count
        return found


@pytest.fixture(scope="module")
def night(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    folders = {name: corpus(name) for name in NAMES}
    before: dict[str, object] = {name: stamps(folder) for name, folder in folders.items()}
    home = tmp_path_factory.mktemp("nine")
    sources = tuple(SourceSpec(folder) for folder in folders.values())
    config = Config(
        sources=sources,
        state=home / "state",
        skills_out=home / "out",
        gates=Gates(per_night=5),
    )
    result = spend(config, date(2026, 12, 1))
    with ExitStack() as stack:
        yield Night(result, stack.enter_context(Archive.open(config.state)), folders, before)


pytestmark = pytest.mark.shared


def test_nothing_in_their_folders_has_changed(night: Night) -> None:
    assert {name: stamps(folder) for name, folder in night.folders.items()} == night.before


def test_every_transcript_file_is_read_by_one_reader_with_all_its_lines(night: Night) -> None:
    files = night.counts("SELECT source_file, reader, count(*) FROM files GROUP BY ALL")
    assert files == {
        ("claude-context-evaluator", "entire"): 110,
        ("claude-entire-cli-early", "entire"): 188,
        ("codex-agentv", "entire"): 42 + 21,  # pictures and notes of checkpoints beside them
        ("mixed-session-bridge", "entire"): 40 + 21,
        ("opencode-gatomia", "entire"): 68,
        ("pi-mono-fixtures", "pi"): 2,
        ("pi-raquezha", "pi"): 43,
        ("pi-raquezha", "entire"): 3,
        ("swe-agent-demos", "swe-agent"): 19,
        ("zh-destyler-specstory", "specstory"): 152,
    }
    records = night.counts("SELECT source_file, sum(records)::BIGINT FROM files GROUP BY ALL")
    assert records["claude-context-evaluator",] == 15_834
    assert records["codex-agentv",] == 23_728
    assert records["pi-mono-fixtures",] == 1_019 + 1_003
    # 7 lines hold several records each, and the documents of Gemini CLI are counted by records.
    assert records["claude-entire-cli-early",] == 42_255 + 41


def test_the_sessions_are_those_of_the_readmes(night: Night) -> None:
    found = night.counts(
        "SELECT any_value(source_file), split_part(session_id, ':', 1), 1 FROM messages "
        "GROUP BY session_id"
    )
    assert found == {
        ("claude-context-evaluator", "claude-code"): 98,
        ("claude-entire-cli-early", "claude-code"): 119,
        ("claude-entire-cli-early", "gemini-cli"): 3,
        ("codex-agentv", "claude-code"): 2,
        ("codex-agentv", "codex"): 20,
        ("codex-agentv", "copilot-cli"): 12,
        ("mixed-session-bridge", "codex"): 17,
        ("mixed-session-bridge", "gemini-cli"): 4,
        ("mixed-session-bridge", "opencode"): 6,
        ("opencode-gatomia", "copilot-cli"): 1,
        ("opencode-gatomia", "opencode"): 43,
        ("pi-mono-fixtures", "pi"): 2,
        ("pi-raquezha", "opencode"): 1,
        ("pi-raquezha", "pi"): 13,
        ("swe-agent-demos", "swe-agent"): 19,
        ("zh-destyler-specstory", "specstory"): 2,
        ("zh-destyler-specstory", "vscode"): 149,  # one of the 152 holds no turn
    }


def test_the_calls_are_those_of_the_readmes(night: Night) -> None:
    found = night.counts(
        "SELECT source_file, split_part(session_id, ':', 1), count(*) FROM calls GROUP BY ALL"
    )
    assert found == {
        ("claude-context-evaluator", "claude-code"): 3_196,
        ("claude-entire-cli-early", "claude-code"): 9_185 - 1,  # one stands in two sessions
        ("claude-entire-cli-early", "gemini-cli"): 12,
        ("codex-agentv", "claude-code"): 28,
        ("codex-agentv", "codex"): 4_096 + 43,  # searches, which are no function calls there
        ("codex-agentv", "copilot-cli"): 129,
        ("mixed-session-bridge", "codex"): 1_499 + 9,
        ("mixed-session-bridge", "gemini-cli"): 59,
        ("mixed-session-bridge", "opencode"): 144,
        ("opencode-gatomia", "copilot-cli"): 33,
        ("opencode-gatomia", "opencode"): 1_492,
        ("pi-mono-fixtures", "pi"): 845,
        ("pi-raquezha", "pi"): 385,
        ("swe-agent-demos", "swe-agent"): 210,
        ("zh-destyler-specstory", "vscode"): 1_388,
    }


def test_what_became_of_the_calls_is_what_the_readmes_say(night: Night) -> None:
    status = night.counts("SELECT source_file, status, count(*) FROM calls GROUP BY ALL")
    # What Claude Code flags as an error is an error, a refusal, an interruption or a sibling's.
    assert (status["claude-context-evaluator", "error"], 7, 14) == (
        228 - 7 - 14,
        status["claude-context-evaluator", "refused"],
        status["claude-context-evaluator", "sibling"],
    )
    assert status["claude-entire-cli-early", "error"] == 402 - 79 - 2
    assert status["claude-entire-cli-early", "refused"] == 79
    assert status["claude-entire-cli-early", "interrupted"] == 2
    assert status["pi-raquezha", "error"] == 15
    coded = night.counts(
        "SELECT source_file, split_part(session_id, ':', 1), count(*) FROM calls "
        "WHERE exit_code <> 0 GROUP BY ALL"
    )
    assert coded["codex-agentv", "codex"] == 180
    assert coded["mixed-session-bridge", "codex"] == 77
    marked = night.counts(
        "SELECT source_file, count(*) FROM calls WHERE split_part(session_id, ':', 1) = 'opencode' "
        "AND status = 'error' AND coalesce(exit_code, 0) = 0 GROUP BY ALL"
    )
    assert marked == {("mixed-session-bridge",): 1, ("opencode-gatomia",): 16}


def test_interruptions_and_compactions_are_those_of_the_readmes(night: Night) -> None:
    stopped = night.counts(
        "SELECT source_file, count(*) FROM messages WHERE kind = 'interrupt' "
        "AND starts_with(session_id, 'claude-code:') GROUP BY ALL"
    )
    assert stopped == {("claude-context-evaluator",): 13, ("claude-entire-cli-early",): 41}
    short = night.counts("SELECT source_file, count(*) FROM compactions GROUP BY ALL")
    assert short == {
        ("claude-context-evaluator",): 2,
        ("claude-entire-cli-early",): 46,
        ("codex-agentv",): 13,
        ("mixed-session-bridge",): 2 + 1,
        ("pi-mono-fixtures",): 2,
        ("pi-raquezha",): 1,
    }


def test_what_a_program_asked_for_is_no_persons_word(night: Night) -> None:
    kinds = night.counts(
        "SELECT any_value(m.source_file), any_value(s.agent), any_value(s.kind), 1 "
        "FROM sessions AS s INNER JOIN messages AS m ON m.session_id = s.session_id "
        "WHERE s.kind <> 'interactive' GROUP BY s.session_id"
    )
    assert kinds == {
        ("codex-agentv", "copilot-cli", "headless"): 10,
        ("opencode-gatomia", "opencode", "headless"): 42,
        ("opencode-gatomia", "opencode", "subagent"): 1,
        ("mixed-session-bridge", "opencode", "subagent"): 1,
        ("swe-agent-demos", "swe-agent", "headless"): 19,
    }
    typed = night.counts(
        "SELECT source_file, split_part(session_id, ':', 1), count(*) FROM messages "
        "WHERE role = 'human' AND kind = 'prompt' GROUP BY ALL"
    )
    assert ("opencode-gatomia", "opencode") not in typed
    assert ("swe-agent-demos", "swe-agent") not in typed
    assert typed["codex-agentv", "codex"] == 208
    assert typed["pi-mono-fixtures", "pi"] == 88 + 55


def test_the_report_names_every_reader_and_the_one_kind_of_loss(night: Night) -> None:
    report = night.result.report
    assert report.totals.sessions == 511
    assert report.unread == ()
    assert {line.reader for line in report.sources} == {"entire", "pi", "specstory", "swe-agent"}
    agents = {line.agent: (line.sessions, line.by_programs) for line in report.agents}
    assert agents == {
        "claude-code": (98 + 119 + 2, 0),
        "codex": (20 + 17, 0),
        "copilot-cli": (12 + 1, 10),
        "gemini-cli": (3 + 4, 0),
        "opencode": (6 + 43 + 1, 44),
        "pi": (2 + 13, 0),
        "specstory": (2, 0),
        "swe-agent": (19, 19),
        "vscode": (149, 0),
    }
    lost = [(skip.reason, skip.count) for skip in report.skips if skip.lost]
    assert lost == [("missing_blob", 44)]
    page = terminal(report, width=100)
    assert "a media file that is not there" in page
    assert len(report.proposals) == 5
