"""Records of type response_item: what the model was sent and what it answered.

Reasoning is left out: it is neither said to anyone nor done. Pictures are no text.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from dream.records import CallStatus, Skip
from dream.sources import codex_outcome, codex_voices
from dream.sources.codex_outcome import OK
from dream.sources.codex_reading import Reading
from dream.sources.codex_thread import Answer, Asked, Thread
from dream.sources.jsonl import Line

Payload = dict[str, Any]

_TEXTS = frozenset({"input_text", "output_text", "text"})
_MEDIA = frozenset(
    {"input_image", "output_image", "input_audio", "input_file", "encrypted_content"}
)
_SILENT = frozenset(
    {
        "reasoning", "compaction", "context_compaction", "compaction_trigger", "ghost_snapshot",
        "additional_tools",
    }
)  # fmt: skip
"""Items that say nothing to anyone."""


def item(reading: Reading, line: Line, payload: Payload) -> None:
    kind = payload.get("type")
    taker = _TAKERS.get(kind) if type(kind) is str else None
    if taker is not None:
        taker(reading, line, payload)
        return
    reading.thread(line.number)
    if type(kind) is not str:
        reading.skips.append(Skip("no_type", line.number, "response_item"))
    else:
        reason = "housekeeping" if kind in _SILENT else "unknown_type"
        reading.count(reason, f"response_item/{kind}", line.number)


def texts(reading: Reading, line: Line, content: object) -> list[str]:
    """The text blocks of a content list. All that is none is accounted for."""
    if type(content) is str:
        return [content]
    if type(content) is not list:
        if content is not None:
            reading.skips.append(Skip("bad_shape", line.number, "content"))
        return []
    found: list[str] = []
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        if type(kind) is not str:
            reading.skips.append(Skip("bad_shape", line.number, "content block"))
        elif kind in _TEXTS and type(text := block.get("text")) is str:
            found.append(text)
        elif kind in _TEXTS:
            reading.skips.append(Skip("bad_shape", line.number, "content block"))
        else:
            reason = "housekeeping" if kind in _MEDIA else "unknown_type"
            reading.count(reason, f"block {kind}", line.number)
    return found


def _message(reading: Reading, line: Line, payload: Payload) -> None:
    thread, role = reading.thread(line.number), payload.get("role")
    found = texts(reading, line, payload.get("content"))
    if role == "assistant":
        _said(reading, line, thread, "\n".join(found))
    elif role == "user":
        _put_in(reading, line, thread, found)
    elif role in ("developer", "system"):
        reading.tell(line, thread, "system", "system", "\n".join(found))
    else:
        reading.skips.append(Skip("unknown_role", line.number, str(role)[:60], lost=False))
        reading.tell(line, thread, "injected", "meta", "\n".join(found))


def _said(reading: Reading, line: Line, thread: Thread, text: str) -> None:
    if thread.voiced.get(text) == "event":
        del thread.voiced[text]
        reading.count("duplicate", "response_item/message", line.number)
    else:
        reading.reply(line, thread, text)
        thread.voiced[text] = "item"


def _put_in(reading: Reading, line: Line, thread: Thread, found: list[str]) -> None:
    """A text under the user's role is a program's, unless the event of a person follows."""
    if thread.prompt is not None and matches(thread.prompt, found):
        thread.prompt = None
        reading.count("duplicate", "response_item/message", line.number)
    else:
        reading.held = line, found


def matches(text: str, blocks: list[str]) -> bool:
    """Whether an event's text is that of an item: one block of it, or all of them joined."""
    return text in blocks or text in ("\n".join(blocks), "".join(blocks))


def release(reading: Reading) -> None:
    """The item held back was no person's."""
    if reading.held is None:
        return
    (line, found), reading.held = reading.held, None
    put_in(reading, line, reading.thread(line.number), found)


def put_in(reading: Reading, line: Line, thread: Thread, found: list[str]) -> None:
    """Text blocks that a program put under the user's role, as one message."""
    kind = codex_voices.put_in(found[0]) if found else "meta"
    if kind == "interrupt":
        if thread.stopped:
            reading.count("duplicate", "response_item/message", line.number)
            return
        thread.stopped = True
    reading.tell(line, thread, "injected", kind, "\n".join(found))


def _function(reading: Reading, line: Line, payload: Payload) -> None:
    given = payload.get("arguments")
    arguments = given if type(given) is str and _is_object(given) else _object(given)
    _ask(reading, line, payload, _tool(payload), arguments)


def _custom(reading: Reading, line: Line, payload: Payload) -> None:
    _ask(reading, line, payload, _tool(payload), _object(payload.get("input")))


