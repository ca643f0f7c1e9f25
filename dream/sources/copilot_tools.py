"""Tool calls in Copilot CLI events: asked for, permitted or refused, and what became of them."""

import json
import re
from typing import Any

import orjson

from dream.records import CallStatus, Skip
from dream.sources.claude_draft import Outcome
from dream.sources.copilot_talk import Asked, Reading, fields, passed, word
from dream.sources.jsonl import Line

Data = dict[str, Any]

_EXITED = re.compile(r"<[^<>]*\bexit(?:ed with)?(?: exit)? code (-?\d{1,9})>\s*\Z")
_REFUSED_BY_PERSON = "denied-interactively-by-user"


def calls(reading: Reading, line: Line, requests: object) -> tuple[Asked, ...]:
    if requests is None:
        return ()
    if type(requests) is not list:
        reading.skips.append(Skip("bad_shape", line.number, "toolRequests"))
        return ()
    calls = []
    for request in requests:
        given = fields(request)
        call, tool = word(given.get("toolCallId")), word(given.get("name"))
        if not call or not tool:
            reading.skips.append(Skip("bad_shape", line.number, "a tool request"))
        calls.append(Asked(call, tool, _object(given.get("arguments"))))
    return tuple(calls)


def _object(value: object) -> str:
    """JSON text of an object. Free text is kept as its one field `input`."""
    if type(value) is str:
        try:
            if type(orjson.loads(value)) is dict:
                return value
        except orjson.JSONDecodeError:
            pass
    given = {} if value is None else value if type(value) is dict else {"input": value}
    try:
        return orjson.dumps(given).decode()
    except TypeError:  # a number over 64 bits, or nested deeper than orjson writes
        try:
            return json.dumps(given, ensure_ascii=False, separators=(",", ":"))
        except RecursionError:
            return "{}"


def complete(reading: Reading, line: Line, data: Data) -> None:
    talk, call = reading.talk(line, data), word(data.get("toolCallId"))
    error = fields(data.get("error"))
    text = word(fields(data.get("result")).get("content")) or word(error.get("message"))
    if call in reading.by_person or data.get("isUserRequested") is True:
        reading.tell(line, talk, "injected", "shell", text, (call,))
        return
    draft = reading.tell(line, talk, "tool", "result", text, (call,))
    if draft is None:
        return
    if call in reading.outcomes:
        reading.skips.append(Skip("duplicate_result", line.number, call[:60], lost=False))
    else:
        status, code = _outcome(text, data.get("success") is False)
        reading.outcomes[call] = Outcome(draft, reading.denied.get(call, status), code)


def _outcome(text: str, failed: bool) -> tuple[CallStatus, int | None]:
    """A command's exit code stands behind its output, in angle brackets."""
    found = _EXITED.search(text[-160:])
    code = int(found[1]) if found else None
    return ("error" if failed or code else "ok"), code


def by_person(reading: Reading, line: Line, data: Data) -> None:
    """A command that a person ran in the session: never an agent's action, never a statement."""
    talk, call = reading.talk(line, data), word(data.get("toolCallId"))
    reading.by_person.add(call)
    command = word(fields(data.get("arguments")).get("command")) or word(data.get("toolName"))
    reading.tell(line, talk, "injected", "shell", f"$ {command}")


def asks_permission(reading: Reading, line: Line, data: Data) -> None:
    call = fields(data.get("permissionRequest")).get("toolCallId")
    reading.requests[word(data.get("requestId"))] = word(call)
    passed(reading, line, reading.talk(line, data))


def permission(reading: Reading, line: Line, data: Data) -> None:
    """What was said to a call that had to be asked for; words with a refusal are a person's."""
    talk, result = reading.talk(line, data), fields(data.get("result"))
    call = word(data.get("toolCallId")) or reading.requests.get(word(data.get("requestId")), "")
    kind, words = word(result.get("kind")), word(result.get("feedback")).strip()
    if kind.startswith("denied") and call:
        reading.denied[call] = "refused" if kind == _REFUSED_BY_PERSON else "error"
    if kind == _REFUSED_BY_PERSON and words and talk.kind != "subagent":
        reading.tell(line, talk, "human", "refusal", words)
    else:
        passed(reading, line, talk)
