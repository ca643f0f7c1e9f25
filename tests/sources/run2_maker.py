"""A small RUN2 archive for tests: one session, filled run by run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dream.records import Message, Transcript
from dream.sample.run2 import Archive, millis
from dream.sources import run2

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PI_ID = "01a10b13-afbd-7269-a099-96d72f56e9a9"


def user(text: str, minute: int = 0) -> dict[str, Any]:
    return said("user", text, minute)


def reply(text: str, minute: int = 0, **more: Any) -> dict[str, Any]:
    return {**said("assistant", text, minute), "model": "m", "stopReason": "stop", **more}


def asks(call: str, command: str, minute: int = 0) -> dict[str, Any]:
    block = {"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": command}}
    return reply("", minute, content=[block], stopReason="toolUse")


def result(call: str, text: str, minute: int = 0, *, failed: bool = False) -> dict[str, Any]:
    own = {"toolCallId": call, "toolName": "bash", "isError": failed}
    return {**said("toolResult", text, minute), **own}


def said(role: str, text: str, minute: int = 0) -> dict[str, Any]:
    stamp = millis(START + timedelta(minutes=minute))
    return {"role": role, "content": [{"type": "text", "text": text}], "timestamp": stamp}


class Maker:
    """An archive with one session and branch. Times go on by a minute a run."""

    def __init__(self, path: Path, pi_id: str = PI_ID, cwd: str = "/home/dev/shop") -> None:
        self.path = path
        self.archive = Archive(path)
        self.session = self.archive.session(pi_id, cwd, START, START, "Shop")
        self.branch = self.archive.branch(self.session, START)
        self.runs = 0

    def run(
        self,
        *messages: dict[str, Any],
        status: str = "completed",
        ended: bool = True,
        dictionary: int | None = 0,
    ) -> int:
        """One run; its ordinal."""
        self.runs += 1
        begun = START + timedelta(minutes=self.runs)
        end = begun + timedelta(seconds=30) if ended else None
        ordinal = self.archive.run(self.session, self.branch, self.runs, begun, end, status=status)
        for message in messages:
            self.message(ordinal, message, dictionary)
        return ordinal

    def message(self, run: int | None, message: dict[str, Any], dictionary: int | None = 0) -> int:
        return self.archive.message(
            self.session, self.branch, run, message, START, dictionary=dictionary
        )

    def event(self, kind: str, run: int | None = None, **payload: Any) -> int:
        return self.archive.event(self.session, self.branch, run, kind, START, **payload)

    def sql(self, statement: str, *values: object) -> None:
        self.archive.connection.execute(statement, values)

    def close(self) -> Path:
        self.archive.close()
        return self.path


def read(path: Path, scratch: Path, known: dict[str, str] | None = None) -> list[Transcript]:
    scratch.mkdir(exist_ok=True)
    return list(run2.read(path, known or {}, scratch))


def messages(units: list[Transcript]) -> list[Message]:
    return [message for unit in units for message in unit.messages]
