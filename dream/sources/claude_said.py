"""What a person, a tool and the model say: records of type user and assistant."""

from collections.abc import Iterable, Mapping
from typing import Any

from dream.records import Skip
from dream.sources import claude_blocks as blocks
from dream.sources.claude_draft import Draft, Outcome, Reply, Talk
from dream.sources.claude_queue import Move
from dream.sources.claude_reading import Reading, fields
from dream.sources.claude_tree import ROOT
from dream.sources.claude_voices import Part
from dream.sources.jsonl import Line


def _message(reading: Reading, line: Line, role: str) -> dict[str, Any] | None:
    message = line.value.get("message")
    if type(message) is dict:
        if (said := message.get("role", role)) == role:
            return message
        reading.skips.append(Skip("unknown_role", line.number, str(said)[:60]))
    else:
        reading.skips.append(Skip("bad_shape", line.number, "message"))
    reading.place(line)  # what follows hangs on it all the same
    return None


def _odd(reading: Reading, line: Line, odd: Iterable[blocks.Odd]) -> None:
    for reason, what in odd:
        if reason == "bad_shape":
            reading.skips.append(Skip(reason, line.number, what))
        else:
            reading.count(reason, what, line)


def user(reading: Reading, line: Line) -> None:
    message = _message(reading, line, "user")
    if message is None:
        return
    record = line.value
    talk = reading.talk(record, line.number)
    parts, odd = blocks.turn(record, message.get("content"))
    if odd:
        _odd(reading, line, odd)
    if talk.kind != "interactive":
        parts = put_in(record, talk, parts)
    _tell(reading, line, talk, parts)


def _tell(reading: Reading, line: Line, talk: Talk, parts: list[Part]) -> None:
    if not parts:
        reading.place(line)
        return
    role, kind, text, answers, _, _ = part = parts[0]
    typed = role == "human" and kind == "prompt"
    begins = typed
    if len(parts) > 1:
        typed = any(part.role == "human" and part.kind == "prompt" for part in parts)
        # Beside a result a prompt was typed while the agent worked, and begins no run.
        begins = typed and all(part.kind != "result" for part in parts)
    first = reading.tell(line, talk, role, kind, text, (answers,) if answers else (), begins)
    if first is None:
        return
    if answers is not None:
        _answered(reading, line, talk, first, part)
    for place, further in enumerate(parts[1:], 1):
        draft = reading.tell_also(talk, first, place, further)
        if further.kind == "result":
            _answered(reading, line, talk, draft, further)
    if typed:
        talk.prompts += 1
        words = [part.text for part in parts if part.role == "human"]
        talk.moves.append(Move(line.number, "prompt", "\n".join(words)))


def put_in(record: Mapping[str, Any], talk: Talk, parts: list[Part]) -> list[Part]:
    """Prompts of a program: a sub-agent's come from an agent, a headless session's from a script.

    A headless session's prompt is a person's only where the record itself says so.
    """
    origin = fields(record.get("origin"))
    if talk.kind == "headless" and origin.get("kind") == "human":
        return parts
    return [part._replace(role="injected") if part.role == "human" else part for part in parts]


def _answered(reading: Reading, line: Line, talk: Talk, draft: Draft, part: Part) -> None:
    call = part.answers or ""
    talk.answered.append((draft, call))
    if (talk.id, call) in reading.outcomes:
        reading.skips.append(Skip("duplicate_result", line.number, call[:60], lost=False))
    else:
        reading.outcomes[talk.id, call] = Outcome(draft, part.status, part.exit_code)


def assistant(reading: Reading, line: Line) -> None:
    message = _message(reading, line, "assistant")
    if message is None:
        return
    record, get = line.value, message.get
    talk = reading.talk(record, line.number)
    text, calls, odd = blocks.reply(get("content"))
    if odd:
        _odd(reading, line, odd)
    model, failed = get("model"), record.get("isApiErrorMessage")
    ids = [call.id for call in calls] if calls else ()
    if failed or model == "<synthetic>":
        reading.tell(line, talk, "system", "api_error" if failed else "system", text, ids)
        return
    draft = reading.tell(line, talk, "assistant", "reply", text, ids)
    usage = get("usage")
    if draft is None:  # a copy may still know more of what the reply cost
        reply = reading.replies.get(_name(talk, record, message))
    else:
        reply = _reply(reading, talk, record, message, draft)
        draft.reply_id = reply.name
        if type(model) is str:
            draft.model = model
        if type(stop := get("stop_reason")) is str:
            draft.stop = stop
        if calls:
            talk.asked.append((draft, calls))
    if reply is not None and type(usage) is dict:
        reply.tokens = blocks.tokens(usage)


def _name(
    talk: Talk, record: dict[str, Any], message: dict[str, Any]
) -> tuple[str, str, str | None]:
    own, request = message.get("id"), record.get("requestId")
    return talk.id, own if type(own) is str else "", request if type(request) is str else None


def _reply(
    reading: Reading, talk: Talk, record: dict[str, Any], message: dict[str, Any], draft: Draft
) -> Reply:
    """The model reply that a line is part of.

    Lines with one message id and one request id are one reply, also with results between them:
    tools start while the model still speaks. Without a request id the message id alone proves
    nothing, for a relay may give every reply the same; then a line goes on with the reply only if
    it hangs on a line of it. A reply never goes on over a typed prompt.
    """
    key = _name(talk, record, message)
    _, own, request = key
    begun = reading.replies.get(key)
    if begun is not None and own and begun.prompts == talk.prompts:
        above = talk.above[draft.number]
        if request is not None or (above != ROOT and talk.drafts[above].reply_id == begun.name):
            begun.last = draft
            return begun
    if begun is not None:
        reading.ended.append(begun)
    plain = request is not None and begun is None
    name = f"{own}:{request}" if plain else f"{own}@{draft.message_id[len(talk.id) + 1 :]}"
    reply = reading.replies[key] = Reply(name, talk.prompts, draft)
    return reply
