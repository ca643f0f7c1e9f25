"""Sessions of Claude Code: JSONL files below a projects folder, one line a record.

Format: as releases 2.0.64 to 2.1.219 write it; there is no version to check, and every unknown type
of record is counted by name and passed over. A file may hold several sessions (a resumed one keeps
lines of the one before), and one session may stand in several files: a message's copy_key tells
copies. A person's words are those of claude_voices; nothing of a sub-agent or of a session that a
program drives counts as typed, unless the record says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dream.records import Skip, Transcript
from dream.sources import HEAD, jsonl
from dream.sources.below import below
from dream.sources.claude_lines import take
from dream.sources.claude_reading import NAME, Reading
from dream.sources.claude_rows import rows
from dream.sources.foreign import BY_TYPE, agent_of_document, agent_of_record

__all__ = ["NAME", "VERSION", "claims", "find", "read", "transcript"]

VERSION = 1

_OWN = frozenset({"parentUuid", "leafUuid", "isSidechain", "isSnapshotUpdate", "customTitle"})


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root (a projects folder or any other), or root itself."""
    return below(root, ".jsonl")


def claims(path: Path, head: bytes) -> bool:
    """Whether one of the first records is of Claude Code's shape.

    A first line longer than head is known by the names of its first fields.
    """
    record = jsonl.first_record(head)
    if record is not None:
        return _is_own(record)
    return b'"parentUuid":' in head or b'"isSidechain":' in head or b'"leafUuid":' in head


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The file's sessions in one transcript, if it has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    token = jsonl.token(path)
    if known.get("") != token:
        yield transcript(path, token)


def transcript(
    path: Path,
    token: str,
    *,
    own_id: str = "",
    branch: str | None = None,
    skips: Sequence[Skip] = (),
) -> Transcript:
    """Everything in the file.

    own_id, branch: for records that name no session or git branch; without own_id the file's name
    stands in. skips: what its reader has to tell already.
    """
    told = list(skips)
    subagent = path.name.startswith("agent-") or path.parent.name == "subagents"
    reading = Reading(own_id or path.stem, subagent=subagent, branch=branch, skips=told)
    records, ours = 0, False
    for line in jsonl.lines(path, told):
        records += 1
        ours = ours or _is_own(line.value)
        if not ours and (agent := agent_of_record(line.value)):
            return Transcript("", token, skips=[*skips, Skip("foreign_format", 0, agent)])
        take(reading, line)
    if records and not ours:
        foreign = Skip("foreign_format", 0, "an agent unknown to this reader")
        return Transcript("", token, skips=[*skips, foreign])
    if not records and not told:
        told.append(Skip("empty", 0, lost=False))
    for place, skip in enumerate(told):
        if skip.reason == "foreign_format" and (agent := agent_of_document(_head(path))):
            told[place] = replace(skip, detail=f"{agent}, {skip.detail}")
    made = rows(reading)
    return Transcript(
        "", token, made.sessions, made.runs, made.messages, made.calls, made.branches,
        made.compactions, skips=told, records=records,
    )  # fmt: skip


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if type(kind) is not str:
        return False
    if not _OWN.isdisjoint(record):
        return True
    return "sessionId" in record and "data" not in record and kind not in BY_TYPE


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""
