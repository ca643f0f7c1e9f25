"""What an agent's turn in a SpecStory file is made of: prose, and one block a tool call.

A block shows what its writer chose to show. VS Code's has labelled parts in JSON, escaped for HTML;
the command line's has the command in ticks and the output in a code block. The words in a summary
are of the editor's language and are not read for meaning.
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from dream.records import CallStatus
from dream.sources.specstory_turns import after, block_end

_OPEN = b"<tool-use "
_ATTRIBUTE = re.compile(r'data-tool-(type|name)="([^"]*)"')
_TAGS = re.compile(r"</?(?:tool-use|details)\b[^>]*>")
_STATUS = re.compile(r"Status: \*\*([^*]+)\*\*")
_INPUT = re.compile(r"- ([\w.-]+):(?: `(.*)`)?")
_LINK = re.compile(r"\]\(file://([^()\[\]#\s]+)(?:#[^()\[\]\s]*)?\)")
_NAMED = re.compile(r"(Read file|Edit file|Run command): (.+)")
_TICKED = re.compile(r"`([^`]+)`")

_EMPTY = "_No content to show_"
_GIVEN, _INSIDE, _CAME = (
    ("Parameters:", "**Input:**"),
    "Additional data:",
    ("Result:", "**Result:**"),
)
_FAILED = "**Error:**"
_STATES: dict[str, CallStatus] = {
    "completed": "ok", "success": "ok", "error": "error", "failed": "error",
    "cancelled": "interrupted", "canceled": "interrupted", "aborted": "interrupted",
    "rejected": "refused", "denied": "refused", "skipped": "refused",
}  # fmt: skip
_REFUSED = (0, 5)
"""What VS Code writes as the type of isConfirmed when a person said no: denied, skipped."""


class Piece(NamedTuple):
    """A stretch of an agent's turn. Indexes are of lines, from 0; blank lines are left out."""

    start: int
    end: int
    block: bool  # a tool's; else prose
    open: bool = False  # a block that is never closed: it ends with the turn


class Run(NamedTuple):
    """One call of a tool, as its block shows it."""

    tool: str
    arguments: str  # JSON text of an object
    status: CallStatus
    text: str  # what came back, as far as it is shown
    silent: bool  # a command of a shell, of whose output nothing is shown


class _Part(NamedTuple):
    label: str  # the line before it
    language: str
    text: str


def pieces(lines: Sequence[bytes], start: int, end: int) -> Iterator[Piece]:
    """The turn whose head is at start, in order. The first piece is prose and begins with the head.

    A rule beside a block only parts it from what follows and is no one's.
    """
    fence, begun, index = b"", start, start + 1
    while index < end:
        if not fence and lines[index].startswith(_OPEN):
            yield from _prose(lines, begun, index, begun == start)
            closed = block_end(lines, index, end)
            behind = closed or _next(lines, index + 1, end)
            yield Piece(index, _back(lines, index, behind), True, not closed)
            begun = index = behind
            continue
        fence = after(fence, lines[index])
        index += 1
    yield from _prose(lines, begun, end, begun == start)


def _next(lines: Sequence[bytes], index: int, end: int) -> int:
    while index < end and not lines[index].startswith(_OPEN):
        index += 1
    return index


def _prose(lines: Sequence[bytes], start: int, end: int, head: bool) -> Iterator[Piece]:
    while start < end and not head and _is_border(lines[start]):
        start += 1
    while end - 1 > start and _is_border(lines[end - 1]):
        end -= 1
    if start < end and (head or not _is_border(lines[start])):
        yield Piece(start, end, False)


def _is_border(line: bytes) -> bool:
    return line.strip() in (b"", b"---")


def _back(lines: Sequence[bytes], start: int, end: int) -> int:
    while end - 1 > start and not lines[end - 1].strip():
        end -= 1
    return end


def said(text: str) -> str:
    """Prose without what the model only thought; a thought that never ends is better told."""
    kept, place = list[str](), 0
    while (begun := text.find("<think>", place)) >= 0:
        if (ended := text.find("</think>", begun)) < 0:
            break
        kept.append(text[place:begun])
        place = ended + len("</think>")
    return "".join((*kept, text[place:])).strip("\n") if kept else text


def run(text: str) -> Run:
    """The call that a block shows. Never raises; what it does not show is empty."""
    attributes = dict(_ATTRIBUTE.findall(text.partition(">")[0]))
    before, _, behind = text.partition("<summary>")
    summary, closed, rest = behind.partition("</summary>")
    body = _TAGS.sub("", before + rest if closed else text)
    parts, loose = _parts(body)
    shown = summary.partition("•")[2].strip() if closed else ""
    told = _json(next((part.text for part in parts if part.label == "Result:"), ""))
    shell = attributes.get("type") == "shell" or "terminal" in attributes.get("name", "")
    given = _arguments(parts, loose, shown, shell)
    output = _output(parts, loose, told, given)
    status = _status(body, parts, told, output)
    silent = shell and status == "ok" and not output
    arguments = orjson.dumps(given, option=orjson.OPT_NON_STR_KEYS).decode()
    return Run(attributes.get("name") or "unknown", arguments, status, output, silent)


