"""What the archive holds and what is being added to it. Only a night writes, under its lock."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dream.archive import manifest as manifests
from dream.archive.lines import sizes
from dream.archive.manifest import FileEntry, Manifest, Scan, folder_of
from dream.archive.parts import PartWriter, full, sweep
from dream.archive.redact import state_key
from dream.records import Transcript

PART = 64_000_000
"""Characters in one part, about; a transcript is never split."""


class Store:
    """Guards the manifest of a state and the part that is being made.

    Nothing counts before it is published; a process killed at any moment leaves the last published
    state and some files that the next night sweeps away.
    """

    def __init__(self, state: Path, night: str, part: int = PART) -> None:
        self.state = state
        self.night = night
        self._size = part
        try:
            (state / manifests.PARTS).mkdir(mode=0o700, parents=True, exist_ok=True)
            self.manifest = manifests.load(state)
            self._retire()
            sweep(state, {*self.manifest.parts, *self.manifest.retired})
            self.writer = PartWriter(state, state_key(state), self.manifest.next_row)
        except OSError as error:
            raise full(state, error) from error
        self._units = _units(self.manifest)
        self._pending: list[Scan] = []
        self._entries: dict[str, FileEntry] = {}
        self._seen: dict[str, frozenset[str]] = {}

    def known(self, source_file: str) -> Mapping[str, str]:
        """The token of every unit that is stored of a file."""
        units = self._units.get(source_file, {})
        return {unit: self.manifest.scans[scan].token for unit, scan in units.items()}

    def begin(self, entry: FileEntry) -> None:
        """A file is about to be read. Until it is done, it is one that must be read again."""
        self._entries[entry.source_file] = replace(entry, look="", status="partly")

    def add(self, source_file: str, reader: str, transcript: Transcript) -> None:
        """One unit as it was just read. It replaces what is stored of it once it is published.

        `seen` in it says which units the source has now; what we hold of others is kept.
        """
        size, counts = sizes(transcript)
        if self._pending and self.writer.size + size > self._size * 3 // 2:
            self.publish()  # a part stays small: whoever asks holds two thousand of its rows
        scan = Scan(
            scan=self.manifest.next_scan,
            source_file=source_file,
            reader=reader,
            unit=transcript.unit,
            token=transcript.token,
            part=self.manifest.next_part,
            night=self.night,
            records=transcript.records,
            messages=counts["messages"],
            rows=sum(counts.values()),
        )
        self.manifest.next_scan += 1
        self._pending.append(scan)
        if transcript.seen:
            self._seen[source_file] = frozenset(transcript.seen)
        self.writer.add(scan.scan, transcript)
        if self.writer.size >= self._size:
            self.publish()

    def done(self, entry: FileEntry) -> None:
        """A file was read to its end, or as far as it could be."""
        self._entries[entry.source_file] = entry

    def publish(self) -> None:
        """Makes everything added so far count. On the disk when this returns."""
        if self._pending:
            part = self.writer.publish(self.manifest.next_part)
            self.manifest.parts[part.part] = part
            self.manifest.next_part += 1
            self.manifest.next_row = self.writer.next_row
        for scan in self._pending:
            self._supersede(scan)
        for entry in self._entries.values():
            self.manifest.files[entry.source_file] = entry
            if entry.status == "read":
                self._settle(entry)
        self._pending, self._entries = [], {}
        self.save()

    def scratch(self) -> Path:
        """An empty private folder for a reader's copies."""
        folder = self.state / "tmp" / "scratch"
        folder.mkdir(mode=0o700, exist_ok=True)
        if any(folder.iterdir()):
            shutil.rmtree(folder)
            folder.mkdir(mode=0o700)
        return folder

    def save(self) -> None:
        try:
            manifests.save(self.state, self.manifest)
        except OSError as error:
            raise full(self.state, error) from error

    def close(self) -> None:
        self.writer.close()
        shutil.rmtree(self.state / "tmp", ignore_errors=True)

    def _supersede(self, scan: Scan) -> None:
        units = self._units.setdefault(scan.source_file, {})
        before = units.get(scan.unit)
        if before is not None:
            self._change(before, live=False)
        units[scan.unit] = scan.scan
        self.manifest.scans[scan.scan] = scan

    def _settle(self, entry: FileEntry) -> None:
        """What another reader once took of the file is on its way out; units that the source no
        longer has are gone there, and stay with us.
        """
        units = self._units.get(entry.source_file, {})
        seen = self._seen.pop(entry.source_file, None)
        for unit, number in sorted(units.items()):
            scan = self.manifest.scans[number]
            if scan.reader != entry.reader:
                self._change(number, live=False)
                del units[unit]
            elif seen is not None and unit and scan.gone == (unit in seen):
                self._change(number, gone=unit not in seen)

    def _change(self, number: int, *, live: bool | None = None, gone: bool | None = None) -> None:
        scan = self.manifest.scans[number]
        self.manifest.scans[number] = replace(
            scan,
            live=scan.live if live is None else live,
            gone=scan.gone if gone is None else gone,
        )

    def _retire(self) -> None:
        """Parts that went out of use on an earlier night: no reader is that slow."""
        for part, night in sorted(self.manifest.retired.items()):
            if night < self.night:
                shutil.rmtree(folder_of(self.state, part), ignore_errors=True)
                del self.manifest.retired[part]


def _units(manifest: Manifest) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for scan in manifest.scans.values():
        if scan.live:
            found.setdefault(scan.source_file, {})[scan.unit] = scan.scan
    return found
