"""A rule from an error that comes back, in our words."""

from dream.candidates.advice import advice, cause
from dream.candidates.case import Case, days, named, slug, telling, title, worth
from dream.candidates.facts import Facts
from dream.candidates.standing import Standing, adopted, said_already
from dream.config import Gates
from dream.types import Candidate, NearMiss


def error_rule(case: Case, gates: Gates, rules: Standing, facts: Facts) -> Candidate | NearMiss:
    """The rule that an error's evidence founds, or the gate that it failed."""
    for gate, needed, got in (
        ("error_sessions", gates.error_sessions, case.sessions),
        ("error_days", gates.error_days, case.days),
        ("score", gates.score, round(case.score, 3)),
    ):
        if got < needed:
            return case.missed(gate, needed, got)
    told = advice(case.members, facts.after)
    if told is None:
        why = f"nothing general can be told about {cause(case.members[0])}"
        return case.missed("no_remedy", 1, 0, why)
    scope = case.cluster.scope
    where = told.where
    name = named("rule", case.cluster.id)
    text = adopted(name, told.rule, rules, gates, case.project)
    if not text and (said := said_already(case, told.rule, rules, gates)):
        return said
    text = text or told.rule
    return Candidate(
        id=name,
        kind="rule",
        slug=slug(text),
        title=title(text),
        body=text,
        applies=where,
        counter_example="",
        valid_from=next(iter(days(case.members)), None),
        valid_until=None,
        scope=scope,
        clusters=(case.cluster.id,),
        evidence=telling(case.members),
        against=(),
        sessions=case.sessions,
        days=case.days,
        score=worth(case.score * told.weight, case.sessions, case.days),
        payload={},
        flags=_flags(case, rules, text, told.shown),
    )


def _flags(case: Case, rules: Standing, text: str, shown: str) -> tuple[str, ...]:
    unknown = "scope unknown: its sessions belong to no known repository; choose one"
    against = rules.contradicted(text, case.project)
    seen = "the evidence shows only that the error comes back"
    if shown:
        seen = f"the error comes back, and {shown}"
    return (
        *(() if case.project else (unknown,)),
        *(f"contradicts {rule.path}:{rule.line}" for rule in against),
        f"the words are Dream's own; {seen}",
    )
