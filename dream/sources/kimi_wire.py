"""What the client of a Kimi CLI session showed, from its log: inputs, times, outcomes, approvals.

A context has neither times nor outcomes; the log (protocol 1.1 to 1.10) has both, but other words
for the same things. What is the same in both ties them: an input's words, a reply's words, a call's
id. A type of record that is not known is counted by name.
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dream.sources import identity
from dream.sources.jsonl import Line
from dream.sources.kimi_voices import words
from dream.sources.linear import UNSAID, Usage
from dream.sources.shape import fields, number, text

_QUIET = frozenset(
    {
        "TurnEnd", "StepBegin", "StepRetry", "ToolCallPart", "ContentPart", "ToolCall",
        "ToolResult", "StatusUpdate", "CompactionBegin", "CompactionEnd", "ApprovalRequest",
        "ApprovalResponse", "ApprovalRequestResolved", "ToolCallRequest", "QuestionRequest",
        "Notification", "PlanDisplay", "HookTriggered", "HookResolved", "HookRequest",
        "MCPLoadingBegin", "MCPLoadingEnd", "TurnBegin", "SteerInput", "StepInterrupted",
    }
)  # fmt: skip
"""Types of the log that are known."""

_LOG = "records of the log"


@dataclass(slots=True, eq=False)
class Typed:
    """An input, as it came to the client."""

    text: str
    seconds: object  # since 1970
    steer: bool = False  # while the agent worked
    driven: bool = False  # by a flow: a program's words
    stopped: bool = False  # the agent was stopped before it had done
    used: bool = False  # a record of the context is tied to it


@dataclass(slots=True, eq=False)
class Step:
    """One request to the model, with what it said."""

    seconds: object
    usage: Usage = UNSAID


@dataclass(slots=True, eq=False)
class Ended:
    """What became of a call."""

    seconds: object
    failed: bool | None  # None: not told


@dataclass(slots=True)
class Wire:
    """The log as far as a context asks for it."""

    typed: list[Typed] = field(default_factory=list)
    steps: dict[str, deque[Step]] = field(default_factory=dict)  # by a call's id or a reply's words
    ended: dict[str, deque[Ended]] = field(default_factory=dict)  # by call
    refused: dict[str, str] = field(default_factory=dict)  # by call: what a person said with it
    compactions: list[tuple[object, bool]] = field(default_factory=list)  # when, and by hand
    acts: int = 0  # of a person beside inputs: approvals, steers
    first: object = None
    last: object = None
    records: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _asked: dict[str, str] = field(default_factory=dict)  # request for approval -> call
    _step: Step | None = None
    _flow: bool = False

    def take(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self.records += 1
            message = fields(line.value.get("message"))
            kind, seconds = message.get("type"), line.value.get("timestamp")
            if line.value.get("type") == "metadata":
                self.counts["housekeeping", _LOG] += 1
            elif type(kind) is not str:
                self.counts["no_type", "wire"] += 1
            else:
                self.first = seconds if self.first is None else self.first
                self.last = seconds
                self._event(kind, fields(message.get("payload")), seconds)

    def _event(self, kind: str, payload: dict[str, Any], seconds: object) -> None:
        if kind == "SubagentEvent":
            self.counts["subagent", "in the log"] += 1
        elif kind in _QUIET:
            self.counts["housekeeping", _LOG] += 1
        else:
            self.counts["unknown_type", f"wire {kind}"] += 1
        if kind in ("TurnBegin", "SteerInput"):
            self._input(kind == "SteerInput", words(payload.get("user_input")), seconds)
        elif kind == "TurnEnd":
            self._flow = False
        elif kind == "StepInterrupted" and self.typed:
            self.typed[-1].stopped = True
        elif kind == "ApprovalRequest":
            self._asked[text(payload.get("id"))] = text(payload.get("tool_call_id"))
        elif kind in ("ApprovalResponse", "ApprovalRequestResolved"):
            self._answer(payload)
        elif kind == "CompactionEnd":
            by_hand = bool(self.typed) and self.typed[-1].text.startswith("/compact")
            self.compactions.append((seconds, by_hand))
        else:
            self._work(kind, payload, seconds)

    def _work(self, kind: str, payload: dict[str, Any], seconds: object) -> None:
        """What the model said and what tools did."""
        if kind == "StepBegin":
            self._step = Step(seconds)
        elif kind == "ContentPart" and payload.get("type") == "text":
            self._said(text(payload.get("text")), seconds)
        elif kind == "ToolCall":
            self._said(text(payload.get("id")), seconds)
        elif kind == "StatusUpdate" and self._step is not None and payload.get("token_usage"):
            self._step.usage = _usage(fields(payload["token_usage"]))
        elif kind == "ToolResult":
            told = fields(payload.get("return_value")).get("is_error")
            ended = Ended(seconds, told if type(told) is bool else None)
            self.ended.setdefault(text(payload.get("tool_call_id")), deque()).append(ended)

    def _input(self, steer: bool, said: str, seconds: object) -> None:
        """A flow begins with a command and goes on without a person until the turn ends."""
        self.acts += steer
        self.typed.append(Typed(said, seconds, steer, driven=self._flow and not steer))
        self._flow = self._flow or said.startswith(("/flow:", "/begin"))

    def _said(self, key: str, seconds: object) -> None:
        step = self._step or Step(seconds)
        if key:
            self.steps.setdefault(key, deque()).append(step)

    def _answer(self, payload: dict[str, Any]) -> None:
        call = self._asked.get(text(payload.get("request_id")))
        self.acts += call is not None
        if call is not None and payload.get("response") == "reject":
            self.refused[call] = text(payload.get("feedback")).strip()

    def tied(self, said: str, command: bool = False) -> Typed | None:
        """The first input of these words that no record is tied to yet, which is tied with this.

        command: the words stand at the end of a command.
        """
        for one in self.typed:
            ends = command and one.text.startswith("/") and one.text.endswith(said) and bool(said)
            if not one.used and (ends or (not command and one.text == said)):
                one.used = True
                return one
        return None

    def untied(self) -> int:
        """Inputs that no record of a context is tied to: blocked ones, or their context is lost."""
        return sum(
            bool(one.text.strip()) and not (one.used or one.driven or one.text.startswith("/"))
            for one in self.typed
        )

    def step(self, keys: Iterable[str]) -> Step | None:
        """The request in which a call with one of these ids was asked for, or these words said."""
        found: Step | None = None
        for steps in filter(None, map(self.steps.get, keys)):
            found = found or steps[0]
            if steps[0] is found:
                steps.popleft()
        return found

    def end(self, call: str) -> Ended | None:
        ended = self.ended.get(call)
        return ended.popleft() if ended else None


def millis(seconds: object) -> int | None:
    """Ms since 1970."""
    if type(seconds) is not float and type(seconds) is not int:
        return None
    return identity.millis(seconds * 1000)


def _usage(tokens: dict[str, Any]) -> Usage:
    """What the model read, cached or not, and what it wrote."""
    read = [
        number(tokens.get(f"input_{part}")) for part in ("other", "cache_read", "cache_creation")
    ]
    told = [count for count in read if count is not None]
    return Usage(None, sum(told) if told else None, number(tokens.get("output")))
