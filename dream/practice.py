"""What a rule asks of an agent's calls: when it applies, and when it is broken. Data, no code.

A practice stands in an audit's plan, so that who reads the plan can count again by hand.

    practice: call      of the calls that match `among`, one that matches `breaks` breaks it;
    among: {tool: shell}        or, with `wants`, one that does not match that
    wants: {program: rtk}

    practice: line      of the lines written into files, one that holds a part breaks it
    files: [.go]                endings; without them any file
    tests: "yes"                files of tests too, which are left out else
    parts: ["fmt.Print"]        literal, any of them

    practice: before    a call that matches `among`, before which none came that matches `wants`
    among: {program: git, has: [commit]}
    wants: {program: mise, has: [run, fmt]}
    files: [.go]                since such a file was last written; where none was, it does not
                                apply

The parts of `among`, `wants` and `breaks` are those of a check's detector (dream.detector).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from dream import called, written
from dream.detector import FAMILIES, Detector, RecordedCall, found_in, parse, parts_of
from dream.shell import Command

Kind = Literal["call", "line", "before"]
KINDS: tuple[Kind, ...] = ("call", "line", "before")
_KEYS = {"practice", "among", "wants", "breaks", "files", "tests", "parts"}
_TEST = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?)/|[._-](?:test|spec)s?\.|(?:^|/)test_", re.I)
_WRITES = FAMILIES["edit"] | FAMILIES["write"] | frozenset(["apply_patch", "patch"])


@dataclass(frozen=True, slots=True)
class Practice:
    """A rule's practice. Of `wants` and `breaks` a call has one, `before` the first."""

    kind: Kind
    among: Detector | None = None
    wants: Detector | None = None
    breaks: Detector | None = None
    files: tuple[str, ...] = ()
    tests: bool = False
    parts: tuple[str, ...] = ()

    def payload(self) -> dict[str, Any]:
        """The mapping that `read` takes."""
        made: dict[str, Any] = {"practice": self.kind}
        for name in ("among", "wants", "breaks"):
            detector: Detector | None = getattr(self, name)
            if detector is not None:
                made[name] = {k: v for k, v in detector.payload().items() if k != "detector"}
        for name, value in (("files", self.files), ("parts", self.parts)):
            if value:
                made[name] = list(value)
        return made | ({"tests": "yes"} if self.tests else {})


@dataclass(frozen=True, slots=True)
class Tally:
    """One run's share: how often a practice applied, and how often it was broken."""

    practice: str  # its name
    run_id: str
    occasions: int
    broken: int
    calls: tuple[str, ...] = ()  # ids of the calls that broke it; at most FEW


VERSION = 1
"""Raised when the same practice counts in another way."""
FEW = 3
"""Calls of a run that are kept to show; all are counted."""


def read(payload: Mapping[str, Any]) -> Practice:
    """A practice from its mapping. ValueError says what is wrong with it."""
    if unknown := sorted(set(payload) - _KEYS):
        raise ValueError(f"{unknown[0]} is nothing that a practice has")
    kind = payload.get("practice")
    if kind not in KINDS:
        raise ValueError("practice must be call, line or before")
    found: dict[str, Detector] = {}
    for name in ("among", "wants", "breaks"):
        if name in payload:
            if not isinstance(payload[name], Mapping):
                raise ValueError(f"{name} must be a mapping")
            found[name] = parse({**payload[name], "detector": "call"})
    for name in ("files", "parts"):
        if not called.is_texts(payload.get(name, ())):
            raise ValueError(f"{name} must be a list of texts")
    made = Practice(
        kind,
        **found,
        files=tuple(payload.get("files", ())),
        tests=payload.get("tests") == "yes",
        parts=tuple(payload.get("parts", ())),
    )
    if kind == "line" and not made.parts:
        raise ValueError("a line needs parts that must not stand in it")
    if kind != "line" and made.among is None:
        raise ValueError("it must say among which calls it holds")
    if kind == "call" and (made.wants is None) == (made.breaks is None):
        raise ValueError("a call either has what it wants or what breaks it")
    if kind == "before" and made.wants is None:
        raise ValueError("it must say what has to come before")
    return made


