"""What pi put before its model: the messages of a branch after compactions, edits and summaries.

The raw history stays in the file; this is the other view of it, as pi's own session manager builds
it. Its token estimate is the one that ledgers and compactions in these files were driven by.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dream.sources.om import SOURCE_TYPES

IMAGE_CHARACTERS = 4800
"""What pi counts for an image, whatever its size."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a branch: its id, the id of the first entry it kept, and its JSON."""

    id: str
    value: Mapping[str, Any]
    first_kept: str | None = None  # for a compaction only

    @property
    def type(self) -> object:
        return self.value.get("type")


@dataclass(frozen=True, slots=True)
class Context:
    """roles: of the messages in their order, with pi's own names for those it makes itself."""

    roles: tuple[str, ...]
    thinking_level: str
    model: tuple[str, str] | None  # provider, id; None before any was chosen


def context(branch: Sequence[Step]) -> Context:
    """What the model was given at the end of a branch (root first)."""
    level, model = "off", None
    latest = -1
    for place, step in enumerate(branch):
        value = step.value
        if step.type == "thinking_level_change":
            level = str(value.get("thinkingLevel"))
        elif step.type == "model_change":
            model = str(value.get("provider")), str(value.get("modelId"))
        elif step.type == "compaction":
            latest = place
        elif _role(value) == "assistant":
            message = value["message"]
            model = str(message.get("provider")), str(message.get("model"))
    return Context(tuple(_roles(branch, latest)), level, model)


def _roles(branch: Sequence[Step], latest: int) -> Iterator[str]:
    hidden = _hidden(branch)
    shown = [step for step in branch[latest + 1 :] if step.id not in hidden]
    if latest >= 0:
        compaction = branch[latest]
        renewed = bool(compaction.value.get("systemMessage"))
        if renewed:
            yield "system"
        yield "compactionSummary"
        kept = _from(branch[:latest], compaction.first_kept)
        # A later release writes the system message anew; an earlier one keeps what it finds.
        shown[:0] = [
            step
            for step in kept
            if step.id not in hidden and not (renewed and _role(step.value) == "system")
        ]
    for step in shown:
        if role := _shown_role(step):
            yield role


def _hidden(branch: Sequence[Step]) -> set[str]:
    """Entries that the latest edit of each hides."""
    latest: dict[str, object] = {}
    for step in branch:
        if step.type == "context_edit":
            latest[str(step.value.get("targetId"))] = step.value.get("replacement")
    return {target for target, replacement in latest.items() if replacement is None}


def _from(branch: Sequence[Step], first: str | None) -> Sequence[Step]:
    """The part that begins with this entry; empty when it is not on the branch."""
    start = next((place for place, step in enumerate(branch) if step.id == first), len(branch))
    return branch[start:]


def _shown_role(step: Step) -> str:
    """The role an entry has before the model; "" for what is never shown."""
    if step.type == "message":
        role = _role(step.value)
        return "custom" if role == "hookMessage" else role
    if step.type == "custom_message":
        return "custom"
    return "branchSummary" if step.type == "branch_summary" and step.value.get("summary") else ""


def _role(value: Mapping[str, Any]) -> str:
    message = value.get("message")
    role = message.get("role") if isinstance(message, dict) else None
    return role if isinstance(role, str) else ""


def tokens_after(branch: Sequence[Step], place: int) -> int:
    """The estimate for the source entries behind a place on the branch; -1: for all of them."""
    return sum(tokens(step.value) for step in branch[place + 1 :])


def tokens(entry: Mapping[str, Any]) -> int:
    """A quarter of an entry's length in UTF-16 units, rounded up. 0 when it is no source."""
    if entry.get("type") not in SOURCE_TYPES:
        return 0
    if entry["type"] == "branch_summary":
        return -(-_length(entry.get("summary")) // 4)
    if entry["type"] == "custom_message":
        content = entry.get("content")
        if isinstance(content, list):
            return sum(-(-_length(block.get("text")) // 4) for block in _blocks(content))
        return -(-_length(content) // 4)
    message = entry.get("message")
    return -(-_characters(message) // 4) if isinstance(message, dict) else 0


def _characters(message: Mapping[str, Any]) -> int:
    role, content = message.get("role"), message.get("content")
    if role == "bashExecution":
        return _length(message.get("command")) + _length(message.get("output"))
    if role not in {"user", "assistant", "toolResult", "custom", "hookMessage"}:
        return 0
    if isinstance(content, str):
        return _length(content)
    return sum(_block_characters(block) for block in _blocks(content))


def _block_characters(block: Mapping[str, Any]) -> int:
    match block.get("type"):
        case "text":
            return _length(block.get("text"))
        case "thinking":
            return _length(block.get("thinking"))
        case "image":
            return IMAGE_CHARACTERS
        case "toolCall":
            arguments = json.dumps(
                block.get("arguments"), ensure_ascii=False, separators=(",", ":")
            )
            return _length(block.get("name")) + _length(arguments)
    return 0


def _blocks(content: object) -> list[dict[str, Any]]:
    listed = content if isinstance(content, list) else []
    return [block for block in listed if isinstance(block, dict)]


def _length(text: object) -> int:
    """UTF-16 units, in which pi counts."""
    if not isinstance(text, str):
        return 0
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
