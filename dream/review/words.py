"""The words that would be adopted: a rule's line, a skill's file, a check's file.

Agents read these, so no quote from a transcript stands in them and nothing in them can end our
marks, load a file, run a command or hide.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dream.review.yaml_text import document, front_matter
from dream.templates import render
from dream.templates.hidden import shown
from dream.templates.markdown import oneline
from dream.text import language
from dream.types import Candidate

NAME_LIMIT = 64
DESCRIPTION_LIMIT = 1024
"""Characters, by the Agent Skills specification."""

_PARTS = ("steps", "pitfalls", "verify")
"""Lists of text in a skill's payload."""

_ENDS = (".", "!", "?", "。", "！", "？", "…")


def words(candidate: Candidate) -> tuple[str, str]:
    """The file of a candidate's kind: its name in the proposal's folder, and its text."""
    if candidate.kind == "rule":
        return "rule.md", f"{rule_line(candidate)} <!-- {candidate.id} -->\n"
    if candidate.kind == "skill":
        return "SKILL.md", skill(candidate)
    return "check.yaml", check(candidate)


def rule_line(candidate: Candidate) -> str:
    """The one line of a rule, without its id: constraint, where, counter-example, since when.

    A day that the constraint names itself is not said again.
    """
    body = _sentence(candidate.body)
    since, until = (
        None if day is None or day.isoformat() in body else day
        for day in (candidate.valid_from, candidate.valid_until)
    )
    return render(
        "rule.md.j2",
        body=body,
        applies=candidate.applies,
        counter_example=candidate.counter_example,
        valid_from=since,
        valid_until=until,
        chinese=language(body) == "zh",
    ).strip()


def skill(candidate: Candidate) -> str:
    """SKILL.md after the Agent Skills specification; the folder must be called skill_name."""
    body, use = _sentence(candidate.body), _use(candidate.applies)
    described = _plain(f"{body} {use}".strip())
    about: dict[str, Any] = {
        "name": skill_name(candidate),
        "description": _short(described, DESCRIPTION_LIMIT),
        "metadata": _strings({"dream-id": candidate.id, "valid-from": candidate.valid_from}),
    }
    return f"{front_matter(about)}\n" + render(
        "skill.md.j2",
        title=candidate.title,
        body="" if body.replace("`", "").rstrip(".。") == candidate.title else body,
        use=use,
        **{part: _texts(candidate.payload.get(part)) for part in _PARTS},
    )


def skill_name(candidate: Candidate) -> str:
    """A name that the specification allows; the candidate's id when its slug has none in it."""
    name = re.sub(r"[^a-z0-9]+", "-", candidate.slug[:NAME_LIMIT].lower()).strip("-")
    return name or candidate.id


def check(candidate: Candidate) -> str:
    """check.yaml: what `dream check` looks for in new runs, and why."""
    return document(
        {
            "id": candidate.id,
            "title": _plain(candidate.title),
            "purpose": _plain(candidate.body),
            "applies": _plain(candidate.applies),
            **_strings({"valid_from": candidate.valid_from, "valid_until": candidate.valid_until}),
            "detector": dict(candidate.payload),
        }
    )


def content(candidate: Candidate) -> str:
    """SHA-256 of what a person would adopt. Support and dates may grow without changing it."""
    kept = asdict(candidate)
    about = {key: kept[key] for key in ("kind", "body", "applies", "counter_example", "payload")}
    about["until"] = candidate.valid_until.isoformat() if candidate.valid_until else ""
    raw = json.dumps(about, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(raw.encode(errors="backslashreplace")).hexdigest()


def spoken(candidate: Candidate) -> tuple[str, ...]:
    """Every text of the candidate that reaches a reader, for the flags."""
    parts = [text for part in _PARTS for text in _texts(candidate.payload.get(part))]
    texts = (candidate.title, candidate.body, candidate.applies, candidate.counter_example)
    detector = (json.dumps(candidate.payload, ensure_ascii=False, default=str),)
    return (*texts, *parts, *(detector if candidate.kind == "check" else ()))


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(str(each) for each in value)
    return ()


def _strings(values: dict[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items() if value is not None}


def _sentence(text: str) -> str:
    line = oneline(text)
    return line if not line or line.endswith(_ENDS) else f"{line}."


def _short(text: str, limit: int) -> str:
    """At most limit characters, cut between words where there are any."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    return (cut.rpartition(" ")[0] or cut) + "…"


def _use(applies: str) -> str:
    return f"Use it {oneline(applies).rstrip('.')}." if applies else ""


def _plain(text: str) -> str:
    """One visible line; a tag would be refused by some readers of skills."""
    return shown(oneline(text)).replace("<", "&lt;")
