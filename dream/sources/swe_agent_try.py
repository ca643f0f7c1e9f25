"""One try of a SWE-agent run: its talk with the model as messages and calls.

What a program says stands under the roles system and user; an answer to a command stands under
tool, or under user in the older layout, and then follows the command.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from dream.digests import canonical_digest
from dream.records import Branch, CallStatus, Message, MessageKind, Role, Run, Skip, ToolCall
from dream.sources.document import Piece
from dream.sources.identity import copy_key, entry_id

_SHELL = "bash"
"""Where the model writes a command and no call; SWE-agent's own commands are run there, too."""

_FAILED = re.compile(
    r"\s*(?:Your proposed edit has introduced|Your bash command contained syntax errors"
    r"|The command '.{1,2000}' was cancelled because"
    r"|(?:Interactive o|O)peration '.{1,2000}' is not supported by this environment)"
    r"|(?:.*\n)?EXECUTION TIMED OUT$",
    re.DOTALL | re.MULTILINE,
)
"""What the environment says of a command that it turned down or cut off. What a command itself
says of a failure is not looked for: nothing marks it."""


class Try:
    """Reads itself when it is made."""

    def __init__(self, session_id: str, about: Mapping[str, Any], own: Sequence[Piece]) -> None:
        self.session_id = session_id
        self.messages: list[Message] = []
        self.calls: list[ToolCall] = []
        self.skips: list[Skip] = []
        self._waiting: dict[str, int] = {}  # call id -> place among calls
        self._taken: set[str] = set()
        own = [piece for piece in own if piece.way]
        infos = [piece.value for piece in own if piece.way == ("info",)]
        self._info: Mapping[str, Any] = next((one for one in infos if isinstance(one, dict)), {})
        self._model = _model(about)
        self.version = _text(self._info.get("swe_agent_version")) or None
        steps = [piece for piece in own if piece.way[0] == "trajectory" and self._whole(piece)]
        self.cwd = _folder(steps[0].value) if steps else ""
        replies = sum(
            self._take(piece)
            for piece in own
            if piece.way[0] == "history" and self._whole(piece)
        )  # fmt: skip
        self._add_steps(steps, replies)

    def run(self) -> Run:
        """The one run: no prompt of a person begins another."""
        exit_status = self._info.get("exit_status")
        if exit_status is None:
            settled = not self._info and not self._waiting
        else:
            settled = _text(exit_status).startswith("submitted")
        return Run(
            f"{self.session_id}:start", self.session_id, 0,
            state="settled" if settled else "stopped", line=self.messages[0].line,
        )  # fmt: skip

    def branch(self) -> Branch:
        last = self.messages[-1]
        return Branch(last.message_id, self.session_id, True, len(self.messages), line=last.line)

    def _whole(self, piece: Piece) -> bool:
        if isinstance(piece.value, dict) and len(piece.way) == 2:
            return True
        reason = "bad_shape" if len(piece.way) == 2 else "unknown_type"
        self.skips.append(Skip(reason, piece.line, f"{piece.way[0]} that is no list of objects"))
        return False

    def _take(self, piece: Piece) -> bool:
        """A record of the history; whether it is a reply of the model."""
        item, name = piece.value, f"h{piece.way[1]}"
        role, text = item.get("role"), _content(item.get("content"))
        if item.get("is_demo") or item.get("message_type") == "demonstration":
            self._add(name, "injected", "meta", text, piece)
        elif role == "assistant":
            self._reply(name, text, _asked(item, name), piece)
            return True
        elif role == "system":
            self._add(name, "system", "system", text, piece)
        elif role in ("tool", "user") and (answered := self._answered(item)):
            self._answer(name, text, answered, piece)
        elif role in ("tool", "user"):
            if role == "tool":
                self.skips.append(Skip("result_without_call", piece.line, name, lost=False))
            self._add(name, "injected", "meta", text, piece)
        else:
            self.skips.append(Skip("unknown_role", piece.line, str(role)[:60], lost=False))
            self._add(name, "injected", "meta", text, piece)
        return False

    def _answered(self, item: Mapping[str, Any]) -> list[str]:
        """The open calls that a record answers: those it names, or all."""
        named = item.get("tool_call_ids")
        names = list(self._waiting)
        if isinstance(named, list) and named:
            return [name for name in names if name in named]
        return names

    def _answer(self, name: str, text: str, answered: Sequence[str], piece: Piece) -> None:
        result = self._add(name, "tool", "result", text, piece, answered)
        status: CallStatus = "error" if _FAILED.match(text) else "ok"
        for one in answered:
            place = self._waiting.pop(one)
            call = self.calls[place]
            self.calls[place] = ToolCall(
                call.call_id, call.session_id, call.run_id, call.message_id, call.number,
                call.place, call.tool, call.arguments, status, call.line, call.copy_key,
                result.message_id,
            )  # fmt: skip

    def _reply(
        self, name: str, text: str, asked: Sequence[tuple[str, str, str]], piece: Piece
    ) -> None:
        """asked: id, tool and arguments of each call."""
        self._waiting.clear()
        reply = self._add(
            name, "assistant", "reply", text, piece, [own_id for own_id, _, _ in asked]
        )
        for place, (stated, tool, arguments) in enumerate(asked):
            own_id = f"{stated}@{place}" if stated in self._waiting else stated
            self._waiting[own_id] = len(self.calls)
            self.calls.append(
                ToolCall(
                    f"{reply.message_id}/{own_id}", self.session_id, reply.run_id,
                    reply.message_id, reply.number, place, tool, arguments, "unanswered",
                    reply.line, reply.copy_key,
                )
            )  # fmt: skip

    def _add_steps(self, steps: Sequence[Piece], told: int) -> None:
        """What the history left out. told: how many of the steps it tells."""
        if 0 < told <= len(steps) and self._waiting:
            piece = steps[told - 1]
            text = _text(piece.value.get("observation"))
            self._answer(f"s{piece.way[1]}", text, list(self._waiting), piece)
        for piece in steps[told:]:
            step, name = piece.value, f"s{piece.way[1]}"
            said = _text(step.get("response")) or _text(step.get("thought"))
            asked = _asked(step, name)
            self._reply(f"{name}r", said, asked, piece)
            if asked:
                self._answer(name, _text(step.get("observation")), list(self._waiting), piece)
        again = min(told, len(steps))
        if again:
            self.skips.append(
                Skip("housekeeping", 0, "steps that the history tells, too", False, again)
            )

    def _add(
        self, name: str, role: Role, kind: MessageKind, text: str, piece: Piece,
        call_ids: Sequence[str] = (),
    ) -> Message:  # fmt: skip
        own_id = entry_id(self.session_id, name, self._taken)
        self._taken.add(own_id)
        message_id = f"{self.session_id}/{own_id}"
        message = Message(
            message_id, self.session_id, f"{self.session_id}:start", len(self.messages), role,
            kind, text,
            # Without a moment a record's place in its talk is what tells it from its likes.
            copy_key(role, None, text, (self.session_id, own_id, *call_ids)),
            canonical_digest(piece.stored), piece.line,
            parent=self.messages[-1].message_id if self.messages else None,
            reply_id=message_id if role == "assistant" else None,
            model=self._model if role == "assistant" else None,
        )  # fmt: skip
        self.messages.append(message)
        return message


