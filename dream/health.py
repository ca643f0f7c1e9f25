"""Is all well? What `dream doctor` looks at, one finding each, with what to do about it."""

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dream.config import Config, SourceSpec
from dream.errors import StateBroken
from dream.past_nights import last_night

if TYPE_CHECKING:
    from dream.archive.manifest import Manifest

NETWORK = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "beegfs",
    "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "davfs", "virtiofs", "ncpfs",
}  # fmt: skip
"""File systems on which locks and shared memory are not to be trusted."""

OCTAL = re.compile(r"\\([0-7]{3})")
"""How mountinfo writes a space, a tab, a line feed and a backslash."""

NAMED = 5
"""Sources that are named one by one."""

ROOM = 10**9
"""Free bytes under which a night may fail half way."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ok False: a person should do what `advice` says."""

    name: str
    ok: bool
    words: str
    advice: str = ""


def programs() -> Iterator[Finding]:
    """Python, DuckDB and git."""
    import duckdb

    yield Finding("python", True, platform.python_version())
    known = duckdb.__version__.startswith("2.0.")
    advice = "" if known else "install the version that pyproject.toml asks for"
    yield Finding("duckdb", known, duckdb.__version__, advice)
    git = shutil.which("git")
    if git is None:
        yield Finding("git", False, "not found", "install git; without it no diff can be checked")
        return
    ran = subprocess.run([git, "--version"], capture_output=True, text=True, check=False)
    yield Finding("git", ran.returncode == 0, ran.stdout.strip() or ran.stderr.strip())


def settings(config: Config) -> Iterator[Finding]:
    """The file, its sources and its projects. That the file can be read was seen before."""
    if config.path is None:
        yield Finding("settings", False, "no dream.yaml; the defaults stand", "run dream init")
    else:
        yield Finding("settings", True, str(config.path))
    if not config.sources:
        yield Finding("sources", False, "none is set", "run dream init, or name them in dream.yaml")
    for source in config.sources:
        yield _source(source)
    for project in config.projects:
        git = (project.root / ".git").exists()
        words = str(project.root) if git else f"{project.root} is no git repository"
        advice = "" if git else "mend its root in dream.yaml, or take it out"
        yield Finding("project", git, words, advice)


def _source(source: SourceSpec) -> Finding:
    from dream.console import size
    from dream.machine import look
    from dream.templates import counted

    path = source.path
    if not path.exists():
        words = f"{path} is not there"
        return Finding("source", False, words, "what was read from it is kept; mend its path")
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        return Finding("source", False, f"{path} may not be read", "give yourself the right to")
    found = look(path, source.kind, "")
    if found.barred:
        words = f"{path} holds {counted(len(found.barred), 'folder')} that may not be listed"
        words += f", first {found.barred[0]}"
        return Finding("source", False, words, "give yourself the right to, or leave it unread")
    if not found.files:
        return Finding("source", False, f"{path} holds nothing to read", "mend its path or kind")
    files = counted(len(found.files), "file")
    words = f"{path}: {found.kind or 'several kinds'}, {files}, {size(found.size)}"
    return Finding("source", True, words)


def folders(config: Config, mounts: str) -> Iterator[Finding]:
    """State and output: can they be written, are they local, is there room.

    mounts: the text of /proc/self/mountinfo; empty where there is none.
    """
    for name, folder in (("state", config.state), ("skills_out", config.skills_out)):
        nearest = next(up for up in (folder, *folder.parents) if up.exists())
        trouble = _cannot_write(nearest)
        if trouble:
            yield Finding(name, False, f"{nearest}: {trouble}", f"choose another {name}")
            continue
        yield Finding(name, True, str(folder))
    kind = file_system(config.state.resolve(), mounts)
    if kind in NETWORK:
        words = f"{config.state} is on a network ({kind}), where locks do not hold"
        yield Finding("local disk", False, words, "set state in dream.yaml to a local folder")
    elif kind:
        yield Finding("local disk", True, kind)
    nearest = next(up for up in (config.state, *config.state.parents) if up.exists())
    free = shutil.disk_usage(nearest).free
    advice = "" if free >= ROOM else "make room: a night needs about as much as its sources"
    yield Finding("room", free >= ROOM, f"{free / 1e9:.1f} GB free for the state folder", advice)


def _cannot_write(folder: Path) -> str:
    """Why a file cannot be made in folder; "" when it can, which is tried and leaves nothing."""
    if not folder.is_dir():
        return "is not a folder"
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"cannot be written ({error.strerror})"


