"""From what was seen and assessed to the page of a rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from dream.audit.assessment import Assessment, Estimate, PathResult
from dream.audit.balance import balance
from dream.audit.columns import stratum_of
from dream.audit.figures import Balance, Interval
from dream.audit.outcomes import Outcome
from dream.audit.page_beside import beside
from dream.audit.page_evidence import Evidence
from dream.audit.page_other_ways import sensitivity
from dream.audit.page_time import landings, runs_by_day, spans
from dream.audit.page_warnings import is_burst, warnings
from dream.audit.rule_page import Influential, PathBlock, RulePage, Stratum
from dream.audit.sides import Place, pruned, side
from dream.types import Rows

ABORTS_MOVED = 0.10


def page_of(rows: Rows, seen: Evidence) -> RulePage:
    """The whole page. rows: asked for the lengths of results, and for what a practice did."""
    plan, corrected = seen.plan, seen.facts.corrected
    before, after = seen.on("before"), seen.on("after")
    late, way = side(after, corrected), _path(seen.told.path)
    moved = beside(rows, seen, before, after)
    landed = seen.landing.since.astimezone(seen.zone)
    point = seen.told.ratio.point
    return RulePage(
        rule=plan.rule,
        title=seen.subject.title,
        project=_project_name(seen),
        as_of=seen.as_of,
        landed=f"{landed:%Y-%m-%d %H:%M} ({seen.zone.key})",
        landed_day=plan.landed,
        revision=plan.revision,
        plan=plan.digest[:12],
        target=plan.aim.target,
        kind=plan.aim.kind,
        usage=seen.usage,
        before=side(before, corrected),
        after=late,
        withheld=side(seen.on("withheld"), corrected),
        expected=late.errors / point if point and plan.aim.kind != "nothing" else None,
        pruned=_pruned(seen),
        balance=_balance(seen, before, after),
        strata=_strata(seen),
        looks=seen.looks,
        path=way,
        beside=moved.classes,
        tools=moved.tools,
        outputs=moved.results,
        influential=_influential(rows, seen),
        warnings=tuple(warnings(seen, way)),
        **_told(seen.told),
        **_around(seen),
    )


def _told(told: Assessment) -> dict[str, Any]:
    """What the statistics say."""
    return {
        "verdict": told.verdict,
        "level": told.level,
        "reasons": tuple(each for each in told.reasons if each),
        "ratio": _interval(told.ratio),
        "excluding": _interval(told.excluding),
        "including": _interval(told.including),
        "confidence": told.confidence,
        "nights": tuple((night, _interval(each)) for night, each in told.nights),
        "crossed": told.crossed,
        "closing": told.closing,
        "closed": told.closed,
        "missing": told.missing,
        "gate_opens": told.gate_opens,
        "detectable": told.detectable,
        "detectable_at_close": None if told.closed else told.detectable_at_close,
        "dispersion": told.phi,
        "drift": told.drift,
        "drift_spread": told.tau,
        "controls": told.controls,
        "p": told.p,
        "evidence": told.e,
        "sensitivity": sensitivity(told.other_ways),
    }


def _around(seen: Evidence) -> dict[str, Any]:
    """The time around the landing, and what the archive lacks of it."""
    first = seen.span.since.astimezone(seen.zone).date()
    missing = tuple(hole for hole in seen.quiet if hole.last >= first)
    return {
        "landings": landings(seen),
        "spans": spans(seen, missing),
        "runs_by_day": runs_by_day(seen),
        "straddling": tuple(sorted(_named(seen, "crosses"))),
        "coverage": seen.held,
        "holes": missing,
        "burst": is_burst(seen),
    }


def _project_name(seen: Evidence) -> str:
    names = [each.work.run.project_name for each in seen.own]
    return names[0] if names and seen.plan.scope.project else "all projects"


def _interval(one: Estimate, label: str = "", note: str = "") -> Interval:
    return Interval(label, one.low, one.point, one.high, note)


def _pruned(seen: Evidence) -> dict[str, tuple[int, int]]:
    found = dict(pruned(seen.places, seen.own, seen.span.landed))
    matched = {each.number for each in seen.told.strata}
    lonely = [0, 0]
    for number, day in zip(seen.unit.series.stratum, seen.unit.series.day, strict=True):
        if int(number) not in matched:
            lonely[int(day >= seen.plan.landed.toordinal())] += 1
    if any(lonely):
        found["no run of its kind on the other side, or no occasion"] = (lonely[0], lonely[1])
    return found


def _balance(
    seen: Evidence, before: Sequence[Outcome], after: Sequence[Outcome]
) -> tuple[Balance, ...]:
    """Of the sides that are compared: at level A the lot decides them, and no day."""
    matched = {each.number for each in seen.told.strata}
    by_lot = seen.told.level == "A"
    parts = (seen.units[0], seen.units[2]) if by_lot else (seen.unit,)
    kinds = {
        run: int(number)
        for part in parts
        for run, number in zip(part.runs, part.series.stratum, strict=True)
        if int(number) in matched
    }
    early = seen.on("withheld") if by_lot else before
    return balance([o.work for o in early], [o.work for o in after], kinds)


def _strata(seen: Evidence) -> tuple[Stratum, ...]:
    found = []
    for each in seen.told.strata:
        name = seen.unit.names[each.number]
        note = f"{each.errors[0]} in {each.occasions[0]:,} to {each.errors[1]} in"
        note += f" {each.occasions[1]:,}"
        found.append(
            Stratum(
                name, each.errors[0], each.occasions[0], each.runs[0], each.errors[1],
                each.occasions[1], each.runs[1], _interval(each.ratio, name, note),
            )
        )  # fmt: skip
    return tuple(found)


def _path(told: PathResult | None) -> PathBlock | None:
    if told is None:
        return None
    return PathBlock(
        _interval(told.ratio),
        told.state,
        told.median[0],
        told.median[1],
        told.mean[0],
        told.mean[1],
        told.cut_off[0],
        told.cut_off[1],
        abs(told.cut_off[1] - told.cut_off[0]) > ABORTS_MOVED,
    )


def _named(seen: Evidence, place: Place) -> list[str]:
    return [each.work.run.run_id for each in seen.on(place)]


@dataclass(frozen=True, slots=True)
class PlaceOfRun:
    """A row of places.sql."""

    run_id: str
    source_file: str


def _influential(rows: Rows, seen: Evidence) -> tuple[Influential, ...]:
    by_id = {each.work.run.run_id: each for each in seen.own}
    ids = sorted(seen.run_at(position) for position, _ in seen.told.influential)
    asked = rows.rows("audit/places", PlaceOfRun, ids=ids) if ids else ()
    files = {each.run_id: each.source_file for each in asked}
    found = []
    for position, weight in seen.told.influential:
        each = by_id[seen.run_at(position)]
        run = each.work.run
        day = run.started.astimezone(seen.zone).date().isoformat() if run.started else ""
        found.append(
            Influential(
                run.run_id, run.session_id, run.name or f"request {run.number}", day,
                seen.places[run.run_id] == "after", each.missed, each.occasions,
                stratum_of(each.work, ("task", "size")), weight, _address(files.get(run.run_id)),
            )
        )  # fmt: skip
    return tuple(found)


def _address(file: str | None) -> str:
    """Of a file on this machine, each character that means something in an address spelled out.

    What stands in a repository's objects ("<git folder>:<object>") is no file that could be opened.
    """
    path = PurePath(file or "")
    return path.as_uri() if path.is_absolute() and ".git:" not in str(path) else ""
