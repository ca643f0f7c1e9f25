"""Tool calls in a Kimi CLI context, and what became of them.

A result begins with what the client says of it, in a text of its own: `<system>ERROR: …` for a
failure. That a person said no is believed only where the log has the answer: a tool can write what
it wants.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from dream.records import CallStatus, Message
from dream.sources.linear import Place
from dream.sources.shape import fields, items, json_text, text

_ERROR = "<system>ERROR"
_EXIT = re.compile(r"<system>ERROR: Command failed with exit code: (-?\d{1,9})\b")
_DONE = "<system>Command executed successfully."
_TO_THE_PAST = "SendDMail"
_SENT = "sent successfully"
"""Every D-Mail is answered with the words that it was not sent: nobody reads them if it was."""


class Call(NamedTuple):
    """A call that a reply asks for."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object


@dataclass(slots=True, eq=False)
class Asked:
    """A call that waits for its result."""

    message: Message
    id: str
    tool: str
    arguments: str
    order: int  # among the calls of its message
    place: Place
    result: Message | None = None
    status: CallStatus = "unanswered"
    exit_code: int | None = None


def asked(record: dict[str, Any]) -> Iterator[Call]:
    """The calls of a reply."""
    for call in map(fields, items(record.get("tool_calls"))):
        function = fields(call.get("function"))
        name, given = text(function.get("name")), text(function.get("arguments"))
        yield Call(text(call.get("id")), name, _arguments(given))


def _arguments(given: str) -> str:
    """The JSON text of an object, of whatever the model wrote."""
    try:
        read = orjson.loads(given) if given else {}
    except orjson.JSONDecodeError:
        read = None
    return json_text(read if type(read) is dict else {"arguments": given})


def became(
    tool: str, said: Sequence[str], failed: bool | None, refusal: str | None, given_up: bool
) -> tuple[CallStatus, int | None]:
    """What became of a call, and the exit code of a command.

    failed: as the log has it; None when it has nothing. refusal: a person's words with a no, maybe
    "". given_up: the call stands in a stretch that the agent has left.
    """
    first = said[0] if said else ""
    if refusal is not None:
        return "refused", None
    code = _EXIT.match(first)
    if code is not None:
        return "error", int(code[1])
    error = first.startswith(_ERROR) if failed is None else failed
    if tool == _TO_THE_PAST and given_up and _SENT in first:
        return "ok", None
    if error and first.startswith(f"{_ERROR}: The tool call is rejected by the user."):
        return "refused", None
    return ("error" if error else "ok"), 0 if first.startswith(_DONE) and not error else None
