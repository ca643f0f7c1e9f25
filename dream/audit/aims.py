"""The aim of a rule, by the evidence it rests on, or by its own words where a person wrote it."""

from collections.abc import Mapping, Sequence

from dream.aim import Aim
from dream.audit.asked import of_detectors, practices
from dream.detector import FAMILIES, Detector, parse
from dream.practice import Practice
from dream.types import Candidate, Judgement

NOTHING = Aim("nothing", "")


def aim_of_candidate(
    candidate: Candidate,
    evidence: Sequence[Judgement],
    detectors: Sequence[Detector] = (),
) -> Aim:
    """What adopting a candidate is meant to improve.

    evidence: the judgements it rests on; detectors: what could find breaches of its sentence.
    A check counts what it finds. A rule from errors counts these errors, one from people's words
    the breaches of it where a machine can see them, else that it has to be said again.
    """
    cluster = next(iter(candidate.clusters), "")
    if candidate.kind == "skill":
        return Aim("said", cluster, cluster=cluster, shorter=True)
    if candidate.kind == "check" and candidate.payload:
        found = of_detectors([parse(candidate.payload)])
        if found:
            return _breaches(found)
    errors = [one for one in evidence if one.kind == "tool_error"]
    if errors:
        return _errors(errors)
    found = of_detectors(detectors) or practices(candidate.body)
    return _breaches(found) if found else Aim("said", cluster, cluster=cluster)


def aim_of_text(text: str, detectors: Sequence[Detector] = ()) -> Aim:
    """What a rule that a person wrote is meant to improve, as far as its words can be followed."""
    found = practices(text) or of_detectors(detectors)
    return _breaches(found) if found else NOTHING


def _errors(errors: Sequence[Judgement]) -> Aim:
    """The class that most of the evidence is of; its tools are those that raised it, and others
    that do the same.
    """
    names = [one.statement for one in errors]
    name = min(set(names), key=lambda each: (-names.count(each), each))
    raised = {str(one.detail.get("tool", "")).lower() for one in errors} - {""}
    same = {tool for family in FAMILIES.values() if family & raised for tool in family}
    return Aim("errors", name, tools=tuple(sorted(raised | same)))


def _breaches(found: Sequence[Practice]) -> Aim:
    """Practices of one kind are counted together; a rule with two kinds is held to its first."""
    same = [each for each in found if each.kind == found[0].kind]
    return Aim(
        "breaches", "; ".join(map(name_of, same)), practices=tuple(p.payload() for p in same)
    )


def name_of(practice: Practice) -> str:
    """A practice in a few words, equal for equal ones."""
    told: list[str] = [practice.kind]
    for word, detector in (
        ("among", practice.among),
        ("wants", practice.wants),
        ("breaks", practice.breaks),
    ):
        if detector is not None:
            told.append(f"{word} {_words(detector.payload())}")
    if practice.parts:
        told.append(f"without {', '.join(practice.parts)}")
    if practice.files:
        told.append(f"in {', '.join(practice.files)}")
    return " ".join(told)


def _words(payload: Mapping[str, object]) -> str:
    parts = []
    for key, value in payload.items():
        if key != "detector":
            parts.append(" ".join(value) if isinstance(value, list) else str(value))
    return " ".join(parts)
