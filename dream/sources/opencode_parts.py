"""What the parts of OpenCode messages say: who speaks, and what became of a tool call.

A tool part holds call and result. A command that fails is `completed` to the client; its exit code
stands in the part's metadata. Without a person (a session that `opencode run` drives) the client
itself says no to what would need one, in the same words.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from dream.records import CallStatus, SessionKind
from dream.sources import claude_voices as voices
from dream.sources.claude_voices import Part
from dream.sources.shape import fields, json_text, text

RUN_BY_PERSON = "The following tool was executed by the user"
"""The client's text before a shell command that a person typed."""

_REJECTED = "The user rejected permission to use this specific tool call"
_DISMISSED = "The user dismissed this question"
_RULE = "The user has specified a rule which prevents you from using this specific tool call"
_FEEDBACK = " with the following feedback: "
_ABORTED = ("Tool execution aborted", "Cancelled")
_STOPPED = re.compile(r"<(?:bash_|shell_)?metadata>\s[^<]*\bUser aborted the command")
_TIMED_OUT = re.compile(r"<(?:bash_|shell_)?metadata>\s[^<]*\bexceed(?:ing|ed) timeout")
_QUIET = frozenset({"step-start", "step-finish", "patch", "snapshot", "file", "agent"})
_TAIL = 600  # characters of an output in which the client may have written


class Called(NamedTuple):
    """A tool part."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object
    status: CallStatus
    result: str | None  # the text the model saw; None while there is none
    exit_code: int | None
    started: object  # ms since 1970
    ended: object
    said: str = ""  # what a person said with a refusal
    odd: str = ""  # a status this reader does not know


def typed(part: Mapping[str, Any]) -> list[Part]:
    """A text part of a user message. The client marks its own; a plugin may hide one from all."""
    said = text(part.get("text"))
    if part.get("synthetic") is True or part.get("ignored") is True:
        return [Part("injected", "shell" if said == RUN_BY_PERSON else "meta", said)]
    if "<system-reminder>" in said:
        return voices.said(said)
    return [Part("human", "prompt", said)]


def called(part: Mapping[str, Any], kind: SessionKind) -> Called:
    """A tool part. Every shape gives a call; what is missing is empty."""
    state = fields(part.get("state"))
    status = text(state.get("status"))
    time = fields(state.get("time"))
    result: str | None = None
    outcome: CallStatus = "unanswered"
    code = None
    said = ""
    if status == "completed":
        result = text(state.get("output"))
        outcome, code = _completed(fields(state.get("metadata")), result)
    elif status == "error":
        result = text(state.get("error"))
        outcome, said = _failed(result, kind)
    odd = "" if status in ("completed", "error", "running", "pending") else status or "none"
    return Called(
        text(part.get("callID")), text(part.get("tool")), json_text(fields(state.get("input"))),
        outcome, result, code, time.get("start"), time.get("end", time.get("start")), said, odd,
    )  # fmt: skip


def _completed(metadata: Mapping[str, Any], output: str) -> tuple[CallStatus, int | None]:
    code = metadata.get("exit")
    code = code if type(code) is int and abs(code) < 1 << 31 else None
    tail = output[-_TAIL:]
    if _STOPPED.search(tail):
        return "interrupted", code
    return ("error" if code or _TIMED_OUT.search(tail) else "ok"), code


def _failed(error: str, kind: SessionKind) -> tuple[CallStatus, str]:
    if error.startswith(_ABORTED):
        return "interrupted", ""
    if error.startswith(_RULE):
        return "refused", ""
    if error.startswith((_REJECTED, _DISMISSED)):
        if kind == "headless":  # there was nobody to ask
            return "error", ""
        return "refused", error.partition(_FEEDBACK)[2].strip()
    return "error", ""


def notice(error: Mapping[str, Any]) -> Part:
    """The error that a reply broke off with."""
    name = text(error.get("name"))
    said = text(fields(error.get("data")).get("message")) or text(error.get("message")) or name
    if name == "MessageAbortedError":
        return Part("injected", "interrupt", said)
    return Part("system", "api_error", said)


def unread(kind: str) -> str:
    """The reason to pass over a part of this kind."""
    return "housekeeping" if kind in _QUIET else "unknown_type"
