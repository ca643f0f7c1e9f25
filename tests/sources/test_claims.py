"""Whose a file is: of all readers one takes each transcript, and none takes anything else."""

from collections import Counter
from pathlib import Path

import pytest

from dream.sources import HEAD, entire
from dream.sources.registry import READERS
from tests.corpora import Corpus

ALONE = [reader for reader in READERS if reader.NAME != entire.NAME]
"""Entire is a layout: the transcripts in it are other agents' and are claimed by theirs as well."""

TRANSCRIPTS: dict[str, dict[str, int]] = {
    "claude-context-evaluator": {"claude-code": 110},
    "claude-entire-cli-early": {"claude-code": 183, "gemini-cli": 5},
    "codex-agentv": {"codex": 26, "copilot-cli": 13, "claude-code": 3},
    "mixed-session-bridge": {"codex": 25, "opencode": 9, "gemini-cli": 6},
    "opencode-gatomia": {"opencode": 63, "copilot-cli": 5},
    "pi-mono-fixtures": {"pi": 2},
    "pi-raquezha": {"pi": 43, "opencode": 1},
    "swe-agent-demos": {"swe-agent": 19},
    "zh-destyler-specstory": {"specstory": 152},
}


def claimed(root: Path) -> dict[Path, list[str]]:
    """Every file below root with the readers that take it by its first bytes."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(HEAD)
            found[path] = [reader.NAME for reader in ALONE if reader.claims(path, head)]
    return found


def of_one(found: dict[Path, list[str]]) -> Counter[str]:
    assert [path for path, names in found.items() if len(names) > 1] == []
    return Counter(name for names in found.values() for name in names)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_each_transcript_of_a_corpus_has_one_reader_and_nothing_else_has_any(
    corpus: Corpus, name: str
) -> None:
    found = claimed(corpus(name))
    assert of_one(found) == TRANSCRIPTS[name]
    endings = {path.suffix for path, names in found.items() if names}
    assert endings <= {".jsonl", ".md", ".traj"}
    left = [path.name for path, names in found.items() if not names and path.suffix in endings]
    assert left == []


def test_so_has_each_archive(shared: Path) -> None:
    found = claimed(shared / "archives")
    assert of_one(found) == {"run2": 7, "pi": 44}
    left = [path.name for path, names in found.items() if not names and path.suffix == ".sqlite"]
    assert left == []


def test_so_has_each_awkward_file(shared: Path) -> None:
    found = claimed(shared / "cases" / "transcripts")
    assert of_one(found) == {"claude-code": 14, "pi": 2, "codex": 1, "gemini-cli": 1}
    assert all(names for names in found.values())
