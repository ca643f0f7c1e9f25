"""Transcripts become lines of JSON, one a row, without their secrets.

This is the one way into the archive: whatever is stored has passed through here.
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from dream.archive.redact import redact, redact_json
from dream.archive.schema import JSON_TEXTS, TABLES, Removal, Table
from dream.archive.sieve import Sieve
from dream.records import Skip, Transcript

_SHORTEST = 8  # characters; no pattern finds anything in less
_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST = 2**63

Rows = dict[str, list[tuple[int, Any]]]
"""By table, the rows to come as (scan, record)."""


def cleaned(
    batch: Sequence[tuple[int, Transcript]], sieve: Sieve, key: bytes
) -> tuple[Rows, Counter[str]]:
    """All rows of some transcripts without their secrets, and how many of each kind there were.

    What was taken out stands among the rows twice: as removals, with a hash that needs the key,
    and as skips, which a report may show.
    """
    rows: Rows = {name: [] for name in TABLES}
    for scan, transcript in batch:
        for name in TABLES:
            if name != "removals":
                rows[name] += [(scan, record) for record in getattr(transcript, name)]
    places = list(_places(rows))
    try:
        suspects = sieve.suspects([text for *_, text in places])
    except UnicodeEncodeError:
        rows = {name: [(scan, _whole(row)) for scan, row in of] for name, of in rows.items()}
        places = list(_places(rows))
        suspects = sieve.suspects([text for *_, text in places])
    kinds: Counter[str] = Counter()
    counted: Counter[tuple[int, int, str]] = Counter()
    for name, index, part, text in (places[suspect] for suspect in suspects):
        clean = (redact_json if part in JSON_TEXTS else redact)(text, key)
        if not clean.removed:
            continue
        scan, record = rows[name][index]
        rows[name][index] = (scan, dataclasses.replace(record, **{part: clean.text}))
        session, line = getattr(record, "session_id", ""), record.line
        for kind, mark in clean.removed:
            rows["removals"].append((scan, Removal(session, line, kind, mark)))
            counted[(scan, line, kind)] += 1
            kinds[kind] += 1
    for (scan, line, kind), count in counted.items():
        rows["skips"].append((scan, Skip("redacted", line, kind, lost=False, count=count)))
    return rows, kinds


def encoded(rows: Sequence[tuple[int, Any]], first: int) -> list[bytes]:
    """Each row as a line of JSON without line feed; rows are numbered from `first`."""
    made: list[bytes] = []
    dumps, form = orjson.dumps, orjson.OPT_NAIVE_UTC | orjson.OPT_PASSTHROUGH_SUBCLASS
    for number, (scan, record) in enumerate(rows, first):
        try:
            line = dumps(record, option=form)
        except orjson.JSONEncodeError:
            line = dumps(_whole(record), option=form)
        made.append(b'{"row":%d,"scan":%d,' % (number, scan) + line[1:])
    return made


def mended(table: Table, line: bytes) -> bytes:
    """A line that DuckDB would not take, with what does not fit its column left out."""
    row = orjson.loads(line)
    return orjson.dumps({name: _fit(row.get(name), kind) for name, kind in table.columns.items()})


def _places(rows: Rows) -> Iterator[tuple[str, int, str, str]]:
    """Every text that is long enough to hold a secret: table, index, field, text."""
    for name, table in TABLES.items():
        for part in table.texts:
            for index, (_, record) in enumerate(rows[name]):
                text = getattr(record, part)
                if text and len(text) >= _SHORTEST:
                    yield name, index, part, text


def _whole(record: Any) -> Any:
    """A record with half surrogate pairs replaced and numbers that no column can hold left out."""
    changes: dict[str, Any] = {}
    for part in dataclasses.fields(record):
        value = getattr(record, part.name)
        if isinstance(value, str) and _SURROGATE.search(value):
            changes[part.name] = _SURROGATE.sub("\ufffd", value)
        elif isinstance(value, tuple):
            changes[part.name] = tuple(_SURROGATE.sub("\ufffd", text) for text in value)
        elif isinstance(value, int) and abs(value) >= _LARGEST:
            changes[part.name] = None if part.default is None else 0
    return dataclasses.replace(record, **changes) if changes else record


def _fit(value: object, column: str) -> object:
    if column == "BIGINT":
        whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST
        return value if whole else None
    if column == "TIMESTAMPTZ":
        return value if isinstance(value, str) and _is_time(value) else None
    if column == "BOOLEAN":
        return value if isinstance(value, bool) else None
    if column == "VARCHAR":
        return value if value is None or isinstance(value, str) else orjson.dumps(value).decode()
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def sizes(transcript: Transcript) -> tuple[int, Mapping[str, int]]:
    """About how many characters a transcript will take, and its rows by table."""
    counts = {name: len(getattr(transcript, name)) for name in TABLES if name != "removals"}
    characters = sum(len(message.text) for message in transcript.messages)
    characters += sum(len(call.arguments) for call in transcript.calls)
    return characters + 300 * sum(counts.values()), counts
