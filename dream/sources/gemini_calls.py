"""Tool calls of a Gemini CLI turn. Call and result are one object.

A shell command that fails is a success to the client: its result has a line `Exit Code: N` among
the last ones, in newer releases only when the code is not zero.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from dream.records import CallStatus
from dream.sources.shape import fields, items, json_text, text

_TRAILER = re.compile(
    r"(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): ?(.*)", re.DOTALL
)
_EXIT = re.compile(r"Exit Code: (\d{1,9})\s*\Z")
_DENIED = ("denied", "did not allow", "declined", "rejected")
_CANCELLED = "Command was cancelled by user before it could complete."
_TIMED_OUT = "Command was automatically cancelled because it exceeded the timeout"
_OPEN = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})


class Called(NamedTuple):
    """A call with what became of it."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object
    status: CallStatus
    result: str | None  # the text the model saw; None when there is none
    exit_code: int | None
    happened: object  # when it ended, in the source's own spelling
    odd: str = ""  # a status this reader does not know


def calls(record: dict[str, Any]) -> Iterator[Called]:
    """The calls of a turn. A rewritten file has some among the parts of the content only."""
    told = set()
    for call in items(record.get("toolCalls")):
        if type(call) is dict:
            told.add(text(call.get("id")))
            yield _called(call)
    for part in items(record.get("content")):
        call = fields(fields(part).get("functionCall"))
        if call and text(call.get("id")) not in told:
            yield _called(call)


def answers(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Results that stand in a user turn of their own: the call's id and the text."""
    for part in items(record.get("content")):
        if type(response := fields(part).get("functionResponse")) is dict:
            yield text(response.get("id")), _response(response)


def _called(call: dict[str, Any]) -> Called:
    name, said = text(call.get("name")), text(call.get("status"))
    result = _result(call)
    status: CallStatus = "unanswered" if result is None else "ok"
    code = None
    if said == "success" or (not said and result is not None):
        status, code = _ended(name, result or "")
    elif said == "error":
        status = "error"
    elif said == "cancelled":
        status = _stopped(result or "")
    elif said in _OPEN:
        status = "unanswered"
    odd = "" if said in ("", "success", "error", "cancelled") or said in _OPEN else said
    return Called(
        text(call.get("id")), name, json_text(fields(call.get("args"))), status, result, code,
        call.get("timestamp"), odd,
    )  # fmt: skip


def _ended(tool: str, result: str) -> tuple[CallStatus, int | None]:
    if result.startswith(_CANCELLED):
        return "interrupted", None
    if result.startswith(_TIMED_OUT):
        return "error", None
    code = exit_code(result) if "shell" in tool else None
    return ("error" if code else "ok"), code


def _stopped(result: str) -> CallStatus:
    """A person said no to the call, or stopped the agent while it waited or ran."""
    reason = result.partition("Reason:")[2] or result
    return "refused" if any(word in reason for word in _DENIED) else "interrupted"


def exit_code(result: str) -> int | None:
    """What the client wrote under a command's output; None when it wrote no code."""
    for line in reversed(result.rstrip().split("\n")):
        if found := _EXIT.match(line):
            return int(found[1])
        if not _TRAILER.match(line):
            return None
    return None


def _result(call: dict[str, Any]) -> str | None:
    """The result's text: that of all its parts, else what was shown to the person."""
    result = call.get("result")
    if type(result) is str:
        return result
    parts = result if type(result) is list else [result] if type(result) is dict else []
    texts = []
    for part in parts:
        response = fields(part).get("functionResponse")
        if type(response) is dict:
            texts.append(_response(response))
        elif type(said := part if type(part) is str else fields(part).get("text")) is str:
            texts.append(said)
    if texts:
        return "\n".join(texts)
    shown = call.get("resultDisplay")
    return shown if type(shown) is str and shown else None


def _response(response: dict[str, Any]) -> str:
    """The output or the error of a functionResponse, or all of it as JSON text."""
    inner = response.get("response")
    for key in ("output", "error"):
        if type(said := fields(inner).get(key)) is str:
            return said
    return "" if inner is None else json_text(inner)
