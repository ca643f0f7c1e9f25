"""Sessions of the Gemini CLI: one file each below `<home>/.gemini/tmp/<project>/chats`.

Format: releases 0.23 to 0.61. Older ones rewrite one JSON document, newer ones append lines; the
content decides which it is. A sub-agent's file lies in a folder named after its parent session. The
folder of a session is not recorded in it: it stands in `.project_root` beside the chats, or is the
one whose SHA-256 is the projectHash, among the paths that the session itself names. Of a session
without a terminal (`gemini -p`) nothing tells that it was one, so a single prompt without any
other sign of a person is counted as not told.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dream.digests import canonical_digest
from dream.records import SessionKind, Skip, Transcript
from dream.sources import document, jsonl
from dream.sources.below import below
from dream.sources.gemini_places import cwd_of, parent_of
from dream.sources.gemini_replay import Replay
from dream.sources.gemini_rows import NAME, session, tell
from dream.sources.linear import Counts, Linear
from dream.sources.shape import text

__all__ = ["NAME", "VERSION", "claims", "find", "read", "transcript"]

VERSION = 2
_OPENED: tuple[document.Way, ...] = ((), ("messages",))
_KINDS: Mapping[object, SessionKind] = {
    None: "interactive", "main": "interactive", "subagent": "subagent",
}  # fmt: skip
"""Older releases, which had no sub-agents, say nothing."""


def find(root: Path) -> Iterator[Path]:
    """Every JSONL file below root and every `session-*.json`, or root itself."""
    for path in below(root, (".jsonl", ".json")):
        if path == root or path.suffix != ".json" or path.name.startswith("session-"):
            yield path


def claims(path: Path, head: bytes) -> bool:
    """Whether the first record names a session and a project's hash, or changes a session."""
    keys = {piece.way[0] for piece in document.first_pieces(head, ((),)) if piece.way}
    if keys >= {"sessionId", "projectHash"}:
        return True
    record = jsonl.first_record(head) or {}
    if type(record.get("$set")) is dict or type(record.get("$rewindTo")) is str:
        return True
    return record.get("type") == "gemini" and "id" in record and "timestamp" in record


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The file's session, if it has changed since its token in known[""].

    Raises SourceUnreadable when the file cannot be opened or read.
    """
    token = jsonl.token(path)
    if known.get("") != token:
        yield transcript(path, token)


def transcript(
    path: Path,
    token: str,
    *,
    own_id: str = "",
    branch: str | None = None,
    skips: Sequence[Skip] = (),
) -> Transcript:
    """Everything in the file.

    own_id, branch: for a file that names no session or git branch; without own_id the file's name
    stands in. skips: what its reader has to tell already.
    """
    told, counts = list(skips), Counts()
    replay = Replay(told, counts)
    records = _taken(path, replay, told)
    if not replay.turns and len(told) == len(skips):
        told.append(Skip("empty", 0, lost=False))
    own = text(replay.about.get("sessionId")) or own_id or path.stem
    kind = _kind(replay, told)
    linear = Linear(f"{NAME}:{own}", kind)
    tell(linear, replay, told, counts)
    told += _nobody_seen(linear, replay)
    made = session(
        linear, replay, cwd_of(path, replay, linear.calls), branch,
        parent_of(path) if kind == "subagent" else None,
    )  # fmt: skip
    return Transcript(
        "", token, [made] if replay.about or replay.turns else [], linear.runs(), linear.messages,
        linear.calls, linear.branches(), linear.compactions, skips=[*told, *counts.skips()],
        records=records,
    )  # fmt: skip


def _kind(replay: Replay, skips: Sequence[Skip]) -> SessionKind:
    """A document says at its end what kind of session it is: torn, it may be a sub-agent's."""
    if "kind" not in replay.about:
        torn = any(skip.reason in ("torn", "damaged") for skip in skips)
        if torn or "projectHash" not in replay.about:
            return "unknown"
    kind = replay.about.get("kind")
    return _KINDS.get(kind, "unknown") if kind is None or type(kind) is str else "unknown"


def _nobody_seen(linear: Linear, replay: Replay) -> Iterator[Skip]:
    """A note on a session that a script may as well have led: one prompt, and nothing else done."""
    typed = [message for message in linear.messages if message.role == "human"]
    acts = [message for message in linear.messages if message.kind in ("interrupt", "command")]
    stopped = any(call.status in ("refused", "interrupted") for call in linear.calls)
    undone = not all(message.active for message in linear.messages)
    if len(typed) == 1 and not (acts or stopped or undone or replay.about.get("directories")):
        yield Skip("not_told", typed[0].line, "whether a person typed its only prompt", lost=False)


def _taken(path: Path, replay: Replay, skips: list[Skip]) -> int:
    """Takes every record of the file; how many there were."""
    records = 0
    if not jsonl.is_document(path):
        for line in jsonl.lines(path, skips):
            records += 1
            replay.take(line.value, line.number, jsonl.digest_of(line.raw))
        return records
    for piece in document.pieces(path, _OPENED, skips):
        if not piece.way or len(piece.way) == 1:
            _about(replay, piece, skips)
            continue
        records += 1
        if type(piece.value) is dict and type(piece.value.get("id")) is str:
            replay.turn(piece.value, piece.line, canonical_digest(piece.stored))
        else:
            reason = "bad_shape" if type(piece.value) is dict else "not_a_record"
            skips.append(Skip(reason, piece.line, "a message without an id"))
    return records


def _about(replay: Replay, piece: document.Piece, skips: list[Skip]) -> None:
    if not piece.way or piece.way[0] == "messages":
        skips.append(Skip("bad_shape", piece.line, "messages" if piece.way else "the document"))
        return
    replay.line = replay.line or piece.line
    replay.say({str(piece.way[0]): piece.value}, piece.line)
