"""All landed rules audited as of a day: from the archive to a page a rule."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from datetime import time as clock
from zoneinfo import ZoneInfo

from dream.aim import Aim
from dream.audit.assess import assess
from dream.audit.assessment import Assessment
from dream.audit.columns import Columns, columns
from dream.audit.cuts import Cut, cut_of
from dream.audit.holes import Coverage, Hole, coverage, holes
from dream.audit.landed import Landing, known_landings
from dream.audit.multiplicity import Standing, together
from dream.audit.observed import Observed
from dream.audit.outcomes import Facts, by_project, gather, outcomes
from dream.audit.page_evidence import Evidence
from dream.audit.page_of import page_of
from dream.audit.plan_for import plan_for
from dream.audit.rule_page import RulePage
from dream.audit.sides import Place, Span, placed
from dream.audit.subjects import Subject
from dream.audit.units import WITHHELD, Framed, Unit, other_classes, other_projects, unit
from dream.audit.usage import Force, is_blind, usage
from dream.audit.worked import Worked
from dream.plan import Plan
from dream.rule_events import Event
from dream.types import Cluster, Judgement, Rows

FINE = ("model", "agent")
"""What must be the same on both sides where no control tells what it does (level C)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an audit is asked with. as_of: the last local day that counts."""

    as_of: date
    zone: ZoneInfo
    versions: Callable[[Aim], str]  # what counts an aim, with its version
    frozen: Mapping[str, Plan]  # by rule, revision and landing: the plans of earlier nights
    looks: Mapping[str, int]  # by digest of a plan: nights on which it was looked at
    events: Sequence[Event] = ()  # of the ledger: landings that no repository tells

    @property
    def until(self) -> datetime:
        """The first moment that does not count."""
        return datetime.combine(self.as_of + timedelta(1), clock(), self.zone)


@dataclass(frozen=True, slots=True)
class Audited:
    """One rule's audit. fresh: its plan was made on this night."""

    page: RulePage
    plan: Plan
    assessment: Assessment
    fresh: bool


def name_of_plan(rule: str, revision: str, landed: date) -> str:
    """By what the plan of a landing is found again."""
    return f"{rule}|{revision}|{landed}"


def audits(
    rows: Rows,
    subjects: Sequence[Subject],
    judgements: Sequence[Judgement],
    clusters: Iterable[Cluster],
    asked: Asked,
) -> tuple[Audited, ...]:
    """Every rule that has landed by that day, by its id. Nothing but histories is read without one.

    What the archive holds of later days is not looked at: a day audited later says the same.
    """
    landed = _current(rows, subjects, asked)
    if not landed:
        return ()
    plans = {subject.rule: plan_of(subject, landing, asked) for subject, landing in landed}
    first = min(landing.since for _, landing in landed)
    longest = max(p.windows.before + p.windows.detection for p, _ in plans.values())
    early = [one for one in judgements if one.happened is None or one.happened < asked.until]
    facts = gather(
        rows,
        early,
        clusters,
        [plan.aim for plan, _ in plans.values()],
        [subject.sign for subject, _ in landed],
        since=first - timedelta(longest + 1),
    )
    facts = replace(facts, work=tuple(w for w in facts.work if _is_seen(w, asked)))
    scene = scene_of(facts, landed, asked)
    made = [
        audit_of(rows, scene, subject, landing, *plans[subject.rule]) for subject, landing in landed
    ]
    return _together(made)


@dataclass(frozen=True, slots=True)
class Scene:
    """What all rules of a night share."""

    asked: Asked
    facts: Facts
    columns: Columns
    projects: Mapping[str, Sequence[Worked]]
    landed: Sequence[tuple[Subject, Landing]]
    quiet: tuple[Hole, ...]  # days of which the whole archive tells nothing


def scene_of(facts: Facts, landed: Sequence[tuple[Subject, Landing]], asked: Asked) -> Scene:
    """Makes it, once a night."""
    times = (each.run.started for each in facts.work if each.run.started)
    return Scene(
        asked,
        facts,
        columns(facts, asked.zone),
        by_project(facts.work),
        landed,
        holes(times, asked.zone),
    )


def _is_seen(work: Worked, asked: Asked) -> bool:
    return work.run.started is not None and work.run.started < asked.until


def _current(
    rows: Rows, subjects: Sequence[Subject], asked: Asked
) -> list[tuple[Subject, Landing]]:
    """Each subject with its last landing by that day. What was undone later had not been yet.

    A rewording is no landing: whoever was told the old words is no one without the rule. It ends
    what can be said of them.
    """
    by_rule = {one.rule: one for one in subjects}
    found: dict[str, Landing] = {}
    signs = [subject.sign for subject in subjects]
    for one in known_landings(rows, signs, asked.events):
        if one.since < asked.until and not one.reworded:
            later = one.until is not None and one.until >= asked.until
            found[one.rule] = replace(one, until=None) if later else one
    return [
        (replace(by_rule[rule], project=by_rule[rule].project or landing.root), landing)
        for rule, landing in sorted(found.items())
    ]


