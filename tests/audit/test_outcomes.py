"""What came out of runs for an aim, over real corpora and by hand."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dream import judged
from dream.aim import Aim
from dream.archive.archive import Archive
from dream.audit.aims import aim_of_text
from dream.audit.errors_of import ErrorClass
from dream.audit.outcomes import Facts, Outcome, gather, outcomes
from dream.audit.presence import Presence
from dream.config import Config, SourceSpec
from dream.nightly import nightly
from dream.practice import Tally
from dream.progress import Silent
from tests.audit.work import ran
from tests.corpora import Corpus

EVER = datetime(1970, 1, 1, tzinfo=UTC)


def facts(**parts: Mapping[str, object]) -> Facts:
    work = (
        ran("a", tools={"bash": 3, "edit": 4}, failed={"edit": 2}),
        ran("b", 1, tools={"read": 5}),
    )
    empty: dict[str, object] = {
        "classes": {},
        "corrected": {},
        "presence": Presence({}, frozenset()),
    }
    return Facts(work=work, **(empty | parts))  # type: ignore[arg-type]  # as given


def counts(found: Facts, aim: Aim) -> dict[str, tuple[int, int]]:
    return {each.work.run.run_id: (each.missed, each.occasions) for each in outcomes(aim, found)}


def test_errors_count_among_the_calls_of_their_tools() -> None:
    lost = ErrorClass("lost", {"a": ("c1", "c2")}, frozenset({"edit"}))
    found = facts(classes={"lost": lost})
    assert counts(found, Aim("errors", "lost", ("edit",))) == {"a": (2, 4), "b": (0, 0)}
    assert counts(found, Aim("errors", "lost")) == {"a": (2, 7), "b": (0, 5)}
    assert counts(found, Aim("errors", "other", ("read",))) == {"a": (0, 0), "b": (0, 5)}


def test_breaches_count_among_occasions_and_a_run_without_one_had_none() -> None:
    found = facts(breaches={"it": {"a": Tally("0|it", "a", 3, 1)}})
    assert counts(found, Aim("breaches", "it")) == {"a": (1, 3), "b": (0, 0)}


def test_what_has_to_be_said_again_counts_among_runs_in_which_a_person_speaks() -> None:
    found = facts(again={"c-1": {"b": 2}})
    assert counts(found, Aim("said", "c-1", cluster="c-1")) == {"a": (0, 1), "b": (2, 2)}


def test_an_aim_at_nothing_counts_nothing() -> None:
    assert counts(facts(), Aim("nothing", "")) == {"a": (0, 0), "b": (0, 0)}


def sides(found: list[Outcome], landed: str) -> list[tuple[int, int, int]]:
    """Before and after: what was done as asked, of how many occasions, in how many sessions."""
    moment = datetime.fromisoformat(landed)
    told = []
    for after in (False, True):
        own = [o for o in found if o.work.run.started and (o.work.run.started >= moment) is after]
        told.append(
            (
                sum(o.occasions - o.missed for o in own),
                sum(o.occasions for o in own),
                len({o.work.run.session_id for o in own if o.occasions}),
            )
        )
    return told


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rule", "expected"),
    [
        # The corpus' paper: 1 of 254 calls in 27 sessions -> 309 of 781 in 70.
        ("claude-context-evaluator", "rtk-prefix", [(1, 254, 27), (309, 781, 70)]),
    ],
)
def test_a_rule_is_followed_as_often_as_the_papers_of_the_corpora_say(
    shared: Path, corpus: Corpus, tmp_path: Path, name: str, rule: str,
    expected: list[tuple[int, int, int]],
) -> None:  # fmt: skip
    listed = json.loads((shared / "corpora" / name / "rules.json").read_bytes())["rules"]
    one = next(each for each in listed if each["rule_id"] == rule)
    aim = aim_of_text("\n".join(one["added"]))
    config = Config(
        sources=(SourceSpec(corpus(name)),), state=tmp_path / "s", skills_out=tmp_path / "o"
    )
    nightly(config, date(2026, 6, 1), datetime(2026, 6, 1, tzinfo=UTC), Silent())
    thought = judged.load(config.state)
    with Archive.open(config.state) as archive:
        found = gather(archive, thought.judgements, thought.clusters, [aim], [], EVER)
    assert sides(list(outcomes(aim, found)), one["author_date"]) == expected
