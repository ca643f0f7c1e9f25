"""How good the detectors are on hand labels. The floors hold what was measured, so nothing slips.

A turn carries a judgement or not: weights fitted on other sessions each time (cross-validation by
session), random rows alone. Errors: the rules as they stand; half of the sessions were not looked
at while they were written, and stand on their own line.
"""

from pathlib import Path

import pytest

from tests.conftest import HOUSE
from tests.corpora import Corpus
from tests.signals.fitting import LIMIT, crossed, random_rows
from tests.signals.labels import CORPORA, Labels, Studied, half, study
from tests.signals.measure import (
    cases_of,
    counting,
    errors_in,
    f1,
    found_in,
    leaning_rate,
    pairs,
)


@pytest.fixture(scope="module")
def studied(shared: Path, corpus: Corpus) -> list[Studied]:
    labels = Labels(shared / "labels")
    return [study(name, corpus, labels) for name in CORPORA]


def test_nearly_every_label_finds_its_message(studied: list[Studied]) -> None:
    missed = [
        label["label_id"]
        for each in studied
        for label, found in each.turns
        if label["human"] and found is None
    ]
    missed += [label["label_id"] for each in studied for label, found in each.errors if not found]
    # Two were typed into a tool that drove the agent, which no transcript can tell; of three the
    # stored words lack what the client had put before them, so the label's hash is another.
    assert len(missed) <= 5


def test_turns_that_carry_a_judgement_are_found(studied: list[Studied]) -> None:
    seen = crossed(cases_of(studied))
    english, chinese = random_rows(seen, "en", LIMIT), random_rows(seen, "zh", LIMIT)
    assert english.precision >= 0.73, english
    assert english.recall >= 0.62, english
    assert chinese.precision >= 0.88, chinese
    assert chinese.recall >= 0.83, chinese


def test_what_is_found_leans_the_way_the_reader_says(studied: list[Studied]) -> None:
    found = [each for one in studied for each in found_in(one) if each.label["sample"] == "random"]
    right, whole = leaning_rate(found)
    assert right / whole >= 0.84, (right, whole)


def test_errors_count_and_fall_into_classes_as_the_reader_says(studied: list[Studied]) -> None:
    errors = [each for one in studied for each in errors_in(one)]
    assert f1(counting(errors)) >= 0.98, counting(errors)
    assert f1(pairs(errors)) >= 0.89, pairs(errors)
    unseen = [each for each in errors if half(each[0]) == "unseen"]
    assert f1(counting(unseen)) >= 0.97, counting(unseen)
    assert f1(pairs(unseen)) >= 0.86, pairs(unseen)


def test_the_page_tells_the_figures_that_are_held_here() -> None:
    page = (HOUSE / "docs" / "quality.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| ")]
    told = {row[0].strip(): float(row[2]) for row in rows if row[1].strip().isdecimal()}
    floors = {
        "English turn carries a judgement or not: precision": 0.73,
        "English turn carries a judgement or not: recall": 0.62,
        "Chinese turn carries a judgement or not: precision": 0.88,
        "Chinese turn carries a judgement or not: recall": 0.83,
        "polarity of the judgements found, random rows": 0.84,
        "failure counts as an error or not: F1": 0.98,
        "error class over sessions: pairwise F1": 0.89,
    }
    for what, floor in floors.items():
        assert floor <= told[what] <= floor + 0.04, what
