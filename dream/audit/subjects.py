"""The rules that are audited: those that came from us and those that people wrote by hand."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dream import aim
from dream.aim import Aim
from dream.audit.aims import aim_of_candidate, aim_of_text
from dream.audit.presence import Sign
from dream.detector import Detector
from dream.rule_life import Life, lives
from dream.shell import VALUED
from dream.templates.markdown import oneline
from dream.types import Candidate, Judgement

Detectors = Callable[[str], Iterable[Detector]]
"""What could find breaches of a sentence."""

IMPORTED = "imported"
"""The event that registers a rule a person wrote: id, project, lines; title if it has one."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A rule that may have landed, and what it is meant to improve."""

    rule: str
    title: str
    text: str
    project: str  # key; "" for everywhere
    sign: Sign
    aim: Aim
    path_is_target: bool = False


def subjects_of(
    proposed: Iterable[tuple[Candidate, Sequence[Judgement]]],
    events: Iterable[Mapping[str, Any]],
    detectors: Detectors,
) -> tuple[Subject, ...]:
    """Every rule that may have landed: ours as they were proposed, and those imported.

    What a person confirmed at its adoption stands before what the evidence would say.
    """
    listed = tuple(events)
    found = (*of_candidates(proposed, detectors), *of_events(listed, detectors))
    known = lives(listed)
    return tuple(_confirmed(one, known.get(one.rule)) for one in found)


def _confirmed(subject: Subject, life: Life | None) -> Subject:
    """The subject with the aim, and whether the path is one, as its adoption has them."""
    told = life.plan if life is not None else {}
    confirmed = aim.read(told.get("aim"))
    path = told.get("path")
    return replace(
        subject,
        aim=confirmed or subject.aim,
        path_is_target=subject.path_is_target if path is None else path == "target",
    )


def of_candidates(
    proposed: Iterable[tuple[Candidate, Sequence[Judgement]]], detectors: Detectors
) -> Iterator[Subject]:
    """One a proposed rule or skill, with the evidence it rests on. A check tells agents nothing."""
    latest: dict[str, tuple[Candidate, Sequence[Judgement]]] = {}
    for candidate, evidence in proposed:
        latest[candidate.id] = (candidate, evidence)
    for name, (candidate, evidence) in sorted(latest.items()):
        if candidate.kind == "check":
            continue
        meant = aim_of_candidate(candidate, evidence, list(detectors(candidate.body)))
        yield Subject(
            name,
            candidate.title,
            candidate.body,
            candidate.scope.project,
            Sign(name, mark=name),
            meant,
            path_is_target=meant.shorter,
        )


def of_events(events: Iterable[Mapping[str, Any]], detectors: Detectors) -> Iterator[Subject]:
    """One a rule that was imported; the last event of a rule holds."""
    latest = {str(each["id"]): each for each in events if each.get("event") == IMPORTED}
    for name, event in sorted(latest.items()):
        lines = tuple(str(line) for line in event.get("lines", ()))
        yield of_lines(name, lines, str(event.get("project", "")), detectors, event.get("title"))


def of_lines(
    name: str, lines: Sequence[str], project: str, detectors: Detectors, title: object = None
) -> Subject:
    """A rule by the lines that a person wrote."""
    text = "\n".join(lines)
    said = [found for line in lines for found in detectors(line) if _is_certain(found)]
    return Subject(
        name,
        oneline(str(title)) if title else _title(lines, name),
        text,
        project,
        Sign(name, lines=tuple(lines)),
        aim_of_text(text, said),
    )


def _is_certain(found: Detector) -> bool:
    """Whether its program is one that is known. A word in ticks may be no program at all."""
    return not found.program or found.program in VALUED


def _title(lines: Sequence[str], name: str) -> str:
    """Its first heading, else its first words."""
    plain = [line.strip() for line in lines if line.strip() and not line.startswith("<!--")]
    heading = next((line for line in plain if line.startswith("#")), "")
    words = heading.lstrip("# ") or next(iter(plain), name)
    return oneline(words.replace("**", "").replace("`", "").strip("- "))
