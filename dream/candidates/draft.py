"""What tonight's clusters are enough to propose, and why the others are not."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from dream.candidates.case import Case, cases
from dream.candidates.checks import check, counter_example
from dream.candidates.choice import Outcome, one_of_each
from dream.candidates.errors import error_rule
from dream.candidates.facts import Facts
from dream.candidates.rules import rule
from dream.candidates.skills import Trouble, skill, trouble
from dream.candidates.standing import Standing, contested, standing
from dream.config import Gates
from dream.likeness import say
from dream.types import Candidate, Cluster, Drafts, ExistingRule, Judgement, NearMiss

NOTHING = standing(())
"""No rule in force."""


def draft(
    clusters: Sequence[Cluster],
    judgements: Mapping[str, Judgement],
    gates: Gates,
    existing: Sequence[ExistingRule],
    facts: Facts,
    shown: Collection[str] = (),
) -> Drafts:
    """Candidates, the best first, and the near misses, the nearest first.

    judgements: by id, those of all clusters; existing: the rules in force, of any project; shown:
    ids of candidates that wait already, which take no place of a new one.
    """
    found = possible(clusters, judgements, gates, existing, facts)
    return choose(found, clusters, judgements, gates, shown)


def possible(
    clusters: Sequence[Cluster],
    judgements: Mapping[str, Judgement],
    gates: Gates,
    existing: Sequence[ExistingRule],
    facts: Facts,
) -> Drafts:
    """What the evidence alone comes to, in no order; `choose` takes the night's share of it."""
    rules = standing(existing)
    found = cases(clusters, judgements)
    elsewhere = _elsewhere(found)
    errors = trouble(found)
    outcomes: list[Outcome] = []
    for case in _without_twins(found, gates):
        outcomes += _of(case, gates, rules, facts, elsewhere, errors)
    return Drafts(
        tuple(each for each in outcomes if isinstance(each, Candidate)),
        tuple(each for each in outcomes if isinstance(each, NearMiss)),
    )


def choose(
    found: Drafts,
    clusters: Sequence[Cluster],
    judgements: Mapping[str, Judgement],
    gates: Gates,
    shown: Collection[str] = (),
) -> Drafts:
    """Of candidates that say the same the best, as many as a night shows; what is left is told."""
    known = cases(clusters, judgements)
    by_cluster = {case.cluster.id: case for case in known}
    outcomes = one_of_each(found.candidates, by_cluster, trouble(known), shown)
    candidates = sorted(
        (each for each in outcomes if isinstance(each, Candidate)),
        key=lambda each: (-each.score, each.id),
    )
    missed = [*found.near_misses, *(each for each in outcomes if isinstance(each, NearMiss))]
    fresh = [each for each in candidates if each.id not in shown]
    late = {each.id: place for place, each in enumerate(fresh, start=1) if place > gates.per_night}
    missed += [
        NearMiss(
            each.clusters[0], each.body, each.kind, "per_night", gates.per_night, late[each.id]
        )
        for each in fresh
        if each.id in late
    ]
    kept = tuple(each for each in candidates if each.id not in late)
    return Drafts(kept, tuple(sorted(missed, key=_nearness)))


def _of(
    case: Case,
    gates: Gates,
    rules: Standing,
    facts: Facts,
    elsewhere: Mapping[str, int],
    errors: Trouble,
) -> Iterator[Outcome]:
    """What one cluster comes to: a rule, perhaps a check beside it, or a skill."""
    kind = case.cluster.kind
    if kind == "path":
        yield skill(case, gates, rules, errors, facts)
        return
    if kind == "detour":
        yield case.missed("no_remedy", 1, 0, "a detour shows what cost time, not what to do")
        return
    ruled = _ruled(case, gates, rules, facts, elsewhere)
    if isinstance(ruled, Candidate):
        yield replace(ruled, counter_example=counter_example(case, facts))
        if checked := check(case, ruled, gates, facts):
            yield checked
        return
    yield ruled
    if ruled.gate == "already_said":
        unsaid = _ruled(case, gates, NOTHING, facts, elsewhere)
        checked = check(case, unsaid, gates, facts) if isinstance(unsaid, Candidate) else None
        if isinstance(checked, Candidate):
            yield replace(checked, flags=(*checked.flags, ruled.note))


def _ruled(
    case: Case, gates: Gates, rules: Standing, facts: Facts, elsewhere: Mapping[str, int]
) -> Outcome:
    if case.cluster.kind == "tool_error":
        return error_rule(case, gates, rules, facts)
    return rule(case, gates, rules, elsewhere)


def _without_twins(found: Sequence[Case], gates: Gates) -> Iterator[Case]:
    """All cases, of a contradiction only the side with more sessions, or the earlier one.

    A contradiction is one thing: its near miss tells both sides.
    """
    by_id = {case.cluster.id: case for case in found}
    for case in found:
        others = [by_id[other] for other in case.cluster.opposed if other in by_id]
        told = [other for other in others if contested(other, gates)]
        if not contested(case, gates) or not any(_rank(other) < _rank(case) for other in told):
            yield case


def _rank(case: Case) -> tuple[int, str]:
    return -case.sessions, case.cluster.id


def _elsewhere(found: Sequence[Case]) -> dict[str, int]:
    """Cluster id -> how many other projects have one with the same telling words and stance.

    Folders of no known repository are no project.
    """
    projects: dict[tuple[frozenset[str], str], set[str]] = defaultdict(set)
    keys = {}
    for case in found:
        cluster = case.cluster
        if cluster.kind not in {"tool_error", "path", "detour"}:
            keys[cluster.id] = (say(cluster.statement).telling(), cluster.polarity)
            projects[keys[cluster.id]].add(cluster.scope.project)
    own = {case.cluster.id: case.project for case in found}
    return {name: len(projects[key] - {own[name], ""}) for name, key in keys.items()}


def _nearness(missed: NearMiss) -> tuple[float, str, str]:
    """The nearest first: the share of what was needed that was there."""
    share = missed.got / missed.needed if missed.needed else 0.0
    return -round(min(share, 1.0), 6), missed.gate, missed.cluster
