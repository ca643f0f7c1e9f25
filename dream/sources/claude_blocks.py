"""The content of one Claude Code message, taken apart into what each voice said.

Thinking is left out: it is neither said to anyone nor done. Pictures and documents are no text.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from dream.sources import claude_voices as voices
from dream.sources.claude_voices import Asked, Part

_SILENT = frozenset({"thinking", "redacted_thinking"})
_MEDIA = frozenset({"image", "document"})
_SERVED = frozenset({"server_tool_use", "web_search_tool_result", "web_fetch_tool_result"})
Odd = tuple[str, str]
"""A word of records.SKIPS and the name of the part."""


class Said(NamedTuple):
    """A reply's content: its text blocks joined by a line feed, and the calls it asks for."""

    text: str
    calls: tuple[Asked, ...] = ()
    odd: tuple[Odd, ...] = ()


def reply(content: object) -> Said:
    """The content of a line of type assistant."""
    if type(content) is str:
        return Said(content)
    if type(content) is not list:
        return Said("", (), (("bad_shape", "content"),))
    texts: list[str] = []
    calls: list[Asked] = []
    odd: list[Odd] = []
    for block in content:
        kind = _kind(block)
        if kind in _SILENT:
            continue
        if kind == "text" and type(text := block.get("text")) is str:
            texts.append(text)
        elif kind == "tool_use":
            calls.append(_asked(block, odd))
        else:
            odd.append(_unread(kind))
    return Said("\n".join(texts), tuple(calls), tuple(odd))


def _asked(block: dict[str, Any], odd: list[Odd]) -> Asked:
    call, tool = block.get("id"), block.get("name")
    if type(call) is not str or type(tool) is not str:
        odd.append(("bad_shape", "tool_use"))
    return Asked(
        call if type(call) is str else "",
        tool if type(tool) is str else "",
        _arguments(block.get("input"), odd),
    )


def _arguments(value: object, odd: list[Odd]) -> str:
    if type(value) is dict:
        try:
            return orjson.dumps(value).decode()
        except TypeError:  # a number over 64 bits, or nested deeper than orjson writes
            try:
                return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            except RecursionError:
                pass
    odd.append(("bad_shape", "input"))
    return "{}"


def _kind(block: object) -> str:
    kind = block.get("type") if type(block) is dict else None
    return kind if type(kind) is str else ""


def _unread(kind: str) -> Odd:
    if kind in ("", "text", "tool_result", "tool_use"):
        return "bad_shape", "content block"
    return (
        "housekeeping" if kind in _MEDIA or kind in _SERVED else "unknown_type"
    ), f"block {kind}"


def turn(record: dict[str, Any], content: object) -> tuple[list[Part], list[Odd]]:
    """The content of a line of type user, in order; neighbours of one voice are one part."""
    odd: list[Odd] = []
    if type(content) is str:
        mark = voices.written_by(record)
        return ([Part("injected", mark, content)] if mark else voices.said(content)), odd
    if type(content) is not list:
        return [], [("bad_shape", "content")]
    parts: list[Part] = []
    for block in content:
        kind = _kind(block)
        if kind == "tool_result":
            parts += _result(block, record.get("toolUseResult"), odd)
        elif kind == "text" and type(text := block.get("text")) is str:
            parts += _text(record, text, parts)
        else:
            odd.append(_unread(kind))
    if not parts:  # a picture and no word
        mark = voices.written_by(record)
        parts.append(Part("injected", mark, "") if mark else Part("human", "prompt", ""))
    return (_together(parts) if len(parts) > 1 else parts), odd


def _result(block: dict[str, Any], structured: object, odd: list[Odd]) -> list[Part]:
    content = block.get("content")
    if type(content) is str:
        text = content
    elif type(content) is list:
        text = voices.joined(content)
    else:
        text = ""
        if content is not None:
            odd.append(("bad_shape", "tool_result"))
    result = voices.result(block, text, structured)
    if result.status == "refused" and (words := voices.refusal(text)):
        return [result, Part("human", "refusal", words, result.answers)]
    return [result]


def _text(record: dict[str, Any], text: str, before: Sequence[Part]) -> list[Part]:
    if mark := voices.written_by(record):
        return [Part("injected", mark, text)]
    if any(part.kind == "command" for part in before):  # what the command was expanded to
        return [Part("injected", "command", text)]
    return voices.said(text)


def _together(parts: list[Part]) -> list[Part]:
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last and part.kind != "result" and (last.role, last.kind) == (part.role, part.kind):
            joined[-1] = last._replace(text=f"{last.text}\n{part.text}")
        else:
            joined.append(part)
    return joined


def tokens(usage: dict[str, Any]) -> tuple[int | None, int | None]:
    """What a reply read, from the cache or not, and what it wrote; None where nothing is said."""
    get = usage.get
    read = _count(get("input_tokens"))
    for part in (get("cache_creation_input_tokens"), get("cache_read_input_tokens")):
        if type(part) is int:
            read = part + (read or 0)
    return read, _count(get("output_tokens"))


def _count(value: object) -> int | None:
    return value if type(value) is int else None
