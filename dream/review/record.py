"""evidence.json: everything a proposal rests on, for programs and for the day after tomorrow.

One file holds the candidate, each quote with its place and hash, and where its message stands at
the source, so that `dream why` and `dream verify` need nothing else but the archive.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from dream.review.diff import malformed, shape
from dream.review.evidence import Case, Cited, Witness
from dream.templates.json_text import json_bytes
from dream.types import Candidate, Judgement

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

    @property
    def founded(self) -> tuple[Candidate, tuple[Judgement, ...]]:
        """The candidate, with the judgements it rests on."""
        return self.candidate, tuple(each.judgement for each in self.evidence)


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
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
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


@dataclass(frozen=True, slots=True)
class _Seen:
    judgement: Judgement
    message: Cited


@dataclass(frozen=True, slots=True)
class _Stored:
    """What evidence.json must hold; what else it holds is passed over."""

    night: date
    candidate: Candidate
    project: str
    target: str
    content: str
    diff: str
    evidence: tuple[_Seen, ...]
    against: tuple[_Seen, ...]


def _published(folder: str, value: dict[str, Any]) -> Published:
    """Raises msgspec.ValidationError, which is a ValueError, for a value of another type."""
    for seen in (*value["evidence"], *value["against"]):
        seen["message"]["text"] = ""
    read = msgspec.convert(value, type=_Stored)
    return Published(
        folder,
        read.night,
        read.candidate,
        read.project,
        read.target,
        read.content,
        read.diff,
        tuple(Witness(seen.judgement, seen.message) for seen in read.evidence),
        tuple(Witness(seen.judgement, seen.message) for seen in read.against),
    )


def _witness(seen: Witness) -> dict[str, Any]:
    message = asdict(seen.cited)
    del message["text"]
    return {"judgement": asdict(seen.judgement), "message": message}
