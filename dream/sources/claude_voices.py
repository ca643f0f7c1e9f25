"""Who speaks in a user line of a Claude Code session, and what a tool's result says of its call.

Under the user role stand a person's prompts, tool results, the echoes of commands and much that a
program wrote. A person's words are what remains when all that is known to be none is taken away;
a text with machine-made parts around it is split, so that the words stand alone.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from dream.records import CallStatus, MessageKind, Role


class Asked(NamedTuple):
    """A tool call that a reply asks for."""

    id: str  # the agent's own; "" when it has none
    tool: str
    arguments: str  # JSON text of an object


class Part(NamedTuple):
    """A stretch of one line's content that one voice said."""

    role: Role
    kind: MessageKind
    text: str
    answers: str | None = None  # a result: the call's own id
    status: CallStatus = "ok"  # a result: what became of the call
    exit_code: int | None = None


_TAGS: dict[str, MessageKind] = {
    "command-name": "command", "command-message": "command", "command-args": "command",
    "command-contents": "command", "local-command-stdout": "command",
    "local-command-stderr": "command", "local-command-caveat": "command",
    "bash-input": "shell", "bash-stdout": "shell", "bash-stderr": "shell",
    "task-notification": "meta", "agent-notification": "meta", "teammate-message": "meta",
    "channel": "meta", "fork-boilerplate": "meta", "mcp-resource-update": "meta",
    "mcp-polling-update": "meta", "agent-message": "meta", "cross-session-message": "meta",
}  # fmt: skip
"""A text that begins with one of these is none of a person's, to its end."""

_CONTEXT = (
    "ide_opened_file", "ide_selection", "ide_diagnostics", "system-reminder", "new-diagnostics",
    "user-prompt-submit-hook", "session-start-hook", "post-tool-use-hook",
)  # fmt: skip
"""Put around a person's words by the client: these blocks are cut off at both ends."""

_TAG = re.compile(r"\s*<([a-z_-]+)[\s>]")
_MEMORY = re.compile(r"\s*<user-memory-input>(.*?)</user-memory-input>\s*\Z", re.DOTALL)

_INTERRUPTED = "[Request interrupted by user"
_PREFIXES: tuple[tuple[str, MessageKind], ...] = (
    (_INTERRUPTED, "interrupt"),
    ("This session is being continued from a previous conversation", "summary"),
    ("Implement the following plan:", "meta"),  # the agent's own plan, put back when accepted
    ("Base directory for this skill:", "meta"),
    ("Caveat: The messages below", "meta"),
    ("Operation stopped by hook", "meta"),
    ("Stop hook feedback:", "meta"),
    ("Unknown slash command:", "command"),
)
_STARTS = tuple(prefix for prefix, _ in _PREFIXES)

_REFUSALS = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "The agent proposed a plan that was rejected by the user",
)
_SAID = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action right now)\."
    r".{0,250}?(?:the user said:|reason for the rejection:)\s*(.*)\Z",
    re.DOTALL,
)
_NOTE = "\n\nNote: The user's next message may contain a correction or preference."
_SIBLING = ("Sibling tool call errored", "Cancelled: parallel tool call")
_EXIT = re.compile(r"Exit code (\d{1,9})\b")
_QUEUED_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|\Z)")
_QUEUED_TASK = re.compile(r'\{\s*"task_id"')


def said(text: str) -> list[Part]:
    """A text under the user role, cut where the voice changes."""
    start = text.lstrip()
    if start.startswith(_STARTS):
        kind = next(kind for prefix, kind in _PREFIXES if start.startswith(prefix))
        return [Part("injected", kind, text)]
    if start[:1] == "<" and (tag := _TAG.match(start)):
        if known := _TAGS.get(tag[1]):
            return [Part("injected", known, text)]
        if memory := _MEMORY.match(text):
            return [Part("human", "prompt", memory[1].strip())]
    elif "<system-reminder>" not in text:
        return [Part("human", "prompt", text)]
    return _without_context(text)


