"""What the archive holds, in one file that is replaced as a whole.

A reader takes the manifest once and sees one archive for as long as it likes, whatever a night
writes meanwhile: parts are never changed, and one that is no longer named stays for a night.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec
import orjson

from dream.archive import ledger
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
_ScanRow = tuple[int, int, str, str, str, int, str, int, int, int, int]
"""A reading as it is stored: its file by number, its three flags as one."""


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


@dataclass(frozen=True, slots=True)
class _Format:
    format: int


@dataclass(frozen=True, slots=True)
class _Content:
    content: str


@dataclass(frozen=True, slots=True)
class _Stored:
    """The file, as this version writes it."""

    format: int
    content: str
    next: tuple[int, int, int]
    files: list[FileEntry]
    scans: list[_ScanRow]
    parts: list[Part]
    missing: list[Missing]
    retired: list[tuple[int, str]]


def load(state: Path) -> Manifest:
    """The manifest of a state folder; an empty one where no night has been.

    Raises StateBroken when there is one that cannot be used, and when the one there was is gone.
    """
    path = state / NAME
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        if _nights_were(state):
            raise _broken(
                path, "it is gone, though nights were told of and parts lie there"
            ) from None
        return Manifest()
    except OSError as error:
        raise _broken(path, str(error)) from error
    try:
        known = msgspec.json.decode(stored, type=_Format).format
        if known != FORMAT:
            raise ValueError(f"format {known}, and this version knows {FORMAT}")
        return _manifest(msgspec.json.decode(stored, type=_Stored))
    except (ValueError, RecursionError) as error:  # of msgspec, too
        raise _broken(path, f"it is not as this version writes it ({error})") from error


def _nights_were(state: Path) -> bool:
    """Whether parts lie there that a finished night has named: then they are not to be swept."""
    parts = state / PARTS
    return parts.is_dir() and any(parts.iterdir()) and ledger.has(state, "night")


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
            if name == NAME:
                stored = msgspec.json.decode(stored, type=_Content).content.encode()
            digest.update(stored)
        except FileNotFoundError:
            if name == NAME:
                return ""
        except (OSError, ValueError, RecursionError) as error:
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


def _manifest(stored: _Stored) -> Manifest:
    """Raises ValueError when one part of it contradicts another."""
    next_scan, next_row, next_part = stored.next
    manifest = Manifest(
        files={entry.source_file: entry for entry in stored.files},
        scans=_unpacked(stored.scans, stored.files),
        parts={part.part: part for part in stored.parts},
        missing={one.source: one for one in stored.missing},
        retired=dict(stored.retired),
        next_scan=next_scan,
        next_row=next_row,
        next_part=next_part,
    )
    if next_scan <= max(manifest.scans, default=0):
        raise ValueError("a number of a reading would be given twice")
    if next_part <= max((*manifest.parts, *manifest.retired), default=0):
        raise ValueError("a number of a part would be given twice")
    for night in {
        *(e.first_night for e in stored.files),
        *(e.last_night for e in stored.files),
        *(e.read_night for e in stored.files),
        *(scan.night for scan in manifest.scans.values()),
        *(one.night for one in stored.missing),
    }:
        date.fromisoformat(night)
    return manifest


def _packed(manifest: Manifest) -> list[list[object]]:
    """Readings as short rows: an archive of runs has a hundred thousand of them."""
    files = {source_file: number for number, source_file in enumerate(manifest.files)}
    rows: list[list[object]] = []
    for scan in manifest.scans.values():
        flags = scan.live + 2 * scan.gone + 4 * scan.kept
        place = (scan.scan, files[scan.source_file], scan.reader, scan.unit, scan.token, scan.part)
        rows.append([*place, scan.night, scan.records, scan.messages, scan.rows, flags])
    return rows


def _unpacked(rows: Sequence[_ScanRow], files: Sequence[FileEntry]) -> dict[int, Scan]:
    found: dict[int, Scan] = {}
    for number, file, reader, unit, token, part, night, records, messages, size, flags in rows:
        if not 0 <= file < len(files):
            raise ValueError(f"reading {number} is of file {file}, which is not listed")
        found[number] = _scan(
            number, files[file].source_file, reader, unit, token, part, night, records, messages,
            size, bool(flags & 1), bool(flags & 2), bool(flags & 4),
        )  # fmt: skip
    return found


def _broken(path: Path, why: str) -> StateBroken:
    return StateBroken(
        f"The archive's manifest {path} cannot be used: {why}.\n"
        "Nothing was written. Put the file back from a backup, or move the whole folder away and "
        "start anew with its ledger.jsonl alone: what the sources still hold is read again, what "
        "they have deleted is lost."
    )
