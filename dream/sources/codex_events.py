"""Records of type event_msg: what the client showed a person, and the borders of turns."""

from collections.abc import Callable, Mapping
from typing import Any

from dream.records import Compaction, Skip
from dream.sources import codex_items as items
from dream.sources import codex_outcome, codex_voices
from dream.sources.codex_reading import Reading
from dream.sources.codex_thread import Thread, Undone
from dream.sources.codex_voices import Part
from dream.sources.jsonl import Line

Payload = dict[str, Any]

_KNOWN = frozenset(
    {
        "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
        "web_search_end", "image_generation_end", "view_image_tool_call", "thread_settings_applied",
        "thread_goal_updated", "sub_agent_activity", "entered_review_mode", "exited_review_mode",
        "undo_completed", "warning", "guardian_assessment", "guardian_warning", "plan_update",
        "turn_diff", "deprecation_notice", "model_reroute", "shutdown_complete",
        "session_configured", "collab_agent_spawn_end", "collab_agent_interaction_end",
        "collab_waiting_end", "collab_close_end", "collab_resume_end", "dynamic_tool_call_request",
        "dynamic_tool_call_response", "exec_command_begin", "patch_apply_begin", "web_search_begin",
        "mcp_tool_call_begin", "background_event", "stream_error", "item_started",
    }
)  # fmt: skip
"""Events that say nothing about the work that an item does not say."""


def event(reading: Reading, line: Line, payload: Payload) -> None:
    kind = payload.get("type")
    if type(kind) is not str:
        reading.thread(line.number)
        reading.skips.append(Skip("no_type", line.number, "event_msg"))
        return
    taker = _TAKERS.get(kind)
    if taker is not None:
        taker(reading, line, payload)
        return
    reading.thread(line.number)
    reason = "housekeeping" if kind in _KNOWN else "unknown_type"
    reading.count(reason, f"event_msg/{kind}", line.number)


def _pass(reading: Reading, line: Line, payload: Payload) -> None:
    reading.count("housekeeping", f"event_msg/{payload['type']}", line.number)


def _user(reading: Reading, line: Line, payload: Payload) -> None:
    message = payload.get("message")
    if type(message) is not str:
        items.release(reading)
        reading.thread(line.number)
        reading.skips.append(Skip("bad_shape", line.number, "user_message"))
        return
    plain = payload.get("kind") in (None, "plain")  # older releases mark what a program put in
    person_said(reading, line, message, plain=plain)


def person_said(reading: Reading, line: Line, text: str, *, plain: bool = True) -> None:
    """A prompt. It is told on the line of its item, where the model saw it, if there is one."""
    held = reading.held
    thread = reading.thread(line.number)
    place, rest = line, []
    if held is not None and items.matches(text, held[1]):
        reading.held = None
        place, rest = held[0], [block for block in held[1] if block != text and block not in text]
        reading.count("duplicate", "event_msg/user_message", line.number)
    else:
        items.release(reading)
        thread.prompt = text
    if rest:
        items.put_in(reading, place, thread, rest)
    for part in _parts(reading, place.number, thread, text, plain=plain):
        _prompt(reading, place, thread, part)


def _parts(reading: Reading, number: int, thread: Thread, text: str, *, plain: bool) -> list[Part]:
    """In a thread that no person leads the prompts are an agent's or a script's."""
    if not plain:
        return [Part("injected", codex_voices.put_in(text), text)]
    parts = codex_voices.typed(text)
    if thread.led:
        return parts
    if not thread.headed:
        reading.count("not_told", "who leads the thread: its prompts are not a person's", number)
    return [part._replace(role="injected") for part in parts]


def _prompt(reading: Reading, line: Line, thread: Thread, part: Part) -> None:
    begins = part.kind == "prompt" and not thread.open
    if begins:
        thread.cut()
    thread.reply = None
    draft = reading.tell(line, thread, part.role, part.kind, part.text, begins=begins)
    if draft is not None and part.kind == "prompt":
        thread.prompts[part.text] = draft.message_id


def _agent(reading: Reading, line: Line, payload: Payload) -> None:
    text = payload.get("message")
    if type(text) is str:
        model_said(reading, line, text)
    else:
        reading.thread(line.number)
        reading.skips.append(Skip("bad_shape", line.number, "agent_message"))


def model_said(reading: Reading, line: Line, text: str) -> None:
    """A reply as it was shown, mostly just before the item that holds it."""
    thread = reading.thread(line.number)
    if thread.voiced.get(text) == "item":
        del thread.voiced[text]
        reading.count("duplicate", "event_msg/agent_message", line.number)
    else:
        reading.reply(line, thread, text)
        thread.voiced[text] = "event"


def _tokens(reading: Reading, line: Line, payload: Payload) -> None:
    thread, info = reading.thread(line.number), payload.get("info")
    reading.count("housekeeping", "event_msg/token_count", line.number)
    if type(info) is not dict or type(total := info.get("total_token_usage")) is not dict:
        return
    read, written = _number(total.get("input_tokens")), _number(total.get("output_tokens"))
    reading.bill(thread, read, written, _number(total.get("total_tokens")) or read + written)
    last = info.get("last_token_usage")
    if type(last) is dict:
        reading.context = _number(last.get("total_tokens"))


_TOO_MANY = 1 << 53
"""Tokens; a damaged number, and one that a table cannot hold."""


def _number(value: object) -> int:
    return value if type(value) is int and 0 <= value < _TOO_MANY else 0


