"""Who speaks in a record of a Kimi CLI context.

Under `user` stand a person's prompts and much that the client put there: marks of checkpoints, the
D-Mails that the agent sends to its own past, summaries, reminders, notices of background work,
texts of skills, what a hook has to say. The client marks most of it; of the rest its own log tells,
which has each input as it was typed. A text without a mark that the log does not have is nobody's.
"""

import re
from collections.abc import Mapping
from typing import Any

from dream.records import MessageKind
from dream.sources.shape import items, text

_CHECKPOINT = re.compile(r"<system>CHECKPOINT \d+</system>")
_SUMMARY = "<system>Previous context has been compacted."
_D_MAIL = "<system>You just got a D-Mail from your future self."
_WORDS = "D-Mail content:"
AWAY = "<system-reminder>\nYou are running in afk mode."
"""Nobody is there, says the client to the model: `kimi --print`, or a person has gone away."""

_MADE = (
    "<system>", "<system-reminder>", "<notification ", "<task-notification>", "<hook_result ",
    "<git-context>",
)  # fmt: skip
"""A text that begins with one of these was written by the client, to its end."""

MEDIA = frozenset({"image_url", "audio_url", "video_url"})
"""Kinds of parts that are no words."""

_CHOICE = "Reply with a choice using <choice>...</choice>."
_REQUEST = "\n\nUser request:\n"
"""What the client puts between the text of a skill and what a person typed behind its name."""


def texts(content: object) -> list[str]:
    """The texts of a record's content, which is one text or a list of parts."""
    if type(content) is str:
        return [content]
    return [
        part["text"]
        for part in items(content)
        if type(part) is dict and part.get("type") == "text" and type(part.get("text")) is str
    ]


def words(content: object) -> str:
    """The same as one text."""
    return "\n".join(texts(content))


def is_mark(record: Mapping[str, Any]) -> bool:
    """Whether a record is bookkeeping and no message."""
    role = record.get("role")
    if type(role) is not str or role.startswith("_"):
        return True
    return role == "user" and bool(_CHECKPOINT.fullmatch(_first(record)))


def is_summary(record: Mapping[str, Any]) -> bool:
    """Whether it is the summary that a compaction begins a new context with."""
    return record.get("role") == "user" and _first(record).startswith(_SUMMARY)


def d_mail(record: Mapping[str, Any]) -> str | None:
    """The words that the agent sent to its own past; None for any other record."""
    said = _first(record)
    if record.get("role") != "user" or not said.startswith(_D_MAIL):
        return None
    return said.partition(_WORDS)[2].removesuffix("</system>").strip()


def is_away(record: Mapping[str, Any]) -> bool:
    return record.get("role") == "user" and _first(record).startswith(AWAY)


def made_by_client(record: Mapping[str, Any]) -> MessageKind | None:
    """What a user record is that the client itself marks as its own; None for any other."""
    said = _first(record)
    if is_summary(record):
        return "summary"
    if text(record.get("name")) or said.startswith(_MADE):
        return "meta"
    return "command" if said.rstrip().endswith(_CHOICE) else None


def behind_skill(said: str) -> tuple[str, str]:
    """The text of a skill with what leads over, and what was typed behind its name."""
    before, between, typed = said.rpartition(_REQUEST)
    return (before + between, typed) if between else (said, "")


def _first(record: Mapping[str, Any]) -> str:
    return next((said.lstrip() for said in texts(record.get("content"))), "")
