"""What the sources hold tonight, and what of it is new. One look a file, and none is opened."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dream.archive.manifest import FileEntry
from dream.archive.redact import VERSION
from dream.config import SourceSpec
from dream.reader import Looking, Reader


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may hold transcripts."""

    source_file: str  # its path as text; bytes that are not UTF-8 are escaped
    path: Path
    source: str
    readers: tuple[Reader, ...]  # that may take it, in the order in which they are asked
    look: str  # size and time of change; "" when it could not be looked at
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """files: by source_file, in its order. missing: sources that are not there, with the cause."""

    files: Mapping[str, Found]
    missing: Mapping[str, str]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """What tonight must do: files to open, files that lie still, and entries whose file is gone."""

    changed: tuple[Found, ...]
    unchanged: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(slots=True)
class _Gathered:
    path: Path
    source: str
    readers: list[Reader] = field(default_factory=list)


def look(sources: Sequence[SourceSpec], readers: Sequence[Reader]) -> Look:
    """Every file that a reader finds below a source. Of sources that overlap the first has it."""
    gathered: dict[str, _Gathered] = {}
    missing: dict[str, str] = {}
    roots: list[str] = []
    for source in sources:
        path = Path(os.path.abspath(source.path.expanduser()))  # noqa: PTH100 - links stay links
        root = _text(path)
        roots.append(root)
        wanted = [one for one in readers if source.kind in (None, one.NAME)]
        try:
            path.stat()
            found = [(file, one) for one in wanted for file in one.find(path)]
        except OSError as error:
            missing[root] = error.strerror or str(error)
            continue
        for file, reader in found:
            entry = gathered.setdefault(_text(file), _Gathered(file, root))
            if entry.source == root and reader not in entry.readers:
                entry.readers.append(reader)
    looking = [one for one in readers if isinstance(one, Looking)]
    files = {name: _found(name, entry, looking) for name, entry in sorted(gathered.items())}
    return Look(files, missing, tuple(dict.fromkeys(roots)))


def delta(
    found: Mapping[str, Found], sources: Iterable[str], known: Mapping[str, FileEntry]
) -> Delta:
    """What to read and what is gone. Opens no file.

    sources: those looked at tonight; a file of another one is neither read nor gone.
    """
    looked_at = set(sources)
    changed, unchanged = [], []
    for name, file in found.items():
        entry = known.get(name)
        still = entry is not None and file.look and _same(entry, file)
        unchanged.append(name) if still else changed.append(file)
    gone = (
        name
        for name, entry in sorted(known.items())
        if name not in found and entry.source in looked_at
    )
    return Delta(tuple(changed), tuple(unchanged), tuple(gone))


def means(reader: Reader) -> str:
    """What a file was read with. When it changes the same bytes may say something else."""
    return f"{reader.NAME}/{reader.VERSION}/{VERSION}"


def nobody(readers: Sequence[Reader]) -> str:
    """The same for a file that none of these claims."""
    return " ".join(map(means, readers))


def _same(entry: FileEntry, file: Found) -> bool:
    if entry.look != file.look:
        return False
    if entry.status == "foreign":
        return entry.means == nobody(file.readers)
    return any(entry.means == means(reader) for reader in file.readers)


def _found(name: str, entry: _Gathered, looking: Sequence[Looking]) -> Found:
    try:
        told = [one.look(entry.path) for one in looking if one in entry.readers]
        seen = "".join(told) or _look(entry.path)
    except OSError as error:
        trouble = error.strerror or str(error)
        return Found(name, entry.path, entry.source, tuple(entry.readers), "", trouble)
    return Found(name, entry.path, entry.source, tuple(entry.readers), seen)


def _look(path: Path) -> str:
    """Size and time of change; of a database also those of its write-ahead log, where new rows
    may stand for days before the file itself changes.
    """
    seen = os.stat(path)  # noqa: PTH116 - a night with nothing new is made of these
    token = f"{seen.st_size}.{seen.st_mtime_ns}"
    if path.suffix in (".jsonl", ".json", ".md"):
        return token
    try:
        log = os.stat(f"{path}-wal")  # noqa: PTH116
    except OSError:
        return token
    return f"{token}+{log.st_size}.{log.st_mtime_ns}"


def _text(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
