"""Who speaks in a turn of type user, info, warning or error of a Gemini CLI session.

Under `user` stand a person's words and what the client put beside or in place of them: the first
look at the project, the files a prompt names, its own requests to go on, results of shell commands,
and after a compression the summary.
"""

import re
from typing import Any

from dream.records import MessageKind
from dream.sources.claude_voices import Part
from dream.sources.gemini_replay import texts, words

_FILES = "--- Content from referenced files ---"
_PREFIXES: tuple[tuple[str, MessageKind], ...] = (
    ("<session_context>", "meta"),
    ("<hook_context>", "meta"),
    ("<state_snapshot>", "summary"),
    ("This is the Gemini CLI. We are setting up the context for our chat.", "meta"),
    ("Here is the user's editor context as a JSON object", "meta"),
    ("Here is a summary of changes in the user's editor context", "meta"),
    ("System: Please continue.", "meta"),
    ("System: Potential loop detected.", "meta"),
    ("I ran the following shell command:\n```sh\n", "shell"),
)
"""A text that begins with one of these was written by the client, to its end."""

_GO_ON = "Please continue."
"""The client asks so when it thinks that the model had not finished. A person who types exactly
this says nothing that could be held against it."""

_COMMAND = re.compile(r"/[a-z][\w:-]*(?:\s|\Z)")
_STOPPED = re.compile(r"(?:Request cancelled|User cancelled the request)\.\s*\Z")
COMPRESSED = re.compile(r"Chat history compressed from (\d{1,12}) to (\d{1,12}) tokens")


def user(record: dict[str, Any]) -> list[Part]:
    """What stands in a user turn, in order; neighbours of one voice are one part.

    displayContent holds what was typed where the content holds more or other words.
    """
    typed, content = words(record.get("displayContent")), texts(record.get("content"))
    if not typed.strip():
        parts = [part for said in _before_files(content) for part in said]
    elif _COMMAND.match(typed):
        parts = [Part("injected", "command", said) for said in (typed, *content) if said]
    else:
        parts = [_voice(typed), *_added(typed, content)]
    if not parts and _shows(record.get("content")):
        parts = [Part("human", "prompt", "")]  # a picture and no word
    return _together(parts)


def _added(typed: str, content: list[str]) -> list[Part]:
    """What the content has beyond the typed words."""
    if "\n".join(content) == typed:
        return []
    files = next((n for n, said in enumerate(content) if said.strip() == _FILES), None)
    if files is None:
        files = 1 if content and content[0] == typed else 0
    return [Part("injected", "meta", said) for said in content[files:]]


def _before_files(content: list[str]) -> list[list[Part]]:
    """The parts up to where the client begins to list files, then those files."""
    made: list[list[Part]] = []
    for number, said in enumerate(content):
        typed, mark, _ = said.partition(_FILES)
        if not mark:
            made.append([_voice(said)] if said.strip() else [])
            continue
        listed = [said[len(typed.rstrip("\n")) :], *content[number + 1 :]]
        made.append([_voice(typed.rstrip("\n"))] if typed.strip() else [])
        made.append([Part("injected", "meta", one) for one in listed])
        break
    return made


def _voice(said: str) -> Part:
    start = said.lstrip()
    for prefix, kind in _PREFIXES:
        if start.startswith(prefix):
            return Part("injected", kind, said)
    if start.rstrip() == _GO_ON:
        return Part("injected", "meta", said)
    if _COMMAND.match(start):
        return Part("injected", "command", said)
    return Part("human", "prompt", said)


def notice(kind: str, said: str) -> Part:
    """A turn of type info, warning or error: the client's own words."""
    if _STOPPED.match(said):
        return Part("injected", "interrupt", said)
    return Part("system", "api_error" if kind == "error" else "system", said)


def _shows(content: object) -> bool:
    return type(content) is list and any(
        type(part) is dict and ("inlineData" in part or "fileData" in part) for part in content
    )


def _together(parts: list[Part]) -> list[Part]:
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if last is not None and (last.role, last.kind) == (part.role, part.kind):
            joined[-1] = last._replace(text=f"{last.text}\n{part.text}")
        else:
            joined.append(part)
    return joined