def _parts(body: str) -> tuple[list[_Part], list[str]]:
    """Code blocks with the line before each, and the lines outside of all."""
    parts: list[_Part] = []
    loose: list[str] = []
    fence, opener, held = b"", "", list[str]()
    for line in body.split("\n"):
        now = after(fence, line.encode("utf-8", "surrogatepass"))
        if fence and not now:
            label = next((one.strip() for one in reversed(loose) if one.strip()), "")
            parts.append(_Part(label, opener.strip().strip("`~").strip(), "\n".join(held)))
        elif fence:
            held.append(line)
        elif now:
            opener, held = line, []
        else:
            loose.append(line)
        fence = now
    return parts, loose + held if fence else loose


def _arguments(
    parts: Sequence[_Part], loose: Sequence[str], shown: str, shell: bool
) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in parts:
        if part.label == "Parameters:" and isinstance(value := _json(part.text), dict):
            given |= value
    if "**Input:**" in loose:
        given |= _listed(loose[loose.index("**Input:**") + 1 :])
        given |= {key[1]: part.text for part in parts if (key := _INPUT.fullmatch(part.label))}
    for kind, value in _NAMED.findall(shown):
        given.setdefault("command" if kind == "Run command" else "file_path", value.strip())
    line = given.get("commandLine")
    if isinstance(line, dict):  # the words that were run, which a person or the client may change
        ran = next((line[k] for k in ("userEdited", "toolEdited", "original") if line.get(k)), "")
        given = {"command": ran, **given}
    elif shell and "command" not in given:
        given |= _command(parts, loose)
        words = " ".join(line.strip() for line in loose if not _is_said(line, given))
        given |= {"description": words} if words else {}
    if "file_path" not in given and (link := _LINK.search("\n".join((shown, *loose)))):
        given["file_path"] = link[1]
    if not given and shown:
        given["summary"] = shown
    return given


def _listed(loose: Sequence[str]) -> dict[str, Any]:
    """`- key: value in ticks`, up to the next label."""
    found: dict[str, Any] = {}
    for line in loose:
        if line.startswith("**"):
            break
        if entry := _INPUT.fullmatch(line):
            found[entry[1]] = entry[2] or ""
    return found


def _command(parts: Sequence[_Part], loose: Sequence[str]) -> dict[str, str]:
    for part in parts:
        if part.language in ("bash", "sh", "zsh", "shell"):
            return {"command": part.text}
    for line in loose:
        if ticked := _TICKED.fullmatch(line.strip()):
            return {"command": ticked[1]}
    return {}


def _output(parts: Sequence[_Part], loose: Sequence[str], told: Any, given: dict[str, Any]) -> str:
    if isinstance(told, dict):
        listed = told.get("resultDetails")
        output = listed.get("output") if isinstance(listed, dict) else None
        values = [one.get("value") for one in output or () if isinstance(one, dict)]
        found = [told.get("pastTenseMessage"), told.get("content"), *values]
        return "\n".join(one for one in found if isinstance(one, str) and one.strip())
    texts = [
        part.text
        for part in parts
        if part.label not in (*_GIVEN, _INSIDE)
        and not _INPUT.fullmatch(part.label)
        and part.text != given.get("command")
    ]
    words = [line for line in loose if not _is_said(line, given)]
    described = " ".join(map(str.strip, words)) == given.get("description")
    return "\n".join((*(() if described else words), *texts)).strip("\n")


def _is_said(line: str, given: dict[str, Any]) -> bool:
    """Whether a line outside of code is a label, empty, or the command itself."""
    bare = line.strip()
    return bare in ("", _EMPTY, f"`{given.get('command')}`") or _is_label(line)


def _is_label(line: str) -> bool:
    known = line.strip() in (*_GIVEN, *_CAME, _INSIDE, _FAILED)
    return known or bool(_STATUS.fullmatch(line.strip()) or _INPUT.fullmatch(line))


def _status(body: str, parts: Sequence[_Part], told: Any, output: str) -> CallStatus:
    """What became of the call, as far as the block tells; "ok" only says that it came back."""
    if isinstance(told, dict):
        confirmed = told.get("isConfirmed")
        kind = confirmed.get("type") if isinstance(confirmed, dict) else confirmed
        if kind is False or (type(kind) is int and kind in _REFUSED):
            return "refused"
        details = told.get("resultDetails")
        if isinstance(details, dict) and details.get("isError") is True:
            return "error"
    if any(part.label == _FAILED for part in parts):
        return "error"
    stated = _STATUS.findall(body)
    if stated:
        return _STATES.get(stated[-1].strip().lower(), "unanswered")
    return "ok" if output else "unanswered"


def _json(text: str) -> Any:
    """The value with its texts as they were before they were escaped for HTML; None for no JSON."""
    try:
        return _plain(orjson.loads(text)) if text else None
    except (orjson.JSONDecodeError, RecursionError):
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return html.unescape(value)
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {html.unescape(key): _plain(part) for key, part in value.items()}
    return value