@dataclass(slots=True)
class _Session:
    """What is remembered of the session at hand, for each practice that looks back."""

    session_id: str = ""
    occasions: Counter[tuple[str, str]] = field(default_factory=Counter)  # practice, run
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    calls: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)  # practices with files written since a commit
    done: set[str] = field(default_factory=set)  # those of them that had what they want since

    def count(self, name: str, call: RecordedCall, occasions: int, broken: int) -> None:
        if not occasions:
            return
        key = (name, call.run_id)
        self.occasions[key] += occasions
        if broken:
            self.broken[key] += broken
            self.calls.setdefault(key, []).append(call.call_id)

    def tallies(self) -> Iterator[Tally]:
        for (name, run), occasions in sorted(self.occasions.items()):
            shown = tuple(self.calls.get((name, run), ())[:FEW])
            yield Tally(name, run, occasions, self.broken[(name, run)], shown)


def tallies(practices: Mapping[str, Practice], calls: Iterable[RecordedCall]) -> Iterator[Tally]:
    """What every run did with each practice that applied in it, in one pass, by session.

    calls: by session, in the order they were made, as recorded_calls.sql gives them. What a person
    refused counts: the agent would have done it.
    """
    held = _Session()
    for call in calls:
        if call.session_id != held.session_id:
            yield from held.tallies()
            held = _Session(call.session_id)
        _look(practices, call, held)
    yield from held.tallies()


def _look(practices: Mapping[str, Practice], call: RecordedCall, held: _Session) -> None:
    shell = call.tool.lower() in FAMILIES["shell"]
    writes = call.tool.lower() in _WRITES and not call.failed and not call.refused
    given: Mapping[str, object] | None = None
    parts: tuple[Command, ...] | None = None
    for name, practice in practices.items():
        if not _may_concern(practice, call, shell=shell, writes=writes):
            continue
        if given is None or parts is None:
            given, parts = called.given(call.arguments), parts_of(call)
        if practice.kind == "line":
            lines = [line for file, line in written.lines(given) if _is_of(practice, file)]
            bad = sum(any(part in line for part in practice.parts) for line in lines)
            held.count(name, call, len(lines), bad)
        elif practice.kind == "call":
            held.count(name, call, *_called(practice, call, given, parts))
        else:
            _before(name, practice, call, given, parts, held)


def _may_concern(practice: Practice, call: RecordedCall, *, shell: bool, writes: bool) -> bool:
    """Cheap, before a call is taken apart: most calls concern no practice."""
    if practice.kind == "line":
        return writes
    if practice.kind == "before" and call.tool.lower() in _WRITES:
        return writes
    among = practice.among
    if among is None or (among.program and not shell):
        return False
    if practice.kind == "before":
        wanted = practice.wants.program if practice.wants else ""
        return among.program in call.arguments or wanted in call.arguments
    return not among.program or among.program in call.arguments


def _called(
    practice: Practice,
    call: RecordedCall,
    given: Mapping[str, object],
    parts: tuple[Command, ...],
) -> tuple[int, int]:
    """Whether a call is an occasion, and whether it breaks the practice: 0 or 1 each."""
    if practice.among is None or not found_in(practice.among, call, given, parts):
        return 0, 0
    if practice.breaks is not None:
        return 1, int(bool(found_in(practice.breaks, call, given, parts)))
    obeyed = practice.wants is not None and found_in(practice.wants, call, given, parts)
    return 1, int(not obeyed)


def _before(
    name: str,
    practice: Practice,
    call: RecordedCall,
    given: Mapping[str, object],
    parts: tuple[Command, ...],
    held: _Session,
) -> None:
    if call.tool.lower() in _WRITES:
        if any(_is_of(practice, file) for file in {file for file, _ in written.lines(given)}):
            held.written.add(name)
            held.done.discard(name)
        return
    for part in parts or (None,):
        own = (part,) if part is not None else ()
        if practice.wants is not None and found_in(practice.wants, call, given, own):
            held.done.add(name)
        elif practice.among is not None and found_in(practice.among, call, given, own):
            if name in held.written:
                held.count(name, call, 1, int(name not in held.done))
            held.written.discard(name)
            held.done.discard(name)


def _is_of(practice: Practice, file: str) -> bool:
    if practice.files and not file.endswith(practice.files):
        return False
    return practice.tests or practice.kind != "line" or not _TEST.search(file.replace("\\", "/"))


def within(practice: Practice, project: str) -> Practice:
    """The same, for projects of that name alone."""
    return replace(practice, among=practice.among.within(project) if practice.among else None)
