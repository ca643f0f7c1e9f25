"""What a check looks for in recorded tool calls: data that a person can read, and no code.

A detector is a mapping of a check file (see `parse`). It holds no patterns, only names and literal
parts, so it costs one look at each call whatever stands in it.

    detector: call      one call that breaks the rule
    program: npm        a shell program, by its name; or tool: edit, a family of tools or its name
    has: [install]      words that all stand among its arguments; an option without its value
    lacks: [--locked]   words of which at least one is not there
    contains: "Bearer"  a literal part of its arguments, in any case
    path: vendor        a folder or file that it writes to

    detector: order     a call about a file, before another about the same file
    tool: edit
    needs: [read]       families or names of which one must have come before, in the session
    failed: "yes"       only calls that failed by it

    project: shop       for both: only in projects of that name
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from dream import called
from dream.shell import Command, commands

_NAMES = {
    "shell": "bash shell exec exec_command shell_command run_shell_command run_terminal_cmd"
    " run_in_terminal run_terminal_command run_terminal_command_v2",
    "read": "read view read_file readfile notebookread read_many_files copilot_readfile",
    "edit": "edit multiedit str_replace str_replace_editor edit_file replace copilot_applypatch"
    " copilot_replacestring copilot_multireplacestring",
    "write": "write create write_file create_file copilot_createfile",
}
FAMILIES = {family: frozenset(names.split()) for family, names in _NAMES.items()}
"""Tools that do the same thing, whatever an agent calls them; in lower case."""

_WITH_VERBS = (
    "git npm pnpm yarn bun npx bunx go cargo make mise just task pip uv poetry docker kubectl gh"
    " brew apt-get dotnet mvn gradle bundle composer deno nx turbo terraform"
)
_VERBED = frozenset(_WITH_VERBS.split())
"""Programs that are told apart by their next word."""
_VERB = re.compile(r"[A-Za-z][\w:.-]{0,30}")
_TEXTS = {"detector", "program", "tool", "contains", "path", "failed", "project"}
_LISTS = {"has", "lacks", "needs"}


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A tool call as recorded_calls.sql gives it."""

    call_id: str
    session_id: str
    run_id: str
    message_id: str
    project: str  # the project's name
    project_key: str
    tool: str
    arguments: str  # JSON text of an object
    failed: bool
    happened: datetime | None
    refused: bool = False  # a person said no, or a parallel failure dropped it: it did nothing


@dataclass(frozen=True, slots=True)
class Detector:
    """A check's detector. Empty parts do not narrow it."""

    kind: str  # call, order
    tool: str = ""
    program: str = ""
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    contains: str = ""
    path: str = ""
    needs: tuple[str, ...] = ()
    failed: bool = False
    project: str = ""

    def within(self, project: str) -> "Detector":
        """The same, for projects of that name alone."""
        return replace(self, project=project)

    def payload(self) -> dict[str, str | list[str]]:
        """The mapping that a check file holds; `parse` of it is this detector."""
        texts = {
            "detector": self.kind,
            "program": self.program,
            "tool": self.tool,
            "contains": self.contains,
            "path": self.path,
            "failed": "yes" if self.failed else "",
            "project": self.project,
        }
        lists = {"has": self.has, "lacks": self.lacks, "needs": self.needs}
        made: dict[str, str | list[str]] = {name: text for name, text in texts.items() if text}
        return made | {name: list(words) for name, words in lists.items() if words}


def parse(payload: Mapping[str, object]) -> Detector:
    """A detector from the mapping of a check file. ValueError says what is wrong with it."""
    for name, value in payload.items():
        if name in _TEXTS and not isinstance(value, str):
            raise ValueError(f"{name} must be a text")
        if name in _LISTS and not called.is_texts(value):
            raise ValueError(f"{name} must be a list of texts")
        if name not in _TEXTS | _LISTS:
            raise ValueError(f"{name} is nothing that a detector has")
    texts = {name: str(payload.get(name, "")) for name in _TEXTS}
    lists = {name: tuple(called.texts(payload.get(name, ()))) for name in _LISTS}
    made = Detector(
        kind=texts["detector"],
        tool=texts["tool"],
        program=texts["program"],
        contains=texts["contains"],
        path=texts["path"].strip("/"),
        failed=texts["failed"] == "yes",
        project=texts["project"],
        has=lists["has"],
        lacks=lists["lacks"],
        needs=lists["needs"],
    )
    if made.kind not in {"call", "order"}:
        raise ValueError("detector must be call or order")
    if made.kind == "order" and not (made.tool and made.needs):
        raise ValueError("an order needs a tool and what must come before it")
    if made.kind == "call" and not (made.program or made.tool or made.has or made.contains):
        raise ValueError("it would find every call: name a program, a tool or an argument")
    return made


