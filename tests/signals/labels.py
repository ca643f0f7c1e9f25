"""The hand labels of ../shared, each joined with the message that the detectors see."""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dream.records import Message, ToolCall, Transcript
from dream.sources import HEAD
from dream.sources.registry import READERS
from tests.corpora import Corpus
from tests.signals.relations import Relations

CORPORA = (
    *("claude-entire-cli-early", "claude-context-evaluator", "codex-agentv", "pi-raquezha"),
    *("mixed-session-bridge", "opencode-gatomia", "pi-mono-fixtures", "zh-destyler-specstory"),
)
CARRIES = frozenset(
    ["correction", "standing_preference", "constraint", "repeated_ask", "rejection_or_interrupt"]
)
"""Kinds of a label that are judgements."""
_SAID = "the user said:\n"


@dataclass(frozen=True)
class Studied:
    """One corpus: its relations, and every label on it with its message or call."""

    name: str
    relations: Relations
    turns: tuple[tuple[Mapping[str, Any], str | None], ...]  # label, message id of a person
    errors: tuple[tuple[Mapping[str, Any], str | None], ...]  # label, call id


@dataclass(frozen=True)
class Labels:
    """The label files of a folder."""

    folder: Path

    @cached_property
    def turns(self) -> list[dict[str, Any]]:
        return _lines(self.folder / "turns.jsonl")

    @cached_property
    def errors(self) -> list[dict[str, Any]]:
        return _lines(self.folder / "errors.jsonl")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def half(label: Mapping[str, Any]) -> str:
    """ "seen" for sessions that were looked at while rules were written, else "unseen"."""
    key = label["session"] or label["file"]
    return "seen" if hashlib.sha256(key.encode()).digest()[0] % 2 == 0 else "unseen"


def fold(label: Mapping[str, Any], folds: int, deal: int) -> int:
    """A number below folds, the same for all labels of one session; another one for each deal."""
    key = f"fold{deal}" + (label["session"] or label["file"])
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4]) % folds


def study(name: str, corpus: Corpus, labels: Labels) -> Studied:
    """Reads a corpus and joins its labels."""
    transcripts = list(_read(corpus(name)))
    messages = [message for each in transcripts for message in each.messages]
    people = [message for message in messages if message.role == "human"]
    said = {_digest(message.text): message for message in reversed(people)}
    own = {(_session(message), _digest(message.text)): message for message in reversed(people)}
    calls = {call.call_id: call for each in transcripts for call in each.calls}
    results = {message.message_id: message for message in messages if message.role == "tool"}
    outputs: dict[str, list[ToolCall]] = {}
    for call in calls.values():
        if call.result_id in results:
            outputs.setdefault(_digest(results[call.result_id].text), []).append(call)
    return Studied(
        name,
        Relations(transcripts, project=name),
        tuple(_joined_turns(name, labels, said, own, messages)),
        tuple((label, _call(label, outputs)) for label in labels.errors if label["corpus"] == name),
    )


def _read(folder: Path) -> Iterator[Transcript]:
    taken: set[Path] = set()
    for reader in READERS:
        for path in reader.find(folder):
            if path not in taken and reader.claims(path, _head(path)):
                with tempfile.TemporaryDirectory() as scratch:
                    found = list(reader.read(path, {}, Path(scratch)))
                if any(each.messages for each in found):  # else a format of another agent
                    taken.add(path)
                    yield from found


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _session(message: Message) -> str:
    return message.session_id.partition(":")[2]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _joined_turns(
    name: str,
    labels: Labels,
    said: Mapping[str, Message],
    own: Mapping[tuple[str, str], Message],
    messages: Iterable[Message],
) -> Iterator[tuple[Mapping[str, Any], str | None]]:
    """A person's words inside a refused call are labelled with the whole result around them."""
    refused = {}
    for message in messages:
        if message.role == "tool" and _SAID in message.text:
            words = message.text.partition(_SAID)[2]
            refused[_digest(message.text)] = _digest(words)
    for label in labels.turns:
        if label["corpus"] == name:
            digest = refused.get(label["text_sha256"], label["text_sha256"])
            found = own.get((str(label["session"]), digest)) or said.get(digest)
            yield label, found.message_id if found else None


def _call(label: Mapping[str, Any], outputs: Mapping[str, list[ToolCall]]) -> str | None:
    found = outputs.get(label["text_sha256"], [])
    named = [call for call in found if call.call_id.endswith(f"/{label['call_id']}")]
    return next((call.call_id for call in [*named, *found]), None)
