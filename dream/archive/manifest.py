"""What the archive holds, in one file that is replaced as a whole.

A reader takes the manifest once and sees one archive for as long as it likes, whatever a night
writes meanwhile: parts are never changed, and one that is no longer named stays for a night.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from dream.errors import StateBroken
from dream.swift import swift

NAME = "manifest.json"
FORMAT = 1
PARTS = "parts"

FileStatus = Literal["partly", "read", "foreign", "refused"]
"""partly: begun, and not read to its end. foreign: nobody's. refused: it could not be read."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of a source, as it was when it was last looked at."""

    source_file: str
    source: str  # the folder or file of dream.yaml it was found under
    reader: str  # "" when no reader claims it
    means: str  # reader, its version and the version of redaction: other means, read again
    look: str  # size and time of change; "" to read it again whatever they are
    status: FileStatus
    first_night: str  # ISO date
    last_night: str  # the last night it was found
    read_night: str  # the last night it was opened
    gone: bool = False  # it was not there on the last night that looked
    reason: str = ""  # a word of records.SKIPS, when it is foreign or refused
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Scan:
    """One unit of a file, read once. The newest of a unit is live, the others are on their way out:
    of them only counts what the live ones of the same file no longer have.
    """

    scan: int
    source_file: str
    reader: str
    unit: str
    token: str
    part: int
    night: str
    records: int
    messages: int
    rows: int  # in all tables of its part
    live: bool = True
    gone: bool = False  # the source no longer has this unit
    kept: bool = False  # not live, and of its rows only those that count are left


_scan = swift(Scan)


@dataclass(frozen=True, slots=True)
class Part:
    """A folder of Parquet files, one a table, that is written once."""

    part: int
    tables: Sequence[str]
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A source of dream.yaml that could not be looked into on the last night."""

    source: str
    detail: str
    night: str


@dataclass(slots=True)
class Manifest:
    """Not frozen: a night changes its own copy and publishes it whole."""

    files: dict[str, FileEntry] = field(default_factory=dict)
    scans: dict[int, Scan] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    retired: dict[int, str] = field(default_factory=dict)  # part to the night it went out of use
    missing: dict[str, Missing] = field(default_factory=dict)
    next_scan: int = 1
    next_row: int = 1
    next_part: int = 1

    def content(self) -> str:
        """SHA-256, hex, of what the archive says; nights and the cut into parts do not count."""
        digest = hashlib.sha256()
        for scan in sorted(self.scans.values(), key=lambda s: (s.source_file, s.unit, s.scan)):
            said = [scan.source_file, scan.unit, scan.token, scan.live, scan.gone, scan.rows]
            digest.update(orjson.dumps(said))
        for _, entry in sorted(self.files.items()):
            said = [entry.source_file, entry.means, entry.status, entry.gone, entry.reason]
            digest.update(orjson.dumps(said))
        digest.update(orjson.dumps(sorted(self.missing)))
        return digest.hexdigest()


def folder_of(state: Path, part: int) -> Path:
    return state / PARTS / f"{part:06d}"


def load(state: Path) -> Manifest:
    """The manifest of a state folder; an empty one where no night has been.

    Raises StateBroken when there is one that cannot be used.
    """
    path = state / NAME
    try:
        stored = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        return Manifest()
    except (OSError, orjson.JSONDecodeError) as error:
        raise _broken(path, str(error)) from error
    try:
        return _manifest(stored)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _broken(path, f"it is not as this version writes it ({error})") from error


def save(state: Path, manifest: Manifest) -> None:
    """Replaces the manifest; after a crash the old or the new one stands there, whole."""
    stored = {
        "format": FORMAT,
        "content": manifest.content(),
        "next": [manifest.next_scan, manifest.next_row, manifest.next_part],
        "files": list(manifest.files.values()),
        "scans": _packed(manifest),
        "parts": list(manifest.parts.values()),
        "missing": list(manifest.missing.values()),
        "retired": sorted(manifest.retired.items()),
    }
    write(state / NAME, orjson.dumps(stored, option=orjson.OPT_APPEND_NEWLINE))


def fingerprint(state: Path) -> str:
    """64 hex digits that change when any relation of the archive may; "" before the first night."""
    digest = hashlib.sha256()
    for name in (NAME, "projects.json"):
        try:
            stored = (state / name).read_bytes()
            # Of the manifest only what it says counts, not the nights that found it unchanged.
            digest.update(orjson.loads(stored)["content"].encode() if name == NAME else stored)
        except FileNotFoundError:
            if name == NAME:
                return ""
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise _broken(state / name, str(error)) from error
    return digest.hexdigest()


def write(path: Path, content: bytes) -> None:
    """Replaces a file as a whole, on the disk before it takes its name."""
    fresh = path.with_name(path.name + ".tmp")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    sync(path.parent)


def sync(folder: Path) -> None:
    """Makes renames inside a folder last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _manifest(stored: dict[str, Any]) -> Manifest:
    if stored["format"] != FORMAT:
        raise ValueError(f"format {stored['format']}, and this version knows {FORMAT}")
    next_scan, next_row, next_part = stored["next"]
    files = [FileEntry(**entry) for entry in stored["files"]]
    return Manifest(
        files={entry.source_file: entry for entry in files},
        scans=_unpacked(stored["scans"], files),
        parts={part["part"]: Part(**part) for part in stored["parts"]},
        missing={one["source"]: Missing(**one) for one in stored["missing"]},
        retired=dict(stored["retired"]),
        next_scan=next_scan,
        next_row=next_row,
        next_part=next_part,
    )


def _packed(manifest: Manifest) -> list[list[object]]:
    """Readings as short rows: an archive of runs has a hundred thousand of them."""
    files = {source_file: number for number, source_file in enumerate(manifest.files)}
    rows: list[list[object]] = []
    for scan in manifest.scans.values():
        flags = scan.live + 2 * scan.gone + 4 * scan.kept
        place = (scan.scan, files[scan.source_file], scan.reader, scan.unit, scan.token, scan.part)
        rows.append([*place, scan.night, scan.records, scan.messages, scan.rows, flags])
    return rows


def _unpacked(rows: Sequence[Sequence[Any]], files: Sequence[FileEntry]) -> dict[int, Scan]:
    found: dict[int, Scan] = {}
    for number, file, reader, unit, token, part, night, records, messages, size, flags in rows:
        found[number] = _scan(
            number, files[file].source_file, reader, unit, token, part, night, records, messages,
            size, bool(flags & 1), bool(flags & 2), bool(flags & 4),
        )  # fmt: skip
    return found


def _broken(path: Path, why: str) -> StateBroken:
    return StateBroken(
        f"The archive's manifest {path} cannot be used: {why}.\n"
        "Nothing was written. Put the file back from a backup, or move the whole folder away and "
        "start anew: what the sources still hold is read again, what they have deleted is lost."
    )
