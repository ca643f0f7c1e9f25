"""A rule on trial: the sessions that drew a blank are what would have been anyway."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from dream import judged
from dream.archive.archive import Archive
from dream.audit.night import Asked, audits
from dream.audit.pages import headline, markdown
from dream.audit.rule_page import RulePage
from dream.audit.subjects import of_lines
from dream.candidates.detectors import of_sentence
from dream.config import Config, ProjectSpec, SourceSpec
from dream.nightly import nightly
from dream.progress import Silent
from dream.trial import Trial, written
from tests.git_maker import Repo
from tests.sources.claude_makers import call, lines, model, result, user

RULE = "- Never run `npm install` here."
FIRST = date(2026, 5, 31)
LANDED = datetime(2026, 5, 31, 6, 0, tzinfo=UTC)
TRIAL = Trial("npm", 0.5, FIRST, FIRST + timedelta(30), "5f1c09aa", RULE)


def session(name: str, began: datetime, calls: list[str], cwd: Path) -> bytes:
    """One request and some shell calls, a minute apart."""
    said, number = [], 1
    for place, line in enumerate(["", *calls]):
        moment = (began + timedelta(minutes=place)).isoformat()
        about: dict[str, Any] = {"sessionId": name, "timestamp": moment, "cwd": str(cwd)}
        if not place:
            said.append(user(number, "Fix the till, please", **about))
            number += 1
            continue
        told = call(f"{name}-{place}", command=line)
        said.append(model(number, told, **about))
        said.append(user(number + 1, [result(f"{name}-{place}")], **about))
        number += 2
    return lines(*said)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> RulePage:
    """Forty days of sessions. Who is told the rule keeps to it; nobody else does, on any day."""
    folder = tmp_path_factory.mktemp("trial")
    repo = Repo(folder / "shop")
    repo.commit("begin", "2026-01-01T00:00:00+00:00", README_md="# Shop\n")
    repo.put(".dream/trials/npm.md", written(TRIAL))
    repo.commit("trial", LANDED.isoformat())
    sessions = folder / "sessions"
    sessions.mkdir()
    for day in range(-10, 30):
        for number in range(6):
            name = f"s{day + 10:02d}-{number}"
            began = LANDED + timedelta(days=day, hours=2 + number)
            told = began >= LANDED and not TRIAL.withheld(name, began)
            calls = ["ls"] * 4 + (["ls"] if told else ["npm install left"])
            (sessions / f"{name}.jsonl").write_bytes(session(name, began, calls, repo.root))
    config = Config(
        sources=(SourceSpec(sessions),), projects=(ProjectSpec(repo.root),),
        state=folder / "state", skills_out=folder / "out",
    )  # fmt: skip
    nightly(config, date(2026, 7, 1), datetime(2026, 7, 1, tzinfo=UTC), Silent())
    thought = judged.load(config.state)
    rule = of_lines("npm", [RULE], "", of_sentence)
    asked = Asked(date(2026, 6, 29), ZoneInfo("UTC"), lambda aim: aim.target, {}, {})
    with Archive.open(config.state) as archive:
        (one,) = audits(archive, [rule], thought.judgements, thought.clusters, asked)
    return one.page


def test_its_effect_is_measured_against_those_who_were_not_told(page: RulePage) -> None:
    assert page.level == "A"
    assert page.verdict == "helped"
    assert page.ratio.high is not None
    assert page.ratio.high < 0.5
    assert "became rarer" in headline(page)
    assert "withheld" in markdown(page)


def test_runs_that_drew_a_blank_are_counted_and_called_so(page: RulePage) -> None:
    assert page.withheld.runs > 40
    assert page.withheld.errors == page.withheld.runs
    assert page.after.errors == 0
    assert page.after.runs + page.withheld.runs == 180
    assert page.usage.use == "followed"
    assert json.dumps(page.pruned)


def test_the_days_before_are_told_too_and_the_balance_is_that_of_the_lot(page: RulePage) -> None:
    assert (page.before.runs, page.before.errors) == (60, 60)
    assert all(abs(each.after) < 0.5 for each in page.balance)
