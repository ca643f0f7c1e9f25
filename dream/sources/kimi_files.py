"""Where a Kimi CLI session lies, what lies beside it, and what its place tells.

`<share>/sessions/<MD5 of the work folder>/<session>/` holds `context.jsonl`, the context as the
model has it; `context_1.jsonl` and on, contexts that were put away; `wire.jsonl`, what the client
showed; `state.json`. A sub-agent has such a folder of its own below `subagents/`; one of releases
up to 1.24 has `context_sub_1.jsonl` beside its session's context. The oldest releases kept
`<session>.jsonl` in the work folder's own folder.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from dream.sources.jsonl import whole_text
from dream.sources.shape import fields, items, text

_WORK = re.compile(r"(?:\w+_)?([0-9a-f]{32})")
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MAIN = re.compile(rf"(?:context|{_UUID})(?:_sub_\d+)?\.jsonl")
_PUT_AWAY = re.compile(rf"((?:context|{_UUID})(?:_sub_\d+)?)_(\d+)\.jsonl")
_LARGEST = 1 << 22  # bytes of a small file beside a session


class About(NamedTuple):
    """What place and small files tell of a session."""

    own: str  # the agent's own id; of a sub-agent behind that of its session
    parent: str | None  # own id of the session that a sub-agent works for
    cwd: str = ""
    title: str | None = None
    created: float | None = None  # seconds since 1970


def is_main(path: Path) -> bool:
    """Whether the file is a session's by name and place: the newest context that is there."""
    if _MAIN.fullmatch(path.name):
        return path.name.startswith("context") or _WORK.fullmatch(path.parent.name) is not None
    named = _PUT_AWAY.fullmatch(path.name)
    if named is None or not path.name.startswith("context"):
        return False
    main = path.with_name(f"{named[1]}.jsonl")
    return not main.exists() and path == max(_rotated(main), key=_turn)


def put_away(main: Path) -> list[Path]:
    """Earlier contexts of the session, the oldest first."""
    first = main.with_name(f"{_stem(main)}.jsonl")
    return sorted((path for path in _rotated(first) if path != main), key=_turn)


def wire(main: Path) -> Path | None:
    """The log of what the client showed; None for a session that can have none of its own."""
    return main.with_name("wire.jsonl") if _stem(main) == "context" else None


def beside(main: Path) -> Iterator[Path]:
    """The file itself and every other one that the session is read from, whether there or not."""
    yield main
    yield from put_away(main)
    for name in ("wire.jsonl", "state.json", "meta.json"):
        yield main.with_name(name)


def about(main: Path) -> About:
    """What is known of the session without its records."""
    stem, sub, number = (_stem(main)).partition("_sub_")
    folder = main.absolute().parent
    if folder.parent.name == "subagents":
        meta = _small(folder / "meta.json")
        session = folder.parents[1].name
        spec = fields(meta.get("launch_spec"))
        made = meta.get("created_at")
        return About(
            f"{session}.{folder.name}", session,
            text(spec.get("work_dir")) or _cwd(folder.parents[2]),
            text(meta.get("description")) or None, made if type(made) is float else None,
        )  # fmt: skip
    old = stem != "context"
    session = stem if old else folder.name
    cwd = _cwd(folder if old else folder.parent)
    if sub:
        return About(f"{session}.sub_{number}", session, cwd)
    state = {} if old else _small(folder / "state.json")
    return About(
        session, None, text(state.get("worktree_path")) or cwd,
        text(state.get("custom_title")) or None,
    )  # fmt: skip


def _cwd(work: Path) -> str:
    """The folder that kimi.json lists and whose hash the sessions' folder is named after."""
    named = _WORK.fullmatch(work.name)
    listed = items(_small(work.parents[1] / "kimi.json").get("work_dirs")) if named else []
    for path in (text(fields(one).get("path")) for one in listed):
        raw = path.encode(errors="replace")
        if named and hashlib.md5(raw, usedforsecurity=False).hexdigest() == named[1]:
            return path
    return ""


def _small(path: Path) -> dict[str, Any]:
    """A small JSON file; nothing where it is not there, too long or none."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
        return fields(whole_text(orjson.loads(raw))) if len(raw) <= _LARGEST else {}
    except (OSError, orjson.JSONDecodeError):
        return {}


def _stem(path: Path) -> str:
    """The name of a session's context, whichever of its files this is."""
    named = _PUT_AWAY.fullmatch(path.name)
    return named[1] if named else path.stem


def _rotated(main: Path) -> list[Path]:
    try:
        listed = list(main.parent.iterdir())
    except OSError:
        return []
    return [
        path
        for path in listed
        if (named := _PUT_AWAY.fullmatch(path.name)) and named[1] == main.stem
    ]


def _turn(path: Path) -> int:
    named = _PUT_AWAY.fullmatch(path.name)
    return int(named[2]) if named else 0
