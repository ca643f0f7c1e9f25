"""Sessions of Codex: rollouts, one JSONL file a thread, a header and then items and events.

Format: as releases 0.118 to 0.144 write it; there is no version to check, and every unknown type of
record is counted by name and passed over. Lines have no ids: a message is told by its turn, so that
the history that a fork or a sub-agent begins with is the same messages as in its parent's file. A
rollout that Codex has compressed is named and not read.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dream.records import Skip, Transcript
from dream.sources import codex_events as events
from dream.sources import codex_items as items
from dream.sources import jsonl
from dream.sources.below import below
from dream.sources.codex_reading import Reading
from dream.sources.codex_rows import rows
from dream.sources.codex_thread import NAME
from dream.sources.jsonl import Line
from dream.sources.unpacked import MAGIC, unpacked

__all__ = ["NAME", "VERSION", "claims", "find", "read", "transcript"]

VERSION = 2

_FILE = re.compile(r"rollout-\d{4}-\d\d-\d\dT[\d-]+?-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl(?:\.zst)?")
_TYPE = re.compile(
    rb'\s*\{[^{}]{0,200}?"type"\s*:\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context|compacted)"\s*,[^{}]{0,200}?"payload"'
)


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root, compressed ones too, or root itself."""
    return below(root, (".jsonl", ".jsonl.zst"))


def claims(path: Path, head: bytes) -> bool:
    """Whether one of the first records is a rollout's. A long first line is known by its start."""
    if head.startswith(MAGIC):
        return _FILE.fullmatch(path.name) is not None
    record = jsonl.first_record(head)
    if record is not None:
        return _is_own(record)
    return _TYPE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    return type(kind) is str and kind in _TAKERS and type(record.get("payload")) is dict


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The file's threads in one transcript, if it has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    token = jsonl.token(path)
    if known.get("") == token:
        return
    if path.suffix != ".zst":
        yield transcript(path, token)
        return
    skips: list[Skip] = []
    with unpacked(path, scratch, skips) as plain:
        made = transcript(plain, token, own_id=_own_id(path), skips=skips)
    yield made


def transcript(
    path: Path,
    token: str,
    *,
    own_id: str = "",
    branch: str | None = None,
    skips: Sequence[Skip] = (),
) -> Transcript:
    """Everything in the file.

    own_id, branch: for a file that names no thread or git branch; without own_id the file's name
    stands in. skips: what its reader has to tell already.
    """
    told = list(skips)
    reading = Reading(path, own_id or _own_id(path), branch, told)
    records = 0
    for line in jsonl.lines(path, told):
        records += 1
        _take(reading, line)
        if reading.back:
            reading.count("copied", "from another thread", line.number)
    items.release(reading)
    if not records and not told:
        told.append(Skip("empty", 0, lost=False))
    made = rows(reading)
    return Transcript(
        "", token, made.sessions, made.runs, made.messages, made.calls, made.branches,
        made.compactions, skips=told, records=records,
    )  # fmt: skip


def _own_id(path: Path) -> str:
    """The thread's id by the name of its file, for one that has no header."""
    named = _FILE.fullmatch(path.name)
    return named[1] if named else path.name.removesuffix(".zst").removesuffix(".jsonl")


def _take(reading: Reading, line: Line) -> None:
    """Adds one record. Nothing raises: a part of another shape than known costs only itself."""
    get = line.value.get
    kind, payload = get("type"), get("payload")
    if reading.held is not None and not _may_be_a_persons(kind, payload):
        items.release(reading)
    taker = _TAKERS.get(kind) if type(kind) is str else None
    if taker is not None and type(payload) is dict:
        taker(reading, line, payload)
        return
    reading.thread(line.number)
    if type(kind) is not str:
        reading.skips.append(Skip("no_type", line.number))
    elif taker is not None:
        reading.skips.append(Skip("bad_shape", line.number, f"{kind} without payload"))
    else:
        reading.count("unknown_type", kind, line.number)


def _may_be_a_persons(kind: object, payload: object) -> bool:
    return kind == "event_msg" and type(payload) is dict and payload.get("type") in events.PERSONS


def _head(reading: Reading, line: Line, payload: dict[str, Any]) -> None:
    reading.head(line, payload)
    reading.thread(line.number)
    reading.count("housekeeping", "session_meta", line.number)


def _context(reading: Reading, line: Line, payload: dict[str, Any]) -> None:
    thread, model = reading.thread(line.number), payload.get("model")
    if type(model) is str:
        thread.model = model
    reading.count("housekeeping", "turn_context", line.number)


def _housekeeping(reading: Reading, line: Line, payload: dict[str, Any]) -> None:
    reading.thread(line.number)
    reading.count("housekeeping", str(line.value["type"]), line.number)


_TAKERS: Mapping[str, Callable[[Reading, Line, dict[str, Any]], None]] = {
    "session_meta": _head,
    "turn_context": _context,
    "response_item": items.item,
    "event_msg": events.event,
    "compacted": events.compact,
    "inter_agent_communication": items.agent_words,
    "inter_agent_communication_metadata": _housekeeping,
    "world_state": _housekeeping,
}
"""By the record's type. A type that is not here is counted by name."""
