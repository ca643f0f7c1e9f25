"""Sessions of the pi agent: version 3 files, and the same messages for the RUN2 archive."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from dream.sample.run2 import iso, millis
from dream.sample.story import Session, Step, Turn, fill
from dream.sample.timing import Clock, name, uuid7

MODEL = {"api": "openai-completions", "provider": "relay", "model": "coder-large"}


@dataclass(slots=True)
class Entry:
    """One line of the file behind the header."""

    id: str
    parent: str | None
    happened: datetime
    kind: str
    own: dict[str, Any]

    def record(self) -> dict[str, Any]:
        tree = {"id": self.id, "parentId": self.parent, "timestamp": iso(self.happened)}
        if self.kind in {"custom", "custom_message"}:
            return {"type": self.kind, **self.own, **tree}
        return {"type": self.kind, **tree, **self.own}


@dataclass(slots=True)
class Told:
    """A session with all its entries, by turn; turn 0 is what stands before the first request."""

    session: Session
    root: Path
    id: str
    by_turn: list[list[Entry]] = field(default_factory=list)

    @property
    def entries(self) -> list[Entry]:
        return [entry for entries in self.by_turn for entry in entries]

    def messages(self, turn: int) -> list[tuple[dict[str, Any], datetime]]:
        """The messages of one turn, from 1, as an archive keeps them."""
        return [
            (entry.own["message"], entry.happened)
            for entry in self.by_turn[turn]
            if entry.kind == "message"
        ]


def tell(session: Session, root: Path) -> Told:
    """The entries of a session. root: the folder it ran in."""
    told = Told(session, root, uuid7(session.started, session.key))
    teller = _Teller(told, Clock.of(session))
    teller.begin()
    for number, turn in enumerate(session.turns, start=1):
        teller.turn(number, turn)
    return told


class _Teller:
    """Appends entries; knows where the tip is."""

    def __init__(self, told: Told, clock: Clock) -> None:
        self.told = told
        self.clock = clock
        self.tip: str | None = None
        self.tips: list[str | None] = []  # after each turn
        self.count = 0

    def begin(self) -> None:
        self.told.by_turn.append([])
        self.add("model_change", provider=MODEL["provider"], modelId=MODEL["model"])
        self.add("thinking_level_change", thinkingLevel="medium")
        if self.told.session.title:
            self.add("session_info", name=self.told.session.title)
        self.tips.append(self.tip)

    def add(self, kind: str, **own: Any) -> Entry:
        self.count += 1
        entry = Entry(
            name("entry", self.told.session.key, self.count), self.tip, self.clock.now, kind, own
        )
        self.tip = entry.id
        self.told.by_turn[-1].append(entry)
        return entry

    def turn(self, number: int, turn: Turn) -> None:
        self.clock.turn(turn.gap)
        self.told.by_turn.append([])
        if turn.back_to is not None:
            self._go_back(turn)
        if turn.compacted:
            self._compact(turn.compacted)
        prompt = self.message(role="user", content=_text(self.fill(turn.ask)))
        for place, step in enumerate(turn.steps):
            self._step(f"{number}.{place}", step)
        if turn.done:
            self.clock.tick(4, 20)
            self.message(**_reply(self.clock.draw, _text(self.fill(turn.done)), "stop"))
        self._note(turn, prompt)
        self.tips.append(self.tip)

    def fill(self, text: str) -> str:
        return fill(text, self.told.root)

    def message(self, **message: Any) -> Entry:
        stamp = millis(self.clock.now)
        self.clock.tick(0.002, 0.05)
        return self.add("message", message={**message, "timestamp": stamp})

    def _go_back(self, turn: Turn) -> None:
        """A navigation in the tree, with a summary of what is left behind if one was written."""
        left = self.tip
        self.tip = self.tips[turn.back_to or 0]
        if turn.left:
            self.add("branch_summary", fromId=left, summary=self.fill(turn.left))

    def _compact(self, summary: str) -> None:
        kept = self.told.by_turn[-2][0].id
        self.add(
            "compaction", summary=self.fill(summary), firstKeptEntryId=kept, tokensBefore=81_400,
            details={"readFiles": ["README.md"], "modifiedFiles": []},
        )  # fmt: skip
        self.clock.tick(2, 9)

    def _step(self, place: str, step: Step) -> None:
        self.clock.tick(3, 15)
        call = "call_" + name("call", self.told.session.key, place, length=24)
        content = _text(self.fill(step.say)) if step.say else []
        block = {"type": "toolCall", "id": call, "name": step.tool, "arguments": self._given(step)}
        self.message(**_reply(self.clock.draw, [*content, block], "toolUse"))
        self.clock.tick(0.1, 9)
        failed = bool(step.code or step.error)
        self.message(
            role="toolResult", toolCallId=call, toolName=step.tool,
            content=_text(self._came_back(step)), isError=failed,
        )  # fmt: skip

    def _given(self, step: Step) -> dict[str, Any]:
        target = self.fill(step.target)
        if step.tool == "bash":
            return {"command": target}
        if step.tool == "edit":
            edit = {"oldText": self.fill(step.old), "newText": self.fill(step.new)}
            return {"path": target, "edits": [edit]}
        if step.tool == "write":
            return {"path": target, "content": self.fill(step.new)}
        return {"path": target}

    def _came_back(self, step: Step) -> str:
        if step.error:
            return self.fill(step.error)
        out = self.fill(step.out)
        if step.code:
            return f"{out}\n\n\nCommand exited with code {step.code}"
        if step.tool == "edit":
            return f"Successfully replaced 1 block(s) in {step.target}."
        if step.tool == "write":
            return f"Successfully wrote {len(step.new)} bytes to {step.target}"
        return out or "(no output)"

    def _note(self, turn: Turn, prompt: Entry) -> None:
        """What a memory extension appended behind a turn; all of it rests on the request."""
        for note in turn.noted:
            kind = note["kind"]
            texts = [self.fill(text) for text in note.get("texts", ())]
            self.clock.tick(1, 4)
            covers = {"coversUpToId": prompt.id}
            if kind == "observations":
                made = [self._observed(text, note, prompt) for text in texts]
                self._custom("om.observations.recorded", {"observations": made, **covers})
            elif kind == "reflections":
                support = [name_of(text) for text in note["rest_on"]]
                made = [_remembered(text, supportingObservationIds=support) for text in texts]
                self._custom("om.reflections.recorded", {"reflections": made, **covers})
            else:
                gone = [name_of(text) for text in texts]
                self._custom("om.observations.dropped", {"observationIds": gone, **covers})

    def _observed(self, text: str, note: Mapping[str, Any], prompt: Entry) -> dict[str, Any]:
        stated = (self.clock.now + timedelta(hours=1)).strftime("%Y-%m-%d %H:%M")
        return _remembered(
            text, timestamp=stated, relevance=note["relevance"], sourceEntryIds=[prompt.id]
        )

    def _custom(self, kind: str, data: dict[str, Any]) -> None:
        self.add("custom", customType=kind, data=data)


def name_of(text: str) -> str:
    """A ledger's id for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _remembered(text: str, **more: Any) -> dict[str, Any]:
    return {"id": name_of(text), "content": text, **more, "tokenCount": -(-len(text) // 4)}


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def _reply(draw: Any, content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    read, out = draw.randint(400, 4000), draw.randint(15, 300)
    cached = draw.randint(1000, 9000)
    usage = {"input": read, "output": out, "cacheRead": cached, "cacheWrite": 0}
    total = {"totalTokens": read + out + cached}
    return {"role": "assistant", "content": content, **MODEL, "usage": {**usage, **total},
            "stopReason": stop}  # fmt: skip


def write(told: Told, sessions: Path, parent: Told | None) -> Path:
    """The session's file below the agent's folder of sessions. parent: what it was forked from."""
    header: dict[str, Any] = {"type": "session", "version": 3, "id": told.id}
    header |= {"timestamp": iso(told.session.started), "cwd": str(told.root)}
    entries = told.entries
    if parent is not None:
        header["parentSession"] = str(_path(parent, sessions))
        entries = _forked(told, parent)
    path = _path(told, sessions)
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [header, *(entry.record() for entry in entries)]
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return path


def _forked(told: Told, parent: Told) -> list[Entry]:
    """The parent's first turns with their ids and times, then what the fork did itself."""
    shared = [entry for part in parent.by_turn[: told.session.repeats + 1] for entry in part]
    own = [entry for part in told.by_turn[1:] for entry in part]
    first = own[0]
    grafted = Entry(first.id, shared[-1].id, first.happened, first.kind, first.own)
    return [*shared, grafted, *own[1:]]


def _path(told: Told, sessions: Path) -> Path:
    folder = "--" + str(told.root).lstrip("/").replace("/", "-").replace(":", "-") + "--"
    stamp = iso(told.session.started).replace(":", "-").replace(".", "-")
    return sessions / folder / f"{stamp}_{told.id}.jsonl"