def plan_of(subject: Subject, landing: Landing, asked: Asked) -> tuple[Plan, bool]:
    """The frozen plan of a landing, or one made now. One that counts in another way is new, and
    says so: looks of the old one are none of its own.
    """
    detector = asked.versions(subject.aim)
    made = plan_for(subject, landing.since, landing.revision, asked.zone, detector)
    kept = asked.frozen.get(name_of_plan(subject.rule, landing.revision, made.landed))
    if kept is not None and kept.detector == asked.versions(kept.aim):
        return kept, False
    return (made if kept is None else replace(made, notes={"instead_of": kept.digest})), True


def audit_of(
    rows: Rows, scene: Scene, subject: Subject, landing: Landing, plan: Plan, fresh: bool
) -> Audited:
    """One rule, from what the night knows of all runs."""
    facts, asked, project = scene.facts, scene.asked, plan.scope.project
    works = scene.projects.get(project, ()) if project else facts.work
    own = list(outcomes(plan.aim, facts, works))
    force = Force(subject.rule, landing.since, facts.presence, is_blind(facts.presence, own))
    cut = cut_of(subject, landing, scene.landed, asked.zone)
    span = _span(plan, landing, cut, asked)
    places = placed(own, span, force, project=project)
    held = coverage(facts.known, span.since, span.landed, span.as_of)
    units, seen = _observed(scene, plan, places, span, cut, held)
    assessment = assess(plan, seen)
    evidence = Evidence(
        subject, landing, plan, assessment, own, places, units,
        usage(plan.aim, own, force, subject.text), facts, cut, span,
        tuple((other, its) for other, its in scene.landed if other.rule != subject.rule),
        asked.as_of, asked.zone, asked.looks.get(plan.digest, 0) + 1, held, scene.quiet,
        scene.columns,
    )  # fmt: skip
    return Audited(page_of(rows, evidence), plan, assessment, fresh)


def _span(plan: Plan, landing: Landing, cut: Cut | None, asked: Asked) -> Span:
    w = plan.windows
    last = plan.landed + timedelta(w.horizon)
    if cut is not None:
        last = min(last, cut.day)
    until = datetime.combine(last, clock(), asked.zone)
    since = datetime.combine(plan.landed - timedelta(w.before + w.detection), clock(), asked.zone)
    return Span(since, landing.since, max(until, landing.since), asked.until)


def strata_of(plan: Plan) -> tuple[str, ...]:
    """The plan's strata; all runs of one project are of one project."""
    return tuple(name for name in plan.strata if name != "project" or not plan.scope.project)


def _observed(
    scene: Scene,
    plan: Plan,
    places: Mapping[str, Place],
    span: Span,
    cut: Cut | None,
    held: Coverage,
) -> tuple[tuple[Unit, Unit, Unit], Observed]:
    """The rule's units (by the plan's strata, by finer ones, withheld) beside its controls."""
    plain, landed = strata_of(plan), plan.landed.toordinal()
    framed = Framed(scene.columns, plan.aim, plain, landed)
    finer = Framed(scene.columns, plan.aim, (*plain, *FINE), landed)
    own = unit(plan.rule, framed, places)
    fine = unit(plan.rule, finer, places)
    withheld = unit(plan.rule, framed, places, WITHHELD)
    seen = Observed(
        own=own.series,
        fine=fine.series,
        by_project=tuple(other_projects(framed, span, plan.scope.project).values()),
        by_class=tuple(other_classes(framed, own).values()),
        landed=landed,
        end=scene.asked.as_of.toordinal() + 1,
        withheld=withheld.series,
        cut=(cut.day.toordinal(), cut.reason) if cut else None,
        lost=held.shares,
    )
    return (own, fine, withheld), seen


def _together(made: Sequence[Audited]) -> tuple[Audited, ...]:
    """Findings that do not survive all rules being looked at are only suggestive."""
    strictest = min((each.plan.budget.fdr for each in made), default=1.0)
    found = together([each.assessment for each in made], strictest)
    return tuple(_marked(each, its) for each, its in zip(made, found.standings, strict=True))


def _marked(each: Audited, its: Standing) -> Audited:
    page = replace(each.page, p_adjusted=its.p)
    return replace(each, page=page if its.stands else replace(page, verdict="suggestive"))
