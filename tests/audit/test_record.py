"""Audits as events of the ledger, and events that change an audit."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from dream import aim
from dream.aim import Aim
from dream.archive.archive import Archive
from dream.audit.assessment import Assessment, Estimate
from dream.audit.beside import Moved, Rate
from dream.audit.landed import known_landings
from dream.audit.night import Audited, name_of_plan
from dream.audit.presence import Sign
from dream.audit.record import events_of, frozen, looks, retiring
from dream.audit.rule_page import RulePage, Usage
from dream.audit.subjects import subjects_of
from dream.candidates.detectors import of_sentence
from dream.plan import Plan
from dream.rule_events import Event, event
from dream.rule_life import lives
from dream.types import Scope
from tests.audit.pages_made import page
from tests.audit.test_aims import candidate
from tests.in_force.land import Land

NIGHT = date(2026, 5, 1)
NOW = datetime(2026, 5, 1, 2, 30, tzinfo=UTC)
LANDED = date(2026, 3, 2)
SHOP = Scope("/repo/shop")
PLAN = Plan("rule-1a2b3c4d", "r1", LANDED, "UTC", SHOP, Aim("errors", "lost"), "errors:lost@1")
NOTHING = Estimate()


def audited(told: RulePage | None = None, *, fresh: bool = True) -> Audited:
    made = Assessment("helped", (), "B1", "fewer", NOTHING, NOTHING, NOTHING, 90)
    return Audited(told or page(), PLAN, made, fresh)


def kinds(events: list[Event]) -> list[str]:
    return [each["event"] for each in events]


def test_a_plan_is_told_once_and_found_again_by_what_landed() -> None:
    told = list(events_of([audited()], NIGHT, NOW))
    assert kinds(told) == ["audit_plan", "audited"]
    assert frozen(told) == {name_of_plan(PLAN.rule, "r1", LANDED): PLAN}
    assert kinds(list(events_of([audited(fresh=False)], NIGHT, NOW))) == ["audited"]
    assert list(events_of([], NIGHT, NOW)) == []


def test_a_plan_of_another_version_is_passed_over() -> None:
    (plan, _) = events_of([audited()], NIGHT, NOW)
    for odd in ({"written": "{}"}, {"written": 3}, {}):
        assert frozen([{"event": "audit_plan", **odd}]) == {}
    assert len(frozen([{"event": "audit_plan"}, plan, {"event": "night"}])) == 1


def test_looks_are_nights_and_only_those_before_count() -> None:
    nights = [NIGHT, NIGHT, NIGHT + timedelta(1), NIGHT + timedelta(2)]
    told = [each for night in nights for each in events_of([audited()], night, NOW)]
    assert looks(told, NIGHT + timedelta(2)) == {PLAN.digest: 2}
    assert looks([{"event": "audited", "rules": ["x"]}], NIGHT) == {}


UNUSED = Usage("no occasion", 40, 40)
BROUGHT = Moved("unknown", "class", Rate(0, 9), Rate(9, 99), None, None, None, "few", brought=True)


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, ""),
        ({"verdict": "hurt", "closed": False}, "harmful"),
        ({"verdict": "hurt (path)"}, "harmful"),
        ({"beside": (BROUGHT,), "closed": False}, "harmful"),
        ({"verdict": "neutral"}, "useless"),
        ({"verdict": "neutral", "closed": False}, ""),
        ({"verdict": "not comparable", "usage": UNUSED}, "unused"),
        ({"verdict": "not comparable", "usage": UNUSED, "closed": False}, ""),
        ({"verdict": "suggestive"}, ""),
    ],
)
def test_a_rule_comes_back_to_a_person_when_it_does_no_good(
    parts: dict[str, Any], why: str
) -> None:
    assert retiring(page(**parts)) == why


def test_it_comes_back_once_and_who_keeps_it_is_not_asked_again() -> None:
    hurt = audited(page(verdict="hurt"), fresh=False)
    landed = event(
        "landed", PLAN.rule, NOW - timedelta(9), "ada", revision="r1", repository="/repo/shop"
    )
    first = list(events_of([hurt], NIGHT, NOW, [landed]))
    assert kinds(first) == ["audited", "retire"]
    assert "did harm" in first[1]["says"]
    past = [landed, *first]
    assert lives(past)[PLAN.rule].retire is not None
    kept = event("kept", PLAN.rule, NOW + timedelta(hours=1), "ada", past, reason="I like it")
    later = list(events_of([hurt], NIGHT + timedelta(1), NOW + timedelta(1), [*past, kept]))
    assert kinds(later) == ["audited"]
    assert lives([*past, kept, *later])[PLAN.rule].retire is None


def test_what_a_person_confirmed_at_the_adoption_is_what_is_counted() -> None:
    meant = Aim("errors", "timeout", ("bash",))
    plan = {"aim": aim.payload(meant), "path": "target"}
    adopted = event("adopted", "rule-1a2b3c4d", NOW, "ada", plan=plan)
    (one,) = subjects_of([(candidate(), [])], [adopted], of_sentence)
    assert (one.aim, one.path_is_target) == (meant, True)
    spoilt = with_plan(adopted, {"aim": {"kind": "breaches", "target": "x", "practices": [{}]}})
    (other,) = subjects_of([(candidate(), [])], [spoilt], of_sentence)
    assert (other.aim.kind, other.path_is_target) == ("said", False)


def with_plan(told: Event, plan: object) -> Event:
    return {**told, "plan": plan}


def test_an_aim_is_read_back_as_it_was_told() -> None:
    for one in (
        Aim("said", "c-1", cluster="c-1", shorter=True),
        Aim("breaches", "x", practices=({"practice": "line", "parts": ["x("]},)),
    ):
        assert aim.read(aim.payload(one)) == one
    assert aim.read(None) is None
    assert aim.read({"kind": "other", "target": ""}) is None


def test_a_landing_that_no_repository_tells_is_taken_from_the_ledger(tmp_path: Path) -> None:
    land = Land(tmp_path)
    land.session("s", "2026-03-01T09:00:00.000Z", cwd=tmp_path / "plain")
    land.night()
    place: dict[str, Any] = {"repository": "/plain", "project": "", "file": "CLAUDE.md"}
    told = [
        event("landed", "a", NOW, "ada", revision="r1", landed=NOW.isoformat(), **place),
        event("landed", "b", NOW, "ada", revision="r1", landed=NOW.isoformat(), **place),
    ]
    with Archive.open(land.state) as archive:
        (one,) = known_landings(archive, [Sign("a", mark="a")], told)
    assert (one.rule, one.since, one.root, one.revision) == ("a", NOW, "/plain", "r1")
