"""The two stores in which OpenCode itself keeps sessions, below its data folder.

Until release 1.1 a tree of small files: storage/session/<project>/<session>.json, then
message/<session>/<message>.json and part/<message>/<part>.json. Since then one SQLite database,
opencode.db, with a row where there was a file. Ids come from the place, not from what stands there;
none of these records has a line.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from dream.errors import NotAnArchive, SourceUnreadable
from dream.records import Skip
from dream.sources import sqlite
from dream.sources.jsonl import whole_text
from dream.sources.opencode_rows import Envelope, Export, Stored
from dream.sources.shape import fields

_BESIDE = frozenset({"session_diff", "session_share", "todo", "permission"})
"""Folders of the file store that hold something else, a file a session."""
_LARGEST = 1 << 26  # bytes of one file

_SESSIONS = (
    "SELECT id, parent_id, directory, title, version, time_created, time_updated, permission,"
    " revert FROM session ORDER BY time_created, id"
)
_MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
_PARTS = "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY message_id, id"
_CHANGES = (
    "SELECT session_id, count(*), max(time_updated), total(length(data)) FROM part"
    " GROUP BY session_id"
)
_TABLES = ("session", "message", "part")


def is_database(path: Path) -> bool:
    """By its name: the release channel may stand behind it."""
    return path.suffix == ".db" and path.name.startswith("opencode")


def is_beside(path: Path) -> bool:
    """Whether a file that is named after a session holds something else about it."""
    return path.parent.name in _BESIDE


def is_tree(path: Path) -> bool:
    """Whether the file is a session's in the store of small files."""
    return path.parent.parent.name == "session" and (path.parents[2] / "message").is_dir()


def look(path: Path) -> str:
    """Other than before when a session of the store of small files must be read again."""
    seen = hashlib.sha256()
    for file in (path, *_messages(path), *_parts(path)):
        status = file.stat()
        seen.update(f"{file.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def from_tree(path: Path, export: Export) -> None:
    """Takes a session of the store of small files.

    Raises SourceUnreadable when the session's own file cannot be read.
    """
    export.info = {**_read(path, export), "id": path.stem}
    export.records += 1
    for file in _messages(path):
        info = {**_read(file, export), "id": file.stem}
        envelope = Envelope(Stored(info, 0, "", info))
        for part in _part_files(path, file.stem):
            value = {**_read(part, export), "id": part.stem}
            envelope.parts.append(Stored(value, 0, "", value))
            export.records += 1
        export.envelopes[len(export.envelopes)] = envelope
        export.records += 1
    in_order = sorted(export.envelopes.values(), key=_created)
    export.envelopes = dict(enumerate(in_order))


def from_database(
    path: Path, known: Mapping[str, str], scratch: Path, copy: bool
) -> Iterator[tuple[str, str, Export | None]]:
    """Every session of the database: its id, its token, and what it holds if the token is new.

    Raises sqlite.Moved as sqlite.opened does; NotAnArchive, Damaged, SourceUnreadable.
    """
    with sqlite.opened(path, scratch, copy=copy) as database:
        if not database.tables().issuperset(_TABLES):
            raise NotAnArchive(path, "not an archive: no sessions of OpenCode in it")
        rows = database.rows
        changes = {key: rest for key, *rest in rows("reading what has changed", _CHANGES)}
        for session, *about in list(rows("reading sessions", _SESSIONS)):
            own, export = str(session), None
            token = repr((about, changes.get(session)))
            if known.get(own) != token:
                export = Export([])
                _session(export, own, about)
                _take(export, database, session)
            database.steady()
            yield own, token, export


def _session(export: Export, own: str, about: list[Any]) -> None:
    parent, directory, title, version, created, updated, permission, revert = about
    export.records += 1
    export.info = {
        "id": own, "parentID": parent, "directory": directory, "title": title, "version": version,
        "time": {"created": created, "updated": updated},
        "permission": _parsed(permission, export, own), "revert": _parsed(revert, export, own),
    }  # fmt: skip


def _take(export: Export, database: sqlite.Database, session: object) -> None:
    envelopes: dict[str, Envelope] = {}
    for key, data in database.rows("reading messages", _MESSAGES, (session,)):
        info = {**fields(_parsed(data, export, key)), "id": str(key)}
        envelopes[str(key)] = Envelope(Stored(info, 0, "", info))
        export.records += 1
    for message, key, data in database.rows("reading parts", _PARTS, (session,)):
        value = {**fields(_parsed(data, export, key)), "id": str(key)}
        envelope = envelopes.setdefault(str(message), Envelope())
        envelope.parts.append(Stored(value, 0, "", value))
        export.records += 1
    export.envelopes = dict(enumerate(envelopes.values()))


def _parsed(data: object, export: Export, name: object) -> Any:
    """A column of JSON text."""
    if data is None:
        return None
    try:
        return orjson.loads(data)  # type: ignore[arg-type]  # what it refuses is a Skip
    except (orjson.JSONDecodeError, TypeError):
        export.skips.append(Skip("not_json", 0, str(name)[:60]))
        return None


def _read(path: Path, export: Export) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
        value = orjson.loads(raw)
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    except orjson.JSONDecodeError:
        reason = "too_long" if len(raw) > _LARGEST else "not_json"
        export.skips.append(Skip(reason, 0, path.name[:60]))
        return {}
    if type(value) is not dict:
        export.skips.append(Skip("not_a_record", 0, path.name[:60]))
    return fields(whole_text(value))


def _created(envelope: Envelope) -> tuple[int, str]:
    assert envelope.info is not None  # noqa: S101 - the store makes none without
    created = fields(envelope.info.value.get("time")).get("created")
    return created if type(created) is int else 0, str(envelope.info.value["id"])


def _messages(path: Path) -> list[Path]:
    return _listed(path.parents[2] / "message" / path.stem)


def _parts(path: Path) -> Iterator[Path]:
    for message in _messages(path):
        yield from _part_files(path, message.stem)


def _part_files(path: Path, message: str) -> list[Path]:
    return _listed(path.parents[2] / "part" / message)


def _listed(folder: Path) -> list[Path]:
    """Its JSON files in the order of their names, which is that of time."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except FileNotFoundError:
        return []
