"""Which sentences and errors a machine can decide, and by what detector.

Only plain forms count: "use A, not B", "never run B", "always pass --flag to A", "do not touch
this folder". Whether B is a program at all is for the recorded calls to say (facts.py).
"""

import re
from collections.abc import Iterator

from dream.candidates.advice import cause, detector_of
from dream.candidates.case import Case
from dream.detector import Detector
from dream.likeness import sign_at
from dream.shell import Command, commands
from dream.text import plain, vocabulary

_NAME = r"[a-z][a-z0-9._+-]{0,39}"
_CODE = re.compile(r"`([^`\n]{2,80})`")
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_CALLED = re.compile(
    rf"\b(?:use|using|run|running|call|calling|execute|invoke|not|instead of|rather than|with"
    rf"|through|via)\s+(?:the\s+|use\s+)?(?P<name>{_NAME})\b"
    rf"|(?:使用|用|跑|运行|执行|调用|而不是)\s*(?P<zh>{_NAME})"
)
_MUST = re.compile(r"\b(?:always|must|only|every|each)\b|总是|必须|每次|一定")
_CHANGES = re.compile(
    r"\b(?:touch|edit|change|modify|write|delete|overwrite|format|rewrite)\b|[改动碰写删]"
    r"|трогай|anfassen|ändern"
)
_FOLDER = re.compile(
    r"(?P<path>[\w.@-]+(?:/[\w.@-]+)+/?|[\w.@-]+/)"
    r"|(?:folder|directory|dir|ordner|папку|目录|文件夹)\s+`?(?P<after>[\w.@/-]+)"
    r"|`?(?P<before>[\w.@/-]+)`?\s+(?:folder|directory|dir)\b|(?P<zh>[\w.@/-]+)\s*(?:目录|文件夹)"
)
_LITERAL = re.compile(
    r"[\"“'‘](?P<quoted>[^\"”'’\n]{3,60})[\"”'’]|\b(?P<header>[A-Z]\w+(?:-\w+)+)\b"
)
_COMMITS = re.compile(r"\bcommits?\b|提交")


def detectors(case: Case) -> tuple[Detector, ...]:
    """What could find breaches of a case, for its project alone; () when nothing could."""
    project = case.project.rstrip("/").rsplit("/", 1)[-1]
    if case.cluster.kind == "tool_error":
        told = detector_of(cause(case.members[0])) if case.members else None
        found = [told] if told else []
    else:
        said = sorted({member.statement for member in case.members})
        found = [detector for each in said for detector in of_sentence(each)]
    return tuple(dict.fromkeys(detector.within(project) for detector in found))


def of_sentence(statement: str) -> Iterator[Detector]:
    """The detectors of one sentence's plain forms."""
    low = plain(statement)
    programs = list(_called(statement, low))
    flags = {flag[0]: sign_at(statement, flag.start()) for flag in _FLAG.finditer(low)}
    unwanted = tuple(sorted(flag for flag, sign in flags.items() if sign < 0))
    alone = programs[0][0] if len(programs) == 1 else None
    if unwanted:
        where = (alone.program, alone.plain()[:2]) if alone else ("", ())
        tool = "" if alone else "shell"
        yield Detector("call", tool=tool, program=where[0], has=(*where[1], *unwanted))
    else:
        for part, sign in programs:
            if sign < 0:
                yield Detector("call", program=part.program, has=part.plain()[:2])
    wanted = tuple(sorted(flag for flag, sign in flags.items() if sign > 0))
    if alone and wanted and programs[0][1] > 0 and _MUST.search(low):
        yield Detector("call", program=alone.program, has=alone.plain()[:1], lacks=wanted)
    yield from _of_files(statement, low)


def _called(statement: str, low: str) -> Iterator[tuple[Command, int]]:
    """The programs a sentence speaks of, and whether it wants them (+1), not (-1) or neither.

    A bare word must follow a verb for calling; one that is also an English verb must be in ticks.
    """
    for code in _CODE.finditer(statement):
        for part in commands(code[1])[:1]:
            yield part, sign_at(statement, code.start())
    for found in _CALLED.finditer(_CODE.sub(lambda code: " " * len(code[0]), low)):
        group = "name" if found["name"] else "zh"
        name = found[group].rstrip(".-")
        if name not in vocabulary("verbs") | vocabulary("english"):
            yield Command(name, ()), sign_at(statement, found.start(group))


def _of_files(statement: str, low: str) -> Iterator[Detector]:
    """Files that must not be written to, and words that must not stand in a commit."""
    if _COMMITS.search(low):
        for found in _LITERAL.finditer(statement):
            if sign_at(statement, found.start()) < 0:
                text = found["quoted"] or found["header"]
                yield Detector("call", program="git", has=("commit",), contains=text)
    if _CHANGES.search(low):
        for found in _FOLDER.finditer(statement):
            path = next(part for part in found.groups() if part).strip("/.`")
            if sign_at(statement, found.start()) < 0 and len(path) > 2:
                yield Detector("call", tool="edit", path=path)
                yield Detector("call", tool="write", path=path)
