"""Tool calls of a pi session, each with the result that answers it.

Calls and results are paired over the whole file and not along a branch: a result may stand on
another path than its call (an extension that moved the tip while the tool ran).
"""

from collections.abc import Sequence
from typing import NamedTuple

from dream.records import CallStatus, Message, Skip, ToolCall
from dream.sources.pi_message import Asked, Said


class _Open(NamedTuple):
    """A call as it was asked for."""

    asked: Asked
    number: int  # of the message that asks
    place: int  # among the calls of that message


class _Answer(NamedTuple):
    result_id: str | None
    status: CallStatus
    exit_code: int | None


class Calls:
    """Gathers calls and results in file order; `finished` pairs what was gathered."""

    def __init__(self, skips: list[Skip]) -> None:
        self._skips = skips
        self._asked: list[_Open] = []
        self._waiting: dict[str, int] = {}  # call id -> place of its latest call
        self._answers: dict[int, _Answer] = {}

    def ask(self, message: Message, said: Said) -> None:
        """A reply with calls. A call id used again is another call."""
        for place, asked in enumerate(said.calls):
            self._waiting[asked.id] = len(self._asked)
            self._asked.append(_Open(asked, message.number, place))

    def answer(self, message: Message, said: Said) -> None:
        """A result. The first one of a call holds; one without a call is nobody's."""
        name = said.answers or ""
        call = self._waiting.get(name)
        if call is None:
            self._skips.append(Skip("result_without_call", message.line, name, lost=False))
        elif call in self._answers:
            self._skips.append(Skip("duplicate_result", message.line, name, lost=False))
        else:
            status = said.outcome or "ok"
            self._answers[call] = _Answer(message.message_id, status, said.exit_code)

    def finished(self, messages: Sequence[Message]) -> list[ToolCall]:
        """The calls in file order. messages: of the whole file, by their numbers."""
        used: set[str] = set()
        calls: list[ToolCall] = []
        for order, (asked, number, place) in enumerate(self._asked):
            message = messages[number]
            answer = self._answers.get(order) or _unanswered(message)
            call_id = f"{message.session_id}/{asked.id or f'{message.line}.{place}'}"
            if call_id in used:
                call_id = f"{call_id}@{message.line}.{place}"
            used.add(call_id)
            calls.append(ToolCall(
                call_id, message.session_id, message.run_id, message.message_id, number, place,
                asked.tool, asked.arguments, answer.status, message.line, message.copy_key,
                answer.result_id, answer.exit_code, message.active, message.happened,
            ))  # fmt: skip
        return calls


def _unanswered(message: Message) -> _Answer:
    """A reply that a person broke off asked for calls that nobody ran."""
    status: CallStatus = "interrupted" if message.stop == "aborted" else "unanswered"
    return _Answer(None, status, None)
