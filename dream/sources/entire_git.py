"""Entire checkpoints as they lie in a git repository, read from its objects without a checkout.

Two layouts: a branch whose tree holds all checkpoints, and one ref a checkpoint. A repository is
known by its HEAD file. A unit is one session's transcript, known by its blob, so that nothing is
decoded twice; and one session's metadata, known by its blobs too.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dream import git_refs
from dream.git_objects import Entry, Objects
from dream.records import Skip, Transcript
from dream.sources import entire_meta

Session = Callable[[Path, str, Mapping[str, Any], list[Skip]], Transcript]
"""A transcript's file, its token, what its metadata says, Skips so far -> what the file holds."""

_BRANCH = re.compile(r"refs/(?:heads|remotes/.+)/entire/checkpoints/v1")
_ID = r"(?P<id>[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})"
_SINGLE = re.compile(rf"refs/entire/checkpoints/[0-9A-Za-z]{{2}}/{_ID}")
_OTHERS = re.compile(r"refs/(?:(?:heads|remotes/.+)/entire/checkpoints|entire)/.+")
_HALF = re.compile(r"[0-9A-Za-z]{2}")
_WHOLE = re.compile(_ID)
_PIECE = re.compile(r"full\.jsonl(?:\.(\d{3,}))?")
_MISSING = "missing"  # token of a transcript that is not here: it may come with a later fetch


@dataclass(slots=True)
class Place:
    """One session of one checkpoint, as blobs."""

    checkpoint: str
    number: str  # "" where the transcript lies beside the checkpoint's own metadata
    about: str = ""
    whole: str = ""  # the metadata of the checkpoint
    pieces: dict[int, str] = field(default_factory=dict)  # of a transcript, by their number
    aside: list[tuple[str, str]] = field(default_factory=list)  # sub-agents' transcripts: name

    @property
    def name(self) -> str:
        return f"{self.checkpoint}/{self.number}" if self.number else self.checkpoint

    def transcripts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """File name and blobs in their order, of the session and of its sub-agents."""
        if self.pieces:
            yield "full.jsonl", tuple(blob for _, blob in sorted(self.pieces.items()))
        yield from ((name, (blob,)) for name, blob in sorted(self.aside))


def store_in(folder: Path, names: Iterable[str]) -> Path | None:
    """The HEAD file of the repository that a folder is or has, if checkpoints may lie in it.

    names: of the folder's files. Looks at files of refs only; git is not asked.
    """
    try:
        if ".git" not in names and "HEAD" not in names and not (folder / ".git").is_dir():
            return None
        store = git_refs.store_of(folder)
        if store is None:
            return None
        if (store / "reftable").is_dir():
            there = any(b"checkpoints" in part.read_bytes() for part in store.glob("reftable/*"))
        else:
            there = bool(git_refs.refs(store, _OTHERS))
    except OSError:
        return None
    return store / "HEAD" if there else None


def claims(path: Path) -> bool:
    """Whether it is the HEAD file of such a repository."""
    return path.name == "HEAD" and store_in(path.parent, ("HEAD",)) is not None


def look(store: Path) -> str:
    """Changes when any of the refs does; objects that came without a ref may make it change too."""
    seen = repr(sorted(git_refs.refs(store, _OTHERS).items()))
    try:
        packs = (store / "objects/pack").stat().st_mtime_ns
    except OSError:
        packs = 0
    return f"{hashlib.sha256(seen.encode(errors='surrogateescape')).hexdigest()}.{packs}"


def read(
    store: Path, known: Mapping[str, str], scratch: Path, session: Session
) -> Iterator[Transcript]:
    """Every transcript and every metadata whose blobs are new. One file of ours at a time is made.

    Raises SourceUnreadable without git, or where refs are kept in a way that is not known.
    """
    listed = git_refs.refs(store, _OTHERS)
    refs = {name: commit for name, commit in listed.items() if commit}
    skips = [
        Skip("bad_shape" if _is_known(name) else "too_new", 0, name)
        for name, commit in listed.items()
        if not commit or not _is_known(name)
    ]
    if not refs:
        yield Transcript("", "", skips=skips, seen=("",))
        return
    with Objects.open(store, scratch, next(iter(refs.values()))) as objects:
        reading = _Reading(store, objects, known, scratch, session, skips)
        for place in reading.places(refs):
            yield from reading.of(place)
    yield Transcript("", "", skips=skips, seen=("", *sorted(reading.seen)))


def _is_known(ref: str) -> bool:
    """Whether its layout is one of the two."""
    return bool(_BRANCH.fullmatch(ref) or _SINGLE.fullmatch(ref))


