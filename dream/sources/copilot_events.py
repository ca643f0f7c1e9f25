"""Each type of Copilot CLI event, and what it adds to a reading.

Nothing raises: a part of another shape than known costs only itself and is a Skip.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from dream.records import Compaction, MessageKind, Skip
from dream.sources import copilot_tools as tools
from dream.sources import identity
from dream.sources.copilot_talk import Reading, Talk, fields, passed, word
from dream.sources.jsonl import Line

Data = dict[str, Any]

_KNOWN = frozenset(
    {
        "session.idle", "session.warning", "session.mode_changed", "session.plan_changed",
        "session.todos_changed", "session.workspace_file_changed", "session.handoff",
        "session.truncation", "session.snapshot_rewind", "session.shutdown", "session.usage_info",
        "session.usage_checkpoint", "session.permissions_changed", "session.task_complete",
        "session.remote_steerable_changed", "session.background_tasks_changed",
        "session.context_cleared", "session.session_limits_changed", "pending_messages.modified",
        "assistant.turn_start", "assistant.turn_end", "assistant.intent", "assistant.reasoning",
        "assistant.usage", "assistant.idle", "tool.execution_start", "tool.execution_progress",
        "tool.execution_partial_result", "skill.invoked", "hook.end", "hook.progress",
        "user_input.requested", "user_input.completed", "elicitation.requested",
        "elicitation.completed", "external_tool.requested", "external_tool.completed",
        "exit_plan_mode.requested", "exit_plan_mode.completed", "command.queued",
        "command.execute", "command.completed", "tools.updated",
    }
)  # fmt: skip
"""Events that say nothing about the work that a message does not say."""

_AT_ONCE = timedelta(seconds=1)
"""A prompt that is there sooner after a person could begin to type was not typed."""


def take(reading: Reading, line: Line) -> None:
    """Adds one event."""
    kind, data = line.value.get("type"), line.value.get("data")
    known = type(data) is dict
    given: Data = data if type(data) is dict else {}
    taker = TAKERS.get(kind) if type(kind) is str else None
    if taker is not None and known:
        taker(reading, line, given)
        return
    reading.place(line, reading.talk(line, given))
    if type(kind) is not str:
        reading.skips.append(Skip("no_type", line.number))
    elif taker is not None:
        reading.skips.append(Skip("bad_shape", line.number, f"{kind[:40]} without data"))
    elif kind.startswith("subagent."):
        reading.count("subagent", kind, line.number)
    else:
        reason = "housekeeping" if kind in _KNOWN else "unknown_type"
        reading.count(reason, kind, line.number)


def _start(reading: Reading, line: Line, data: Data) -> None:
    """A session begins or goes on: from here on a person can type."""
    own = word(data.get("sessionId"))
    if own and not reading.talks:
        reading.own_id = own
    talk = reading.talk(line, data)
    talk.opened = passed(reading, line, talk)
    talk.model = word(data.get("selectedModel")) or talk.model
    talk.version = talk.version or word(data.get("copilotVersion")) or None
    _where(talk, fields(data.get("context")))


def _moved(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    passed(reading, line, talk)
    _where(talk, data)


def _where(talk: Talk, context: Data) -> None:
    talk.cwd = talk.cwd or word(context.get("cwd"))
    if on := word(context.get("branch")):
        talk.branch = talk.branch or on


def _model(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    talk.model = word(data.get("newModel")) or talk.model
    passed(reading, line, talk)


def _title(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    talk.title = word(data.get("title")) or talk.title
    passed(reading, line, talk)


def _info(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    happened = passed(reading, line, talk)
    if data.get("infoType") == "folder_trust":  # a question that stood before the prompt
        talk.opened = happened or talk.opened


def _hook(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    happened = passed(reading, line, talk)
    if data.get("hookType") == "userPromptSubmitted":
        talk.submitted = talk.submitted or happened


def _user(reading: Reading, line: Line, data: Data) -> None:
    talk, text = reading.talk(line, data), data.get("content")
    if type(text) is not str:
        reading.skips.append(Skip("bad_shape", line.number, "content"))
        reading.place(line, talk)
        return
    source = word(data.get("source"))
    if source not in ("", "user") or data.get("inputOrigin") or text.startswith("<skill-context"):
        kind: MessageKind = "command" if source.startswith("command") else "meta"
        reading.tell(line, talk, "injected", kind, text)
        return
    begins = data.get("delivery") != "steering"
    if talk.kind == "subagent" or _handed_over(line, talk):
        talk.handed += 1
        reading.tell(line, talk, "injected", "prompt", text, begins=begins)
    else:
        talk.typed += 1
        reading.tell(line, talk, "human", "prompt", text, begins=begins)
    talk.submitted = None


def _handed_over(line: Line, talk: Talk) -> bool:
    """Whether a session's first prompt was there before a person could have typed it.

    It was an argument of the command then, or a program speaks. What follows on an answer may come
    at once: it was typed while the model worked.
    """
    sent = talk.submitted or identity.moment(line.value.get("timestamp"))
    if talk.worked or talk.typed or talk.opened is None or sent is None:
        return False
    return sent - talk.opened < _AT_ONCE


def _assistant(reading: Reading, line: Line, data: Data) -> None:
    talk = reading.talk(line, data)
    calls = tools.calls(reading, line, data.get("toolRequests"))
    text = word(data.get("content"))
    draft = reading.tell(line, talk, "assistant", "reply", text, [call.id for call in calls])
    talk.worked = True
    if draft is None:
        return
    own = line.value.get("id")
    draft.reply_id = word(data.get("messageId")) or word(own) or f"L{line.number}"
    draft.model = word(data.get("model")) or talk.model
    written = data.get("outputTokens")
    if type(written) is int and 0 <= written < 1 << 53:
        draft.tokens_out = written
    if calls:
        talk.asked.append((draft, calls))


def _abort(reading: Reading, line: Line, data: Data) -> None:
    reason = word(data.get("reason"))
    reading.tell(line, reading.talk(line, data), "injected", "interrupt", reason)


def _system(reading: Reading, line: Line, data: Data) -> None:
    text = word(data.get("content"))
    reading.tell(line, reading.talk(line, data), "system", "system", text)


def _notice(reading: Reading, line: Line, data: Data) -> None:
    text = word(data.get("content"))
    reading.tell(line, reading.talk(line, data), "injected", "meta", text)


def _error(reading: Reading, line: Line, data: Data) -> None:
    text = word(data.get("message"))
    reading.tell(line, reading.talk(line, data), "system", "api_error", text)


def _shrinking(reading: Reading, line: Line, data: Data) -> None:
    reading.compacting = word(data.get("trigger"))
    passed(reading, line, reading.talk(line, data))


def _shrunk(reading: Reading, line: Line, data: Data) -> None:
    talk, before = reading.talk(line, data), data.get("preCompactionTokens")
    trigger, reading.compacting = word(data.get("trigger")) or reading.compacting, ""
    if data.get("success") is False:
        passed(reading, line, talk)
        return
    by_hand = trigger == "manual" or bool(data.get("customInstructions"))
    own = word(line.value.get("id")) or f"L{line.number}"
    happened = reading.when(line, talk)
    talk.compactions.append(Compaction(
        f"{talk.id}/{own}", talk.id, "manual" if by_hand else "auto", len(talk.drafts),
        before if type(before) is int and 0 <= before < 1 << 53 else None,
        happened=happened, line=line.number,
    ))  # fmt: skip
    if text := word(data.get("summaryContent")):
        reading.tell(line, talk, "injected", "summary", text)
    else:
        passed(reading, line, talk)


TAKERS: Mapping[str, Callable[[Reading, Line, Data], None]] = {
    "session.start": _start,
    "session.resume": _start,
    "session.context_changed": _moved,
    "session.model_change": _model,
    "session.title_changed": _title,
    "session.info": _info,
    "session.error": _error,
    "session.compaction_start": _shrinking,
    "session.compaction_complete": _shrunk,
    "hook.start": _hook,
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": tools.complete,
    "tool.user_requested": tools.by_person,
    "permission.requested": tools.asks_permission,
    "permission.completed": tools.permission,
    "abort": _abort,
    "system.message": _system,
    "system.notification": _notice,
}
"""By the event's type. A type that is neither here nor in _KNOWN is counted by name."""

EVENTS = _KNOWN | TAKERS.keys()
"""Every type of event known by name."""
