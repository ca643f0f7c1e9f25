"""A reader that makes up its transcripts from a file's name and size, the same in every process.

python -m tests.archive.made STATE SOURCE PART    one night, for tests that kill it
"""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path

from dream.archive.ingest import ingest
from dream.config import SourceSpec
from dream.records import Message, Run, Session, Skip, ToolCall, Transcript
from dream.types import Taken
from tests.archive.fakes import START

NAME = "made"
VERSION = 1
NIGHT = date(2026, 5, 4)
WORDS = "the tests of the api run before every commit and the password stays in the vault " * 12


def make(folder: Path, files: int, messages: int) -> Path:
    """A source of so many files. Of every fourth one the name says it holds four units."""
    folder.mkdir(parents=True)
    for number in range(files):
        kind = "archive" if number % 4 == 3 else "file"
        (folder / f"{kind}{number:05d}.made").write_text(f"{messages}")
    return folder


def find(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("*.made"))


def claims(path: Path, head: bytes) -> bool:
    return head.isdigit()


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    count = int(path.read_text())
    if path.name.startswith("file"):
        yield transcript(path.stem, "", count)
        return
    units = [f"u{part}" for part in range(4)]
    for unit in units:
        if known.get(unit) != unit:
            yield transcript(path.stem, unit, count // 4)
    yield Transcript("", "", skips=[Skip("running", 1, lost=False)], seen=units)


def transcript(stem: str, unit: str, count: int) -> Transcript:
    session = f"claude-code:{stem}"
    start = START + timedelta(hours=int(stem[-5:]))
    run = f"run2:{stem}{unit}" if unit else f"{session}:1"
    messages, calls = [], []
    for number in range(count):
        key = hashlib.sha256(f"{stem}{unit}{number}".encode()).hexdigest()
        message_id = f"{session}/{key[:12]}"
        text = key[:20] + WORDS[: 40 + int(key[:3], 16) % 900]
        happened = start + timedelta(seconds=number * 9)
        role = ("human", "assistant", "tool")[number % 3]
        messages.append(
            Message(
                message_id, session, run, number, role,  # type: ignore[arg-type]  # one of three
                "prompt", text, key[:32], key, number + 1, happened,
            )
        )  # fmt: skip
        if role == "assistant":
            calls.append(
                ToolCall(f"{session}/c{key[:8]}", session, run, message_id, number, 0, "Bash",
                         '{"command":"make"}', "ok", number + 1, key[:32], happened=happened)
            )  # fmt: skip
    head = Session(session, "claude-code", cwd="/repo/shop", started=start)
    runs = [Run(run, session, 1, started=start)]
    return Transcript(unit, unit or "t", [head], runs, messages, calls, records=count)


def night(state: Path, source: Path, part: int) -> Taken:
    readers = (sys.modules[__name__],)
    return ingest(state, [SourceSpec(source)], readers, NIGHT, part=part, git_dir=lambda _: None)


if __name__ == "__main__":
    print(night(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])).messages)
