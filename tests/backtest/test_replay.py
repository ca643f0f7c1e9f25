"""The nights of the past over whole archives: they know no future, and they leave no trace."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.backtest import kept
from dream.backtest.nouns import WAYS, Backtest
from dream.backtest.replay import bounds, nights_between, replay
from dream.backtest.rules_then import rules_then
from dream.config import Config, SourceSpec
from dream.config_file import load
from dream.in_force.facts import load as load_history
from dream.place import here
from dream.progress import Silent
from dream.report.night import looked_back
from dream.review.projects import trees
from dream.signals.detect import detect
from dream.sources.registry import READERS
from dream.types import Judgement
from tests.corpora import Corpus
from tests.edge.conftest import Sample
from tests.in_force.land import Land

EVER = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def config(slept: Sample) -> Config:
    return load(slept.settings, here())


@pytest.fixture(scope="module")
def made(config: Config) -> Backtest:
    found = bounds(config)
    assert found is not None
    return replay(config, nights_between(*found, 7), 7, Silent())


def listing(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_sample_has_proposals_that_met_their_judgement_again(made: Backtest) -> None:
    assert made.score("dream").met.count > 0
    assert made.in_time.count > 0
    assert made.nights == 1 + (made.last - made.first).days // 7


def test_what_a_night_proposes_rests_on_nothing_that_came_later(
    config: Config, made: Backtest
) -> None:
    with Archive.open(config.state) as archive:
        happened = {each.id: each.happened for each in detect(archive, EVER)}
    seen = [
        (happened[name], each.item.moment)
        for each in made.outcomes
        for name in each.item.evidence
        if name in happened
    ]
    assert len(seen) > 20
    assert all(moment is not None and moment < night for moment, night in seen)


def test_no_way_puts_forward_more_than_the_nights_had_by_then(made: Backtest) -> None:
    for night in {each.item.night for each in made.outcomes}:
        by_then = {
            way: sum(e.item.way == way and e.item.night <= night for e in made.outcomes)
            for way in WAYS
        }
        assert max(by_then.values()) == by_then["dream"]


def test_nothing_of_the_state_or_the_proposals_changes(slept: Sample, config: Config) -> None:
    before = listing(slept.state), listing(slept.out)
    assert slept.dream("backtest", "--quiet", "--step", "28") == 0
    assert (listing(slept.state), listing(slept.out)) == before


def test_the_same_nights_come_to_the_same(config: Config, made: Backtest) -> None:
    found = bounds(config)
    assert found is not None
    assert replay(config, nights_between(*found, 7), 7, Silent()) == made


def test_a_kept_backtest_comes_back_and_a_spoiled_one_is_named(
    made: Backtest, tmp_path: Path
) -> None:
    troubles: list[str] = []
    assert kept.load(tmp_path, troubles) is None
    path = kept.save(tmp_path / "out", made)
    line = kept.load(tmp_path / "out", troubles)
    assert line == kept.line_of(made)
    assert line is not None
    assert f"{made.score('dream').met.count} met their judgement again" in looked_back(line)[0]
    assert json.loads(path.read_bytes())["backtest"]["nights"] == made.nights
    assert troubles == []
    path.write_text("{")
    assert kept.load(tmp_path / "out", troubles) is None
    assert "backtest.json cannot be read" in troubles[0]


def test_a_night_of_the_past_hears_what_one_over_the_cut_sources_hears(
    shared: Path, corpus: Corpus, tmp_path: Path
) -> None:
    """In the middle of a day, so that sessions and runs are cut in two."""
    moment = datetime(2026, 2, 19, 15, 30, tzinfo=UTC)
    whole = corpus("claude-context-evaluator")
    short = tmp_path / "short"
    for path in whole.rglob("*"):
        if path.is_file() and (data := _until(path, moment)):
            target = short / path.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    heard: list[dict[str, Judgement]] = []
    for source, until in ((whole, moment), (short, None)):
        state = tmp_path / source.name
        ingest(state, [SourceSpec(source)], READERS, date(2026, 3, 3))
        with Archive.open(state, until=until) as archive:
            heard.append({each.id: each for each in detect(archive, EVER)})
    assert len(heard[0]) > 250
    assert heard[0] == heard[1]


def _until(path: Path, moment: datetime) -> bytes:
    """The file as it stood at a moment; nothing where it had no record of its session yet."""
    if path.name != "full.jsonl":
        return path.read_bytes()
    lines = []
    for line in path.read_bytes().split(b"\n"):
        stamp = json.loads(line).get("timestamp") if line.strip() else None
        if stamp and datetime.fromisoformat(stamp) >= moment:
            break
        lines.append(line)
    return b"\n".join(lines) if any(b'"user"' in line for line in lines) else b""


def test_a_rule_counts_from_the_day_it_was_committed(tmp_path: Path) -> None:
    land = Land(tmp_path)
    land.repo.commit("begin", "2026-05-01T08:00:00+00:00")
    land.repo.commit("rule", "2026-05-03T08:00:00+00:00", AGENTS_md="- Use pnpm.\n")
    skill = "---\nname: ship\ndescription: Ship it.\n---\nPush.\n"
    land.repo.put(".claude/skills/ship/SKILL.md", skill)
    land.repo.commit("more", "2026-05-05T08:00:00+00:00", AGENTS_md="- Use pnpm.\n- Use tabs.\n")
    land.session("s", "2026-05-01T09:00:00+00:00", "2026-05-06T09:00:00+00:00")
    land.night()
    told = []
    with Archive.open(land.state) as archive:
        history, known = load_history(archive), trees(archive, land.projects)
        for day in range(2, 7):
            then = rules_then(archive, history, known, datetime(2026, 5, day, tzinfo=UTC))
            told.append([rule.text for book in then.values() for rule in book.rules])
    first, second = ["Use pnpm."], ["Use pnpm.", "Use tabs.", "Ship it."]
    assert [sorted(each) for each in told] == [[], [], first, first, sorted(second)]


def test_with_no_window_left_nothing_is_heard_and_nothing_proposed(config: Config) -> None:
    narrow = replace(config, window_days=1)
    nights = nights_between(date(2027, 6, 1), date(2027, 6, 2), 1)
    found = replay(narrow, nights, 1, Silent())
    assert found.score("dream").put == 0
    assert found.missed == ()
