"""The audits of one night: what its report says, what its folder holds, what the ledger is told."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from dream import judged, practice
from dream.aim import Aim
from dream.audit.kept import Kept, Line
from dream.audit.landed import known_landings
from dream.audit.subjects import Subject
from dream.types import Cluster, Judgement, Rows

if TYPE_CHECKING:
    from dream.audit.night import Audited

FOLDER = "audit"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
Versions = Callable[[str], str]
"""What makes a failed call one of a class, as a version."""


@dataclass(frozen=True, slots=True)
class TonightAsked:
    """The night's date, the time for the ledger alone, the zone of days, what the ledger holds."""

    night: date
    now: datetime
    zone: ZoneInfo
    events: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class AuditedTonight:
    """files: by path inside the night's folder. kept: for the next night."""

    kept: Kept
    files: Mapping[str, bytes] = field(default_factory=dict)
    events: tuple[Mapping[str, Any], ...] = ()


def counted_by(aim: Aim, errors: Versions) -> str:
    """What counts an aim, with its version: another one begins another audit."""
    version = errors(aim.target) if aim.kind == "errors" else str(practice.VERSION)
    return f"{aim.kind}:{aim.target}@{version}"


def file_name(rule: str) -> str:
    """A rule's id as the name of a file. One of a person's may hold anything."""
    if _PLAIN.fullmatch(rule):
        return rule
    return f"rule-{hashlib.sha256(rule.encode('utf-8', 'replace')).hexdigest()[:12]}"


def tonight(
    rows: Rows,
    subjects: Sequence[Subject],
    judgements: Sequence[Judgement],
    clusters: Iterable[Cluster],
    asked: TonightAsked,
    errors: Versions,
    before: Kept,
    key: str,
) -> AuditedTonight:
    """Audits every rule that has landed. Where nothing is new, what was kept stands.

    key: of everything the audits are made from, but for the night itself.
    """
    night = asked.night
    if not subjects:
        return AuditedTonight(Kept())
    known = known_landings(rows, [subject.sign for subject in subjects], asked.events)
    landed = {one.rule for one in known}
    key = judged.key(key, [one for one in subjects if one.rule in landed], known)
    if before.holds(key, night):
        return AuditedTonight(before)
    ahead = {one.since.astimezone(asked.zone).date() for one in known}
    later = tuple(sorted(day for day in ahead if day > night))  # of a night in the past
    if len(later) == len(ahead):
        return AuditedTonight(Kept(key, night.isoformat(), (), later))
    from dream.audit import record  # numpy: only where a rule has landed
    from dream.audit.night import Asked, audits

    made = audits(
        rows,
        subjects,
        judgements,
        clusters,
        Asked(
            night,
            asked.zone,
            lambda aim: counted_by(aim, errors),
            record.frozen(asked.events),
            record.looks(asked.events, night),
            asked.events,
        ),
    )
    return _put(made, asked, key, later)


def _put(
    made: "Sequence[Audited]", asked: TonightAsked, key: str, later: Sequence[date]
) -> AuditedTonight:
    """A page each in Markdown and HTML, a line for the report, what the ledger is told."""
    from dream.audit import record
    from dream.audit.pages import headline, html, markdown

    named = [(each, f"{FOLDER}/{file_name(each.page.rule)}") for each in made]
    files = {f"{name}.md": markdown(each.page).encode() for each, name in named}
    files |= {f"{name}.html": html(each.page).encode() for each, name in named}
    lines = tuple(
        Line(
            page.rule, page.title, page.project, page.verdict, headline(page),
            f"{asked.night}/{name}.md", record.retiring(page),
        )
        for page, name in ((each.page, name) for each, name in named)
    )  # fmt: skip
    closing = [each.page.closing for each in made if not each.page.closed]
    due = tuple(sorted({*later, *(day for day in closing if day)}))
    kept = Kept(key, asked.night.isoformat(), lines, due)
    told = record.events_of(made, asked.night, asked.now, asked.events)
    return AuditedTonight(kept, files, tuple(told))