def _asked(item: Mapping[str, Any], name: str) -> list[tuple[str, str, str]]:
    """Id, tool and arguments of each call that a reply asks for."""
    listed = item.get("tool_calls")
    found = []
    for place, call in enumerate(listed if isinstance(listed, list) else ()):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            own_id = _text(call.get("id")) or f"{name}.{place}"
            tool = _text(function.get("name")) or "unknown"
            found.append((own_id, tool, _object(function.get("arguments"))))
    action = _text(item.get("action")).strip()
    if not found and action:
        found.append((name, _SHELL, orjson.dumps({"command": action}).decode()))
    return found


def _object(arguments: object) -> str:
    """JSON text of an object."""
    try:
        value = orjson.loads(arguments) if isinstance(arguments, str) else arguments
        return orjson.dumps(value if isinstance(value, dict) else {"input": value}).decode()
    except (orjson.JSONDecodeError, TypeError):  # no JSON, or a number that is too large
        return orjson.dumps({"input": str(arguments)}).decode()


def _content(content: object) -> str:
    """A text, or the texts of a list of parts; pictures are none."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return _text(content)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _folder(step: Mapping[str, Any]) -> str:
    """The folder that the shell was in behind the first step; "" when it is not told."""
    state = step.get("state")
    if isinstance(state, str):
        try:
            state = orjson.loads(state)
        except orjson.JSONDecodeError:
            return ""
    folder = _text(state.get("working_dir")) if isinstance(state, dict) else ""
    return folder if folder.startswith("/") else ""


def _model(about: Mapping[str, Any]) -> str | None:
    """The model's name, where the file keeps its own settings."""
    value: Any = about.get("replay_config")
    for key in ("agent", "model", "name"):
        value = value.get(key) if isinstance(value, dict) else None
    return _text(value) or None
