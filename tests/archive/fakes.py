"""A reader whose files are handed in, and makers of records: the archive's tests need no format."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.archive.query import nouns
from dream.archive.relations import VIEWS
from dream.archive.schema import TABLES
from dream.config import SourceSpec
from dream.records import Message, Role, Run, Session, ToolCall, Transcript
from dream.types import Taken

NIGHT = date(2026, 5, 4)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def hexed(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def message(
    text: str,
    minutes: float = 0,
    *,
    session: str = "pi:a",
    role: Role = "human",
    number: int = 0,
    run: str | None = None,
    id: str | None = None,  # noqa: A002 - it is one
    **rest: Any,
) -> Message:
    """Equal role, minutes and text make copies of each other, whatever the session."""
    kinds: dict[Role, str] = {"human": "prompt", "assistant": "reply", "tool": "result"}
    return Message(
        message_id=f"{session}/{id or hexed(text, minutes)[:8]}",
        session_id=session,
        run_id=run or f"{session}:1",
        number=number,
        role=role,
        kind=rest.pop("kind", kinds.get(role, "meta")),
        text=text,
        copy_key=hexed(role, minutes, text)[:32],
        digest=rest.pop("digest", hexed(session, text, minutes)),
        line=number + 1,
        happened=at(minutes),
        **rest,
    )


def call(of: Message, place: int = 0, **rest: Any) -> ToolCall:
    return ToolCall(
        call_id=rest.pop("call_id", f"{of.message_id}-{place}"),
        session_id=of.session_id,
        run_id=of.run_id,
        message_id=of.message_id,
        number=of.number,
        place=place,
        tool="Bash",
        arguments='{"command":"make"}',
        status=rest.pop("status", "ok"),
        line=of.line,
        copy_key=of.copy_key,
        happened=of.happened,
        **rest,
    )


def talk(session: str, *messages: Message, runs: Sequence[Run] = (), **rest: Any) -> Transcript:
    """A session with these messages, numbered in this order, in one run unless told."""
    head = rest.pop("head", None) or Session(session, "pi", cwd="/repo/shop", started=at(0))
    numbered = [dataclasses.replace(m, number=n, line=n + 1) for n, m in enumerate(messages)]
    own = runs or [Run(f"{session}:1", session, 1)]
    return Transcript(
        rest.pop("unit", ""),
        rest.pop("token", hexed(messages)),
        rest.pop("sessions", [head]),
        own,
        numbered,
        records=len(numbered),
        **rest,
    )


class FakeReader:
    """Reads <name>.fake as what `holds` says of it, up to an exception."""

    VERSION = 1

    def __init__(self, name: str = "fake", mark: bytes = b"fake") -> None:
        self.NAME = name
        self.mark = mark
        self.holds: dict[str, list[Transcript | Exception]] = {}
        self.opened: list[str] = []
        self.known: dict[str, Mapping[str, str]] = {}

    def find(self, root: Path) -> Iterator[Path]:
        yield from [root] if root.is_file() else sorted(root.rglob("*.fake"))

    def claims(self, path: Path, head: bytes) -> bool:
        return head.startswith(self.mark)

    def read(self, path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
        self.opened.append(path.name)
        self.known[path.name] = dict(known)
        assert list(scratch.iterdir()) == []
        (scratch / "a copy").write_bytes(path.read_bytes())
        for unit in self.holds[path.name]:
            if isinstance(unit, Exception):
                raise unit
            if unit.seen or known.get(unit.unit) != unit.token:
                yield unit


class House:
    """A source folder, a state folder and one fake reader."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "source"
        self.source.mkdir()
        self.state = folder / "state"
        self.reader = FakeReader()
        self.looked: Callable[[str], str | None] = lambda cwd: None

    def put(self, name: str, *units: Transcript | Exception) -> Path:
        """Writes a file, other than it was before, that holds these units."""
        path = self.source / f"{name}.fake"
        before = path.stat().st_size if path.exists() else 0
        path.write_bytes(self.reader.mark.ljust(before + 5, b"."))
        self.reader.holds[path.name] = list(units)
        return path

    def night(self, night: date = NIGHT, **rest: Any) -> Taken:
        rest.setdefault("sources", [SourceSpec(self.source)])
        rest.setdefault("readers", [self.reader])
        return ingest(self.state, night=night, git_dir=self.looked, **rest)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a question, as they come."""
        with Archive.open(self.state) as archive:
            return archive._connection.execute(sql).fetchall()

    def records(self, name: str) -> list[Any]:
        """A relation as the records it is made of, in the order of their ids."""
        noun = TABLES[name].noun
        columns = [part.name for part in dataclasses.fields(noun)]
        with Archive.open(self.state) as archive:
            rows = archive._connection.table(name).select(*columns).fetchall()
        return sorted(nouns(name, noun, columns, iter([rows])), key=repr)

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every relation, in one order."""
        return everything(self.state)


def everything(state: Path) -> dict[str, list[tuple[Any, ...]]]:
    with Archive.open(state) as archive:
        tables = {name: archive._connection.table(name) for name in VIEWS}
        return {name: table.order("ALL").fetchall() for name, table in tables.items()}


def session_at(id: str, cwd: str) -> Session:  # noqa: A002 - it is one
    return Session(id, "pi", cwd=cwd, started=at(0))
