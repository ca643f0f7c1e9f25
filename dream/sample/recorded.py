"""The pi sessions of the sample as the RUN2 archive recorded them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from dream.sample.pi import Told
from dream.sample.run2 import Archive

_HEAD = 900  # bytes of a payload that go into the dictionary
_HELD = 16 * 1024  # bytes of the dictionary
_BEFORE_DICTIONARY = 60  # messages


class Recorder:
    """Records sessions one after the other, as an extension inside the agent would have."""

    def __init__(self, archive: Archive, told: Mapping[str, Told]) -> None:
        self._archive = archive
        self._told = told
        self._heads: list[bytes] = []
        self._dictionary = 0

    def record(self, one: Told) -> None:
        """A session with all its turns."""
        archive, session = self._archive, one.session
        started = session.started
        ends = one.entries[-1].happened
        self._ref = archive.session(one.id, str(one.root), started, ends, session.title)
        reason = "fork_origin_unknown" if session.fork_of else "root"
        self._branch = archive.branch(self._ref, started, reason)
        begun = {"reason": "fork" if session.fork_of else "startup"}
        if session.fork_of:
            parent = self._told[session.fork_of]
            begun["previousSessionFile"] = f"/sessions/{parent.id[:8]}_{parent.id}.jsonl"
        self._event(None, "session_start", started, **begun)
        ordinals = [self._turn(one, number) for number in range(1, len(session.turns) + 1)]
        for number in session.deleted:
            gone = started + timedelta(days=2)
            archive.delete_run(ordinals[number - 1], gone, "a trial, not needed")
        if session.ends != "running":
            self._event(None, "session_shutdown", ends, reason="quit")

    def _turn(self, one: Told, number: int) -> int:
        archive, session = self._archive, one.session
        turn = session.turns[number - 1]
        messages = one.messages(number)
        first, last = messages[0][1], messages[-1][1]
        if turn.back_to is not None:
            self._go_back(one, number, first)
        self._event(None, "input", first, source="interactive")
        if turn.compacted:
            self._event(None, "session_compact", first, reason="threshold")
        at_end = number == len(session.turns)
        going = at_end and session.ends == "running"
        ended = None if at_end and session.ends != "whole" else last
        status = "running" if going else "completed"
        run = archive.run(self._ref, self._branch, number, first, ended, turn.ask, status)
        self._event(run, "agent_start", first)
        for message, happened in messages:
            self._message(run, message, happened)
        if at_end and session.ends == "recovered":
            found = last + timedelta(days=1)
            self._event(run, "archive.recording_stopped", found, reason="writer_disappeared")
        elif not going:
            self._event(run, "agent_end", last, messageCount=len(messages))
            self._event(run, "agent_settled", last)
        return run

    def _go_back(self, one: Told, number: int, happened: datetime) -> None:
        left, tip = self._branch, one.by_turn[number][0]
        target = tip.id if tip.kind == "branch_summary" else tip.parent
        self._branch = self._archive.branch(self._ref, happened, "tree_navigation", left, target)
        told: dict[str, object] = {"newLeafId": target}
        if tip.kind == "branch_summary":
            told["summaryEntry"] = tip.record()
        self._event(None, "session_tree", happened, **told)

    def _message(self, run: int, message: dict[str, object], happened: datetime) -> None:
        self._heads.append(orjson.dumps(message)[:_HEAD])
        if len(self._heads) == _BEFORE_DICTIONARY:
            held = b"".join(self._heads)[:_HELD]
            self._dictionary = self._archive.dictionary(held, happened, len(self._heads))
        self._archive.message(
            self._ref, self._branch, run, message, happened, dictionary=self._dictionary
        )

    def _event(self, run: int | None, kind: str, happened: datetime, **told: Any) -> None:
        self._archive.event(self._ref, self._branch, run, kind, happened, **told)


def write(path: Path, sessions: Sequence[Told], all_told: Mapping[str, Told]) -> None:
    """The archive, closed cleanly: one file and nothing beside it."""
    with Archive(path) as archive:
        recorder = Recorder(archive, all_told)
        for one in sessions:
            recorder.record(one)
