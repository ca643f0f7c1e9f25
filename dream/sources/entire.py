"""Checkpoints of the Entire CLI: agents' transcripts that a repository keeps beside its code.

Layout: `<2 signs>/<rest of the checkpoint's id>/<n>/` holds one session's metadata.json and
full.jsonl; one ref a checkpoint gives the same with the whole id. An older layout puts full.jsonl
one level up. The transcript is the agent's own file, whole or a slice; what `agent` says in the
metadata is often wrong, so the content decides. FORMATS are read here, a pi session is left to pi's
reader, and any other agent's is named.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import orjson

from dream.errors import SourceUnreadable
from dream.records import Skip, Transcript
from dream.sources import HEAD, claude, jsonl
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


FORMATS: tuple[Format, ...] = (claude,)
"""A new format is one name here. The first that claims the content reads it."""

NAME = "entire"
VERSION = sum(one.VERSION for one in FORMATS)

_SESSION = re.compile(
    r"(?:.*/)?[0-9A-Za-z]{2}/(?:[0-9a-f]{10}|[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{24}"
    r"|[0-9A-HJKMNP-TV-Z]{26})(?P<number>/\d+)?",
    re.DOTALL,
)
"""A folder that holds one session: an id of 12 hex digits, or a ULID."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d-(?=.)")
_LARGEST = 1 << 20  # bytes of a metadata.json; genuine ones have some hundreds


def find(root: Path) -> Iterator[Path]:
    """Every session's full.jsonl, and the metadata.json of one whose transcript is not there."""
    if root.is_file():
        yield root
        return
    found: list[Path] = []
    barred: list[Path] = []
    for folder, files in walked(root, barred):
        place = _SESSION.fullmatch(Path(folder).absolute().as_posix())
        if place is None:
            continue
        if "full.jsonl" in files:
            found.append(Path(folder, "full.jsonl"))
        elif "metadata.json" in files and place["number"]:
            found.append(Path(folder, "metadata.json"))
    yield from sorted(found + barred)


def claims(path: Path, head: bytes) -> bool:
    """Whether path has its place in the layout. A foreign transcript is claimed too, to name it."""
    place = _SESSION.fullmatch(path.parent.absolute().as_posix())
    if place is None:
        return False
    if path.name == "metadata.json":
        return bool(place["number"]) and not path.with_name("full.jsonl").exists()
    return path.name == "full.jsonl"


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The session's transcript, if it or its metadata has changed since known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    beside = path.with_name("metadata.json")
    token = jsonl.token(path)
    skips: list[Skip] = []
    about: Mapping[str, Any] = {}
    if beside.exists():
        token += f"|{jsonl.token(beside)}"
        about = _metadata(beside, skips)
    if known.get("") == token:
        return
    session = _text(about, "session_id")
    session = _DATE.sub("", session, count=1)
    if path.name == "metadata.json":
        skips.append(Skip("missing_blob", 0, f"full.jsonl of session {session}"))
        yield Transcript("", token, skips=skips)
        return
    branch = _text(about, "branch") or None
    of_content = _format(path)
    yield of_content.transcript(path, token, own_id=session, branch=branch, skips=skips)


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
            value = orjson.loads(file.read(_LARGEST))
    except OSError as error:
        raise SourceUnreadable(path, error.strerror or str(error)) from error
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict):
        return value
    skips.append(Skip("bad_shape", 0, "metadata.json", lost=False))
    return {}


def _text(about: Mapping[str, Any], key: str) -> str:
    value = about.get(key)
    return value if isinstance(value, str) else ""
