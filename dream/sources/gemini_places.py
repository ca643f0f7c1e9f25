"""Where a Gemini CLI session was at work, and which session started it, by what lies around it."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from dream.records import ToolCall
from dream.sources.gemini_replay import Replay, words
from dream.sources.shape import items, text

_PATH = re.compile(r"(?:/|[A-Za-z]:\\)[^\n\"'`<>|*?]+")
_LONGEST = 1024  # characters of a path
_LIMIT = 4096  # bytes of a marker


def parent_of(path: Path) -> str | None:
    """The session a sub-agent's file belongs to: its folder is named after it."""
    inside = path.parent.parent.name == "chats"
    return f"gemini-cli:{path.parent.name}" if inside else None


def cwd_of(path: Path, replay: Replay, calls: Iterable[ToolCall]) -> str:
    """The folder the session started in; "" where nothing tells it."""
    return _marked(path) or _proven(text(replay.about.get("projectHash")), _named(replay, calls))


def _marked(path: Path) -> str:
    """What `.project_root` of the project's own folder says."""
    for folder in (path.parent, path.parent.parent):
        if folder.name == "chats":
            try:
                with folder.with_name(".project_root").open("rb") as file:
                    said = file.read(_LIMIT).decode(errors="replace").strip()
            except OSError:
                return ""
            return said if _PATH.fullmatch(said) else ""
    return ""


def _named(replay: Replay, calls: Iterable[ToolCall]) -> Iterator[str]:
    """Absolute paths that the session names: in its own words, and in what tools were given."""
    for directory in items(replay.about.get("directories")):
        yield text(directory)
    for turn in replay.turns.values():
        said = words(turn.record.get("content")) if turn.record.get("type") == "user" else ""
        if said.lstrip().startswith("<session_context>"):
            yield from _PATH.findall(said)
    for call in calls:
        given = orjson.loads(call.arguments)
        yield from (value for value in given.values() if type(value) is str)


def _proven(project_hash: str, named: Iterable[str]) -> str:
    """The path, or the folder above one, whose SHA-256 is the hash."""
    tried: set[str] = set()
    for path in named if project_hash else ():
        if len(path) > _LONGEST or not _PATH.fullmatch(path):
            continue
        folder = path.rstrip()
        while folder and folder not in tried:
            tried.add(folder)
            raw = folder.encode(errors="replace")
            if hashlib.sha256(raw).hexdigest() == project_hash:
                return folder
            folder = folder[: max(folder.rfind("/"), folder.rfind("\\"), 0)]
    return ""
