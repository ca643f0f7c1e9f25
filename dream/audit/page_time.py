"""The time around a landing: other rules, models at work, days without a record."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from dream.audit.figures import Moment, Span
from dream.audit.holes import Hole
from dream.audit.page_evidence import Evidence
from dream.audit.worked import Worked

MODELS = 8


def landings(seen: Evidence) -> tuple[Moment, ...]:
    """The rule's own, and those of others that can have touched the same runs."""
    first, last = seen.span.since, seen.span.as_of
    found = [Moment("landed", seen.plan.landed, True)]
    for other, its in seen.others:
        near = other.project in ("", seen.subject.project) or not seen.subject.project
        if near and first <= its.since < last:
            found.append(Moment(other.rule, its.since.astimezone(seen.zone).date(), False))
    return tuple(sorted(found, key=lambda each: (each.day, not each.own, each.label)))


def spans(seen: Evidence, missing: Sequence[Hole]) -> tuple[Span, ...]:
    w, landed = seen.plan.windows, seen.plan.landed
    spans = [
        Span(
            "the days that led to it", landed - timedelta(w.detection), landed - timedelta(1),
            "detection",
        )
    ]  # fmt: skip
    models: dict[str, list[date]] = {}
    for each in _shown_runs(seen):
        run = each.run
        if run.started is not None:
            day = run.started.astimezone(seen.zone).date()
            models.setdefault(run.model or "no model told", []).append(day)
    ranked = sorted(models, key=lambda name: (-len(models[name]), name))[:MODELS]
    spans += [Span(name, min(models[name]), max(models[name]), "model") for name in ranked]
    spans += [Span("nothing is recorded", hole.first, hole.last, "hole") for hole in missing]
    return tuple(spans)


def _shown_runs(seen: Evidence) -> list[Worked]:
    outside = ("too early", "no time", "elsewhere")
    return [o.work for o in seen.own if seen.places[o.work.run.run_id] not in outside]


def runs_by_day(seen: Evidence) -> dict[str, int]:
    days = Counter(
        work.run.started.astimezone(seen.zone).date().isoformat()
        for work in _shown_runs(seen)
        if work.run.started
    )
    return dict(sorted(days.items()))
