"""Sessions of the Kimi CLI: a folder each, with the model's context and a log of what was shown.

Format: releases 0.8 to 1.40 of the Python CLI. The context has the words, the log has the times and
what a person did; `kimi_story.py` finds what happened between one context and the next. A D-Mail is
work given up: what it was sent from is a branch of its own, and its words are the agent's. The
newer Kimi Code, which keeps its sessions below `~/.kimi-code`, is another format and not read.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from dream.errors import SourceUnreadable
from dream.records import Session, Skip, Transcript
from dream.sources import identity, jsonl, kimi_files
from dream.sources.below import below
from dream.sources.jsonl import Line
from dream.sources.kimi_rows import NAME, Told, kind_of
from dream.sources.kimi_story import Story
from dream.sources.kimi_wire import Wire, millis
from dream.sources.linear import Counts, Linear

__all__ = ["NAME", "VERSION", "claims", "find", "look", "read"]

VERSION = 1
_RECORD = re.compile(
    rb'\s*\{\s*"role"\s*:\s*"(_?)(?:system_prompt|checkpoint|usage|user|assistant|tool|system)"'
)


def find(root: Path) -> Iterator[Path]:
    """Every context in force below root, those of sub-agents too, or root itself."""
    for path in below(root, ".jsonl"):
        if path == root or kimi_files.is_main(path):
            yield path


def claims(path: Path, head: bytes) -> bool:
    """Whether the first record is one of a context: by its role, and of a plain one by its name."""
    found = _RECORD.match(head.removeprefix(b"\xef\xbb\xbf"))
    return found is not None and bool(found[1] or kimi_files.is_main(path))


def look(path: Path) -> str:
    """Other than before when one of the session's files has changed."""
    seen = hashlib.sha256()
    for file in kimi_files.beside(path):
        try:
            status = file.stat()
        except FileNotFoundError:
            continue
        seen.update(f"{file.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """The session, if one of its files has changed since its token in known[""].

    Raises SourceUnreadable when the context cannot be opened or read.
    """
    token = f"{jsonl.token(path)}:{look(path)}"
    if known.get("") != token:
        yield _transcript(path, token)


def _transcript(path: Path, token: str) -> Transcript:
    skips: list[Skip] = []
    story, wire, counts = Story(), Wire(), Counts()
    records = 0
    for file in kimi_files.put_away(path):
        lines = _beside(file, skips)
        records += len(lines)
        story.context(lines)
    lines = list(jsonl.lines(path, skips))
    records += len(lines)
    story.context(lines)
    story.settle(lines)
    if (log := kimi_files.wire(path)) is not None and log.exists():
        wire.take(_beside(log, skips))
    about = kimi_files.about(path)
    linear = Linear(f"{NAME}:{about.own}", kind_of(about.parent is not None, story, wire))
    summaries = sum(turn.change == "summary" for turn in story.turns)
    shrinks = wire.compactions if len(wire.compactions) == summaries else []
    told = Told(linear, wire, skips, counts, list(shrinks))
    for entry in story.entries:
        told.entry(entry)
    told.ask()
    if not records and not skips:
        skips.append(Skip("empty", 0, lost=False))
    skips += [*counts.skips(), *_counted(story, wire, linear)]
    return Transcript(
        "", token, [_session(linear, about, wire)] if linear.messages else [], told.runs(),
        linear.messages, linear.calls, linear.branches(), linear.compactions, skips=skips,
        records=records + wire.records,
    )  # fmt: skip


def _beside(file: Path, skips: list[Skip]) -> list[Line]:
    """The records of a file beside the context. Lines of such a file are nobody's."""
    told: list[Skip] = []
    lines: list[Line] = []
    try:
        lines += jsonl.lines(file, told)
    except SourceUnreadable as error:
        told.append(Skip("unreadable", 0, error.why))
    skips += [
        Skip(
            one.reason, 0, f"{file.name} line {one.line} {one.detail}".strip(), one.lost, one.count
        )
        for one in told
    ]
    return lines


def _counted(story: Story, wire: Wire, linear: Linear) -> Iterator[Skip]:
    if story.copies:
        yield Skip("duplicate", 0, "in a later context again", False, story.copies)
    for (reason, name), count in sorted(wire.counts.items()):
        yield Skip(reason, 0, name[:60], reason in ("unknown_type", "no_type"), count)
    if untied := wire.untied():
        yield Skip("not_told", 0, "an input that no context has", False, untied)
    prompts = sum(message.kind == "prompt" for message in linear.messages)
    if linear.kind == "unknown" and prompts:
        what = "whether a person typed it" if wire.records else "who typed it: there is no log"
        yield Skip("not_told", 0, what, False, prompts)


def _session(linear: Linear, about: kimi_files.About, wire: Wire) -> Session:
    begun = identity.moment(millis(wire.first if about.created is None else about.created))
    times = [identity.moment(millis(wire.last)), *(one.happened for one in linear.messages)]
    return Session(
        linear.id, NAME, linear.kind, about.cwd, None, about.title,
        None if about.parent is None else f"{NAME}:{about.parent}", begun,
        max((time for time in times if time is not None), default=begun),
    )  # fmt: skip