def breaches(
    detectors: Mapping[str, Detector], calls: Iterable[RecordedCall]
) -> Iterator[tuple[str, RecordedCall, str]]:
    """(name of the detector, call, what in it) for each call that breaks one, in one pass.

    calls: by session, in the order they were made. What: the program with its first arguments, or
    the tool; words of the agent, never of an output.
    """
    orders = {name: each for name, each in detectors.items() if each.kind == "order"}
    single = {name: each for name, each in detectors.items() if each.kind == "call"}
    marks: dict[bool, dict[str, str]] = {True: {}, False: {}}  # in a shell call, in others
    for name, detector in single.items():
        marks[not detector.tool or _is(detector.tool, "shell")][name] = _mark(detector)
    known: dict[str, set[tuple[str, str]]] = defaultdict(set)
    session = ""
    for call in calls:
        if call.session_id != session:
            known.clear()
            session = call.session_id
        here = marks[_is(call.tool, "shell")]
        likely = [name for name, mark in here.items() if mark in call.arguments]
        if likely:
            given, parts = called.given(call.arguments), parts_of(call)
            for name in likely:
                if what := found_in(single[name], call, given, parts):
                    yield name, call, what
        if orders and _is_about_files(call.tool, orders.values()):
            target = called.target(called.given(call.arguments))
            for name, detector in orders.items():
                if _too_early(detector, call, target, known[name]):
                    yield name, call, f"{call.tool} {target.rsplit('/', 1)[-1]}"


def _mark(detector: Detector) -> str:
    """A text that stands in the arguments (JSON) of every call that breaks it; "" for none.

    Most calls are told by it without being taken apart.
    """
    literal = detector.program or next(iter(detector.has), "") or detector.path.split("/")[-1]
    return literal if literal.isascii() and '"' not in literal and "\\" not in literal else ""


def _is_about_files(tool: str, orders: Iterable[Detector]) -> bool:
    return any(_is(tool, name) for order in orders for name in (order.tool, *order.needs))


def parts_of(call: RecordedCall) -> tuple[Command, ...]:
    """What a shell call runs; () for other tools."""
    return commands(called.line(called.given(call.arguments))) if _is(call.tool, "shell") else ()


def named(part: Command) -> str:
    """A program with its verb or module: "go test", "npm run lint", "python3 -m pytest"."""
    if part.arguments[:1] == ("-m",) and len(part.arguments) > 1:
        return " ".join((part.program, *part.arguments[:2]))
    plain = [word for word in part.verbs() if _VERB.fullmatch(word)]
    if part.program not in _VERBED or not plain or part.after_options()[:1] != (plain[0],):
        return part.program
    return " ".join((part.program, *plain[: 2 if plain[0] in {"run", "exec"} else 1]))


def found_in(
    detector: Detector, call: RecordedCall, given: Mapping[str, object], parts: tuple[Command, ...]
) -> str:
    """What in one call a detector of kind call finds, as `breaches` tells it; "" for nothing.

    given, parts: the call taken apart by dream.called.given and parts_of.
    """
    if not _concerns(detector, call):
        return ""
    if detector.tool and not _is(call.tool, detector.tool):
        return ""
    if detector.path:
        return call.tool if _within(called.target(given), detector.path) else ""
    if detector.tool and not _is(call.tool, "shell"):
        text = " ".join(str(value) for value in given.values())
        return call.tool if detector.contains.lower() in text.lower() else ""
    return next((_named(part) for part in parts if _command_breaks(detector, part)), "")


def _command_breaks(detector: Detector, part: Command) -> bool:
    if detector.program and part.program != detector.program:
        return False
    words = part.flags() | set(part.arguments)
    if not words.issuperset(detector.has):
        return False
    if detector.lacks and words.issuperset(detector.lacks):
        return False
    return detector.contains.lower() in " ".join(part.arguments).lower()


def _too_early(
    detector: Detector, call: RecordedCall, target: str, known: set[tuple[str, str]]
) -> bool:
    """Whether a call comes before what it needs; keeps in `known` what has come."""
    if not target or not _concerns(detector, call):
        return False
    there = (call.project_key, target)
    early = _is(call.tool, detector.tool) and there not in known
    if not call.failed and any(_is(call.tool, need) for need in (detector.tool, *detector.needs)):
        known.add(there)
    return early and (call.failed or not detector.failed)


def _concerns(detector: Detector, call: RecordedCall) -> bool:
    return detector.project in {"", call.project}


def _is(tool: str, wanted: str) -> bool:
    low = tool.lower()
    return low == wanted.lower() or low in FAMILIES.get(wanted.lower(), ())


def _within(target: str, path: str) -> bool:
    """Whether a file lies at or below a path that a person named without its root."""
    wanted = path.split("/")
    parts = target.replace("\\", "/").split("/")
    return any(parts[n : n + len(wanted)] == wanted for n in range(len(parts)))


def _named(part: Command) -> str:
    return " ".join((part.program, *part.arguments[:3]))
