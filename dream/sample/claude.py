"""Sessions of Claude Code: one JSON object a line, one line a block of a reply."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from dream.sample.run2 import iso, uuid
from dream.sample.story import Session, Step, Turn, fill
from dream.sample.timing import Clock, name

VERSION = "2.1.47"
MODEL = "claude-sample"
TOOLS = {"bash": "Bash", "read": "Read", "edit": "Edit", "write": "Write", "fetch": "WebFetch"}
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was"
    " a file edit, the new_string was NOT written to the file). To tell you how to proceed, the"
    " user said:\n"
)
_STOPPED = "[Request interrupted by user]"


@dataclass(slots=True)
class _Teller:
    """Appends lines; each one's parent is the line before it."""

    session: Session
    root: Path
    clock: Clock
    lines: list[dict[str, Any]] = field(default_factory=list)
    parent: str | None = None
    replies: int = 0

    @property
    def id(self) -> str:
        return uuid(f"claude {self.session.key}")

    def fill(self, text: str) -> str:
        return fill(text, self.root)

    def add(self, kind: str, **own: Any) -> str:
        line_id = uuid(f"line {self.session.key} {len(self.lines)}")
        common = {
            "parentUuid": self.parent, "isSidechain": False, "userType": "external",
            "cwd": str(self.root), "sessionId": self.id, "version": VERSION, "gitBranch": "main",
        }  # fmt: skip
        self.lines.append(
            {**common, "type": kind, **own, "uuid": line_id, "timestamp": iso(self.clock.now)}
        )
        self.parent = line_id
        return line_id

    def turn(self, number: int, turn: Turn) -> None:
        self.clock.turn(turn.gap)
        if turn.compacted:
            self._compact(turn.compacted)
        if turn.meta:
            self.add("user", isMeta=True, message=_user(self.fill(turn.meta)))
        self.add("user", message=_user(self.fill(turn.ask)), permissionMode="default")
        for place, step in enumerate(turn.steps):
            self._step(f"{number}.{place}", step)
            if step.refused is not None:
                self.clock.tick(1, 3)
        if turn.done:
            self.clock.tick(3, 20)
            self._reply([_text(self.fill(turn.done))])
        else:
            self.clock.tick(2, 6)
            self.add("user", message=_user([_text(_STOPPED)]))

    def _compact(self, summary: str) -> None:
        before, self.parent = self.parent, None
        self.add(
            "system", subtype="compact_boundary", logicalParentUuid=before, isMeta=False,
            content="Conversation compacted",
            compactMetadata={"trigger": "auto", "preTokens": 155_000},
        )  # fmt: skip
        text = (
            "This session is being continued from a previous conversation that ran out of context."
            f" The summary below covers it.\n\n{self.fill(summary)}"
        )
        self.add("user", message=_user(text), isCompactSummary=True, isVisibleInTranscriptOnly=True)
        self.clock.tick(2, 5)

    def _step(self, place: str, step: Step) -> None:
        self.clock.tick(3, 15)
        call = "toolu_" + name("tool", self.session.key, place, length=24)
        block = {
            "type": "tool_use",
            "id": call,
            "name": TOOLS[step.tool],
            "input": self._given(step),
        }
        said = [_text(self.fill(step.say))] if step.say else []
        asked = self._reply([*said, block])
        self.clock.tick(0.2, 12)
        content, failed, structured = self._came_back(step)
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": content}
        if failed:
            result["is_error"] = True
        self.add(
            "user", message={"role": "user", "content": [result]}, toolUseResult=structured,
            sourceToolAssistantUUID=asked,
        )  # fmt: skip

    def _reply(self, blocks: list[dict[str, Any]]) -> str:
        """One reply of the model; each block is a line, and its usage grows from line to line."""
        self.replies += 1
        message_id = "msg_" + name("reply", self.session.key, self.replies, length=24)
        request = "req_" + name("request", self.session.key, self.replies, length=24)
        draw = self.clock.draw
        read, cached, out = draw.randint(3, 40), draw.randint(9000, 60_000), draw.randint(20, 200)
        line_id = ""
        for count, block in enumerate(blocks, start=1):
            usage = {
                "input_tokens": read, "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0, "output_tokens": out * count // len(blocks),
            }  # fmt: skip
            message = {
                "id": message_id, "type": "message", "role": "assistant", "model": MODEL,
                "content": [block], "stop_reason": None, "usage": usage,
            }  # fmt: skip
            line_id = self.add("assistant", message=message, requestId=request)
            self.clock.tick(0.2, 2)
        return line_id

    def _given(self, step: Step) -> dict[str, Any]:
        target = self.fill(step.target)
        path = str(self.root / target)
        if step.tool == "bash":
            return {"command": target}
        if step.tool == "fetch":
            return {"url": target, "prompt": "What does the page say?"}
        if step.tool == "edit":
            old, new = self.fill(step.old), self.fill(step.new)
            return {"file_path": path, "old_string": old, "new_string": new}
        if step.tool == "write":
            return {"file_path": path, "content": self.fill(step.new)}
        return {"file_path": path}

    def _came_back(self, step: Step) -> tuple[str, bool, Any]:
        """Content, whether it is marked as an error, and the client's own copy of it."""
        out = self.fill(step.out)
        if step.refused is not None:
            return _REFUSED + self.fill(step.refused), True, "User rejected tool use"
        if step.error:
            text = f"<tool_use_error>{self.fill(step.error)}</tool_use_error>"
            return text, True, f"Error: {self.fill(step.error)}"
        if step.code:
            text = f"Exit code {step.code}\n{out}"
            return text, True, f"Error: {text}"
        if step.tool == "bash":
            structured = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
            return out, False, structured
        path = str(self.root / step.target)
        if step.tool in {"edit", "write"}:
            return f"The file {path} has been updated.", False, {"filePath": path}
        return out, False, {"type": "text", "file": {"filePath": path}}


def write(session: Session, root: Path, projects: Path) -> tuple[Path, datetime]:
    """The session's file below the folder of projects, and when its last line was written."""
    teller = _Teller(session, root, Clock.of(session))
    teller.clock.turn(1)
    for number, turn in enumerate(session.turns, start=1):
        teller.turn(number, turn)
    if session.unknown:
        teller.add(session.unknown, detail="a newer client wrote this")
    begun = teller.lines[0]
    held = {"messageId": begun["uuid"], "trackedFileBackups": {}, "timestamp": begun["timestamp"]}
    first: dict[str, Any] = {
        "type": "file-history-snapshot",
        "messageId": begun["uuid"],
        "snapshot": held,
    }
    first["isSnapshotUpdate"] = False
    data = b"".join(orjson.dumps(line) + b"\n" for line in (first, *teller.lines))
    if session.ends == "torn":
        data = data[:-90]
    path = projects / re.sub(r"[^A-Za-z0-9]", "-", str(root)) / f"{teller.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path, teller.clock.now


def _user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
