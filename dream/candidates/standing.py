"""What already stands against a candidate: rules in force, and people who said the opposite."""

from collections.abc import Sequence
from dataclasses import dataclass

from dream.candidates.case import Case, days, lasting
from dream.config import Gates
from dream.likeness import Saying, Weights, conflict, likeness, say, weigh
from dream.types import ExistingRule, Judgement, NearMiss

RELATED = 0.45
"""Likeness to a rule in force from which a conflict with it is told."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The rules in force of all projects, taken apart once."""

    rules: tuple[tuple[ExistingRule, Saying], ...]
    weights: Weights

    def nearest(self, text: str, project: str) -> tuple[float, ExistingRule | None]:
        """The rule of that project that says most nearly the same: likeness 0 to 1, and it."""
        saying = say(text)
        best: tuple[float, ExistingRule | None] = (0.0, None)
        for rule, theirs in self._of(project):
            value = likeness(saying, theirs, self.weights)
            if value > best[0] and not conflict(saying, theirs, self.weights):
                best = value, rule
        return best

    def contradicted(self, text: str, project: str) -> tuple[ExistingRule, ...]:
        """The rules of that project that ask for the opposite, in their order."""
        saying = say(text)
        return tuple(
            rule
            for rule, theirs in self._of(project)
            if conflict(saying, theirs, self.weights) in {"stance", "value"}
            and likeness(saying, theirs, self.weights) >= RELATED
        )

    def _of(self, project: str) -> list[tuple[ExistingRule, Saying]]:
        return [each for each in self.rules if each[0].project in {"", project}]


def standing(existing: Sequence[ExistingRule]) -> Standing:
    """The rules in force, by path and line; what a memory has not used for long stands last."""
    ordered = sorted(
        existing,
        key=lambda rule: (rule.project, _old(rule), rule.path, rule.line, rule.text),
    )
    rules = tuple((rule, say(rule.text)) for rule in ordered)
    return Standing(rules, weigh(saying for _, saying in rules))


def _old(rule: ExistingRule) -> bool:
    return rule.kept is not None and rule.kept.age != "fresh"


def adopted(candidate: str, text: str, rules: Standing, gates: Gates, project: str) -> str:
    """The words in force when a person has adopted this very candidate; "" when they have not.

    What has since become something else than the rule that stands is no longer what was adopted.
    """
    value, rule = rules.nearest(text, project)
    if rule is None or rule.origin != candidate or value < gates.already_said:
        return ""
    return rule.text


def said_already(case: Case, text: str, rules: Standing, gates: Gates) -> NearMiss | None:
    """The near miss of what a rule in force says already."""
    value, rule = rules.nearest(text, case.project)
    if rule is None or value < gates.already_said:
        return None
    note = f"{rule.path}:{rule.line} says it already; it was said in {_times(case)}"
    return case.missed("already_said", gates.already_said, round(value, 3), note)


def disputed(case: Case) -> float:
    """The share of sessions, of all that spoke on it, that said only the opposite."""
    theirs = {member.session_id for member in case.against}
    ours = {member.session_id for member in case.members}
    return len(theirs - ours) / len(theirs | ours) if theirs else 0.0


def contested(case: Case, gates: Gates) -> bool:
    """Whether too many of those who spoke of it for good said the opposite to settle it."""
    if not case.against or disputed(case) < gates.contradiction:
        return False
    return any(lasting(member) for member in case.members)


def both_sides(case: Case) -> str:
    """Dates and words of both sides of a contradiction, for the report."""
    return f"for: {_side(case.members)}; against: {_side(case.against)}"


def _side(members: Sequence[Judgement]) -> str:
    sessions = len({member.session_id for member in members})
    words = dict.fromkeys(" ".join(member.quote.split())[:120] for member in members)
    quotes = ", ".join(f'"{word}"' for word in list(words)[:3])
    when = days(members)
    dates = f" ({when[0]} to {when[-1]})" if when else ""
    return f"{sessions} session{'s' if sessions != 1 else ''}{dates}: {quotes}"


def _times(case: Case) -> str:
    return f"{case.sessions} session{'s' if case.sessions != 1 else ''}"
