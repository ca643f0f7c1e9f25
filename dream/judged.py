"""What the last night made of the archive, kept so that a night with nothing new is a short one.

A cache but for one part: the registry, which gives each judgement the cluster it was first put in,
so that clusters keep their ids from night to night. Lost, the ids are made anew from the same
members and come out the same unless older evidence turned up meanwhile.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
import orjson

from dream.types import Cluster, Drafts, Judgement

NAME = "judged.json"

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Judged:
    """judged_from, found_from, drafted_from: keys of the inputs that the parts were made from."""

    judged_from: str
    judgements: Sequence[Judgement]
    clusters: Sequence[Cluster]
    registry: Mapping[str, str]  # judgement id -> cluster id, of all nights
    found_from: str = ""
    found: Drafts = Drafts((), ())  # noqa: RUF009 - frozen. Before the night's share was chosen.
    drafted_from: str = ""
    drafts: Drafts = Drafts((), ())  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True)
class _Registry:
    """The part that is no cache; its shape is one that every version can read."""

    registry: Mapping[str, str]


def key(*parts: object) -> str:
    """One short name for all inputs: equal parts, equal key."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def load(state: Path) -> Judged:
    """What was kept; of what another version kept the registry alone, nothing where nothing was."""
    try:
        kept = (state / NAME).read_bytes()
    except OSError:
        return Judged("", (), (), {})
    with suppress(ValueError, RecursionError):  # msgspec's errors are such, too
        return msgspec.json.decode(kept, type=Judged)
    with suppress(ValueError, RecursionError):
        return Judged("", (), (), msgspec.json.decode(kept, type=_Registry).registry)
    return Judged("", (), (), {})


def settled(made: Made) -> Made:
    """The same as it will be read back. A night goes on with this, so that one that judged anew
    and one that found it kept write the same bytes (1 and 1.0 are equal, and not the same text).
    """
    return msgspec.json.decode(orjson.dumps(made), type=type(made))


def save(state: Path, judged: Judged) -> None:
    """Atomic: a night that is killed leaves the old file or the new one."""
    data = orjson.dumps(judged)
    path = state / NAME
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    fresh = path.with_suffix(".tmp")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def program() -> str:
    """A key of this program's own files, so that another version judges anew."""
    home = Path(__file__).parent
    files = sorted(path for path in home.rglob("*") if path.suffix in (".py", ".sql", ".yaml"))
    return key(
        [
            (path.relative_to(home).as_posix(), stat.st_size, stat.st_mtime_ns)
            for path in files
            if (stat := path.stat())
        ]
    )
