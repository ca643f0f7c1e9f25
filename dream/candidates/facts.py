"""What the recorded calls say of the rules that could be: who would have been caught."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dream.candidates.advice import Aftermath, cause, known
from dream.candidates.case import Case, cases
from dream.candidates.detectors import detectors
from dream.detector import Detector, RecordedCall, breaches, named, parts_of
from dream.shell import Command
from dream.types import Cluster, Judgement, Rows

EXAMPLES = 3
SOON = 4
"""Calls after a failed one among which is what worked instead."""


@dataclass(frozen=True, slots=True)
class Caught:
    """The recorded calls that a detector finds."""

    calls: int
    sessions: int
    examples: tuple[str, ...]  # the most frequent: programs with their first words, or tools


@dataclass(frozen=True, slots=True)
class Facts:
    """caught: by detector; one that is missing caught nothing. after: by failed call."""

    caught: Mapping[Detector, Caught] = field(default_factory=dict)
    after: Mapping[str, Aftermath] = field(default_factory=dict)


def gather(
    rows: Rows,
    clusters: Sequence[Cluster],
    judgements: Mapping[str, Judgement],
    since: datetime,
) -> Facts:
    """Tries every detector that the clusters could give on the calls since a moment, in one pass.

    Calls are looked at one by one and not kept, so the memory needed does not grow with them.
    """
    found = cases(clusters, judgements)
    wanted = {each for case in found for each in detectors(case)}
    failed = _failed(found)
    if not wanted and not failed:
        return Facts()
    tally = _Tally({repr(each): each for each in sorted(wanted, key=repr)})
    watch = _Watch(failed)
    calls = rows.rows("recorded_calls", RecordedCall, since=since)
    for name, call, what in breaches(tally.detectors, watch.passing(calls)):
        tally.add(name, call.session_id, what)
    return Facts(tally.caught(), watch.after())


def _failed(found: Sequence[Case]) -> dict[str, str]:
    """Failed call -> the name that it did not find, for causes that we have words for."""
    return {
        str(member.detail["call_id"]): str(member.detail.get("key") or "")
        for case in found
        for member in case.members
        if member.kind == "tool_error" and "call_id" in member.detail and known(cause(member))
    }


class _Tally:
    """Counts what each detector finds."""

    def __init__(self, detectors: Mapping[str, Detector]) -> None:
        self.detectors = detectors
        self._calls: Counter[str] = Counter()
        self._sessions: dict[str, set[str]] = defaultdict(set)
        self._seen: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, name: str, session: str, what: str) -> None:
        self._calls[name] += 1
        self._sessions[name].add(session)
        self._seen[name][what] += 1

    def caught(self) -> dict[Detector, Caught]:
        return {
            self.detectors[name]: Caught(
                count, len(self._sessions[name]), _frequent(self._seen[name])
            )
            for name, count in sorted(self._calls.items())
        }


class _Watch:
    """Notes what works soon after each failed call, while the calls go by."""

    def __init__(self, failed: Mapping[str, str]) -> None:
        self._failed = failed
        self._typed: dict[str, bool] = {}
        self._words: dict[str, set[str]] = {}
        self._next: dict[str, list[str]] = defaultdict(list)
        self._same: dict[str, list[str]] = defaultdict(list)
        self._lines: dict[str, dict[str, str]] = defaultdict(dict)

    def passing(self, calls: Iterator[RecordedCall]) -> Iterator[RecordedCall]:
        """The same calls."""
        session = ""
        waiting: dict[str, int] = {}
        for call in calls:
            if call.session_id != session:
                session, waiting = call.session_id, {}
            if waiting and not call.failed:
                self._note(waiting, parts_of(call))
            waiting = {failed: left - 1 for failed, left in waiting.items() if left > 1}
            if call.call_id in self._failed:
                key = self._failed[call.call_id]
                self._typed[call.call_id] = bool(key) and key in call.arguments
                words = {word for part in parts_of(call) for word in _telling(part)}
                self._words[call.call_id] = words | ({key} if self._typed[call.call_id] else set())
                waiting[call.call_id] = SOON
            yield call

    def _note(self, waiting: Mapping[str, int], parts: Sequence[Command]) -> None:
        for failed in waiting:
            for part in parts:
                line = " ".join((part.program, *part.arguments))
                self._lines[failed].setdefault(named(part), line)
                self._next[failed].append(named(part))
                if self._words[failed] & {part.program, *_telling(part)}:
                    self._same[failed].append(named(part))

    def after(self) -> dict[str, Aftermath]:
        return {
            call: Aftermath(
                typed, _once(self._next[call]), _once(self._same[call]), self._lines[call]
            )
            for call, typed in sorted(self._typed.items())
        }


def _telling(part: Command) -> set[str]:
    """The words of a command that it would share with another that does the same work."""
    return {word for word in part.plain() if len(word) > 2}


def _once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _frequent(seen: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(seen, key=lambda what: (-seen[what], what))[:EXAMPLES])
