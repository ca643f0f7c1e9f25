"""One message of the pi agent, as its session files and the RUN2 archive both hold it.

A message is a JSON object with a role; what is said here about one is true wherever it is stored.
Thinking is left out: it is neither said to anyone nor done. Nothing raises: a part of another
shape than known costs only itself and is named in `odd`.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import orjson

from dream.records import CallStatus, MessageKind, Role
from dream.sources import identity


class Asked(NamedTuple):
    """A tool call that a reply asks for."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object


class Odd(NamedTuple):
    """Something about a message that the reader has to account for, as a records.Skip."""

    reason: str  # a word of records.SKIPS
    detail: str
    lost: bool


Words = tuple[str, tuple[Asked, ...], tuple[Odd, ...]]
"""Text, calls and oddities of a message's content."""


class Said(NamedTuple):
    """What a message comes to. For a copy's key take role, millis, text and call_ids."""

    role: Role
    kind: MessageKind
    text: str
    millis: int | None  # ms since 1970, when the message began
    call_ids: tuple[str, ...] = ()  # the calls a reply asks for, or the one a result answers
    calls: tuple[Asked, ...] = ()
    answers: str | None = None  # a result: the id of the call it answers
    tool: str | None = None  # a result: the tool's name
    outcome: CallStatus | None = None  # a result: what became of the call
    exit_code: int | None = None
    model: str | None = None
    tokens_in: int | None = None  # all that the model read, from the cache or not
    tokens_out: int | None = None
    stop: str | None = None
    odd: tuple[Odd, ...] = ()


_as_said: Callable[[tuple[Any, ...]], Said] = partial(tuple.__new__, Said)
_as_asked: Callable[[tuple[Any, ...]], Asked] = partial(tuple.__new__, Asked)
"""The same as calling Said and Asked with every field, at half the price; for what is frequent."""
_NO_MORE = ((), (), None, None, None, None, None, None, None, None, ())


def decode(message: dict[str, Any]) -> Said:
    """A pi message object, of any release. An unknown role is kept as injected text and named."""
    get = message.get
    role, stamp = get("role"), get("timestamp")
    millis = stamp if type(stamp) is int else identity.millis(stamp)
    words = _content(get("content"))
    decoder = _DECODERS.get(role) if type(role) is str else None
    if decoder is not None:
        return decoder(message, millis, words)
    unknown = Odd("unknown_role", str(role)[:40], lost=False)
    return Said("injected", "meta", words[0], millis, odd=(unknown, *words[2]))


def _user(message: dict[str, Any], millis: int | None, words: Words) -> Said:
    text, _, odd = words
    if text[:1] == "<" and (typed := _typed(text)) != text:
        if not typed:
            return Said("injected", "command", text, millis, odd=odd)
        put_in = Odd("housekeeping", "a file or skill put before the prompt", lost=False)
        return Said("human", "prompt", typed, millis, odd=(*odd, put_in))
    if odd:
        return Said("human", "prompt", text, millis, odd=odd)
    return _as_said(("human", "prompt", text, millis, *_NO_MORE))


def _typed(text: str) -> str:
    """A prompt without the files and skills that pi writes in front of it.

    They end at the LAST closing tag: what stands in a file must not pass for a person's words,
    even if it holds such a tag itself.
    """
    for start, end in (('<file name="', "</file>"), ('<skill name="', "</skill>")):
        if text.startswith(start) and (last := text.rfind(end)) >= 0:
            return text[last + len(end) :].strip()
    return text


def _assistant(message: dict[str, Any], millis: int | None, words: Words) -> Said:
    text, calls, odd = words
    get = message.get
    stop, model = get("stopReason"), get("model")
    stop, model = stop if type(stop) is str else None, model if type(model) is str else None
    role: Role = "assistant"
    kind: MessageKind = "reply"
    if not text and not calls and (error := get("errorMessage")):
        # The client wrote this, or a person stopped the agent before it said a word.
        text = error if isinstance(error, str) else ""
        aborted = stop == "aborted" or text.rstrip(".").endswith("was aborted")
        role, kind = ("injected", "interrupt") if aborted else ("system", "api_error")
    usage = get("usage")
    tokens_in, tokens_out = _tokens(usage) if type(usage) is dict else (None, None)
    call_ids = tuple([asked[0] for asked in calls]) if calls else ()
    return _as_said(
        (role, kind, text, millis, call_ids, calls, None, None, None, None,
         model, tokens_in, tokens_out, stop, odd)
    )  # fmt: skip


def _result(message: dict[str, Any], millis: int | None, words: Words) -> Said:
    text, _, odd = words
    outcome: CallStatus = "ok"
    code = None
    if message.get("isError"):
        outcome, code = _failure(text)
    answers = message.get("toolCallId")
    if type(answers) is not str:
        answers, odd = "", (*odd, Odd("bad_shape", "toolCallId", lost=False))
    tool = message.get("toolName")
    tool = tool if type(tool) is str else None
    return _as_said(
        ("tool", "result", text, millis, (answers,), (), answers, tool, outcome, code,
         None, None, None, None, odd)
    )  # fmt: skip


_EXITED = "Command exited with code "
_STOPPED = frozenset(
    {"Command aborted", "Operation aborted", "Request was aborted", "This operation was aborted"}
)
_REFUSED = (
    "blocked by user", "blocked by the user", "denied by user", "denied by the user",
    "rejected by user", "rejected by the user", "user denied", "user rejected", "user declined",
    "user refused", "the user denied", "the user rejected", "the user declined",
)  # fmt: skip


