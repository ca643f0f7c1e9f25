"""What agents have left on this machine, by the places they use.

Files are listed and measured. Opened are only the small settings file in which the run archive's
own program may name another place, and the first bytes of files that the person named.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dream.place import Place
from dream.sources import HEAD, Reader
from dream.sources.registry import READERS

SETTINGS_LIMIT = 64 * 1024
"""Bytes of that settings file that are read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A place that an agent uses, and what is there; without files, nothing is."""

    path: Path
    kind: str | None  # a reader's name; None when several list something there
    what: str  # for people
    files: tuple[Path, ...]
    size: int  # bytes, write-ahead logs included
    why: str = ""  # the variable or setting that named the place
    barred: tuple[Path, ...] = ()  # what lies there and may not be looked at


def archives(place: Place, extra: Sequence[Path] = ()) -> tuple[Found, ...]:
    """Every place an agent of ours uses, whether something is there or not, then the extra ones."""
    agent, why = _either(place, "PI_CODING_AGENT_DIR", place.home / ".pi/agent")
    sessions, sessions_why = _either(place, "PI_CODING_AGENT_SESSION_DIR", agent / "sessions")
    runs, runs_why = _run_archive(place, agent)
    claude, claude_why = _either(place, "CLAUDE_CONFIG_DIR", place.home / ".claude")
    codex, codex_why = _either(place, "CODEX_HOME", place.home / ".codex")
    put_away = [path for path in (codex / "archived_sessions",) if path.exists()]
    copilot = place.home / ".copilot/session-state"
    kimi, kimi_why = _either(place, "KIMI_SHARE_DIR", place.home / ".kimi")
    data, data_why = _either(place, "XDG_DATA_HOME", place.home / ".local/share")
    return (
        look(sessions, "pi", "sessions of pi", sessions_why or why),
        look(runs, "run2", "run archive of pi", runs_why or why),
        look(claude / "projects", "claude-code", "sessions of Claude Code", claude_why),
        look(codex / "sessions", "codex", "sessions of Codex", codex_why),
        *(look(path, "codex", "archived sessions of Codex") for path in put_away),
        look(copilot, "copilot-cli", "sessions of the Copilot CLI"),
        look(place.home / ".gemini/tmp", "gemini-cli", "sessions of the Gemini CLI"),
        look(data / "opencode", "opencode", "sessions of OpenCode", data_why),
        look(kimi / "sessions", "kimi-cli", "sessions of the Kimi CLI", kimi_why),
        *(look(place.cwd / path, None, "named by you") for path in extra),
    )


def checkpoints(roots: Iterable[Path]) -> tuple[Found, ...]:
    """Of some repositories those that keep sessions beside the code, as the Entire CLI does."""
    stores = [root / ".git" for root in roots]
    found = (look(store, "entire", "checkpoints in a repository") for store in stores)
    return tuple(one for one in found if one.files)


def look(path: Path, kind: str | None, what: str, why: str = "") -> Found:
    """What is there for one reader, by layout alone; or, without a kind, for whom it is by content.

    A folder without access holds nothing that could be told; it is named.
    """
    asked = [reader for reader in READERS if kind in (None, reader.NAME)]
    told = {reader.NAME: _told(reader, path) for reader in asked}
    barred = sorted({one for paths in told.values() for one in paths if _is_barred(one)})
    listed = {
        reader.NAME: {
            one
            for one in told[reader.NAME].difference(barred)
            if kind is not None or _claimed(reader, one)
        }
        for reader in asked
    }
    kinds = [name for name, files in listed.items() if files]
    files = tuple(sorted(set().union(*listed.values())))
    kind = kinds[0] if kind is None and len(kinds) == 1 else kind
    return Found(path, kind, what, files, sum(map(_size, files)), why, tuple(barred))


def personal(place: Place) -> tuple[Path, ...]:
    """Folders in which agents keep what a person tells them in every project, if it is there."""
    agent, _ = _either(place, "PI_CODING_AGENT_DIR", place.home / ".pi/agent")
    claude, _ = _either(place, "CLAUDE_CONFIG_DIR", place.home / ".claude")
    codex, _ = _either(place, "CODEX_HOME", place.home / ".codex")
    listed = (claude, agent, codex, place.home / ".agents")
    names = ("CLAUDE.md", "AGENTS.md", "rules", "skills")
    return tuple(one for one in dict.fromkeys(listed) if any((one / n).exists() for n in names))


def zone(place: Place) -> str:
    """The time zone of this machine by name; UTC when it has none that can be told."""
    from zoneinfo import ZoneInfo

    named = [place.env.get("TZ", "").removeprefix(":")]
    try:
        named.append(Path("/etc/localtime").resolve().as_posix().partition("/zoneinfo/")[2])
        named.append(Path("/etc/timezone").read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        pass
    for name in filter(None, named):
        try:
            return ZoneInfo(name).key
        except (KeyError, ValueError, OSError):
            continue
    return "UTC"


def _either(place: Place, variable: str, otherwise: Path) -> tuple[Path, str]:
    value = place.env.get(variable)
    if not value:
        return otherwise, ""
    return place.cwd / _home(value, place), variable


def _home(value: str, place: Place) -> Path:
    return place.home / value[2:] if value.startswith("~/") else Path(value)


def _run_archive(place: Place, agent: Path) -> tuple[Path, str]:
    path, why = _either(place, "PI_RUNS_DB", agent / "run-archive/runs.sqlite")
    if why:
        return path, why
    settings = agent / "pi-experiencev2.json"
    try:
        value = json.loads(settings.read_bytes()[:SETTINGS_LIMIT])
    except (OSError, ValueError):
        return path, ""
    named = value.get("db") if isinstance(value, dict) else None
    if isinstance(named, str) and named and "\x00" not in named:
        return agent / _home(named, place), settings.name
    return path, ""


def _told(reader: Reader, path: Path) -> set[Path]:
    try:
        return set(reader.find(path)) if path.exists() else set()
    except OSError:
        return set()


def _is_barred(path: Path) -> bool:
    """Whether a reader gave a folder, since it cannot be listed, or a file without its folder."""
    try:
        return path.is_dir()
    except OSError:
        return True


def _claimed(reader: Reader, path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return reader.claims(path, file.read(HEAD))
    except OSError:
        return False


def _size(path: Path) -> int:
    size = 0
    for part in (path, path.with_name(path.name + "-wal")):
        try:
            size += part.stat().st_size
        except OSError:
            continue
    return size
