"""Audits as events of the ledger: which plans are frozen, when was looked, what was found."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from dream import plan as plans
from dream import rule_events
from dream.audit.night import Audited, name_of_plan
from dream.audit.pages import headline
from dream.audit.rule_page import RulePage
from dream.plan import Plan

Event = Mapping[str, Any]

PLANNED = "audit_plan"
LOOKED = "audited"
RETIRE = "retire"
"""A rule that is useless, unused or harmful: for a person to look at, never done by itself."""

_USELESS = frozenset({"neutral"})
_HARMFUL = frozenset({"hurt", "hurt (path)"})
_UNUSED = frozenset({"never loaded", "no occasion"})


def frozen(events: Iterable[Event]) -> Mapping[str, Plan]:
    """The plans of earlier nights by rule, revision and landing; the last one of each holds.

    One that this version cannot read is passed over: its audit begins anew.
    """
    found = {}
    for event in events:
        if event.get("event") != PLANNED:
            continue
        try:
            plan = plans.read(str(event["written"]).encode())
        except (ValueError, KeyError):
            continue
        found[name_of_plan(plan.rule, plan.revision, plan.landed)] = plan
    return found


def looks(events: Iterable[Event], before: date) -> Mapping[str, int]:
    """By digest of a plan, the nights before this one on which it was looked at."""
    nights = {
        (str(one.get("plan")), str(event.get("night")))
        for event in events
        if event.get("event") == LOOKED and str(event.get("night", "")) < before.isoformat()
        for one in event.get("rules", ())
        if isinstance(one, Mapping)
    }
    return dict(sorted(Counter(plan for plan, _ in nights).items()))


def events_of(
    made: Sequence[Audited], night: date, now: datetime, past: Sequence[Event] = ()
) -> Iterator[Event]:
    """What the ledger is told of a night's audits. Nothing where no rule has landed.

    That a rule should come back to a person is said once of each plan and reason: who has kept it
    all the same is not asked again.
    """
    when = {"happened": now.isoformat(), "night": night.isoformat()}
    for each in made:
        if each.fresh:
            yield {
                "event": PLANNED,
                **when,
                "rule": each.plan.rule,
                "plan": each.plan.digest,
                "written": plans.written(each.plan).decode(),
            }
    if made:
        yield {"event": LOOKED, **when, "rules": [_result(each) for each in made]}
    said = {
        (event.get("id"), event.get("plan"), event.get("why"))
        for event in past
        if event.get("event") == RETIRE
    }
    for each in made:
        why = retiring(each.page)
        if why and (each.plan.rule, each.plan.digest, why) not in said:
            facts = {"night": night.isoformat(), "plan": each.plan.digest, "why": why}
            yield rule_events.event(
                RETIRE, each.plan.rule, now, "audit", past, **facts, says=headline(each.page)
            )


def retiring(page: RulePage) -> str:
    """Why a rule should come back to a person: harmful, unused, useless; "" when it need not.

    Harm is told at once, the rest when its time is over.
    """
    if page.verdict in _HARMFUL or any(each.brought for each in page.beside):
        return "harmful"
    if not page.closed:
        return ""
    if page.usage.use in _UNUSED:
        return "unused"
    return "useless" if page.verdict in _USELESS else ""


def _result(each: Audited) -> Event:
    page = each.page
    return {
        "rule": page.rule,
        "plan": each.plan.digest,
        "verdict": page.verdict,
        "reasons": list(page.reasons),
        "level": page.level,
        "use": page.usage.use,
        "ratio": [page.ratio.low, page.ratio.point, page.ratio.high],
        "p": page.p,
        "e": page.evidence,
        "before": [page.before.errors, page.before.occasions, page.before.runs],
        "after": [page.after.errors, page.after.occasions, page.after.runs],
    }
