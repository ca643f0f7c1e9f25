"""The archive's night: look at the sources, read what is new, keep what is gone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from dream.archive import projects
from dream.archive.checkout import common_dir
from dream.archive.compact import compact
from dream.archive.lock import night_lock
from dream.archive.look import Delta, Look, delta, look
from dream.archive.manifest import Missing, fingerprint
from dream.archive.store import PART, Store
from dream.archive.taking import Tally, Whose, take
from dream.config import ProjectSpec, SourceSpec
from dream.progress import Progress, Silent
from dream.reader import Reader
from dream.types import SourceTotal, Taken


def ingest(
    state: Path,
    sources: Sequence[SourceSpec],
    readers: Sequence[Reader],
    night: date,
    progress: Progress | None = None,
    *,
    known_roots: Sequence[ProjectSpec] = (),
    part: int = PART,
    git_dir: Callable[[str], str | None] = common_dir,
    whose: Whose = lambda head: "",
) -> Taken:
    """Reads what changed in the sources since the last night, and says what it took.

    readers: in the order in which they are asked whose a file is. part: characters after which
    what was read is published. git_dir: tells a folder's repository, by default on this machine.
    whose: names the agent of a file that no reader claims, by its first bytes.
    One bad file costs itself. Raises NightBusy and StateBroken; what was published stays.
    """
    with night_lock(state, night.isoformat()):
        before = fingerprint(state)
        store = Store(state, night.isoformat(), part)
        try:
            seen = look(sources, readers)
            todo = delta(seen.files, seen.sources, store.manifest.files)
            tally = _read(store, todo, progress or Silent(), whose)
            _note(store, seen, todo)
            store.publish()
            if todo.changed and compact(store):
                store.save()
        finally:
            store.close()
        projects.learn(state, tally.cwds, known_roots, git_dir)
        after = fingerprint(state)
        return Taken(
            night=night,
            sources=tuple(_total(store, seen, todo, source) for source in seen.sources),
            units=tally.units,
            records=tally.records,
            messages=tally.messages,
            redacted=dict(sorted(store.writer.redacted.items())),
            skipped=dict(sorted(tally.skipped.items())),
            noticed=dict(sorted(tally.noticed.items())),
            troubles=tuple(tally.troubles),
            changed=after != before,
            fingerprint=after,
        )


def _read(store: Store, todo: Delta, progress: Progress, whose: Whose) -> Tally:
    tally = Tally()
    progress.stage("reading", len(todo.changed))
    for found in todo.changed:
        take(store, found, tally, whose)
        progress.step(1, found.path.name)
    return tally


def _note(store: Store, seen: Look, todo: Delta) -> None:
    """What the look told, of files that were not opened and of sources that are not there."""
    files = store.manifest.files
    for name in todo.unchanged:
        files[name] = replace(files[name], last_night=store.night, gone=False)
    for name in todo.gone:
        files[name] = replace(files[name], gone=True)
    store.manifest.missing = {
        source: Missing(source, why, store.night) for source, why in sorted(seen.missing.items())
    }


def _total(store: Store, seen: Look, todo: Delta, source: str) -> SourceTotal:
    found = [name for name, file in seen.files.items() if file.source == source]
    opened = {file.source_file for file in todo.changed}
    stands = [store.manifest.files[name].status for name in found]
    gone = [name for name in todo.gone if store.manifest.files[name].source == source]
    return SourceTotal(
        source=source,
        found=len(found),
        read=sum(name in opened and s != "foreign" for name, s in zip(found, stands, strict=True)),
        unchanged=sum(name not in opened for name in found),
        foreign=stands.count("foreign"),
        refused=stands.count("refused"),
        gone=len(gone),
        missing=seen.missing.get(source, ""),
    )
