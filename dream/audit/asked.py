"""The practices that a rule's own words ask for, as far as a machine can follow them.

Plain forms only, of one sentence each: "prefix every command with `x`", "do not use `x.y()`",
"run `x` before committing", and what dream.candidates finds a detector for. What is found is a
proposal for an audit's plan; who adopts the rule sees it and may change it.
"""

import re
from collections.abc import Iterable, Iterator

from dream.detector import Detector
from dream.likeness import sign_at
from dream.practice import Practice
from dream.shell import Command, commands
from dream.text import plain, sentences

_CODE = re.compile(r"`([^`\n]{2,120})`")
_PREFIX = re.compile(
    r"\b(?:prefix|prepend|precede)\b|\b(?:run|wrap|pipe|route)\b.{0,40}\b(?:through|via)\b|前缀|前面?加"
)
_COMMANDS = re.compile(r"\bcommands?\b|\bshell\b|\bterminal\b|\bcli\b|命令")
_BEFORE_COMMIT = re.compile(
    r"\bbefore\b.{0,40}\b(?:commit|push)|提交(?:代码)?(?:之前|以前|前)|commit\s*前"
)
_IDENTIFIER = re.compile(
    r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\)?|\*)?|[A-Za-z_]\w*\(\)?"
)
_FENCED = re.compile(r"^[ \t]*```(\w+)[^\n]*\n.*?^[ \t]*```", re.S | re.M)
_ANY_FENCE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```|\Z)", re.S | re.M)
_ENDINGS = {
    "go": (".go",),
    "python": (".py",),
    "py": (".py",),
    "ts": (".ts", ".tsx"),
    "typescript": (".ts", ".tsx"),
    "tsx": (".ts", ".tsx"),
    "js": (".js", ".jsx", ".mjs", ".cjs"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
    "rust": (".rs",),
    "rs": (".rs",),
    "java": (".java",),
    "kotlin": (".kt",),
    "swift": (".swift",),
    "ruby": (".rb",),
    "php": (".php",),
    "c": (".c", ".h"),
    "cpp": (".cpp", ".cc", ".hpp", ".h"),
    "csharp": (".cs",),
    "sql": (".sql",),
    "css": (".css",),
    "html": (".html",),
}
_COMMIT = Detector("call", program="git", has=("commit",))
_SHELL = Detector("call", tool="shell")


def practices(text: str) -> tuple[Practice, ...]:
    """What a rule's words ask for, each once, in their order; () where no form fits."""
    files = _files(text)
    prose = _ANY_FENCE.sub("\n", text)
    found: list[Practice] = []
    for start, end in sentences(prose):
        found.extend(_of_sentence(prose[start:end], files))
    return tuple(dict.fromkeys(found))


def of_detectors(detectors: Iterable[Detector]) -> tuple[Practice, ...]:
    """The same from a check's detectors; an order is none, its breaches are errors by themselves.

    The denominator is one that the rule does not change: of "use a, not b" all shell calls, and
    not those of b alone.
    """
    return tuple(dict.fromkeys(made for each in detectors if (made := _of_detector(each))))


def _of_detector(one: Detector) -> Practice | None:
    if one.kind != "call":
        return None
    project = one.project
    if one.lacks:
        among = Detector("call", tool=one.tool, program=one.program, has=one.has, project=project)
        wanted = Detector("call", tool=one.tool, program=one.program, has=(*one.has, *one.lacks))
        return Practice("call", among=among, wants=wanted)
    tool = "shell" if one.program or not one.tool else one.tool
    return Practice("call", among=Detector("call", tool=tool, project=project), breaks=one)


def _of_sentence(said: str, files: tuple[str, ...]) -> Iterator[Practice]:
    low = plain(said)
    codes = [(code[1].strip(), sign_at(said, code.start())) for code in _CODE.finditer(said)]
    if _PREFIX.search(low) and _COMMANDS.search(low):
        for code, sign in codes[:1]:
            if sign >= 0 and (part := _lone(code)):
                yield Practice("call", _SHELL, wants=Detector("call", program=part.program))
        return
    if _BEFORE_COMMIT.search(low):
        for code, sign in codes:
            if sign >= 0:
                yield from (_before(part) for part in commands(code) if part.program != "git")
        return
    parts = tuple(
        _literal(code) for code, sign in codes if sign < 0 and _IDENTIFIER.fullmatch(code)
    )
    if parts:
        yield Practice("line", files=files, parts=parts)


def _lone(code: str) -> Command | None:
    found = commands(code)
    return found[0] if len(found) == 1 else None


def _before(part: Command) -> Practice:
    wanted = Detector("call", program=part.program, has=part.plain()[:2])
    return Practice("before", _COMMIT, wants=wanted)


def _literal(code: str) -> str:
    """`fmt.Print*` is every name that begins so; `os.Getwd()` is a call, whatever it is given."""
    return code.removesuffix("*").removesuffix(")")


def _files(text: str) -> tuple[str, ...]:
    """The endings of the language that the rule shows code in, when it is one."""
    told = {_ENDINGS.get(found[1].lower(), ()) for found in _FENCED.finditer(text)} - {()}
    return told.pop() if len(told) == 1 else ()