def _local_shell(reading: Reading, line: Line, payload: Payload) -> None:
    _ask(reading, line, payload, "local_shell", _object(payload.get("action")))


def _tool_search(reading: Reading, line: Line, payload: Payload) -> None:
    _ask(reading, line, payload, "tool_search", _object(payload.get("arguments")))


def _web_search(reading: Reading, line: Line, payload: Payload) -> None:
    _ask(reading, line, payload, "web_search", _object(payload.get("action")))


def _picture(reading: Reading, line: Line, payload: Payload) -> None:
    _ask(reading, line, payload, "image_generation", _object(payload.get("revised_prompt")))


def _tool(payload: Payload) -> str:
    name, space = payload.get("name"), payload.get("namespace")
    name = name if type(name) is str else ""
    return f"{space}__{name}" if type(space) is str and space else name


def _is_object(text: str) -> bool:
    if text[:1] != "{":
        return False
    try:
        return type(orjson.loads(text)) is dict
    except orjson.JSONDecodeError:
        return False


def _object(value: object) -> str:
    """JSON text of an object. Free text and broken JSON are kept as its one field `input`."""
    given = {} if value is None else value if type(value) is dict else {"input": value}
    try:
        return orjson.dumps(given).decode()
    except TypeError:  # a number over 64 bits, or nested deeper than orjson writes
        try:
            return json.dumps(given, ensure_ascii=False, separators=(",", ":"))
        except RecursionError:
            return "{}"


def _ask(reading: Reading, line: Line, payload: Payload, tool: str, arguments: str) -> None:
    thread = reading.thread(line.number)
    call = payload.get("call_id") or payload.get("id")
    name = call if type(call) is str else ""
    if not tool:
        reading.skips.append(Skip("bad_shape", line.number, "a call without a name"))
    draft = reading.reply(line, thread, "", (f"call {name}",) if name else ())
    if draft is not None:
        thread.asked.append(Asked(draft, name, tool, arguments, _served(payload)))


def _served(payload: Payload) -> CallStatus | None:
    """What became of a call that the provider ran: it has no result of its own."""
    if payload["type"] not in ("web_search_call", "image_generation_call"):
        return None
    done = payload.get("status")
    return "error" if done == "failed" else "ok" if done == "completed" else None


def _output(reading: Reading, line: Line, payload: Payload) -> None:
    given = payload.get("output")
    failed = False
    if type(given) is dict:  # as older releases wrote it
        failed, given = given.get("success") is False, given.get("content")
    if type(given) is str:
        text = given
    elif given is None or type(given) is list:
        text = "\n".join(texts(reading, line, given))
    else:
        text = ""
        reading.skips.append(Skip("bad_shape", line.number, "output"))
    outcome = codex_outcome.of_text(text)
    if failed and outcome.status == "ok":
        outcome = outcome._replace(status="error")
    _answer(reading, line, payload, text, outcome)


def _found_tools(reading: Reading, line: Line, payload: Payload) -> None:
    """The tools that a search gave the model, by name: their descriptions are no result."""
    tools = payload.get("tools")
    names = [
        str(tool["name"])
        for tool in (tools if type(tools) is list else ())
        if type(tool) is dict and type(tool.get("name")) is str
    ]
    _answer(reading, line, payload, "\n".join(names), OK)


def _answer(
    reading: Reading, line: Line, payload: Payload, text: str, outcome: codex_outcome.Outcome
) -> None:
    thread, call = reading.thread(line.number), payload.get("call_id")
    name = call if type(call) is str else ""
    thread.reply = None
    draft = reading.tell(line, thread, "tool", "result", text, (f"result {name}",) if name else ())
    if draft is None:
        return
    if name in reading.answers:
        reading.skips.append(Skip("duplicate_result", line.number, name[:60], lost=False))
    else:
        reading.answers[name] = Answer(draft, outcome)


def agent_words(reading: Reading, line: Line, payload: Payload) -> None:
    """Words of one agent to another."""
    thread = reading.thread(line.number)
    found = texts(reading, line, payload.get("content"))
    reading.tell(line, thread, "injected", "subagent", "\n".join(found))


_TAKERS: Mapping[str, Callable[[Reading, Line, Payload], None]] = {
    "message": _message,
    "function_call": _function,
    "custom_tool_call": _custom,
    "local_shell_call": _local_shell,
    "tool_search_call": _tool_search,
    "web_search_call": _web_search,
    "image_generation_call": _picture,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "tool_search_output": _found_tools,
    "agent_message": agent_words,
}
"""By the payload's type."""
