"""Sessions of agents that the project has no reader for, as records: for measuring on hand labels.

Codex, Copilot CLI, OpenCode, Gemini CLI and SpecStory. Only what detectors look at is filled in.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from dream.records import CallStatus, Message, Role, Run, Session, ToolCall, Transcript
from dream.sources.identity import copy_key, millis, moment

_HEAD = re.compile(r"^_\*\*(User|Agent|Assistant)", re.M)
_EXIT = re.compile(r"(?:Exit code:?|exited with code) (\d+)")


@dataclass
class Pen:
    """Writes one session record by record, in order."""

    session_id: str
    messages: list[Message] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    run: int = 0

    def say(self, role: Role, kind: str, text: str, when: object, mark: str, line: int = 0) -> str:
        if role == "human" and kind == "prompt":
            self.run += 1
        happened = moment(when)
        message_id = f"{self.session_id}/{mark}"
        self.messages.append(
            Message(
                message_id,
                self.session_id,
                f"{self.session_id}:{self.run}",
                len(self.messages),
                role,
                kind,
                text,
                copy_key(role, millis(when), text, [mark]),
                "",
                line,
                happened,
            )
        )
        return message_id

    def call(self, tool: str, arguments: object, mark: str, when: object, said: str) -> None:
        text = json.dumps(arguments if isinstance(arguments, dict) else {"input": arguments})
        self.calls.append(
            ToolCall(
                f"{self.session_id}/{mark}",
                self.session_id,
                f"{self.session_id}:{self.run}",
                said,
                len(self.messages),
                len(self.calls),
                tool,
                text,
                "unanswered",
                0,
                mark,
                happened=moment(when),
            )
        )

    def answer(
        self, mark: str, text: str, bad: bool | None, code: int | None, when: object
    ) -> None:
        """bad None: the format has no flag, and the exit code decides."""
        result = self.say("tool", "result", text, when, f"result-{mark}")
        for place, call in enumerate(self.calls):
            if call.call_id == f"{self.session_id}/{mark}":
                failed = bool(code) if bad is None else bad
                status: CallStatus = "error" if failed or code else "ok"
                self.calls[place] = _answered(call, status, result, code)

    def transcript(self) -> Transcript:
        runs = {message.run_id: message for message in reversed(self.messages)}
        return Transcript(
            "",
            "",
            sessions=[Session(self.session_id, "foreign", started=_first(self.messages))],
            runs=[
                Run(run, self.session_id, number)
                for number, run in enumerate(sorted(runs), start=1)
            ],
            messages=self.messages,
            calls=self.calls,
        )


def _answered(call: ToolCall, status: CallStatus, result: str, code: int | None) -> ToolCall:
    values = {name: getattr(call, name) for name in call.__slots__}
    return ToolCall(**{**values, "status": status, "result_id": result, "exit_code": code})


def _first(messages: Sequence[Message]) -> datetime | None:
    return min((m.happened for m in messages if m.happened), default=None)


def read_foreign(path: Path) -> Iterator[Transcript]:
    """The session of one file; nothing for a format that is not one of these."""
    if path.suffix == ".md":
        yield _specstory(path.read_text(encoding="utf-8"), path.name)
        return
    raw = path.read_bytes()
    whole = _json(raw)
    if isinstance(whole, dict) and "messages" in whole:
        yield _opencode(whole) if "info" in whole else _gemini(whole)
        return
    lines = [value for line in raw.split(b"\n") if isinstance(value := _json(line), dict)]
    if any(line.get("type") == "session_meta" for line in lines[:3]):
        yield _codex(lines)
    elif any(line.get("type") == "session.start" for line in lines[:3]):
        yield _copilot(lines)


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _codex(lines: Sequence[Mapping[str, Any]]) -> Transcript:
    bodies = [(line, line.get("payload") or {}) for line in lines]
    metas = [body for line, body in bodies if line["type"] == "session_meta"]
    child = isinstance(metas[0].get("source"), dict)
    typed = Counter(
        str(body.get("message")).strip() for _, body in bodies if body.get("type") == "user_message"
    )
    pen, said = Pen(f"codex:{metas[0]['id']}"), ""
    for number, (line, body) in enumerate(bodies):
        when, mark = line.get("timestamp"), _mark(line)
        kind = body.get("type")
        if kind == "turn_aborted" and line["type"] == "event_msg":
            pen.say("injected", "interrupt", "", when, mark)
        if line["type"] != "response_item":
            continue
        if kind == "message":
            for block, part in enumerate(body.get("content") or []):
                text, role = part.get("text") or "", body["role"]
                person = role == "user" and text.strip() in typed and not child
                who: Role = (
                    "assistant" if role == "assistant" else "human" if person else "injected"
                )
                what = "reply" if who == "assistant" else "prompt" if person else "meta"
                said = pen.say(who, what, text, when, f"{mark}-{block}", number)
        elif kind in {"function_call", "custom_tool_call"}:
            given = body.get("arguments") or body.get("input") or ""
            parsed = _json(given.encode()) if isinstance(given, str) else given
            pen.call(
                body["name"], parsed if parsed is not None else given, body["call_id"], when, said
            )
        elif kind in {"function_call_output", "custom_tool_call_output"}:
            text = _text(body.get("output"))
            code = _EXIT.search(text[:400])
            pen.answer(body["call_id"], text, None, int(code[1]) if code else None, when)
    return pen.transcript()


def _mark(line: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()[:16]


def _text(output: object) -> str:
    if isinstance(output, str):
        return output
    parts = output if isinstance(output, list) else []
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _copilot(lines: Sequence[Mapping[str, Any]]) -> Transcript:
    start = next(line for line in lines if line["type"] == "session.start")
    pen, said = Pen(f"copilot:{start['data']['sessionId']}"), ""
    for line in lines:
        data, when, mark = line.get("data") or {}, line.get("timestamp"), str(line.get("id"))
        if line["type"] == "user.message":
            pen.say("human", "prompt", data.get("content") or "", when, mark)
        elif line["type"] == "assistant.message":
            said = pen.say("assistant", "reply", data.get("content") or "", when, mark)
        elif line["type"] == "tool.execution_start":
            pen.call(data["toolName"], data.get("arguments"), data["toolCallId"], when, said)
        elif line["type"] == "tool.execution_complete":
            text = str((data.get("result") or {}).get("content") or "")
            pen.answer(data["toolCallId"], text, not data.get("success"), None, when)
    return pen.transcript()


def _opencode(whole: Mapping[str, Any]) -> Transcript:
    info = whole["info"]
    pen, said = Pen(f"opencode:{info['id']}"), ""
    for message in whole["messages"]:
        head = message["info"]
        when = (head.get("time") or {}).get("created")
        for part in message["parts"]:
            if part.get("type") == "text":
                person = head["role"] == "user" and not part.get("synthetic")
                person = person and not info.get("parentID")
                who: Role = (
                    "assistant"
                    if head["role"] == "assistant"
                    else "human"
                    if person
                    else "injected"
                )
                what = "reply" if who == "assistant" else "prompt" if person else "meta"
                said = pen.say(who, what, part.get("text") or "", when, part["id"])
            elif part.get("type") == "tool":
                state = part.get("state") or {}
                pen.call(part["tool"], state.get("input"), part["callID"], when, said)
                text = str(state.get("output") or state.get("error") or "")
                code = (state.get("metadata") or {}).get("exit")
                pen.answer(part["callID"], text, state.get("status") == "error", code, when)
    return pen.transcript()


def _gemini(whole: Mapping[str, Any]) -> Transcript:
    pen = Pen(f"gemini:{whole['sessionId']}")
    for message in whole["messages"]:
        text = message.get("content") or ""
        text = text if isinstance(text, str) else _text(text)
        if message["type"] == "user":
            pen.say("human", "prompt", text, message.get("timestamp"), message["id"])
        elif message["type"] == "gemini":
            pen.say("assistant", "reply", text, message.get("timestamp"), message["id"])
    return pen.transcript()


def _specstory(text: str, name: str) -> Transcript:
    found = re.search(r"Session ([0-9a-f-]{36}) \(([^)]*)\)", text[:500])
    pen = Pen(f"specstory:{found[1] if found else name}")
    when = _minute(found[2]) if found else None
    heads = [match.start() for match in _HEAD.finditer(text)]
    for number, start in enumerate(heads):
        end = heads[number + 1] if number + 1 < len(heads) else len(text)
        head, _, body = text[start:end].partition("\n")
        body = re.sub(r"\n*---\s*$", "", body.strip("\n")).strip("\n")
        stamp = re.search(r"\(([0-9-]{10} [0-9:]+Z)\)", head)
        when = _minute(stamp[1]) if stamp else when
        person = head.startswith("_**User")
        line = text.count("\n", 0, start) + 1
        pen.say(
            "human" if person else "assistant",
            "prompt" if person else "reply",
            body,
            when,
            f"turn-{number}",
            line,
        )
    return pen.transcript()


def _minute(stamp: str) -> str:
    return stamp.replace(" ", "T").replace("Z", ":00Z")
