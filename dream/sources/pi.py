"""Sessions of the pi coding agent: one JSONL file each, a header and then a tree of entries.

Versions 1 to 3, as pi 0.30 to 1.6 write them. Version 1 is a plain list without ids: there an entry
is named by its line. The version does not tell which entries to expect, so every entry is read for
what it is. The file is never written; pi itself rewrites an old one when it resumes it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from dream.errors import SourceUnreadable
from dream.records import Session, Skip, Transcript
from dream.sources import HEAD, identity, jsonl, pi_memory, pi_runs, pi_tree
from dream.sources.below import below
from dream.sources.pi_entries import Entries
from dream.sources.pi_reading import Reading

NAME = "pi"
VERSION = 2
_SESSION_FILE = re.compile(r"(?:.*[/\\])?\d{4}-\d\d-\d\dT[\d-]+Z_([^/\\]+)\.jsonl", re.DOTALL)


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root, or root itself, in name order, which here is time order.

    The session folder can be set to anything, so its layout tells nothing.
    """
    return below(root, ".jsonl")


def claims(path: Path, head: bytes) -> bool:
    """Whether the first line is a session header; pi takes no other file for one of its own."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    first, end, _ = text.partition(b"\n")
    try:
        return _is_header(orjson.loads(first))
    except orjson.JSONDecodeError:
        return not end and len(head) >= HEAD and first.startswith(b'{"type":"session",')


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The session, if the file has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be read or does not begin with a header.
    """
    token = jsonl.token(path)
    if known.get("") != token:
        header, entries, records = gather(path)
        yield _transcript(token, header, entries, records)


def gather(path: Path) -> tuple[jsonl.Line, Entries, int]:
    """The header, what stands behind it, and how many records there are in all.

    Raises SourceUnreadable as read does.
    """
    skips: list[Skip] = []
    lines = jsonl.lines(path, skips)
    header = next(lines, None)
    if header is None or not _is_header(header.value):
        raise SourceUnreadable(path, "the first record is not the header of a pi session")
    entries = Entries(Reading(f"{NAME}:{header.value['id']}", skips))
    records = 1
    for line in lines:
        records += 1
        entries.take(line)
    if records == 1 and not skips:
        skips.append(Skip("empty", header.number, "only a header", lost=False))
    return header, entries, records


def _is_header(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and _text(value, "id") != ""


def _transcript(token: str, header: jsonl.Line, entries: Entries, records: int) -> Transcript:
    reading = entries.reading
    tree = reading.tree()
    marks = pi_tree.on_branch(tree)
    ids = list(reading.nodes)
    abandoned = {ids[place] for place, mark in enumerate(marks) if not mark}
    _mark(reading, abandoned)
    branch = [ids[place] for place in pi_tree.path(tree, tree.tip)]
    session_id = reading.session_id
    return Transcript(
        unit="",
        token=token,
        sessions=(_session(header, entries),),
        runs=pi_runs.runs(reading),
        messages=reading.messages,
        calls=entries.calls.finished(reading.messages),
        branches=pi_runs.branches(reading, tree, marks, entries.left),
        compactions=[
            replace(row, active=False) if name in abandoned else row
            for name, row in entries.compactions
        ],
        memories=pi_memory.memories(session_id, entries.ledger, branch, entries.stamps),
        labels=[label for label in entries.labels.values() if label is not None],
        skips=[*reading.skips, *entries.counted()],
        records=records,
    )


def _mark(reading: Reading, abandoned: Collection[str]) -> None:
    """Marks the messages off the path to the tip. abandoned: ids of entries."""
    names = {f"{reading.session_id}/{name}" for name in abandoned}
    for number, message in enumerate(reading.messages if names else ()):
        if message.message_id in names:
            reading.messages[number] = replace(message, active=False)


def _session(header: jsonl.Line, entries: Entries) -> Session:
    value = header.value
    started = identity.moment(value.get("timestamp"))
    return Session(
        session_id=entries.reading.session_id,
        agent=NAME,
        cwd=_text(value, "cwd"),
        title=entries.title,
        parent_id=_parent(value),
        started=started,
        ended=_ended(entries.reading, started),
        line=header.number,
    )


def _parent(header: Mapping[str, Any]) -> str | None:
    """The session this one was forked or cloned from, by the name of its file.

    The path is only a hint and may be gone; the name in it holds the id.
    """
    path = _text(header, "parentSession") or _text(header, "branchedFrom")
    found = _SESSION_FILE.fullmatch(path)
    return f"{NAME}:{found[1]}" if found else None


def _ended(reading: Reading, started: datetime | None) -> datetime | None:
    """When the last entry was appended. A fork's entries can all be older than the fork."""
    times = (identity.moment(node[-1]) for node in reversed(reading.nodes.values()))
    last = next((time for time in times if time is not None), None)
    return max((time for time in (started, last) if time is not None), default=None)


def _text(value: Mapping[str, Any], key: str) -> str:
    part = value.get(key)
    return part if isinstance(part, str) else ""
