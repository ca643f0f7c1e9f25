"""The lines between dashes at the head of a SKILL.md: read as far as they can be, faults named.

An unquoted colon breaks YAML and an unquoted " #" cuts a value short without a word. Agents then
drop the skill or half of it in silence; here the fault gets its line, its column and its cause.
"""

import codecs
import re
from dataclasses import dataclass, field

import yaml

HEAD_LIMIT = 64 * 1024
"""Characters of front matter that are parsed."""

_DASHES = "---"
_KEY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*))?$")
_CAUSES = {
    "mapping values are not allowed here": "a colon and a space inside an unquoted value",
    "found character '\\t' that cannot start any token": "a tab where YAML wants spaces",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A place where the text is not read as its writer meant it. Line and column from 1."""

    line: int
    column: int
    cause: str


@dataclass(frozen=True, slots=True)
class Page:
    """A file with front matter."""

    values: dict[str, str]  # by key, as text; {} without front matter
    body: str  # after the closing dashes, line ends as "\n", no byte-order mark
    first_line: int  # of the body, from 1
    faults: tuple[Fault, ...] = field(default=())


def parse(data: bytes) -> Page:
    """The page in data. Never raises: what cannot be read is a Fault, bytes become U+FFFD."""
    faults = []
    raw = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        text = raw.decode(errors="replace")
        faults.append(Fault(raw.count(10, 0, error.start) + 1, 1, "bytes that are not UTF-8"))
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0].rstrip() != _DASHES:
        return Page({}, "\n".join(lines), 1, tuple(faults))
    end = next((n for n, line in enumerate(lines[1:], 1) if line.rstrip() == _DASHES), 0)
    if not end:
        faults.append(Fault(1, 1, "the dashes on line 1 are never closed"))
        return Page({}, "\n".join(lines), 1, tuple(faults))
    values, found = _values(lines[1:end])
    body = "\n".join(lines[end + 1 :])
    return Page(values, body, end + 2, (*faults, *found))


def _values(lines: list[str]) -> tuple[dict[str, str], tuple[Fault, ...]]:
    """Keys and texts; when it is no YAML, what each line alone says."""
    head = "\n".join(lines)
    cut = tuple(_cut_short(lines))
    if len(head) > HEAD_LIMIT:
        return {}, (Fault(2, 1, f"over {HEAD_LIMIT:,} characters of front matter"),)
    try:
        # BaseLoader makes texts of everything: `no` stays "no", and nothing is constructed.
        value = yaml.load(head, Loader=yaml.BaseLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        cause = _CAUSES.get(str(error.problem), str(error.problem or error.context))
        place = (mark.line + 2, mark.column + 1) if mark else (2, 1)
        return _line_by_line(lines), (Fault(*place, cause), *cut)
    except (yaml.YAMLError, RecursionError) as error:
        return _line_by_line(lines), (Fault(2, 1, str(error).splitlines()[0]), *cut)
    if not isinstance(value, dict):
        return _line_by_line(lines), (Fault(2, 1, "not a list of keys and values"), *cut)
    return {str(key): _as_text(each) for key, each in value.items()}, cut


def _line_by_line(lines: list[str]) -> dict[str, str]:
    found = (_KEY.match(line) for line in lines)
    return {hit[1]: (hit[2] or "").strip().strip("\"'") for hit in found if hit}


def _cut_short(lines: list[str]) -> list[Fault]:
    """Unquoted values with a comment in them, which their writer took for text."""
    faults = []
    for number, line in enumerate(lines, 2):
        hit = _KEY.match(line)
        value = (hit[2] or "") if hit else ""
        if hit and value and value[0] not in "\"'|>[{#" and (place := value.find(" #")) >= 0:
            cause = 'an unquoted " #" begins a comment: the rest of the line is lost'
            faults.append(Fault(number, hit.start(2) + place + 2, cause))
    return faults


def _as_text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_as_text, value))
    return value if isinstance(value, str) else ""
