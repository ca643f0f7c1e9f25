"""The story that the sample tells, read from story/*.yaml: who asked what, and what was done.

A session is told once and written in the shape of its agent. Texts may hold marks that only the
writer can fill in: «root» for the repository's folder, «key:NAME» for an invented secret, which
therefore stands nowhere in this repository.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

LAST_DAY = date(2026, 11, 13)
"""A Friday. All days of the story are counted back from it."""
FOLDER = Path(__file__).parent / "story"
TOOLS = ("bash", "read", "edit", "write", "fetch")


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool and what came back."""

    tool: str  # one of TOOLS
    target: str  # the command, path or address
    say: str = ""  # what the agent wrote before it
    old: str = ""  # of an edit
    new: str = ""  # of an edit; of a write, the whole text
    out: str = ""
    code: int = 0  # exit code of a command
    error: str = ""  # the tool itself refused
    refused: str | None = None  # a person did, with these words


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a person until the agent settles."""

    ask: str
    steps: tuple[Step, ...] = ()
    done: str = ""  # "" when a person stopped it before the last word
    gap: int = 12  # minutes since the turn before
    back_to: int | None = None  # continues after this turn of the session, 0: from the start
    left: str = ""  # summary of the branch that is left by going back
    meta: str = ""  # put before the request by the client
    compacted: str = ""  # summary that replaced all that stood before
    noted: tuple[Mapping[str, Any], ...] = ()  # entries of the memory ledger, after it


@dataclass(frozen=True, slots=True)
class Session:
    """A sitting of a person with an agent."""

    key: str
    agent: str  # "pi" or "claude"
    project: str  # the name of its repository
    started: datetime
    turns: tuple[Turn, ...]
    kept: tuple[str, ...] = ()  # where a pi session is found: "run2", "pi"
    title: str | None = None
    fork_of: str = ""  # key of the pi session whose first turns this file repeats
    repeats: int = 0  # how many of them
    ends: str = "whole"  # run2: "running" or "recovered"; claude: "torn"
    deleted: tuple[int, ...] = ()  # run2: turns deleted later, from 1
    unknown: str = ""  # claude: a line of this unheard-of type

    @property
    def cwd_mark(self) -> str:
        return "«root»"


def sessions() -> tuple[Session, ...]:
    """Everything that happened, in order of time. Raises ValueError for a slip in the story."""
    told = [
        _session(path.stem, raw)
        for path in sorted(FOLDER.glob("*.yaml"))
        for raw in yaml.safe_load(path.read_text("utf-8"))
    ]
    if len({one.key for one in told}) != len(told):
        raise ValueError("two sessions of the story have one key")
    return tuple(sorted(told, key=lambda one: (one.started, one.key)))


def fill(text: str, root: Path) -> str:
    """The text with its marks filled in."""
    text = text.replace("«root»", str(root))
    for name, secret in SECRETS.items():
        text = text.replace(f"«key:{name}»", secret)
    return text


def _invented(prefix: str, length: int) -> str:
    """Looks like a secret and opens nothing."""
    letters = hashlib.sha256(f"sample {prefix}".encode()).hexdigest()
    return prefix + (letters * 2)[:length]


SECRETS = {"github": _invented("ghp_", 36), "stripe": _invented("sk_live_", 24)}


def _session(project: str, raw: Mapping[str, Any]) -> Session:
    rest = dict(raw)
    hour, minute = map(int, str(rest.pop("at")).split(":"))
    day = LAST_DAY + timedelta(days=rest.pop("day"))
    turns = tuple(map(_turn, rest.pop("turns")))
    started = datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)
    for name in ("kept", "deleted"):
        rest[name] = tuple(rest.get(name, ()))
    _only(Session, rest)
    return Session(project=project.split("-")[0], started=started, turns=turns, **rest)


def _turn(raw: Mapping[str, Any]) -> Turn:
    rest = dict(raw)
    steps = tuple(map(_step, rest.pop("do", ())))
    rest["noted"] = tuple(rest.get("noted", ()))
    rest = {key: _text(value) for key, value in rest.items()}
    _only(Turn, rest)
    return Turn(steps=steps, **rest)


def _step(raw: Mapping[str, Any]) -> Step:
    rest = {key: _text(value) for key, value in raw.items()}
    tools = [tool for tool in TOOLS if tool in rest]
    if len(tools) != 1:
        raise ValueError(f"a step of the story needs one tool: {sorted(raw)}")
    target = rest.pop(tools[0])
    _only(Step, rest)
    return Step(tools[0], target, **rest)


def _text(value: Any) -> Any:
    return value.rstrip("\n") if isinstance(value, str) else value


def _only(noun: type, found: Mapping[str, Any]) -> None:
    unknown = set(found) - {part.name for part in fields(noun)}
    if unknown:
        raise ValueError(f"the story says {sorted(unknown)}, which no {noun.__name__} has")


def by_key(told: Sequence[Session]) -> dict[str, Session]:
    return {one.key: one for one in told}
