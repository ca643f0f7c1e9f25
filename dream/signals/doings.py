"""What a tool call does, in words that compare across agents: family, program, verb, target."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import cast

import yaml

from dream.shell import Command, commands

_TARGETS = ("file_path", "filePath", "path", "notebook_path", "target_file", "filename")
_NAME = re.compile(r"[A-Za-z][\w:.@/-]{0,40}")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.M)
_DOWN = re.compile(
    r"^(?:head|tail|grep|rg|sed|awk|sort|uniq|cut|wc|tee|cat|less|tr|jq|column|xargs|egrep)$"
)


@dataclass(frozen=True, slots=True)
class Doing:
    """One call. family: shell, read, edit ... or the tool's own name in lower case."""

    family: str
    program: str  # "go test", "npm run lint"; a tool that is no shell: its family
    target: str  # the file it is about, as written; "" when it names none
    line: str = ""  # the whole shell line; "" for another tool
    parts: tuple[Command, ...] = ()


@cache
def _lists() -> Mapping[str, object]:
    source = resources.files("dream.signals").joinpath("tools.yaml").read_text(encoding="utf-8")
    return cast("dict[str, object]", yaml.safe_load(source))


@cache
def kinds(name: str) -> frozenset[str]:
    """A list of tools.yaml: programs, with their verb after an underscore ("git_push")."""
    return frozenset(str(_lists()[name]).split())


@cache
def _families() -> Mapping[str, str]:
    listed = cast("dict[str, str]", _lists()["families"])
    return {name: family for family, names in listed.items() for name in names.split()}


def family(tool: str) -> str:
    """The family of a tool; its own name in lower case when it belongs to none."""
    return _families().get(tool.lower(), tool.lower())


@lru_cache(maxsize=4096)
def doing(tool: str, arguments: str) -> Doing:
    """A call by its tool's name and its arguments (JSON text of an object)."""
    given = _object(arguments)
    kind = family(tool)
    if kind != "shell":
        return Doing(kind, kind, _target(given))
    line = _line(given)
    parts = commands(line)
    told = [part for part in parts if part.program not in kinds("setting")]
    acting = [part for part in told if part.before != "|" or not _DOWN.match(part.program)]
    chosen = (acting or told or list(parts))[:1]
    return Doing(kind, name(chosen[0]) if chosen else "shell", "", line, parts)


def name(part: Command) -> str:
    """A program with its verb: `git -C x push` is "git push", `npm run lint` "npm run lint"."""
    words = [part.program]
    if part.program in kinds("verbs"):
        plain = [word for word in part.verbs() if _NAME.fullmatch(word)]
        words += plain[: 2 if plain and plain[0] in kinds("runners") else 1]
    elif part.program.startswith("python") and part.arguments[:1] == ("-m",):
        words = list(part.arguments[1:2]) or words
    return " ".join(words)


def is_kind(program: str, listed: str) -> bool:
    """Whether a program, or it with its verb, stands in a list of tools.yaml."""
    words = program.split()
    joined = {"_".join(words[:count]) for count in range(1, len(words) + 1)}
    return bool(joined & kinds(listed))


def described(arguments: str) -> str:
    """What the agent itself said a call is for, "" without it."""
    return str(_object(arguments).get("description") or "")


def _object(arguments: str) -> Mapping[str, object]:
    try:
        given = json.loads(arguments) if arguments else {}
    except ValueError:
        return {"input": arguments}
    return given if isinstance(given, dict) else {"input": arguments}


def _line(given: Mapping[str, object]) -> str:
    for key in ("command", "cmd", "script", "input", "chars"):
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list):
            words = [str(word) for word in value]
            shell = len(words) == 3 and words[1] in {"-c", "-lc"}
            return words[2] if shell else " ".join(words)
    return ""


def _target(given: Mapping[str, object]) -> str:
    for key in _TARGETS:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
    for value in given.values():
        if isinstance(value, str) and (patched := _PATCHED.search(value)):
            return patched[1].strip()
    return ""
