"""Checkpoints of the Entire CLI: agents' transcripts that a repository keeps beside its code.

Layout: `<2 signs>/<rest of the checkpoint's id>/<n>/` holds one session's metadata.json and
full.jsonl; one ref a checkpoint gives the same with the whole id. An older layout puts full.jsonl
one level up. All this as plain files, or in the objects of a git repository (entire_git.py).
The transcript is the agent's own file, whole or a slice; what `agent` says in the metadata is often
wrong, so the content decides. FORMATS are read here, a pi session is left to pi's reader, and any
other agent's is named.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from dream.errors import SourceUnreadable
from dream.records import Skip, Transcript
from dream.sources import (
    HEAD,
    claude,
    codex,
    copilot,
    entire_git,
    entire_meta,
    gemini,
    jsonl,
    opencode,
)
from dream.sources.below import walked


class Format(Protocol):
    """What a reader's module offers so that its transcripts are read here too."""

    VERSION: int

    def claims(self, path: Path, head: bytes) -> bool:
        """As in Reader: whether a file that begins with head is of this format."""

    def transcript(
        self,
        path: Path,
        token: str,
        *,
        own_id: str = "",
        branch: str | None = None,
        skips: Sequence[Skip] = (),
    ) -> Transcript:
        """Everything in the file.

        own_id, branch: for records that name no session or git branch. skips: what its reader has
        to tell already.
        """


FORMATS: tuple[Format, ...] = (claude, codex, copilot, gemini, opencode)
"""A new format is one name here. The first that claims the content reads it."""

NAME = "entire"
VERSION = 1 + sum(one.VERSION for one in FORMATS)

_SESSION = re.compile(
    r"(?:.*/)?(?P<half>[0-9A-Za-z]{2})/(?P<rest>[0-9a-f]{10}|[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{24}"
    r"|[0-9A-HJKMNP-TV-Z]{26})(?:/(?P<number>\d+))?",
    re.DOTALL,
)
"""A folder that holds one session: an id of 12 hex digits, or a ULID."""


def find(root: Path) -> Iterator[Path]:
    """Every session's full.jsonl, the metadata.json of one whose transcript is not there, and the
    HEAD file of every repository with checkpoints in it.
    """
    if root.is_file():
        yield root
        return
    found: set[Path] = set()
    barred: list[Path] = []
    for name, files in walked(root, barred):
        folder = Path(name)
        if (head := entire_git.store_in(folder, files)) is not None:
            found.add(head)
        place = _SESSION.fullmatch(folder.absolute().as_posix())
        if place is None:
            continue
        if "full.jsonl" in files:
            found.add(folder / "full.jsonl")
        elif "metadata.json" in files and place["number"]:
            found.add(folder / "metadata.json")
    yield from sorted(found.union(barred))


def claims(path: Path, head: bytes) -> bool:
    """Whether path has its place in the layout. A foreign transcript is claimed too, to name it."""
    if path.name == "HEAD":
        return entire_git.claims(path)
    place = _SESSION.fullmatch(path.parent.absolute().as_posix())
    if place is None:
        return False
    if path.name == "metadata.json":
        return bool(place["number"]) and not path.with_name("full.jsonl").exists()
    return path.name == "full.jsonl"


def look(path: Path) -> str:
    """What changes when a repository must be read again; "" for a plain file."""
    try:
        return entire_git.look(path.parent) if path.name == "HEAD" else ""
    except SourceUnreadable:
        return ""  # reading it says why


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The session's transcript, if it or its metadata has changed since known[""]; of a repository
    every transcript that is new.

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    if path.name == "HEAD":
        yield from entire_git.read(path.parent, known, scratch, _session)
        return
    beside = path.with_name("metadata.json")
    token = jsonl.token(path)
    if beside.exists():
        token += f"|{jsonl.token(beside)}"
    if known.get("") != token:
        yield _from_files(path, token, beside)


def _from_files(path: Path, token: str, beside: Path) -> Transcript:
    skips: list[Skip] = []
    about = _metadata(beside, skips)
    if path.name == "metadata.json":
        session = entire_meta.session_of(about)
        skips.append(Skip("missing_blob", 0, f"full.jsonl of session {session}"))
        made = Transcript("", token, skips=skips)
    else:
        made = _session(path, token, about, skips)
    place = _SESSION.fullmatch(path.parent.absolute().as_posix())
    if place is None:  # a single file that somebody named
        return made
    number = place["number"] or ""
    whole = _metadata(beside.parent.with_name("metadata.json"), []) if number else {}
    name = place["rest"] if len(place["rest"]) in (12, 26) else place["half"] + place["rest"]
    return replace(made, checkpoints=entire_meta.checkpoint(about, whole, name, number))


def _session(path: Path, token: str, about: Mapping[str, Any], skips: list[Skip]) -> Transcript:
    session = entire_meta.session_of(about)
    branch = entire_meta.text(about, "branch") or None
    of_content = _format(path)
    return of_content.transcript(path, token, own_id=session, branch=branch, skips=skips)


def _format(path: Path) -> Format:
    """The format of the file's content; Claude Code's, which names it, where it is none of ours."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    return next((one for one in FORMATS if one.claims(path, head)), claude)


def _metadata(path: Path, skips: list[Skip]) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            return entire_meta.parsed(file.read(entire_meta.LARGEST), skips)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