def file_system(path: Path, mounts: str) -> str:
    """The kind of file system a path is on, by the longest mount point above it; "" if unknown."""
    best, kind = "", ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) < 5 or not right:
            continue
        point = OCTAL.sub(lambda code: chr(int(code[1], 8)), fields[4])
        if path.is_relative_to(point) and len(point) >= len(best):
            best, kind = point, right.split()[0]
    return kind


def reading(config: Config) -> Iterator[Finding]:
    """What the last night could not read, and what it passed over as another agent's."""
    from dream.archive import manifest
    from dream.templates import counted

    try:
        known = manifest.load(config.state)
    except StateBroken as error:
        words, _, advice = str(error).partition("\n")
        yield Finding("archive", False, words, advice)
        return
    yield from _parts(config.state, known)
    there = (each for each in known.files.values() if not each.gone)
    files = sorted(there, key=lambda each: each.source_file)
    foreign = [each for each in files if each.status == "foreign"]
    unread = [(e.source_file, e.detail or e.reason) for e in files if e.status == "refused"]
    unread += sorted((each.source, each.detail) for each in known.missing.values())
    whole = len(files) - len(foreign) + len(known.missing)
    if unread:
        named = "; ".join(f"{name} ({why})" for name, why in unread[:NAMED])
        more = f"; and {len(unread) - NAMED} more" if len(unread) > NAMED else ""
        words = f"{len(unread)} of {whole} sources unreadable: {named}{more}"
        yield Finding("reading", False, words, "mend or move them; all others were read")
    if foreign:
        unnamed = {"empty": "empty"}
        agents = Counter(e.detail or unnamed.get(e.reason, "unknown") for e in foreign)
        told = ", ".join(f"{name} {count}" for name, count in sorted(agents.items()))
        words = f"{counted(len(foreign), 'file')} of no agent that Dream reads: {told}"
        advice = "" if whole else "name the folder of pi, Claude Code or Entire, or a RUN2 archive"
        yield Finding("reading", bool(whole), words, advice)


def _parts(state: Path, known: "Manifest") -> Iterator[Finding]:
    """Whether what was stored lies there as it was written, by names and sizes."""
    from dream.archive.manifest import folder_of

    lost = []
    for number, part in sorted(known.parts.items()):
        files = {path.stem: path for path in folder_of(state, number).glob("*.parquet")}
        size = sum(path.stat().st_size for path in files.values())
        if set(files) != set(part.tables) or size != part.bytes:
            lost.append(str(folder_of(state, number)))
    if lost:
        words = f"{len(lost)} of {len(known.parts)} parts are not as they were: {lost[0]}"
        advice = "put them back from a backup, or move the state away and start anew"
        yield Finding("archive", False, words, f"{advice} with its ledger.jsonl")


def reports_of_bugs(config: Config) -> Iterator[Finding]:
    """Traces that an earlier mistake of ours has left."""
    traces = sorted((config.state / "logs").glob("bug-*.log"))
    if traces:
        advice = "report the newest one, then remove them"
        yield Finding("mistakes", False, f"{len(traces)} traces, {traces[-1]}", advice)


def nights(config: Config, now: datetime) -> Iterator[Finding]:
    """Who holds the lock, when the last night was, whether nights come when they are due."""
    from dream.schedule import due

    yield _lock(config.state)
    try:
        last = last_night(config.state, now)
    except StateBroken as error:
        yield Finding("last night", False, str(error).splitlines()[0], "see the message")
        return
    when = f"{config.schedule} in {config.timezone}"
    if last is None:
        yield Finding("last night", False, "none yet", "run dream night")
        return
    found = due(config.schedule, config.timezone, last, now)
    if found and found.missed:
        words = f"{last:%Y-%m-%d %H:%M} UTC; {len(found.missed)} missed since ({when})"
        advice = "see cron/README.md, or leave dream schedule running"
        yield Finding("last night", False, words, advice)
    else:
        yield Finding("last night", True, f"{last:%Y-%m-%d %H:%M} UTC; due {when}")


def _lock(state: Path) -> Finding:
    """Only a lock that somebody took is tried: trying a free one could turn a night away."""
    from filelock import FileLock, Timeout

    from dream.archive.lock import HOLDER, LOCK

    if not (state / HOLDER).exists():
        return Finding("lock", True, "free")
    try:
        with FileLock(state / LOCK, timeout=0):
            return Finding("lock", True, "free; the last holder died, the next night takes over")
    except Timeout:
        return Finding("lock", True, "a night is running")
    except OSError as error:
        return Finding("lock", False, str(error), "set state in dream.yaml to a local folder")
