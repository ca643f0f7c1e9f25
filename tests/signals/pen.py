"""Writes sessions as records, with only what detectors look at filled in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dream.records import CallStatus, Message, Role, Run, Session, ToolCall, Transcript
from dream.sources.identity import copy_key, millis, moment


@dataclass
class Pen:
    """Writes one session record by record, in order."""

    session_id: str
    messages: list[Message] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    run: int = 0

    def say(self, role: Role, kind: str, text: str, when: object, mark: str, line: int = 0) -> str:
        if role == "human" and kind == "prompt":
            self.run += 1
        happened = moment(when)
        message_id = f"{self.session_id}/{mark}"
        self.messages.append(
            Message(
                message_id,
                self.session_id,
                f"{self.session_id}:{self.run}",
                len(self.messages),
                role,
                kind,
                text,
                copy_key(role, millis(when), text, [mark]),
                "",
                line,
                happened,
            )
        )
        return message_id

    def call(self, tool: str, arguments: object, mark: str, when: object, said: str) -> None:
        text = json.dumps(arguments if isinstance(arguments, dict) else {"input": arguments})
        self.calls.append(
            ToolCall(
                f"{self.session_id}/{mark}",
                self.session_id,
                f"{self.session_id}:{self.run}",
                said,
                len(self.messages),
                len(self.calls),
                tool,
                text,
                "unanswered",
                0,
                mark,
                happened=moment(when),
            )
        )

    def answer(
        self, mark: str, text: str, bad: bool | None, code: int | None, when: object
    ) -> None:
        """bad None: the format has no flag, and the exit code decides."""
        result = self.say("tool", "result", text, when, f"result-{mark}")
        for place, call in enumerate(self.calls):
            if call.call_id == f"{self.session_id}/{mark}":
                failed = bool(code) if bad is None else bad
                status: CallStatus = "error" if failed or code else "ok"
                self.calls[place] = _answered(call, status, result, code)

    def transcript(self) -> Transcript:
        runs = {message.run_id: message for message in reversed(self.messages)}
        return Transcript(
            "",
            "",
            sessions=[Session(self.session_id, "foreign", started=_first(self.messages))],
            runs=[
                Run(run, self.session_id, number)
                for number, run in enumerate(sorted(runs), start=1)
            ],
            messages=self.messages,
            calls=self.calls,
        )


def _answered(call: ToolCall, status: CallStatus, result: str, code: int | None) -> ToolCall:
    values = {name: getattr(call, name) for name in call.__slots__}
    return ToolCall(**{**values, "status": status, "result_id": result, "exit_code": code})


def _first(messages: Sequence[Message]) -> datetime | None:
    return min((m.happened for m in messages if m.happened), default=None)
