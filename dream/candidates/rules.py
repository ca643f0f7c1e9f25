"""A rule from what people said, in the words of one of them."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from dream.candidates.case import Case, days, named, slug, telling, title, worth
from dream.candidates.standing import (
    Standing,
    adopted,
    both_sides,
    contested,
    disputed,
    said_already,
)
from dream.candidates.wording import cleaned, dated, unfit
from dream.config import Gates
from dream.likeness import features, say, weigh
from dream.templates.hidden import hidden, lookalikes
from dream.text import language, opens_with_verb, plain
from dream.types import Candidate, Judgement, NearMiss, Scope

FIT = 1 / 3
"""Share of the sessions whose sentence can stand alone; else the cluster is about moments. Those
that can must be enough for the gate by themselves."""
ROUTINE = 3
"""Telling words of what was only asked for again and again: "commit" alone is everybody's."""
_LASTING = re.compile(r"\b(?:always|never|must|only|every|each|all)\b|必须|总是|永远|统一|所有|每")
_WAY = re.compile(
    r"\b(?:always|never|must|only|every|each|don't|do not|not|no|without|instead|rather"
    r"|before|after|first|unless|until|use|stop|keep|avoid)\b"
    r"|必须|总是|永远|统一|所有|每|不要|别|不能|不许|禁止|而不是|先|之前|之后|以后|要用|使用|保持"
)
"""What tells a way of working from a task: it holds for more than the thing that is asked for."""
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,2}(?:previous|prior|above|earlier"
    r"|system)\b|\b(?:curl|wget)\b[^|\n]{0,400}\|\s*(?:sudo\s+)?\w*sh\b|忽略(?:之前|以上|上面|先前)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentence that stands for a cluster."""

    text: str
    sessions: int  # in which it, or another that could stand, was said


def rule(
    case: Case, gates: Gates, rules: Standing, elsewhere: Mapping[str, int]
) -> Candidate | NearMiss:
    """The rule that a cluster of people's sentences founds, or the gate that it failed.

    elsewhere: cluster id -> other projects in which the same was said.
    """
    if contested(case, gates):
        share = round(disputed(case), 3)
        return case.missed("contradicted", gates.contradiction, share, both_sides(case))
    for gate, needed, got in (
        ("rule_sessions", gates.rule_sessions, case.sessions),
        ("rule_days", gates.rule_days, case.days),
        ("score", gates.score, round(case.score, 3)),
    ):
        if got < needed:
            return case.missed(gate, needed, got)
    wording = typical(case)
    if wording and _is_errand(case, wording.text):
        why = "it is a task that was given again, and says nothing of how to work"
        return case.missed("not_general", 1, 0, why)
    if wording and _is_routine(case) and len(say(wording.text).telling()) < ROUTINE:
        why = "asked for often, but it names too little to be a rule"
        return case.missed("not_general", ROUTINE, len(say(wording.text).telling()), why)
    needed = max(gates.rule_sessions, math.ceil(FIT * case.sessions))
    if wording is None or wording.sessions < needed:
        why = unfit(case.cluster.statement) or "few of its sentences can stand alone"
        return case.missed("not_general", needed, wording.sessions if wording else 0, why)
    others = elsewhere.get(case.cluster.id, 0)
    name = named("rule", case.cluster.id)
    if text := adopted(name, wording.text, rules, gates, case.project):
        return _drafted(case, text, rules, others)
    return said_already(case, wording.text, rules, gates) or _drafted(
        case, wording.text, rules, others
    )


def typical(case: Case) -> Wording | None:
    """The cleaned sentence nearest to all others, of those that can stand alone; None without one.

    An imperative is preferred, one that says it holds for long, and of equals the shorter.
    """
    texts = {member.id: dated(member.statement, member.detail) for member in case.members}
    fit = [member for member in case.members if not unfit(texts[member.id])]
    if not fit:
        return None
    said = {(texts[member.id], member.session_id) for member in case.members}
    sayings = {statement: say(statement) for statement, _ in said}
    weights = weigh(sayings[statement] for statement in sorted(sayings))
    vectors = {statement: features(sayings[statement], weights) for statement in sayings}
    middle: dict[str, list[float]] = {}
    for statement, _ in sorted(said):
        for name, value in vectors[statement].items():
            middle.setdefault(name, []).append(value)
    centre = {name: math.fsum(values) / len(said) for name, values in middle.items()}

    longest = max(len(cleaned(statement)) for statement in sayings)

    def rank(statement: str) -> tuple[float, int, str]:
        near = math.fsum(v * centre[name] for name, v in vectors[statement].items())
        text = cleaned(statement)
        low = plain(text)
        bonus = 0.1 * (opens_with_verb(low) == 0) + 0.1 * bool(_LASTING.search(low))
        malus = 0.2 * len(text) / max(longest, 1)
        return -round(near + bonus - malus, 9), len(text), text

    best = min({texts[member.id] for member in fit}, key=rank)
    return Wording(cleaned(best), len({member.session_id for member in fit}))


def _drafted(case: Case, text: str, rules: Standing, projects: int) -> Candidate:
    scope = case.cluster.scope
    until = _until(case)
    return Candidate(
        id=named("rule", case.cluster.id),
        kind="rule",
        slug=slug(text),
        title=title(text),
        body=text,
        applies=_where(case, text),
        counter_example="",
        valid_from=_since(case),
        valid_until=until,
        scope=scope,
        clusters=(case.cluster.id,),
        evidence=telling(case.members),
        against=telling(case.against),
        sessions=case.sessions,
        days=case.days,
        score=worth(case.score, case.sessions, case.days),
        payload={},
        flags=_flags(case, text, rules, projects, until),
    )


def _is_routine(case: Case) -> bool:
    """Whether it was only ever asked for, and never said to hold."""
    return {member.kind for member in case.members} == {"repeated_ask"}


def _is_habit(case: Case) -> bool:
    """Whether it is what a person asks for whenever a piece of work is done."""
    return any(member.detail.get("act") for member in case.members)


def _where(case: Case, text: str) -> str:
    """Where the words of a rule hold; a bare "commit" would be an order for every moment."""
    ends = "一项工作做完时" if language(text) == "zh" else "at the end of a piece of work"
    habit = _is_routine(case) and _is_habit(case) and not _WAY.search(plain(text))
    return applies(case.cluster.scope) or (ends if habit else "")


def _is_errand(case: Case, text: str) -> bool:
    """Whether it was only asked for, by nobody's habit, and names no way of doing things."""
    return _is_routine(case) and not _is_habit(case) and not _WAY.search(plain(text))


def applies(scope: Scope) -> str:
    """Where a rule holds, as far as its evidence goes."""
    place = f"in `{_code(scope.path)}`" if scope.path else ""
    tool = f"when using `{_code(scope.tool)}`" if scope.tool else ""
    return " ".join(part for part in (place, tool) if part)


def _code(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def _since(case: Case) -> date | None:
    """The first day from which it holds and after which nobody said the opposite."""
    contrary = days(case.against)
    later = [each for each in case.members if not contrary or days([each])[-1:] > contrary[-1:]]
    begins = (_begins(member) for member in later or case.members)
    return min((day for day in begins if day), default=None)


def _begins(member: Judgement) -> date | None:
    """The day its words name; else the one they were said on, the person's own if that is known."""
    named = str(member.detail.get("valid_from") or member.detail.get("said_on") or "")
    return date.fromisoformat(named) if named else next(iter(days([member])), None)


def _until(case: Case) -> date | None:
    """The end of what a person said holds until then: the latest that was named."""
    found = [str(member.detail.get("valid_until") or "") for member in case.members]
    return max(map(date.fromisoformat, found)) if found and all(found) else None


def _flags(
    case: Case, text: str, rules: Standing, projects: int, until: date | None
) -> tuple[str, ...]:
    found = []
    if not case.project:
        found.append("scope unknown: its sessions belong to no known repository; choose one")
    found += [
        f"contradicts {rule.path}:{rule.line}" for rule in rules.contradicted(text, case.project)
    ]
    if case.against:
        found.append(f"some said the opposite: {both_sides(case)}")
    if projects:
        found.append(f"the same was said in {projects} other project{'s' if projects > 1 else ''}")
    if until:
        found.append(f"holds until {until.isoformat()} by the words of its evidence")
    if _is_routine(case):
        found.append("it was asked for again and again, and never said to hold for good")
    return (*found, *suspicious(member.quote for member in case.members))


def suspicious(quotes: Iterable[str]) -> tuple[str, ...]:
    """What a reviewer must know of the words that a candidate rests on."""
    whole = "\n".join(sorted(set(quotes)))
    found = []
    if points := hidden(whole):
        found.append(f"its evidence has characters that cannot be seen: {', '.join(points)}")
    if points := lookalikes(whole):
        found.append(f"its evidence has letters that look Latin and are not: {', '.join(points)}")
    if _ORDERS.search(whole):
        found.append("its evidence speaks to its reader as an instruction, or pipes into a shell")
    return tuple(found)
