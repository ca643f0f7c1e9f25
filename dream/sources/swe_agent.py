"""Runs of SWE-agent: one `.traj` file a run, a JSON document of what the model was told and did.

Format: as SWE-agent 0.5 to 1.1 write it. `history` is the talk with the model and is what is read;
`trajectory` tells the same steps again and only lends what the history left out, most often the
last one. A run that was tried several times keeps each try under `attempts`. Nobody types in such a
run: the task is filled into a template by a program, so there is no word of a person here. Nothing
in it is dated, and only what the environment turned down or cut off is known to have failed.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from dream.records import Session, Skip, Transcript
from dream.sources import document, jsonl
from dream.sources.below import below
from dream.sources.document import Piece
from dream.sources.swe_agent_try import Try

NAME = "swe-agent"
VERSION = 1

_TALKS = ("history", "trajectory")
_OPENED: tuple[document.Way, ...] = (
    (), *((talk,) for talk in _TALKS),
    ("attempts",), ("attempts", -1), *(("attempts", -1, talk) for talk in _TALKS),
)  # fmt: skip
_KNOWN = frozenset({"environment", "trajectory", "history", "info", "replay_config", "attempts"})


def find(root: Path) -> Iterator[Path]:
    """Every .traj file below root, or root itself."""
    return below(root, ".traj")


def claims(path: Path, head: bytes) -> bool:
    """Whether it is a .traj file that holds a JSON object with one of SWE-agent's names in it."""
    if path.suffix != ".traj" or not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return False
    return any(b'"%s"' % name.encode() in head for name in _KNOWN)


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The run, if the file has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    token = jsonl.token(path)
    if known.get("") == token:
        return
    skips: list[Skip] = []
    tries: dict[int, list[Piece]] = {}  # by its place in `attempts`; -1 for the document's own
    for piece in document.pieces(path, _OPENED, skips):
        place, own = _place(piece)
        tries.setdefault(place, []).append(own)
    top = tries.pop(-1, [])
    if tries:  # then the document repeats the best of them
        again = sum(piece.way[0] in _TALKS for piece in top)
        skips.append(Skip("duplicate", 0, "the best try, told again", False, again or 1))
    else:
        tries = {-1: top}
    yield _transcript(path, token, skips, top, tries)


def _place(piece: Piece) -> tuple[int, Piece]:
    match piece.way:
        case ("attempts", int(place), *rest) if rest:
            return place, piece._replace(way=tuple(rest))
        case _:
            return -1, piece


def _transcript(
    path: Path,
    token: str,
    skips: list[Skip],
    top: Sequence[Piece],
    tries: Mapping[int, Sequence[Piece]],
) -> Transcript:
    about = _about(top)
    for group in {id(one): one for one in (top, *tries.values())}.values():
        skips += filter(None, map(_odd, group))
    read = [Try(_session_id(path, place, own), about, own) for place, own in tries.items()]
    full = [one for one in read if one.messages]
    untold = sum(call.status == "ok" for one in full for call in one.calls)
    if untold:
        skips.append(Skip("not_told", 0, "whether a tool call went well", False, untold))
    if full:
        skips.append(Skip("not_told", 0, "when it happened", False, len(full)))
    elif not skips:
        skips.append(Skip("empty", 0, "no step", lost=False))
    return Transcript(
        "", token,
        sessions=[_session(path, one) for one in full],
        runs=[one.run() for one in full],
        messages=[message for one in full for message in one.messages],
        calls=[call for one in full for call in one.calls],
        branches=[one.branch() for one in full],
        skips=[*skips, *(skip for one in read for skip in one.skips)],
        records=sum(len(one.messages) for one in full),
    )  # fmt: skip


def _odd(piece: Piece) -> Skip | None:
    """What is to be told of a value that is not where or what it should be."""
    name = str(piece.way[0]) if piece.way else "a document that is no object"
    if name not in _KNOWN:
        return Skip("unknown_type", piece.line, name[:60])
    if piece.value is None or isinstance(piece.value, dict):
        return None
    return Skip("bad_shape", piece.line, name) if name in ("info", "attempts") else None


def _session(path: Path, one: Try) -> Session:
    return Session(
        session_id=one.session_id,
        agent=NAME,
        kind="headless",
        cwd=one.cwd,
        title=_shown(path.stem),
        agent_version=one.version,
        line=one.messages[0].line,
    )


def _session_id(path: Path, place: int, own: Sequence[Piece]) -> str:
    """From the names of the experiment and of the task, and from how the talk begins.

    No run has an id of its own. A run that goes on keeps this one, also when its folder moves.
    """
    experiment = path.absolute().parent
    if experiment.name == path.stem:
        experiment = experiment.parent
    begins = repr([piece.value for piece in own if piece.way[:1] == ("history",)][:2])
    opening = sha256(begins.encode(errors="replace")).hexdigest()[:8]
    number = "" if place < 0 else f"/attempt-{place + 1}"
    return f"{NAME}:{_shown(experiment.name)}/{_shown(path.stem)}-{opening}{number}"


def _shown(name: str) -> str:
    """The name of a file as text, whatever its bytes are."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _about(top: Sequence[Piece]) -> dict[str, Any]:
    """Members of the document that are objects, by name. Some stand there as JSON text."""
    found = {}
    for piece in top:
        if len(piece.way) == 1:
            value = piece.value
            if isinstance(value, str):
                try:
                    value = orjson.loads(value)
                except orjson.JSONDecodeError:
                    continue
            if isinstance(value, dict):
                found[str(piece.way[0])] = value
    return found
