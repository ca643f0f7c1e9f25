"""Session files of real people, with the numbers that the corpora's own pages give."""

from collections import Counter
from pathlib import Path

import pytest

from dream.records import Transcript
from dream.sources import HEAD, pi
from dream.sources.registry import READERS
from tests.corpora import Corpus
from tests.sources.stillness import listing

pytestmark = pytest.mark.shared


def _read(path: Path) -> Transcript:
    (transcript,) = pi.read(path, {}, path.parent)
    return transcript


def _claimed(folder: Path) -> list[Path]:
    return [path for path in pi.find(folder) if pi.claims(path, path.read_bytes()[:HEAD])]


def _failed(transcript: Transcript) -> int:
    return sum(call.result_id is not None and call.status != "ok" for call in transcript.calls)


@pytest.mark.parametrize(
    ("name", "lines", "prompts", "results", "failed", "other"),
    [
        ("large-session", 1019, 88, 373, 19, {"thinking_level_change": 103}),
        ("before-compaction", 1003, 55, 448, 12, {}),
    ],
)
def test_the_old_linear_layout_of_pi_mono(
    corpus: Corpus, name: str, lines: int, prompts: int, results: int, failed: int,
    other: dict[str, int],
) -> None:  # fmt: skip
    (path,) = corpus("pi-mono-fixtures").rglob(f"{name}.jsonl")
    transcript = _read(path)
    kinds = Counter(message.kind for message in transcript.messages)
    assert transcript.records == lines
    assert kinds["prompt"] + kinds["command"] == prompts
    assert (kinds["result"], _failed(transcript)) == (results, failed)
    assert not any(skip.lost for skip in transcript.skips)
    quiet = {skip.detail: skip.count for skip in transcript.skips if skip.reason == "housekeeping"}
    assert other.items() <= quiet.items()
    assert len(transcript.branches) == 1
    assert all(message.active for message in transcript.messages)


def test_an_index_names_the_first_entry_that_a_compaction_kept(corpus: Corpus) -> None:
    (path,) = corpus("pi-mono-fixtures").rglob("before-compaction.jsonl")
    transcript = _read(path)
    assert [(row.line, row.kept_from) for row in transcript.compactions] == [
        (360, f"{transcript.sessions[0].session_id}/L294"),
        (629, f"{transcript.sessions[0].session_id}/L552"),
    ]
    assert [message.kind for message in transcript.messages].count("shell") == 3
    assert transcript.sessions[0].parent_id == "pi:d97339c6-6c10-4827-846b-9ff1d9c3dc37"


def test_sessions_of_a_checkpoint_branch_are_counted_once(corpus: Corpus) -> None:
    folder = corpus("pi-raquezha")
    before = listing(folder)
    paths = _claimed(folder)
    transcripts = [_read(path) for path in paths]
    assert len(paths) == 43
    assert len({one.sessions[0].session_id for one in transcripts}) == 13
    distinct = {message.message_id: message for one in transcripts for message in one.messages}
    kinds = Counter(message.kind for message in distinct.values())
    calls = {call.call_id: call for one in transcripts for call in one.calls}
    failed = [call for call in calls.values() if call.result_id and call.status != "ok"]
    # Of the 153 messages under the user's role two are a skill that was called without a word.
    assert (kinds["prompt"], kinds["command"], kinds["result"]) == (151, 2, 385)
    assert len(failed) == 15
    assert len({row.compaction_id for one in transcripts for row in one.compactions}) == 1
    # Copies of a session, taken at other moments, hold the same messages under the same keys.
    assert len({message.copy_key for message in distinct.values()}) == len(distinct)
    keys: dict[str, set[str]] = {}
    for one in transcripts:
        for message in one.messages:
            keys.setdefault(message.message_id, set()).add(message.copy_key)
    assert {len(found) for found in keys.values()} == {1}
    assert not any(skip.lost for one in transcripts for skip in one.skips)
    assert listing(folder) == before


def test_a_pi_session_in_a_checkpoint_is_offered_to_its_own_reader_first(corpus: Corpus) -> None:
    for path in _claimed(corpus("pi-raquezha")):
        head = path.read_bytes()[:HEAD]
        assert next(reader for reader in READERS if reader.claims(path, head)).NAME == pi.NAME


def test_files_of_other_agents_are_not_claimed(corpus: Corpus) -> None:
    for name in ("codex-agentv", "opencode-gatomia", "claude-context-evaluator"):
        assert _claimed(corpus(name)) == []


def test_the_imitation_reads_as_the_real_session_that_it_is(shared: Path) -> None:
    folder = shared / "archives" / "imitation"
    before = listing(folder)
    (path,) = pi.find(folder)  # the sidecar beside it is no session
    transcript = _read(path)
    assert {skip.detail: skip.count for skip in transcript.skips} == {
        "model_change": 1,
        "thinking_level_change": 1,
        "custom acp-nudge": 1,
    }
    # Three calls and one in the background; a range out of sight and an empty list made none.
    assert [(row.trigger, row.line) for row in transcript.compactions] == [
        ("blocks", 18), ("blocks", 46), ("blocks", 50), ("blocks", 55),
    ]  # fmt: skip
    (status,) = [message for message in transcript.messages if message.kind == "meta"]
    assert status.role == "injected"
    assert Counter(message.role for message in transcript.messages)["human"] == 8
    assert len({memory.line for memory in transcript.memories}) == 5
    assert listing(folder) == before


def test_reading_all_session_files_leaves_their_folder_as_it_was(shared: Path) -> None:
    folder = shared / "archives" / "pi-sessions"
    before = listing(folder)
    assert sum(len(_read(path).messages) for path in _claimed(folder)) > 4_000
    assert listing(folder) == before
