"""Whose a file is that none of our readers takes: agents we know by sight and do not read."""

from collections.abc import Mapping
from typing import Any

from dream.sources import jsonl

BY_TYPE = {
    "session_meta": "Codex", "event_msg": "Codex", "response_item": "Codex",
    "turn_context": "Codex", "gemini": "Gemini CLI", "session": "pi",
    "session.start": "Copilot CLI",
}  # fmt: skip
"""The type of a record that another agent writes."""

_KIMI = frozenset({"_system_prompt", "_checkpoint", "_usage"})


def agent_of_record(record: Mapping[str, Any]) -> str:
    """The other agent that writes such a record, or "" when it is none we know."""
    kind = record.get("type")
    if type(kind) is str and kind in BY_TYPE:
        return BY_TYPE[kind]
    if "projectHash" in record or "$set" in record:
        return "Gemini CLI"
    role = record.get("role")
    if (kind == "metadata" and "protocol_version" in record) or (
        type(role) is str and role in _KIMI
    ):
        return "beside a Kimi CLI session, read with it"
    return ""


def agent_of_document(head: bytes) -> str:
    """The agent that writes one JSON document a session, by the names of its first fields."""
    if b'"projectHash"' in head:
        return "Gemini CLI"
    return "OpenCode" if b'"info"' in head and b'"projectID"' in head else ""


def agent_of(head: bytes) -> str:
    """The agent whose file begins with head, or "" when it is none we know.

    A first line longer than head is known by the names in it.
    """
    record = jsonl.first_record(head)
    if record is not None:
        return agent_of_record(record)
    for kind, agent in BY_TYPE.items():
        if b'"type":"%s"' % kind.encode() in head:
            return agent
    return agent_of_document(head)
