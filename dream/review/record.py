"""evidence.json: everything a proposal rests on, for programs and for the day after tomorrow.

One file holds the candidate, each quote with its place and hash, and where its message stands at
the source, so that `dream why` and `dream verify` need nothing else but the archive.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

from dream.review.diff import malformed, shape
from dream.review.evidence import Case, Cited, Witness
from dream.templates.json_text import json_bytes
from dream.types import Candidate, Judgement, Scope

FORMAT = 1
NAME = "evidence.json"
DIFF = "change.diff"


@dataclass(frozen=True, slots=True)
class Published:
    """One proposal as it lies in skills_out, read back."""

    folder: str  # "<date>/<id>-<slug>"
    night: date
    candidate: Candidate
    project: str
    target: str
    content: str
    diff: str
    evidence: tuple[Witness, ...]  # the cited message's text is not kept: it is ""
    against: tuple[Witness, ...]


def evidence(case: Case, night: date, about: Mapping[str, str]) -> bytes:
    """The file's bytes. about: project, target, content, diff."""
    return json_bytes(
        {
            "format": FORMAT,
            "night": night,
            **about,
            "candidate": asdict(case.candidate),
            "evidence": [_witness(each) for each in case.witnesses],
            "against": [_witness(each) for each in case.against],
        }
    )


def published(out: Path, troubles: list[str] | None = None) -> Iterator[Published]:
    """Every proposal below skills_out, oldest night first.

    One whose evidence.json was changed by hand and cannot be read is named in troubles, and so is a
    diff that is not the one that was written.
    """
    for path in sorted(out.glob(f"????-??-??/*/{NAME}")):
        folder = f"{path.parent.parent.name}/{path.parent.name}"
        try:
            value = json.loads(path.read_bytes())
            if value["format"] == FORMAT:
                yield _published(folder, value)
                if troubles is not None and (spoiled := _spoiled(path.with_name(DIFF), value)):
                    troubles.append(f"{folder}/{DIFF} {spoiled}")
                continue
            why = f"is of format {value['format']}"
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            why = f"cannot be read ({type(error).__name__}: {error})"
        if troubles is not None:
            troubles.append(f"{folder}/{NAME} {why}; its proposal is passed over")


def _spoiled(path: Path, value: Mapping[str, Any]) -> str:
    """What has become of a diff since it was written; "" when it is as it was, or taken away."""
    try:
        diff = path.read_bytes()
    except FileNotFoundError:
        return ""
    wrong = malformed(diff) or ("" if shape(diff) == value["diff"] else "its lines were changed")
    return f"is not as it was written ({wrong})" if wrong else ""


def _published(folder: str, value: Mapping[str, Any]) -> Published:
    return Published(
        folder=folder,
        night=date.fromisoformat(value["night"]),
        candidate=_candidate(value["candidate"]),
        project=value["project"],
        target=value["target"],
        content=value["content"],
        diff=value["diff"],
        evidence=tuple(map(_read, value["evidence"])),
        against=tuple(map(_read, value["against"])),
    )


def _witness(seen: Witness) -> dict[str, Any]:
    message = asdict(seen.cited)
    del message["text"]
    return {"judgement": asdict(seen.judgement), "message": message}


def _read(value: Mapping[str, Any]) -> Witness:
    said, message = value["judgement"], value["message"]
    judgement = Judgement(
        **said
        | {
            "scope": Scope(**said["scope"]),
            "happened": _time(said["happened"]),
            "reasons": tuple(said["reasons"]),
        }
    )
    cited = Cited(**message | {"text": "", "happened": _time(message["happened"])})
    return Witness(judgement, cited)


def _candidate(value: Mapping[str, Any]) -> Candidate:
    lists = {key: tuple(each) for key, each in value.items() if isinstance(each, list)}
    days = {key: _day(value[key]) for key in ("valid_from", "valid_until")}
    known = {each.name for each in fields(Candidate)}
    whole = {**value, **lists, **days, "scope": Scope(**value["scope"])}
    return Candidate(**{key: each for key, each in whole.items() if key in known})


def _time(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None