def _started(reading: Reading, line: Line, payload: Payload) -> None:
    reading.turn(line.number, payload)
    _pass(reading, line, payload)


def _complete(reading: Reading, line: Line, payload: Payload) -> None:
    reading.thread(line.number).end("settled")
    _pass(reading, line, payload)


def _aborted(reading: Reading, line: Line, payload: Payload) -> None:
    """A turn that ended before the model was done: by a person, by a newer turn, by a limit."""
    thread, reason = reading.thread(line.number), payload.get("reason")
    if reason not in (None, "interrupted"):
        reading.count("housekeeping", f"event_msg/turn_aborted/{reason}", line.number)
        thread.end("stopped")
        return
    if thread.stopped:
        reading.count("duplicate", "event_msg/turn_aborted", line.number)
    else:
        thread.stopped = True
        reading.tell(line, thread, "injected", "interrupt", "")
    thread.end("interrupted")


def _end(reading: Reading, line: Line, payload: Payload) -> None:
    """The end of a command, a patch or an MCP call."""
    reading.thread(line.number)
    call, outcome = payload.get("call_id"), codex_outcome.of_event(payload)
    if type(call) is str and outcome is not None:
        reading.ended.setdefault(call, outcome)
    _pass(reading, line, payload)


def _error(reading: Reading, line: Line, payload: Payload) -> None:
    thread, text = reading.thread(line.number), payload.get("message")
    text = text if type(text) is str else ""
    reading.tell(line, thread, "system", "api_error", text)


def _undone(reading: Reading, line: Line, payload: Payload) -> None:
    """A person took their last prompts back, with all that came of them."""
    thread, turns = reading.thread(line.number), payload.get("num_turns")
    _pass(reading, line, payload)
    if type(turns) is not int or turns < 1:
        return
    prompts = [draft.number for draft in thread.drafts if draft.active and draft.kind == "prompt"]
    if not prompts:
        return
    first = prompts[-min(turns, len(prompts))]
    gone = [draft for draft in thread.drafts[first:] if draft.active]
    for draft in gone:
        draft.active = False
    stays = [draft.message_id for draft in thread.drafts[:first] if draft.active]
    thread.tip = stays[-1] if stays else None
    happened = reading.when(line.value.get("timestamp"), line.number)
    thread.undone.append(Undone(first, gone[-1].number, happened, line.number))


def compact(reading: Reading, line: Line, payload: Payload) -> None:
    """A `compacted` record. Its replacement history says again what was said before."""
    thread, text = reading.thread(line.number), payload.get("message")
    _shrink(reading, line, thread, _kept(thread, payload.get("replacement_history")))
    thread.shrunk = True
    if type(text) is str and text:
        reading.tell(line, thread, "injected", "summary", text)
    else:
        reading.count("housekeeping", "compacted", line.number)


def _compacted(reading: Reading, line: Line, payload: Payload) -> None:
    """The event of a compaction: the only trace of it where its record is not there."""
    thread = reading.thread(line.number)
    if not thread.shrunk:
        _shrink(reading, line, thread, None)
    thread.shrunk = False
    _pass(reading, line, payload)


def _shrink(reading: Reading, line: Line, thread: Thread, kept: str | None) -> None:
    happened = reading.when(line.value.get("timestamp"), line.number)
    compaction = Compaction(
        f"{thread.id}/compaction-{len(thread.compactions) + 1}", thread.id, "unknown",
        len(thread.drafts), reading.context or None, kept, happened, line=line.number,
    )  # fmt: skip
    thread.compactions.append((thread.run, compaction))


def _kept(thread: Thread, history: object) -> str | None:
    """The first message that the model still has as it was: a prompt of the thread."""
    for item in history if type(history) is list else ():
        content = item.get("content") if type(item) is dict else None
        for block in content if type(content) is list else ():
            text = block.get("text") if type(block) is dict else None
            if type(text) is str and text in thread.prompts:
                return thread.prompts[text]
    return None


def _item(reading: Reading, line: Line, payload: Payload) -> None:
    """A finished item of the client's own list: a prompt or a reply in newer releases."""
    item = payload.get("item")
    kind = item.get("type") if type(item) is dict else None
    if type(item) is dict and kind in ("UserMessage", "AgentMessage"):
        content = item.get("content")
        found = [
            block["text"]
            for block in (content if type(content) is list else ())
            if type(block) is dict and type(block.get("text")) is str
        ]
        if kind == "UserMessage":
            person_said(reading, line, "".join(found))
        else:
            model_said(reading, line, "".join(found))
    else:
        reading.thread(line.number)
        reading.count("housekeeping", f"event_msg/item_completed/{kind}", line.number)


def _named(reading: Reading, line: Line, payload: Payload) -> None:
    thread, name = reading.thread(line.number), payload.get("thread_name")
    if type(name) is str and name:
        thread.title = name
    _pass(reading, line, payload)


PERSONS = ("user_message", "item_completed")
"""Events before which a user's item is held back."""

_TAKERS: Mapping[str, Callable[[Reading, Line, Payload], None]] = {
    "user_message": _user,
    "agent_message": _agent,
    "token_count": _tokens,
    "task_started": _started,
    "turn_started": _started,
    "task_complete": _complete,
    "turn_complete": _complete,
    "turn_aborted": _aborted,
    "exec_command_end": _end,
    "patch_apply_end": _end,
    "mcp_tool_call_end": _end,
    "error": _error,
    "thread_rolled_back": _undone,
    "context_compacted": _compacted,
    "item_completed": _item,
    "thread_name_updated": _named,
}
"""By the payload's type."""
