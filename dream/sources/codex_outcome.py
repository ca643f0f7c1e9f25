"""What became of a Codex tool call: by the event that ended it, else by the text of its output.

Outputs carry no mark of failure. A command's exit code stands in the first lines of the text, in
one of three spellings that the releases have had; a failure of a tool itself is a sentence.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from dream.records import CallStatus


class Outcome(NamedTuple):
    status: CallStatus
    exit_code: int | None = None


OK = Outcome("ok")
_DONE = Outcome("ok", 0)
_FAILED = Outcome("error")
_EXIT = re.compile(r"exit code:? (-?\d{1,9})\b", re.I)
_EXITED = "\nProcess exited with code "
_REFUSED = (
    "exec command rejected by user", "patch rejected by user", "rejected by user",
    "user rejected MCP tool call", "user cancelled MCP tool call",
)  # fmt: skip
_BROKEN = re.compile(
    r"(?:\w+ (?:verification )?failed\b|failed to parse function arguments"
    r"|unsupported (?:custom tool )?call\b|tool call error\b|unable to locate )"
)


def of_text(text: str) -> Outcome:
    """By the output alone. A command that still runs, or that a pipe hides, is "ok"."""
    first = text[:1]
    if first == "C" or first == "W":  # Chunk ID, Wall time
        return _unified(text)
    if first == "E" or first == "e":
        found = _EXIT.match(text)
        if found:
            return _exited(int(found[1]))
    elif first == "{":
        return _json(text)
    if text.startswith("aborted by user") or text == "aborted":
        return Outcome("interrupted")
    if text.startswith(_REFUSED):
        return Outcome("refused")
    return _FAILED if _BROKEN.match(text) else OK


def _unified(text: str) -> Outcome:
    """The header of a command run in a terminal; its output follows behind a line of its own."""
    head = text[:400]
    end = head.find("\nOutput:")
    place = head.find(_EXITED, 0, end if end >= 0 else len(head))
    if place < 0:
        return OK
    code = head[place + len(_EXITED) :].partition("\n")[0].strip()
    return _exited(int(code)) if code.lstrip("-").isdecimal() and len(code) < 10 else OK


def _json(text: str) -> Outcome:
    if not text.startswith('{"output"'):
        return OK
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return OK
    about = value.get("metadata")
    code = about.get("exit_code") if type(about) is dict else None
    return _exited(code) if type(code) is int and abs(code) < 10**9 else OK


def _exited(code: int) -> Outcome:
    return Outcome("error", code) if code else _DONE


def of_event(payload: Mapping[str, Any]) -> Outcome | None:
    """By the event that a command, a patch or an MCP call ended with; None when it says nothing."""
    if payload.get("status") == "declined":
        return Outcome("refused")
    code, success, result = (payload.get(key) for key in ("exit_code", "success", "result"))
    if type(code) is int and abs(code) < 10**9:
        return _exited(code)
    if type(success) is bool:
        return OK if success else _FAILED
    if type(result) is dict:
        done = result.get("Ok")
        failed = "Err" in result or (
            type(done) is dict and True in (done.get("isError"), done.get("is_error"))
        )
        return _FAILED if failed else OK
    return None


def settled(text: Outcome, event: Outcome) -> Outcome:
    """Both together: the event knows better, but not that a person stepped in."""
    code = text.exit_code if event.exit_code is None else event.exit_code
    status = text.status if text.status in ("refused", "interrupted") else event.status
    return Outcome(status, code)
