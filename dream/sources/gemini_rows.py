"""What the turns of a Gemini CLI session come to: the records' nouns."""

from typing import Any

from dream.records import Message, Session, Skip
from dream.sources import gemini_voices as voices
from dream.sources import identity
from dream.sources.claude_voices import Part
from dream.sources.gemini_calls import Called, answers, calls
from dream.sources.gemini_replay import Replay, Turn, odd, words
from dream.sources.linear import Counts, Linear, Place, Usage
from dream.sources.shape import fields, number, text

NAME = "gemini-cli"
_NOTICES = frozenset({"info", "warning", "error"})


def tell(linear: Linear, replay: Replay, skips: list[Skip], counts: Counts) -> None:
    """Every turn, in the order of the session."""
    late = _answers(replay)
    for own, turn in replay.turns.items():
        kind = turn.record.get("type")
        place = _place(turn, turn.record.get("timestamp"), skips)
        skips += [Skip("bad_shape", turn.line, name[:60]) for name in odd(turn.record)]
        if kind == "user":
            parts = voices.user(turn.record)
            if not parts and not any(answers(turn.record)):
                counts.add("housekeeping", "a user turn without a word", turn.line)
            _tell_parts(linear, own, place, parts)
        elif kind == "gemini":
            _tell_reply(linear, own, turn, place, late, counts)
        elif type(kind) is str and kind in _NOTICES:
            said = words(turn.record.get("content"))
            if found := voices.COMPRESSED.search(said):
                linear.compacted(own, "unknown", place, before=int(found[1]))
            _tell_parts(linear, own, place, [voices.notice(kind, said)])
        elif type(kind) is str:
            counts.add("unknown_type", kind, turn.line)
        else:
            skips.append(Skip("no_type", turn.line))
    for call, (line, _) in late.items():
        skips.append(Skip("result_without_call", line, call[:60], lost=False))


def _answers(replay: Replay) -> dict[str, tuple[int, str]]:
    """Results that stand in turns of their own, by call; those that a call itself has are left."""
    found: dict[str, tuple[int, str]] = {}
    for turn in replay.turns.values():
        if turn.record.get("type") == "user":
            for call, said in answers(turn.record):
                found.setdefault(call, (turn.line, said))
    return found


def _place(turn: Turn, said: object, skips: list[Skip]) -> Place:
    happened = identity.moment(said)
    if happened is None and said is not None:
        skips.append(Skip("bad_time", turn.line, lost=False))
    return Place(turn.line, turn.digest, happened, identity.millis(said), turn.lost)


def _tell_parts(linear: Linear, own: str, place: Place, parts: list[Part]) -> None:
    """Further parts of a turn go by its id and their place."""
    for order, part in enumerate(parts):
        named = f"{own}#{order}" if order else own
        if part.kind == "summary":
            linear.compacted(own, "unknown", place)
        linear.tell(named, part.role, part.kind, part.text, place)


def _tell_reply(
    linear: Linear, own: str, turn: Turn, place: Place, late: dict[str, tuple[int, str]],
    counts: Counts,
) -> None:  # fmt: skip
    """A reply with its calls and their results.

    Two versions of a turn are copies, though the later has more calls: the id tells it from others.
    """
    record = turn.record
    said, called = words(record.get("content")), list(calls(record))
    if turn.listed and type(record.get("model")) is not str:
        # What the client puts into the model's mouth when it gives it a new context.
        linear.tell(own, "injected", "meta", said, place)
        return
    asking = linear.tell(
        own, "assistant", "reply", said, place, ids=(own,), reply=own, usage=_usage(record)
    )
    for order, call in enumerate(called):
        if call.odd:
            counts.add("unknown_type", f"status {call.odd}", turn.line)
        _tell_call(linear, turn, asking, call, order, late)


def _tell_call(
    linear: Linear, turn: Turn, asking: Message, call: Called, order: int,
    late: dict[str, tuple[int, str]],
) -> None:  # fmt: skip
    at = call.happened if call.happened is not None else turn.record.get("timestamp")
    place = Place(turn.line, turn.digest, identity.moment(at), identity.millis(at), turn.lost)
    text, status = call.result, call.status
    elsewhere = late.pop(call.id, None)
    if text is None and elsewhere is not None:
        text, status = elsewhere[1], "ok" if status == "unanswered" else status
    result = None
    if text is not None:
        name = f"{asking.message_id[len(linear.id) + 1 :]}#{call.id or order}"
        result = linear.tell(name, "tool", "result", text, place, ids=(call.id,))
    linear.ask(
        asking, call.id, call.tool, call.arguments, status, place, result=result,
        exit_code=call.exit_code, order=order,
    )  # fmt: skip


def _usage(record: dict[str, Any]) -> Usage:
    """What the reply read, cached or not, and what it wrote, thoughts included."""
    tokens = fields(record.get("tokens"))
    read, wrote = number(tokens.get("input")), number(tokens.get("output"))
    if wrote is not None:
        wrote += number(tokens.get("thoughts")) or 0
    return Usage(text(record.get("model")) or None, read, wrote)


def session(
    linear: Linear, replay: Replay, cwd: str, branch: str | None, parent: str | None
) -> Session:
    about = replay.about
    times = [identity.moment(about.get("lastUpdated")), *(m.happened for m in linear.messages)]
    return Session(
        linear.id, NAME, linear.kind, cwd, branch, text(about.get("summary")) or None, parent,
        identity.moment(about.get("startTime")),
        max((time for time in times if time is not None), default=None), None, replay.line,
    )  # fmt: skip
