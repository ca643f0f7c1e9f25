"""Whether a call that looks like a failure is an error of the work, and how sure we are."""

import re
from dataclasses import dataclass
from datetime import datetime

from dream.signals.doings import Doing, described, doing, is_kind, name
from dream.signals.signature import UNKNOWN, Signature, plain_output, signature

_RED = re.compile(
    r"\b(?:tdd|red phase|expect(?:ed|ing)?(?: \w+){0,3} (?:fail|to fail|failure)"
    r"|should (?:now )?fail|(?:see|watch|verify|confirm|make sure|ensure)\b.{0,30}\bfail"
    r"|failing test|fails? as expected|will fail|must fail|test first"
    r"|before (?:the |implementing|fixing)|reproduc\w+)\b|先.{0,6}失败",
    re.I,
)
_PROBE = re.compile(
    r"\b(?:(?:check|see|test|verify|find out)\b.{0,40}\b(?:if|whether|exists?|available|installed)"
    r"|look for|search for|probe|any (?:left|remaining))\b",
    re.I,
)
_SWALLOWED = re.compile(r"\|\|\s*(?:true|:|echo)|;\s*(?:true|exit 0)\s*$|2>\s*/dev/null")
_SPOKEN = re.compile(
    r"\b(?:error|fatal|cannot|can't|could not|unable|denied|not found|no such|exception|panic)\b",
    re.I,
)
_STOPPED = frozenset([130, 137, 143])
_CHECKS = frozenset(
    [
        *("test_failure", "compile_error", "lint_failure", "format_failure", "script_failed"),
        *("missing_module", "dependencies_not_installed", "wrapper_unknown_command"),
    ]
)
_ABSENT = frozenset(["file_not_found", "command_not_available", "wrong_cwd", "unknown_revision"])
_BRIEF = 400
"""Characters; so short an output is nothing but its message."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that may have failed, as signals/failures.sql gives it."""

    call_id: str
    session_id: str
    run_id: str
    number: int
    place: int
    tool: str
    arguments: str
    flagged: bool  # the source itself marks it: an error flag, an exit code
    exit_code: int | None
    result_id: str
    happened: datetime | None
    active: bool
    copy_key: str
    text: str
    said: str  # what the agent wrote with the call
    project_key: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """counts: an error of the work. score: how sure, 0 to 1; reasons for the reviewer."""

    counts: bool
    score: float
    reasons: tuple[str, ...]
    signature: Signature


def verdict(failure: Failure) -> Verdict:
    """Judges one call. Nothing outside the row is asked."""
    seen = signature(failure.tool, failure.arguments, failure.text)
    what = doing(failure.tool, failure.arguments)
    if not seen.counts:
        return Verdict(False, 0.0, ("a refusal, a wait or nothing to do is no error",), seen)
    excused = _excuse(failure, what, seen)
    if excused:
        return Verdict(False, 0.2, (excused,), seen)
    if failure.flagged:
        if seen.cause == UNKNOWN:
            told = ("the call is marked as failed", "its cause is told by one line only")
            return Verdict(True, 0.7, told, seen)
        return Verdict(True, 0.95, ("the call is marked as failed", "the cause is known"), seen)
    return _hidden(failure, what, seen)


def _excuse(failure: Failure, what: Doing, seen: Signature) -> str:
    """Why a failed call is no error after all; "" when nothing excuses it."""
    purpose = described(failure.arguments)
    line = failure.text[seen.start : seen.end]
    spoken = bool(_SPOKEN.search(line)) or seen.cause != UNKNOWN
    if what.family == "shell":
        if "\x03" in what.line or (failure.exit_code in _STOPPED and not spoken):
            return "the agent stopped its own process"
        if seen.cause in {"test_failure", "compile_error"} and (
            _RED.search(purpose) or _RED.search(failure.said[-300:])
        ):
            return "a test that was meant to fail before its fix"
        if not spoken and (_answers(what) or not _body(failure.text)):
            return "the exit code is an answer: no match, not there, they differ"
        if seen.cause in _ABSENT and _is_probe(what, purpose):
            return "the agent only looked whether it is there"
    return ""


def _answers(what: Doing) -> bool:
    """Whether the part whose exit code counts is one that answers by it."""
    return bool(what.parts) and is_kind(name(what.parts[-1]), "answering")


def _is_probe(what: Doing, purpose: str) -> bool:
    looks = all(
        is_kind(name(part), "looking") or is_kind(part.program, "setting") for part in what.parts
    )
    return looks and bool(_PROBE.search(purpose) or _SWALLOWED.search(what.line))


def _body(text: str) -> str:
    """An output without the frame an agent puts around it."""
    kept = [
        line
        for line in plain_output(text).split("\n")
        if line.strip()
        and not re.match(
            r"(?:Exit code:? |Chunk ID: |Wall time: |Process exited|Command exited|Output:"
            r"|Original token|Total output|\(no output\))",
            line,
        )
    ]
    return "\n".join(kept)


def _hidden(failure: Failure, what: Doing, seen: Signature) -> Verdict:
    """A failure that a pipe or a semicolon hides: only a check's own words, or a lone message."""
    no = Verdict(False, 0.0, ("the output only mentions an error",), seen)
    if what.family != "shell" or not what.parts or seen.cause == UNKNOWN:
        return no
    producers = [part for part in what.parts if part.before != "|"]
    names = [name(part) for part in producers if not is_kind(part.program, "setting")]
    if seen.cause in _CHECKS and any(is_kind(each, "checking") for each in names):
        told = ("the exit code is hidden by a pipe", "the output of the check says that it failed")
        return Verdict(True, 0.75, told, seen)
    line = failure.text[seen.start : seen.end]
    own = any(re.match(rf"(?:\S*/)?{re.escape(part.program)}: ", line) for part in producers)
    lone = seen.cause in _ABSENT and len(_body(failure.text)) <= _BRIEF and own
    if lone and not _is_probe(what, described(failure.arguments)):
        told = ("the exit code is hidden by a pipe", "the output is nothing but the message")
        return Verdict(True, 0.65, told, seen)
    return no
