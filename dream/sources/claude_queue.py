"""What a person typed while Claude Code was working, where the queue holds the only record of it.

A remark that the model takes up in mid-turn leaves the queue without a line of its own in older
releases; one that waits for the end of the turn comes back as a prompt, and a newer release adds
an attachment. Each remark counts once, and one that the person took back does not count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from dream.sources.claude_voices import typed_into_queue

_ABSORBED = (None, "absorbed_mid_turn")


class Move(NamedTuple):
    """A queue-operation line, or a prompt that arrived in the conversation."""

    line: int
    what: str  # enqueue, dequeue, remove, popAll; or "prompt", "attachment": it arrived
    text: str
    reason: str | None = None  # why it was removed, where that is said
    happened: datetime | None = None
    millis: int | None = None
    digest: str = ""


@dataclass(slots=True)
class _Waiting:
    move: Move
    typed: bool
    state: str = "waiting"  # waiting, called (its turn came), taken (in mid-turn), done


def left_over(moves: Iterable[Move]) -> list[Move]:
    """The enqueue moves of remarks that a person typed and that arrived nowhere else.

    moves: of one session, in the order of the file.
    """
    queue: list[_Waiting] = []
    for move in moves:
        if move.what == "enqueue":
            queue.append(_Waiting(move, typed_into_queue(move.text)))
        elif move.what in ("prompt", "attachment"):
            _arrived(queue, move)
        elif move.what == "popAll":
            for entry in queue:
                if entry.state == "waiting" and entry.move.text.strip() in move.text:
                    entry.state = "done"
        else:
            _leaves(queue, move)
    return [entry.move for entry in queue if entry.typed and entry.state != "done"]


def _arrived(queue: list[_Waiting], move: Move) -> None:
    """A remark taken in mid-turn comes back as an attachment or not at all, never as a prompt."""
    for entry in queue:
        open_to = entry.state in ("waiting", "called") or move.what == "attachment"
        if open_to and entry.state != "done" and entry.move.text.strip() == move.text.strip():
            entry.state = "done"
            return


def _leaves(queue: list[_Waiting], move: Move) -> None:
    waiting = [entry for entry in queue if entry.state == "waiting"]
    named = [entry for entry in waiting if move.text and entry.move.text == move.text]
    for entry in (named or waiting)[:1]:
        if move.what == "dequeue":
            entry.state = "called"
        else:
            entry.state = "taken" if move.reason in _ABSORBED else "done"