def _without_context(text: str) -> list[Part]:
    start, end = _before(text), _behind(text)
    if start >= end:
        return [Part("injected", "meta", text)]
    words = said(text[start:end]) if start else [Part("human", "prompt", text[:end])]
    around = [
        Part("injected", "meta", text[:start].strip()),
        Part("injected", "meta", text[end:].strip()),
    ]
    return [part for part in (around[0], *words, around[1]) if part.text]


def _before(text: str) -> int:
    """Where a text's words begin, behind the client's blocks. One that never ends has no words."""
    start = 0
    while (tag := _TAG.match(text, start)) and tag[1] in _CONTEXT:
        closed = text.find(f"</{tag[1]}>", tag.end())
        if closed < 0:
            return len(text)
        start = closed + len(tag[1]) + 3
    while start and start < len(text) and text[start].isspace():
        start += 1
    return start


def _behind(text: str) -> int:
    """Where a text's words end, before the client's blocks."""
    end = len(text)
    while True:
        close = end
        while close and text[close - 1].isspace():
            close -= 1
        if end < len(text):
            end = close
        tag = next((tag for tag in _CONTEXT if text.endswith(f"</{tag}>", 0, close)), None)
        opened = text.rfind(f"<{tag}", 0, close) if tag else -1
        if opened < 0:
            return end
        end = opened


def written_by(record: dict[str, Any]) -> MessageKind | None:
    """The kind of a user line that a program wrote, as its own marks say; None without a mark."""
    get = record.get
    if get("isCompactSummary"):
        return "summary"
    if get("isMeta") or get("isVisibleInTranscriptOnly") or get("planContent"):
        return "meta"
    if get("sourceToolUseID") or get("promptSource") in ("suggestion_accepted", "system"):
        return "meta"
    origin = get("origin")
    if type(origin) is dict and origin.get("kind") not in (None, "human"):
        return "meta"
    return None


def sent_by_person(queued: dict[str, Any]) -> bool:
    """Whether a queued_command attachment holds what a person typed."""
    origin = queued.get("origin")
    if type(origin) is dict and "kind" in origin:
        return bool(origin["kind"] == "human")
    return queued.get("commandMode") in (None, "prompt")


def typed_into_queue(text: str) -> bool:
    """Whether a queued text is a person's remark, and no command and no news of a task."""
    if _QUEUED_COMMAND.match(text) or _QUEUED_TASK.match(text):
        return False
    return bool(text.strip()) and any(part.role == "human" for part in said(text))


def result(block: dict[str, Any], text: str, structured: object) -> Part:
    """A tool_result block. structured: the line's toolUseResult.

    A failure that a pipe hides from the client is "ok" here: only the client's word is taken.
    """
    answers = block.get("tool_use_id")
    status, code = _outcome(block.get("is_error") is True, text, structured)
    return Part("tool", "result", text, answers if type(answers) is str else "", status, code)


def _outcome(failed: bool, text: str, structured: object) -> tuple[CallStatus, int | None]:
    if not failed:
        stopped = type(structured) is dict and structured.get("interrupted") is True
        return ("interrupted" if stopped else "ok"), None
    if text.startswith(_REFUSALS):
        return "refused", None
    if text.startswith(_INTERRUPTED):
        return "interrupted", None
    if any(words in text[:120] for words in _SIBLING):
        return "sibling", None
    exited = _EXIT.match(text)
    return "error", int(exited[1]) if exited else None


def refusal(text: str) -> str:
    """The words a person gave with a refusal, or ""."""
    found = _SAID.match(text)
    return found[1].split(_NOTE)[0].strip() if found else ""


def joined(blocks: Sequence[Any]) -> str:
    """The text blocks of a content list, joined by a line feed. Pictures are no text."""
    return "\n".join(
        text
        for block in blocks
        if type(block) is dict
        and block.get("type") == "text"
        and type(text := block.get("text")) is str
    )
