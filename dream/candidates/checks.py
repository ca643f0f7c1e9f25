"""A check from a rule that a machine can decide."""

from dataclasses import replace

from dream.candidates.case import Case, named
from dream.candidates.detectors import detectors
from dream.candidates.facts import Caught, Facts
from dream.config import Gates
from dream.detector import Detector
from dream.types import Candidate, NearMiss


def check(case: Case, ruled: Candidate, gates: Gates, facts: Facts) -> Candidate | NearMiss | None:
    """The check that finds breaches of a rule; None where no machine could tell one.

    ruled: the rule that the same evidence founds, whether or not it is proposed too.
    """
    found = detectors(case)
    if not found:
        return None
    detector, caught = best(found, facts)
    if caught is None and _is_bare_word(detector):
        return None
    if caught is None or caught.calls < gates.check_breaches:
        got = caught.calls if caught else 0
        note = f"a check for it ({in_words(detector)}) would have caught {got} recorded calls"
        return case.missed("check_breaches", gates.check_breaches, got, note)
    told = (
        f"would have caught {caught.calls} recorded call{_s(caught.calls)} in {caught.sessions}"
        f" session{_s(caught.sessions)}, most often: {', '.join(caught.examples)}"
    )
    return replace(
        ruled,
        id=named("check", case.cluster.id),
        kind="check",
        payload=detector.payload(),
        counter_example="",
        flags=(*ruled.flags, told),
    )


def _is_bare_word(detector: Detector) -> bool:
    """Whether it rests on one word that may be no program at all: "integers, never floats"."""
    rest = (detector.has, detector.lacks, detector.contains, detector.path, detector.needs)
    return not any(rest) and not detector.program.count("-")


def best(found: tuple[Detector, ...], facts: Facts) -> tuple[Detector, Caught | None]:
    """The detector that caught most, the first of equals."""
    ranked = sorted(
        found, key=lambda each: -facts.caught[each].calls if each in facts.caught else 0
    )
    return ranked[0], facts.caught.get(ranked[0])


def counter_example(case: Case, facts: Facts) -> str:
    """What was done where the rule should have held: a program that was really called, or "".

    Only names that stand in the detector, so words that a person said, never words of a call.
    """
    found = [each for each in detectors(case) if each in facts.caught]
    if not found or found[0].kind != "call":
        return ""
    detector, _ = best(tuple(found), facts)
    words = " ".join((detector.program, *detector.has)).strip()
    return f"`{words}`" if detector.program and not detector.contains and not detector.lacks else ""


def in_words(detector: Detector) -> str:
    """A detector for a person."""
    what = " ".join((detector.program or detector.tool, *detector.has))
    parts = [what]
    if detector.lacks:
        parts.append(f"without {' '.join(detector.lacks)}")
    if detector.contains:
        parts.append(f'with "{detector.contains}"')
    if detector.path:
        parts.append(f"in {detector.path}")
    if detector.needs:
        parts.append(f"before {' or '.join(detector.needs)}")
    return " ".join(parts)


def _s(count: int) -> str:
    return "" if count == 1 else "s"
