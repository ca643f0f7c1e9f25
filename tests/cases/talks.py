"""Small real transcripts of Claude Code, for cases whose files tell only what was said."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

TASKS = (
    "Add a footer to the invoice page.",
    "Speed up the search.",
    "Move the help texts into one file.",
    "Draw the chart in blue.",
    "Sort the orders by date.",
    "Let people change their password.",
)
"""Requests that have nothing in common, so that no two of them are the same thing asked again."""


class Talk:
    """A session, line by line, twenty seconds apart. `at` moves the clock."""

    def __init__(self, session: str, cwd: Path | str, at: str) -> None:
        self.session, self.cwd = session, str(cwd)
        self.now = datetime.fromisoformat(at)
        self.records: list[dict[str, Any]] = []

    def at(self, moment: str) -> Self:
        self.now = datetime.fromisoformat(moment)
        return self

    def user(self, text: str | list[dict[str, Any]]) -> Self:
        return self._add("user", {"role": "user", "content": text})

    def model(self, *content: str | dict[str, Any]) -> Self:
        blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
        message = {"id": f"{self.session}-m{len(self.records)}", "role": "assistant"}
        message |= {"type": "message", "model": "model-x"}
        usage = {"input_tokens": 10, "output_tokens": 5}
        return self._add("assistant", {**message, "content": blocks, "usage": usage})

    def run(self, command: str, result: str = "ok", *, failed: bool = False) -> Self:
        """A command of the agent with its result."""
        call = f"{self.session}-c{len(self.records)}"
        self.model({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}})
        answer = {"type": "tool_result", "tool_use_id": call, "content": result}
        return self.user([{**answer, "is_error": failed}])

    def worked(self, number: int) -> Self:
        """A task of its own, some work on it, and the agent's word that it is done."""
        self.user(TASKS[number])
        return self.run(f"sed -i s/old/{number}/ main.py").model("It is changed.")

    def corrected(self, number: int, words: str, at: str) -> Self:
        """Work on a task, a few minutes before somebody says these words about it."""
        before = datetime.fromisoformat(at) - timedelta(minutes=5)
        return self.at(before.isoformat()).worked(number).at(at).user(words).model("Understood.")

    def forked(self, session: str) -> "Talk":
        """Another session that begins with copies of this one's records."""
        other = Talk(session, self.cwd, self.now.isoformat())
        other.records = [{**record, "sessionId": session} for record in self.records]
        return other

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        lines = (json.dumps(record, ensure_ascii=False) for record in self.records)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    def _add(self, kind: str, message: dict[str, Any]) -> Self:
        above = self.records[-1]["uuid"] if self.records else None
        self.records.append(
            {
                "type": kind,
                "uuid": f"{self.session}-{len(self.records):04d}",
                "parentUuid": above,
                "sessionId": self.session,
                "isSidechain": False,
                "userType": "external",
                "timestamp": self.now.isoformat().replace("+00:00", "Z"),
                "cwd": self.cwd,
                "version": "2.1.100",
                "message": message,
            }
        )
        self.now += timedelta(seconds=20)
        return self
