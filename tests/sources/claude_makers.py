"""Makers of Claude Code files for tests: each line fills in what the test is not about."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dream.records import Message, Transcript
from dream.sources import claude

Record = dict[str, Any]
CASE = "claude-code:sess-a"


def uuid(number: int) -> str:
    return f"{number:08d}-0000-4000-8000-000000000000"


def record(kind: str, number: int, above: int | None = None, **more: Any) -> Record:
    """A line in the tree, a minute after the one of the number before it."""
    return {
        "type": kind,
        "uuid": uuid(number),
        "parentUuid": uuid(number - 1 if above is None else above) if number > 1 else None,
        "sessionId": "sess-a",
        "isSidechain": False,
        "timestamp": f"2026-05-04T{8 + number // 60:02d}:{number % 60:02d}:00.000Z",
        "cwd": "/repo/shop",
        "gitBranch": "main",
        "version": "2.1.90",
    } | more


def user(number: int, content: Any, above: int | None = None, **more: Any) -> Record:
    return record("user", number, above, message={"role": "user", "content": content}, **more)


def model(
    number: int, *content: Any, above: int | None = None, reply: str = "", **more: Any
) -> Record:
    """A line of a reply; without a name every line is a reply of its own."""
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    message = {"id": reply or f"m{number}", "role": "assistant", "model": "x", "content": blocks}
    return record("assistant", number, above, **({"message": message, "requestId": reply} | more))


def call(name: str, tool: str = "Bash", **arguments: Any) -> Record:
    return {"type": "tool_use", "id": name, "name": tool, "input": arguments}


def result(name: str, content: Any = "done", **more: Any) -> Record:
    return {"type": "tool_result", "tool_use_id": name, "content": content} | more


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in records)


Read = Callable[..., Transcript]


def read(path: Path) -> Transcript:
    (made,) = claude.read(path, {}, path.parent)
    return made


def voices(made: Transcript) -> list[tuple[int, str, str, str]]:
    return [(m.line, m.role, m.kind, m.text) for m in made.messages]


def typed(made: Transcript) -> list[Message]:
    return [message for message in made.messages if message.role == "human"]


def skips(made: Transcript) -> list[tuple[str, int, str, int]]:
    return [(skip.reason, skip.line, skip.detail, skip.count) for skip in made.skips]
