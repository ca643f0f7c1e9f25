"""Parts are rewritten without what no longer counts, so that a growing session is not stored for
ever as often as there were nights. What only we still hold is carried over.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from dream.archive.archive import Archive
from dream.archive.manifest import Manifest, Scan, folder_of
from dream.archive.parts import finished, full
from dream.archive.schema import TABLES
from dream.archive.store import Store

SMALL = 4_000_000
"""Bytes under which a part is small."""
MANY = 12
"""So many parts that are small or mostly out of use are worth it."""
WASTE = 16_000_000
"""So many bytes of them that are out of use are, too."""

NOTES = frozenset({"branches", "skips", "removals"})
"""Tables that say how things stood at a reading: of an older one nobody asks them any more."""

_BATCH = 32_000_000  # bytes of Parquet that are rewritten into one part


@dataclass(frozen=True, slots=True)
class Carried:
    """How many rows of a reading a part holds in one table."""

    scan: int
    rows: int


def compact(store: Store) -> bool:
    """Rewrites the parts that are worth it. The manifest names the new ones when it is saved next;
    the old ones stay for a night, for readers that have them open. False: none was worth it.

    Parts whose texts together are more than the memory holds stay as they are: nothing needs this.
    """
    batches = plan(store.manifest)
    if not batches:
        return False
    done = False
    with Archive.open(store.state) as archive:
        for batch in batches:
            try:
                _rewrite(store, archive, batch)
                done = True
            except duckdb.OutOfMemoryException:
                shutil.rmtree(_fresh(store), ignore_errors=True)
            except (OSError, duckdb.Error) as error:
                raise full(store.state, error) from error
    return done


def plan(manifest: Manifest) -> tuple[tuple[int, ...], ...]:
    """Parts to be made into one, batch by batch: those that are small or mostly out of use, once
    there are many of them or they take much room. Nothing is rewritten for a few bytes.
    """
    dead: Counter[int] = Counter()
    for scan in manifest.scans.values():
        if not scan.live and not scan.kept:
            dead[scan.part] += scan.rows
    parts = [part for _, part in sorted(manifest.parts.items())]
    worn = {part.part for part in parts if dead[part.part] * 2 > part.rows}
    waste = sum(part.bytes * dead[part.part] // part.rows for part in parts if part.part in worn)
    small = {part.part for part in parts if part.bytes < SMALL}
    if len(worn | small) >= MANY:
        worn |= small
    elif waste < WASTE:
        return ()
    batches: list[tuple[int, ...]] = []
    batch: list[int] = []
    size = 0
    for part in parts:
        if part.part in worn:
            batch.append(part.part)
            size += part.bytes * max(0, part.rows - dead[part.part]) // max(1, part.rows)
            if size >= _BATCH:
                batches.append(tuple(batch))
                batch, size = [], 0
    return (*batches, *((tuple(batch),) if batch else ()))


def _rewrite(store: Store, archive: Archive, batch: Sequence[int]) -> None:
    manifest = store.manifest
    scans = [scan for _, scan in sorted(manifest.scans.items()) if scan.part in batch]
    number = manifest.next_part
    target = folder_of(store.state, number)
    fresh = _fresh(store)
    fresh.mkdir(mode=0o700)
    rows: Counter[str] = Counter()
    kept: Counter[int] = Counter()
    for name in TABLES:
        file = fresh / f"{name}.parquet"
        which = "messages" if name == "messages" else "notes" if name in NOTES else "rows"
        values = {"stored": f"stored_{name}", "scans": [scan.scan for scan in scans]}
        archive.write(f"archive/carry_{which}", **values, target=str(file))
        for carried in archive.rows("archive/carried", Carried, target=str(file)):
            rows[name] += carried.rows
            kept[carried.scan] += carried.rows
        if not rows[name]:
            file.unlink()
    if rows.total():
        manifest.parts[number] = finished(number, fresh, target, rows)
        manifest.next_part += 1
    else:
        fresh.rmdir()
    _moved(manifest, scans, kept, number)
    for part in batch:
        del manifest.parts[part]
        manifest.retired[part] = store.night


def _fresh(store: Store) -> Path:
    """Where the next part is made, beside its place."""
    return folder_of(store.state, store.manifest.next_part).with_suffix(".tmp")


def _moved(manifest: Manifest, scans: Sequence[Scan], kept: Mapping[int, int], number: int) -> None:
    for scan in scans:
        if scan.live or kept.get(scan.scan):
            manifest.scans[scan.scan] = replace(
                scan, part=number, rows=kept.get(scan.scan, 0), kept=not scan.live
            )
        else:
            del manifest.scans[scan.scan]
