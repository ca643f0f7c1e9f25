"""Who speaks in a Codex rollout: whose thread it is, and what of the user's texts a person typed.

The same prompt stands twice: as an item that the model sees, among much that a program put there,
and as an event of the client. Only the event is a person's, and only in a thread that a person
leads. Of its text remains what is left when the client's own words are taken away.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from dream.records import MessageKind, Role, SessionKind


class Part(NamedTuple):
    """A stretch of one text that one voice said."""

    role: Role
    kind: MessageKind
    text: str


_THREADS: Mapping[str, SessionKind] = {
    "subagent": "subagent", "guardian_review": "review", "memory_consolidation": "headless",
}  # fmt: skip
"""What a thread says of itself. A name that is not here is a part of the client's window."""

_LED_BY_PERSONS = ("cli", "vscode")
_DRIVEN = re.compile(r"codex_exec|codex-exec|\bsdk\b|_sdk", re.I)
_REVIEWER = re.compile(r"review|guardian", re.I)

_TAGS: Mapping[str, MessageKind] = {
    "turn_aborted": "interrupt", "user_shell_command": "shell", "user_shell_cmd": "shell",
    "subagent_notification": "subagent", "agent_message": "subagent",
    "environment_context": "meta", "user_instructions": "meta", "INSTRUCTIONS": "meta",
    "permissions": "meta", "permissions_instructions": "meta", "collaboration_mode": "meta",
    "skill": "meta", "skills_instructions": "meta", "apps_instructions": "meta",
    "plugins_instructions": "meta", "recommended_plugins": "meta", "user_action": "meta",
    "hook_prompt": "meta", "goal_context": "meta", "codex_internal_context": "meta",
    "additional_context": "meta", "warning": "meta", "model_switch": "meta",
    "personality_spec": "meta", "exec_policy_amendment": "meta", "token_budget": "meta",
}  # fmt: skip
"""A text that begins with one of these is none of a person's, to its end."""

_TAG = re.compile(r"\s*<([A-Za-z_]+)[\s>]")
_STARTS: tuple[tuple[str, MessageKind], ...] = (
    ("# AGENTS.md instructions", "meta"),
    ("Another language model started to solve this problem", "summary"),
    # Commands that the client spells out.
    ("Generate a file named AGENTS.md that serves as a contributor guide", "command"),
    ("Review the current code changes (staged, unstaged, and untracked files)", "command"),
    ("Review the code changes against the base branch", "command"),
    ("Review the code changes introduced by commit", "command"),
    ("PLEASE IMPLEMENT THIS PLAN:", "meta"),  # the agent's own plan, put back when accepted
)
_BUTTONS = frozenset({"Implement the plan."})
_SCHEDULED = re.compile(r"\s*Automation: [^\n]*\nAutomation ID: ")
_REQUEST = re.compile(r"^## My request for [^\n:]{1,40}:[ \t]*\n?", re.M)


def kind_of(meta: Mapping[str, Any]) -> SessionKind:
    """Who leads a thread, by its session_meta."""
    source, thread = meta.get("source"), meta.get("thread_source")
    if type(source) is dict and "subagent" in source:
        return _subagent(source["subagent"])
    if type(source) is dict and "internal" in source:
        return "headless"
    if type(thread) is str and thread in _THREADS:
        return _THREADS[thread]
    if type(meta.get("parent_thread_id")) is str:
        return "subagent"
    driver = meta.get("originator")
    if source in ("exec", "mcp") or (type(driver) is str and _DRIVEN.search(driver)):
        return "headless"
    if type(source) is str and source not in _LED_BY_PERSONS:
        return "unknown"
    return "interactive"


def _subagent(what: object) -> SessionKind:
    name = what if type(what) is str else ""
    if type(what) is dict:
        other = what.get("other")
        name = other if type(other) is str else next(iter(what), "")
    return "review" if _REVIEWER.search(name) else "subagent"


def parent_of(meta: Mapping[str, Any]) -> str | None:
    """The thread that one works for, or was forked from."""
    source = meta.get("source")
    spawn = source.get("subagent") if type(source) is dict else None
    spawn = spawn.get("thread_spawn") if type(spawn) is dict else None
    spawned = spawn.get("parent_thread_id") if type(spawn) is dict else None
    for parent in (meta.get("parent_thread_id"), spawned, meta.get("forked_from_id")):
        if type(parent) is str and parent:
            return parent
    return None


def put_in(text: str) -> MessageKind:
    """The kind of a text under the user's role that no event calls a person's."""
    return _mark(text) or "meta"


def typed(text: str) -> list[Part]:
    """The text of a person's event, cut where the client's words end."""
    mark = _mark(text)
    if mark is not None:
        return [Part("injected", mark, text)]
    if text.strip() in _BUTTONS or _SCHEDULED.match(text):
        return [Part("injected", "meta", text)]
    if "## My request for " in text and text.lstrip().startswith("# "):
        # The last one: what stands in a file or a selection must not pass for a person's words.
        for heading in reversed(list(_REQUEST.finditer(text))):
            words = text[heading.end() :].strip()
            before = Part("injected", "meta", text[: heading.start()].strip())
            return [before, Part("human", "prompt", words)] if words else [before]
    return [Part("human", "prompt", text)]


def _mark(text: str) -> MessageKind | None:
    start = text.lstrip()
    if start[:1] == "<":
        tag = _TAG.match(start)
        return _TAGS.get(tag[1]) if tag else None
    return next((kind for words, kind in _STARTS if start.startswith(words)), None)
