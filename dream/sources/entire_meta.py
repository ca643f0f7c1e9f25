"""What an Entire checkpoint says of itself and of its sessions: the metadata.json files."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from dream.records import Checkpoint, Skip
from dream.sources import identity

LARGEST = 1 << 20
"""Bytes of a metadata.json that are read; genuine ones have some hundreds."""

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_WORD = re.compile(r"[a-z][a-z_-]{0,20}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d-(?=.)")


def parsed(raw: bytes, skips: list[Skip]) -> Mapping[str, Any]:
    """The object; an empty one, with a Skip, when it is none."""
    try:
        value = orjson.loads(raw[:LARGEST])
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict):
        return value
    skips.append(Skip("bad_shape", 0, "metadata.json", lost=False))
    return {}


def text(about: Mapping[str, Any], key: str) -> str:
    """A text of the object; "" where it is missing or something else."""
    value = about.get(key)
    return value if isinstance(value, str) else ""


def session_of(about: Mapping[str, Any]) -> str:
    """The agent's own id of the session: older releases put the day before it."""
    return _DATE.sub("", text(about, "session_id"), count=1)


def checkpoint(
    about: Mapping[str, Any],
    whole: Mapping[str, Any],
    checkpoint_id: str,
    number: str,
    repository: str = "",
) -> tuple[Checkpoint, ...]:
    """The checkpoint of one session; none where the session has no name.

    about: the session's metadata. whole: that of the checkpoint as a whole.
    """
    session = session_of(about)
    if not session:
        return ()
    imported = whole.get("imported") is True or text(about, "strategy") == "import"
    kind = text(about, "kind")
    first = about.get("checkpoint_transcript_start", about.get("transcript_lines_at_start"))
    made = Checkpoint(
        checkpoint_id,
        session,
        int(number or 0),
        identity.moment(about.get("created_at")),
        text(about, "branch") or text(whole, "branch") or None,
        kind if _WORD.fullmatch(kind) else "imported" if imported else "",
        _commit(about, whole, "commit_sha"),
        _commit(about, whole, "migration_source_commit"),
        first if type(first) is int else None,
        repository,
    )
    return (made,)


def _commit(about: Mapping[str, Any], whole: Mapping[str, Any], key: str) -> str | None:
    told = text(about, key) or text(whole, key)
    return told if _COMMIT.fullmatch(told) else None
