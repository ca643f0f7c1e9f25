"""One file of a source on its way into the store. Whatever is wrong with it stays its own."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dream.archive.look import Found, means, nobody
from dream.archive.manifest import FileEntry
from dream.archive.redact import redact
from dream.archive.store import Store
from dream.errors import SourceUnreadable
from dream.reader import HEAD, Reader
from dream.records import Transcript


@dataclass(slots=True)
class Tally:
    """What a night has read so far."""

    units: int = 0
    records: int = 0
    messages: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)
    cwds: set[str] = field(default_factory=set)  # as stored, without secrets
    troubles: list[str] = field(default_factory=list)

    def add(self, transcript: Transcript) -> None:
        self.units += 1
        self.records += transcript.records
        self.messages += len(transcript.messages)
        self.cwds.update(redact(session.cwd).text for session in transcript.sessions)
        for skip in transcript.skips:
            (self.skipped if skip.lost else self.noticed)[skip.reason] += skip.count


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file could not be read, or not to its end."""

    reason: str  # a word of records.SKIPS
    detail: str
    bug: str = ""  # the traceback, when it is a reader's fault and not the file's


LOGS = "logs"
"""Traces of our own mistakes, in the state folder; `dream doctor` looks for bug-*.log there."""

Whose = Callable[[bytes], str]
"""The first bytes of a file that no reader claims -> the agent who writes such files, or ""."""


def take(store: Store, found: Found, tally: Tally, whose: Whose) -> None:
    """Reads one file with the first reader that claims it, as far as it can be read."""
    entry = _entry(store, found)
    reader, fault = _claim(found, whose)
    if reader is not None:
        known = store.known(found.source_file) if entry.means == means(reader) else {}
        entry = replace(entry, reader=reader.NAME, means=means(reader))
        store.begin(entry)
        fault = _read(store, found, reader, known, tally)
        if fault is None:
            store.done(replace(entry, status="read"))
            return
    assert fault is not None  # noqa: S101 - _claim gives one of the two
    if fault.reason in ("foreign_format", "empty"):
        foreign = replace(entry, means=nobody(found.readers), status="foreign")
        store.done(replace(foreign, reason=fault.reason, detail=fault.detail))
        return
    if fault.bug:
        _log(store, found, fault)
        tally.troubles.append(
            f"{found.source_file}: our own reader failed ({fault.detail}); the file was passed "
            f"over, everything else was read. See {LOGS}/{_log_name(store)} in the state folder."
        )
    # Without a look it is tried again on every night, since the cause may lie elsewhere.
    detail = redact(fault.detail).text
    store.done(replace(entry, look="", status="refused", reason=fault.reason, detail=detail))


def _claim(found: Found, whose: Whose) -> tuple[Reader | None, Fault | None]:
    if found.trouble:
        return None, Fault("unreadable", found.trouble)
    try:
        with found.path.open("rb") as file:
            head = file.read(HEAD)
        for reader in found.readers:
            if reader.claims(found.path, head):
                return reader, None
    except OSError as error:
        return None, Fault("unreadable", error.strerror or str(error))
    except Exception as error:
        return None, _bug(error)
    return None, Fault("foreign_format", whose(head)) if head.strip() else Fault("empty", "")


def _read(
    store: Store, found: Found, reader: Reader, known: Mapping[str, str], tally: Tally
) -> Fault | None:
    scratch = store.scratch()
    units = _guarded(reader.read(found.path, known, scratch))
    fault = None
    for unit in units:
        if isinstance(unit, Fault):
            fault = unit
        else:
            store.add(found.source_file, reader.NAME, unit)
            tally.add(unit)
    return fault


def _guarded(units: Iterator[Transcript]) -> Iterator[Transcript | Fault]:
    """The units, and a Fault when the reader gives up. What the store raises passes by here."""
    while True:
        try:
            unit = next(units, None)
        except SourceUnreadable as error:
            yield Fault(error.reason, error.why)
            return
        except OSError as error:
            yield Fault("unreadable", error.strerror or str(error))
            return
        except Exception as error:
            yield _bug(error)
            return
        if unit is None:
            return
        yield unit


def _bug(error: Exception) -> Fault:
    return Fault("unreadable", type(error).__name__, "".join(traceback.format_exception(error)))


def _entry(store: Store, found: Found) -> FileEntry:
    before = store.manifest.files.get(found.source_file)
    return FileEntry(
        source_file=found.source_file,
        source=found.source,
        reader=before.reader if before else "",
        means=before.means if before else "",
        look=found.look,
        status="partly",
        first_night=before.first_night if before else store.night,
        last_night=store.night,
        read_night=store.night,
    )


def _log(store: Store, found: Found, fault: Fault) -> None:
    folder = store.state / LOGS
    folder.mkdir(mode=0o700, exist_ok=True)
    path: Path = folder / _log_name(store)
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{found.source_file}\n{redact(fault.bug).text}\n")


def _log_name(store: Store) -> str:
    return f"bug-reader-{store.night}.log"