class _Reading:
    """One pass over a repository."""

    def __init__(
        self, store: Path, objects: Objects, known: Mapping[str, str], scratch: Path,
        session: Session, skips: list[Skip],
    ) -> None:  # fmt: skip
        self.store = store
        self.objects = objects
        self.known = known
        self.scratch = scratch
        self.session = session
        self.skips = skips
        self.seen: set[str] = set()

    def places(self, refs: Mapping[str, str]) -> Iterator[Place]:
        """Every session of every checkpoint, in the order of their names; what is not here is told.

        The same checkpoint may stand in several refs, and be newer in one of them.
        """
        found: dict[tuple[str, str], str] = {}
        for name, commit in refs.items():
            if single := _SINGLE.fullmatch(name):
                found.setdefault((single["id"], commit), name)
            elif _BRANCH.fullmatch(name):
                for half in self._folders(commit, name, _HALF):
                    for rest in self._folders(half.object_id, name, re.compile(".+")):
                        if _WHOLE.fullmatch(half.name + rest.name):
                            found.setdefault((half.name + rest.name, rest.object_id), name)
        for (checkpoint, tree), name in sorted(found.items()):
            yield from self._sessions(checkpoint, tree, name)

    def of(self, place: Place) -> Iterator[Transcript]:
        """What is new of one session of a checkpoint."""
        skips: list[Skip] = []
        if place.about and (place.number or place.pieces):
            token = f"{place.about}+{place.whole}"
            if not place.pieces:
                token += f"+{_MISSING}"
            if self._new(place.name, token):
                about, whole = self._metadata(place.about, skips), {}
                if place.whole != place.about and place.whole:
                    whole = dict(self._metadata(place.whole, skips))
                if not place.pieces:
                    skips.append(self._missing(place, about))
                told = entire_meta.checkpoint(
                    about, whole, place.checkpoint, place.number, str(self.store)
                )
                yield Transcript(place.name, token, skips=skips, checkpoints=told)
        for name, blobs in place.transcripts():
            unit = "+".join(blobs)
            if self._new(unit, unit):
                made = self._transcript(place, name, blobs)
                if self.known.get(unit) != made.token:
                    yield made

    def _new(self, unit: str, token: str) -> bool:
        """Whether a unit is to be read: once in a pass, and only when it is not known."""
        if unit in self.seen:
            return False
        self.seen.add(unit)
        return self.known.get(unit) != token

    def _transcript(self, place: Place, name: str, blobs: tuple[str, ...]) -> Transcript:
        unit = "+".join(blobs)
        about = self._metadata(place.about, []) if place.about else {}
        path = self.scratch / place.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            for number, blob in enumerate(blobs):
                if number:
                    with path.open("ab") as file:
                        file.write(b"\n")
                if not self.objects.copy(blob, path):
                    told = self._missing(place, about, name)
                    return Transcript(unit, _MISSING, skips=[told])
            return replace(self.session(path, unit, about, []), unit=unit)
        finally:
            path.unlink(missing_ok=True)

    def _metadata(self, blob: str, skips: list[Skip]) -> Mapping[str, Any]:
        raw = self.objects.get(blob)
        if raw is None:
            skips.append(Skip("missing_blob", 0, "metadata.json", lost=False))
            return {}
        return entire_meta.parsed(raw, skips)

    def _missing(self, place: Place, about: Mapping[str, Any], name: str = "full.jsonl") -> Skip:
        return Skip("missing_blob", 0, f"{name} of session {entire_meta.session_of(about)}")

    def _folders(self, tree: str, ref: str, named: re.Pattern[str]) -> list[Entry]:
        return [e for e in self._tree(tree, ref) if e.is_folder and named.fullmatch(e.name)]

    def _tree(self, tree: str, ref: str) -> list[Entry]:
        found = self.objects.tree(tree)
        if found is None:
            self.skips.append(Skip("missing_blob", 0, f"a folder of {ref}"))
        return found or []

    def _sessions(self, checkpoint: str, tree: str, ref: str) -> list[Place]:
        top = Place(checkpoint, "")
        entries = self._tree(tree, ref)
        self._files(top, entries)
        top.whole = top.about
        for one in self._tasks(entries, ref):
            top.aside.append(one)
        places = [top]
        for entry in entries:
            if entry.is_folder and entry.name.isascii() and entry.name.isdigit():
                place = Place(checkpoint, entry.name, whole=top.about)
                self._files(place, self._tree(entry.object_id, ref))
                places.append(place)
        return places

    def _files(self, place: Place, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.is_folder:
                continue
            if entry.name == "metadata.json":
                place.about = entry.object_id
            elif piece := _PIECE.fullmatch(entry.name):
                place.pieces[int(piece[1] or 0)] = entry.object_id

    def _tasks(self, entries: Iterable[Entry], ref: str) -> Iterator[tuple[str, str]]:
        """Transcripts of sub-agents."""
        for tasks in entries:
            if tasks.is_folder and tasks.name == "tasks":
                for task in self._folders(tasks.object_id, ref, re.compile(".+")):
                    for file in self._tree(task.object_id, ref):
                        if file.name.startswith("agent-") and file.name.endswith(".jsonl"):
                            yield file.name, file.object_id
