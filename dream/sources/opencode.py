"""Sessions of OpenCode: exports of one JSON document a session, and the stores OpenCode keeps.

Format: exports of releases 1.3 to 1.14. A message's parts are its records, each with an id of its
own; many replies answer one prompt. Whether a person talks is told by the session: a child of
another one belongs to its agent, and `opencode run` forbids its sessions to ask.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from dream.records import Skip, Transcript
from dream.sources import document, jsonl, opencode_store, sqlite
from dream.sources.below import below
from dream.sources.opencode_rows import NAME, Export, Stored, Told, kind_of, name_of, session

__all__ = ["NAME", "VERSION", "claims", "find", "look", "read", "transcript"]

VERSION = 1
_OPENED: tuple[document.Way, ...] = (
    (), ("messages",), ("messages", -1), ("messages", -1, "parts"),
)  # fmt: skip
_OWN = frozenset({"projectID", "directory", "slug"})


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root, every JSON file named after a session, every opencode.db."""
    for path in below(root, (".jsonl", ".json", ".db")):
        if path == root or _may_be(path):
            yield path


def _may_be(path: Path) -> bool:
    if path.suffix == ".json":
        return "ses_" in path.name and not opencode_store.is_beside(path)
    return path.suffix != ".db" or opencode_store.is_database(path)


def claims(path: Path, head: bytes) -> bool:
    """Whether the document begins with what OpenCode says of a session, or is a store's."""
    if head.startswith(sqlite.MAGIC):
        return opencode_store.is_database(path)
    begun = list(document.first_pieces(head, ((), ("info",))))
    if _names_session({way[1] for way, *_ in begun if len(way) == 2 and way[0] == "info"}):
        return True
    return _names_session({way[0] for way, *_ in begun if way}) and opencode_store.is_tree(path)


def _names_session(keys: Set[object]) -> bool:
    return "id" in keys and not _OWN.isdisjoint(keys)


def look(path: Path) -> str:
    """What tells of a change in the store of small files; "" for any other file."""
    return opencode_store.look(path) if opencode_store.is_tree(path) else ""


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The sessions that changed since their tokens in known: of a file one, unit "", of a database
    one a unit, by the agent's own id.

    Raises SourceUnreadable when the file cannot be opened or read, NotAnArchive and Damaged.
    """
    if opencode_store.is_database(path):
        yield from _from_database(path, dict(known), scratch)
        return
    tree = opencode_store.is_tree(path)
    token = look(path) if tree else jsonl.token(path)
    if known.get("") == token:
        return
    if not tree:
        yield transcript(path, token)
        return
    export = Export([])
    opencode_store.from_tree(path, export)
    yield made(export, path.stem, token, None)


def _from_database(path: Path, given: dict[str, str], scratch: Path) -> Iterator[Transcript]:
    """A file that is written to meanwhile is read on from a copy."""
    for copy in (False, True):
        seen: list[str] = []
        try:
            for own, token, export in opencode_store.from_database(path, given, scratch, copy):
                seen.append(own)
                given[own] = token
                if export is not None:
                    yield made(export, own, token, None, unit=own)
        except sqlite.Moved:
            continue
        yield Transcript("", "", seen=seen)
        return


def transcript(
    path: Path,
    token: str,
    *,
    own_id: str = "",
    branch: str | None = None,
    skips: Sequence[Skip] = (),
) -> Transcript:
    """Everything in the file.

    own_id, branch: for a document that names no session or git branch; without own_id the file's
    folder stands in. skips: what its reader has to tell already.
    """
    export = Export(list(skips))
    for piece in document.pieces(path, _OPENED, export.skips):
        _take(export, piece)
    instead = name_of(own_id, f"{path.parent.parent.name}-{path.parent.name}-{path.stem}")
    return made(export, name_of(export.info.get("id"), instead), token, branch)


def _take(export: Export, piece: document.Piece) -> None:
    """A value of a document of export's shape."""
    way, value = piece.way, piece.value
    if type(value) is not dict:
        _odd(export, piece)
    elif way == ("info",):
        export.records += 1
        export.info = value
    elif len(way) == 3 and way[2] == "info":
        export.records += 1
        export.envelope(int(way[1])).info = Stored(value, piece.line, "", piece.stored)
    elif len(way) == 4:
        export.records += 1
        part = Stored(value, piece.line, "", piece.stored)
        export.envelope(int(way[1])).parts.append(part)
    else:
        _odd(export, piece)


def _odd(export: Export, piece: document.Piece) -> None:
    """A value that no session has, or another shape where a session has one."""
    way = piece.way
    inside = len(way) in (2, 4)
    if inside or way in ((), ("info",), ("messages",)) or way[-1] in ("info", "parts"):
        name = way[-1] if way and type(way[-1]) is str else "message or part"
        reason = "not_a_record" if inside else "bad_shape"
        export.skips.append(Skip(reason, piece.line, str(name)[:60]))
    else:
        export.counts.add("unknown_type", f"field {way[-1]}", piece.line)


def made(export: Export, own: str, token: str, branch: str | None, unit: str = "") -> Transcript:
    """The transcript of one session."""
    envelopes = list(export.envelopes.values())
    kind = kind_of(export.info, envelopes)
    told = Told(f"{NAME}:{own}", export.info, kind, export.skips, export.counts)
    for order, envelope in export.envelopes.items():
        told.envelope(envelope, order)
    linear = told.linear
    if not envelopes and not export.skips:
        export.skips.append(Skip("empty", 0, lost=False))
    return Transcript(
        unit, token, [session(linear, export.info, branch)] if export.records else [],
        linear.runs(), linear.messages, linear.calls, linear.branches(), linear.compactions,
        skips=[*export.skips, *export.counts.skips()], records=export.records,
    )  # fmt: skip
