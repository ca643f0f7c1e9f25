"""The cases of ../shared/cases/audit, audited as a night would."""

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from dream.aim import Aim
from dream.audit.errors_of import ErrorClass
from dream.audit.holes import Known
from dream.audit.landed import Landing
from dream.audit.night import Asked, audit_of, name_of_plan, plan_of, scene_of
from dream.audit.outcomes import Facts
from dream.audit.pages import headline, html, markdown
from dream.audit.plan_for import plan_for
from dream.audit.presence import Presence, Sign
from dream.audit.rule_page import RulePage
from dream.audit.subjects import Subject
from tests.audit.recorded import ADOPTED, case
from tests.audit.work import ran

pytestmark = pytest.mark.shared
AIM = Aim("errors", "it", ("bash",))
SHOP = "/repo/shop"


class Nothing:
    """Rows of an archive that knows of no file."""

    def rows(self, name: str, into: type[Any], **params: Any) -> Iterator[Any]:
        assert name == "audit/places"
        yield from ()


def audited(
    facts: Facts, landed: str, as_of: date, zone: str = "UTC", text: str = "Be careful."
) -> RulePage:
    moment = datetime.fromisoformat(landed)
    subject = Subject("rule-1", "Be careful.", text, SHOP, Sign("rule-1"), AIM)
    landing = Landing("rule-1", "r", SHOP, "c", moment, None, "1")
    asked = Asked(as_of, ZoneInfo(zone), lambda aim: aim.target, {}, {})
    plan = plan_for(subject, moment, "1", asked.zone, "it")
    scene = scene_of(facts, [(subject, landing)], asked)
    return audit_of(Nothing(), scene, subject, landing, plan, True).page


def of_case(shared: Path, name: str, days: int = 40, zone: str = "UTC") -> RulePage:
    listed = case(shared, name)
    calls = {
        each.work.run.run_id: tuple(f"{each.work.run.run_id}-{n}" for n in range(each.missed))
        for each in listed
        if each.missed
    }
    broke = {"it": ErrorClass("it", calls, frozenset({"bash"}))}
    works = tuple(each.work for each in listed)
    facts = Facts(works, broke, {}, Presence({}, frozenset()))
    landed = ADOPTED[name]
    return audited(facts, landed, datetime.fromisoformat(landed).date() + timedelta(days), zone)


def everything(page: RulePage) -> str:
    return f"{headline(page)}\n{markdown(page)}\n{html(page)}"


def test_a_bad_week_before_a_rule_makes_no_success_of_it(shared: Path) -> None:
    page = of_case(shared, "bad-week", days=59)
    assert (page.before.errors, page.before.occasions) == (22, 80)
    assert (page.after.errors, page.after.occasions) == (9, 40)
    assert (page.verdict, page.reasons) == ("not comparable", ("too_few_days",))
    assert any("right after an unusual time" in each for each in page.warnings)


def test_three_runs_a_side_are_not_enough_and_have_an_interval(shared: Path) -> None:
    page = of_case(shared, "tiny")
    assert (page.before.errors, page.before.runs, page.after.errors) == (2, 3, 0)
    assert page.verdict in ("no effect shown", "not comparable")
    assert "not enough data" in headline(page)
    assert page.missing
    assert page.ratio.high is None or page.ratio.high > 1
    assert not re.search(r"improved|helped|↓|↑|→", everything(page).replace("helped/", ""))


def test_without_an_occasion_there_is_nothing_to_measure_and_no_number(shared: Path) -> None:
    page = of_case(shared, "no-exposure")
    assert page.after.occasions == 0
    assert page.usage.use == "no occasion"
    assert "came up in none" in headline(page)
    assert page.ratio.point is None
    assert not re.search(r"\bnan\b|\binf\b|-100|100\.0 %", everything(page), re.I)
    assert "0 in 0 (-)" in markdown(page)


def test_runs_that_were_given_up_make_no_path_shorter(shared: Path) -> None:
    page = of_case(shared, "given-up")
    assert (page.before.aborted, page.before.runs) == (0, 6)
    assert (page.after.aborted, page.after.runs) == (4, 6)
    assert page.path is not None
    assert page.path.censoring_changed
    assert page.path.state == "open"
    assert page.verdict not in ("helped", "helped (path)")
    assert any("0% of them before, 67% after" in each for each in page.warnings)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Los_Angeles"])
def test_a_run_that_crosses_the_landing_is_reported_and_on_neither_side(
    shared: Path, zone: str
) -> None:
    page = of_case(shared, "cut-at-midnight", zone=zone)
    assert page.straddling == ("cd3",)
    assert (page.before.errors, page.before.runs) == (2, 2)
    assert (page.after.errors, page.after.runs) == (0, 2)
    assert "cd3" in markdown(page)
    assert page.pruned["its session or itself crosses the landing"] == (1, 0)


def test_a_plan_is_kept_as_it_was_and_one_that_counts_in_another_way_is_a_new_audit(
    shared: Path,
) -> None:
    moment = datetime.fromisoformat(ADOPTED["bad-week"])
    subject = Subject("rule-1", "Be careful.", "x", SHOP, Sign("rule-1"), AIM)
    landing = Landing("rule-1", "r", SHOP, "c", moment, None, "1")
    first = Asked(date(2026, 3, 1), ZoneInfo("UTC"), lambda aim: "it@1", {}, {})
    plan, fresh = plan_of(subject, landing, first)
    assert fresh
    frozen = {name_of_plan("rule-1", "1", plan.landed): plan}
    reworded = replace(subject, aim=Aim("errors", "something else"))
    assert plan_of(reworded, landing, replace(first, frozen=frozen)) == (plan, False)
    later = replace(first, frozen=frozen, versions=lambda aim: "it@2")
    other, fresh = plan_of(subject, landing, later)
    assert (fresh, other.notes) == (True, {"instead_of": plan.digest})
    assert other.digest != plan.digest
    kept = replace(later, frozen={name_of_plan("rule-1", "1", plan.landed): other})
    assert plan_of(subject, landing, kept) == (other, False)


def test_a_month_that_was_cleared_away_is_warned_of_with_every_verdict(shared: Path) -> None:
    with (shared / "cases/audit/retention-hole.csv").open() as file:
        listed = list(csv.DictReader(file))
    known, works = [], []
    for row in listed:
        began = datetime.fromisoformat(row["first_prompt_at"])
        readable = row["transcript_readable"] == "yes"
        known.append(Known(row["session"], began, readable))
        if readable:
            work = ran(row["session"], tools={"bash": 5})
            run = replace(work.run, started=began, ended=began, session_started=began)
            works.append(replace(work, run=run))
    facts = Facts(tuple(works), {}, {}, Presence({}, frozenset()), tuple(known))
    page = audited(facts, "2026-03-01T00:00:00+00:00", date(2026, 3, 10))
    assert page.coverage is not None
    assert (page.coverage.before, page.coverage.known_before) == (2, 12)
    assert (page.coverage.after, page.coverage.known_after) == (6, 6)
    (told,) = [each for each in page.warnings if "cannot be read" in each]
    assert "2 of 12" in told
    assert "6 of 6" in told
    assert told in markdown(page)
