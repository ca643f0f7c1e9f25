"""A transcript as text, a line a row, for golden files."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime

from dream.records import Transcript

_PARTS = (
    *("sessions", "runs", "messages", "calls", "branches", "compactions", "memories", "labels"),
    "skips",
)


def told(transcript: Transcript) -> str:
    """Every row. "~" stands for the id of the first session."""
    return "".join(_lines(transcript))


def _lines(transcript: Transcript) -> Iterator[str]:
    yield f"records: {transcript.records}\n"
    own = transcript.sessions[0].session_id if transcript.sessions else "~"
    for name in _PARTS:
        rows = getattr(transcript, name)
        if rows:
            yield f"\n{name}\n"
        for row in rows:
            parts = {key: value for key, value in asdict(row).items() if _says(key, value)}
            words = json.dumps(parts, ensure_ascii=False, default=_plain)
            yield f"  {words.replace(own, '~')}\n"


def _says(key: str, value: object) -> bool:
    return value is not None and key != "session_id"


def _plain(value: object) -> str:
    assert isinstance(value, datetime)
    assert value.tzinfo is UTC
    return value.isoformat()
