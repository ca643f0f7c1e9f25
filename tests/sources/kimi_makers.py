"""Sessions of the Kimi CLI, record by record, with the log that its client would keep of them."""

import json
from hashlib import md5
from pathlib import Path
from typing import Any

from dream.records import Transcript
from dream.sources import kimi

START = 1_772_442_000.0  # 2026-03-02 09:00 UTC, in s
WORK = "/repo/beehive"
HASH = md5(WORK.encode(), usedforsecurity=False).hexdigest()
OWN = "11111111-2222-4333-8444-555555555555"
Record = dict[str, Any]

SUMMARY = "<system>Previous context has been compacted. Here is the compaction output:</system>"


def user(*said: str, **more: Any) -> Record:
    content = said[0] if len(said) == 1 else [{"type": "text", "text": one} for one in said]
    return {"role": "user", "content": content, **more}


def model(said: str, *calls: Record) -> Record:
    content = [{"type": "think", "think": "hm", "encrypted": None}, {"type": "text", "text": said}]
    return {"role": "assistant", "content": content, **({"tool_calls": calls} if calls else {})}


def call(own: str, name: str = "Shell", **arguments: Any) -> Record:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"type": "function", "id": own, "function": function}


def result(own: str, *said: str) -> Record:
    content = [{"type": "text", "text": one} for one in said]
    return {"role": "tool", "content": content, "tool_call_id": own}


def mark(number: int, *, words: bool = False) -> list[Record]:
    made: list[Record] = [{"role": "_checkpoint", "id": number}]
    return [*made, user(f"<system>CHECKPOINT {number}</system>")] if words else made


def usage(tokens: int) -> Record:
    return {"role": "_usage", "token_count": tokens}


def d_mail(said: str) -> Record:
    lead = "<system>You just got a D-Mail from your future self. Read it. D-Mail content:\n\n"
    return user(f"{lead}{said}</system>")


def event(kind: str, /, **payload: Any) -> Record:
    return {"type": kind, "payload": payload}


def typed(said: str) -> Record:
    return event("TurnBegin", user_input=said)


def ended(own: str, failed: bool = False) -> Record:
    return event("ToolResult", tool_call_id=own, return_value={"is_error": failed, "output": ""})


def asked(own: str, response: str = "approve", feedback: str = "") -> list[Record]:
    return [
        event("ApprovalRequest", id=f"r-{own}", tool_call_id=own, sender="Shell"),
        event("ApprovalResponse", request_id=f"r-{own}", response=response, feedback=feedback),
    ]


def lines(*records: Record | list[Record]) -> bytes:
    flat = [one for part in records for one in (part if isinstance(part, list) else [part])]
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in flat)


def log(*events: Record | list[Record]) -> bytes:
    """Ten seconds between two events."""
    flat = [one for part in events for one in (part if isinstance(part, list) else [part])]
    head = [{"type": "metadata", "protocol_version": "1.9"}]
    made = [{"timestamp": START + 10 * n, "message": one} for n, one in enumerate(flat)]
    return lines(head, made)


def session(share: Path, files: dict[str, bytes], own: str = OWN) -> Path:
    """Writes a session's folder below the client's own; the context in force."""
    folder = share / "sessions" / HASH / own
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    listed = {"work_dirs": [{"path": WORK, "kaos": "local", "last_session_id": own}]}
    (share / "kimi.json").write_text(json.dumps(listed))
    return folder / "context.jsonl"


def read(path: Path) -> Transcript:
    (made,) = kimi.read(path, {}, path.parent)
    return made


def made_of(folder: Path, context: bytes, wire: bytes | None = None, **more: bytes) -> Transcript:
    files = {"context.jsonl": context, **({} if wire is None else {"wire.jsonl": wire})}
    return read(session(folder, files | {f"{name}.jsonl": data for name, data in more.items()}))
