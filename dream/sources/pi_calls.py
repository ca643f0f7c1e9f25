"""Tool calls of a pi session, each with the result that answers it.

Calls and results are paired over the whole file and not along a branch: a result may stand on
another path than its call (an extension that moved the tip while the tool ran).
"""

from collections.abc import Sequence

from dream.records import CallStatus, Message, Skip, ToolCall
from dream.sources.identity import once
from dream.sources.pi_message import Asked, Said
from dream.swift import swift

_tool_call = swift(ToolCall)


_Open = tuple[Asked, int, int]
"""A call as it was asked for: number of the message that asks, place among its calls."""
_Answer = tuple[str | None, CallStatus, int | None]
"""What came back: message_id of the result, what became of the call, its exit code."""


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
            self._asked.append((asked, message.number, place))

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
            self._answers[call] = message.message_id, status, said.exit_code

    def finished(self, messages: Sequence[Message]) -> list[ToolCall]:
        """The calls in file order. messages: of the whole file, by their numbers."""
        used: set[str] = set()
        calls: list[ToolCall] = []
        for order, (asked, number, place) in enumerate(self._asked):
            message = messages[number]
            result_id, status, code = self._answers.get(order) or _unanswered(message)
            call_id = f"{message.session_id}/{asked.id or f'{message.line}.{place}'}"
            call_id = once(call_id, f"@{message.line}.{place}", used)
            calls.append(_tool_call(
                call_id, message.session_id, message.run_id, message.message_id, number, place,
                asked.tool, asked.arguments, status, message.line, message.copy_key,
                result_id, code, message.active, message.happened,
            ))  # fmt: skip
        return calls


def _unanswered(message: Message) -> _Answer:
    """A reply that a person broke off asked for calls that nobody ran."""
    status: CallStatus = "interrupted" if message.stop == "aborted" else "unanswered"
    return None, status, None