def _failure(text: str) -> tuple[CallStatus, int | None]:
    """What a result marked as an error says became of the call, and the exit code in its text.

    A block by an extension is an error like any other unless it says that a person said no.
    """
    end = text.rstrip()
    last = end[end.rfind("\n") + 1 :]
    if last.startswith(_EXITED):
        code = last[len(_EXITED) :]
        return "error", int(code) if code.isascii() and code.isdigit() and len(code) < 10 else None
    if last in _STOPPED or end.startswith("Skipped due to queued user message"):
        return "interrupted", None
    if len(end) < 400 and end.lower().startswith(_REFUSED):
        return "refused", None
    return "error", None


def _shell(message: dict[str, Any], millis: int | None, _: Words) -> Said:
    """A person's own shell command with its output: never an agent's action, never a statement."""
    command, output = (_word(message.get(key)) or "" for key in ("command", "output"))
    code = message.get("exitCode")
    code = code if type(code) is int else None
    text = f"$ {command}\n{output}".rstrip("\n")
    if code:
        text += f"\n{_EXITED}{code}"
    return Said("injected", "shell", text, millis, exit_code=code)


def _system(message: dict[str, Any], millis: int | None, words: Words) -> Said:
    text, _, odd = words
    sections = message.get("sections")
    if isinstance(sections, dict):
        parts = [text, *(part for part in sections.values() if isinstance(part, str))]
        text = "\n\n".join(part for part in parts if part)
    return Said("system", "system", text, millis, odd=odd)


def _extension(_: dict[str, Any], millis: int | None, words: Words) -> Said:
    return Said("injected", "meta", words[0], millis, odd=words[2])


def _summary(message: dict[str, Any], millis: int | None, words: Words) -> Said:
    text = _word(message.get("summary"))
    return Said("injected", "summary", words[0] if text is None else text, millis, odd=words[2])


_DECODERS: dict[str, Callable[[dict[str, Any], int | None, Words], Said]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _result,
    "bashExecution": _shell,
    "system": _system,
    "custom": _extension,
    "hookMessage": _extension,
    "branchSummary": _summary,
    "compactionSummary": _summary,
}
_TOO_MANY = 1 << 53  # tokens; a damaged number, and one that a table cannot hold
_SILENT = frozenset({"thinking", "redactedThinking", "image"})
"""Blocks that are known and hold no words for us."""


def _content(content: object) -> Words:
    """Text, calls and oddities of a message's content: plain text or a list of blocks."""
    if type(content) is not list:
        return _bare(content)
    odd: list[Odd] = []
    if len(content) == 1 and type(block := content[0]) is dict:  # three of four messages
        kind = block.get("type")
        if kind == "text" and type(text := block.get("text")) is str:
            return text, (), ()
        if kind == "toolCall":
            return "", (_asked(block, odd),), tuple(odd)
    texts: list[str] = []
    calls: list[Asked] = []
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        if kind == "text" and type(text := block.get("text")) is str:
            texts.append(text)
        elif kind == "toolCall":
            calls.append(_asked(block, odd))
        elif type(kind) is not str or kind not in _SILENT:
            odd.append(_unknown(kind))
    text = texts[0] if len(texts) == 1 else "\n".join(texts)
    return text, tuple(calls) if calls else (), tuple(odd) if odd else ()


def _bare(content: object) -> Words:
    if type(content) is str:
        return content, (), ()
    if content is None:
        return "", (), ()
    return "", (), (Odd("bad_shape", f"content is {type(content).__name__}", lost=True),)


def _unknown(kind: object) -> Odd:
    if not isinstance(kind, str) or kind == "text":
        return Odd("bad_shape", "a block without type or text", lost=True)
    return Odd("unknown_type", f"block {kind[:40]}", lost=True)


def _asked(block: dict[str, Any], odd: list[Odd]) -> Asked:
    get = block.get
    name, call_id, arguments = get("name"), get("id"), get("arguments")
    if type(name) is not str or type(call_id) is not str or type(arguments) is not dict:
        odd.append(Odd("bad_shape", "a tool call", lost=type(arguments) is not dict))
        name, call_id = _word(name) or "", _word(call_id) or ""
        arguments = arguments if type(arguments) is dict else {}
    try:
        return _as_asked((call_id, name, json_text(arguments)))
    except RecursionError:
        odd.append(Odd("bad_shape", "a tool call's arguments are nested too deep", lost=True))
        return Asked(call_id, name, "{}")


def json_text(value: Any) -> str:
    """JSON text of a value, also of one with numbers that orjson cannot write.

    Raises RecursionError for a value nested hundreds of levels deep.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))


def _word(value: object) -> str | None:
    return value if type(value) is str else None


def _tokens(usage: dict[str, Any]) -> tuple[int | None, int | None]:
    """Read and written. A failed request says 0 and 0 and means: not known."""
    get = usage.get
    read, out = get("input"), get("output")
    read = read if type(read) is int else None
    out = out if type(out) is int and 0 <= out < _TOO_MANY else None
    if read is not None:
        for more in (get("cacheRead"), get("cacheWrite")):
            if type(more) is int:
                read += more
        read = read if 0 <= read < _TOO_MANY else None
    return (read, out) if read or out else (None, None)
