"""How alike the sides are in what was known beforehand."""

import pytest

from dream.audit.balance import balance
from dream.audit.request import Request
from dream.audit.worked import Worked
from tests.audit.work import ran


def runs(prefix: str, counts: dict[str, int], length: int = 100) -> list[Worked]:
    made = []
    for kind, count in counts.items():
        for n in range(count):
            task = Request(kind, "small", length + n, 0, False)  # type: ignore[arg-type]  # a kind
            made.append(ran(f"{prefix}{kind}{n}", n, task=task))
    return made


def strata(*sides: list[Worked]) -> dict[str, int]:
    kinds = {"fix": 0, "ask": 1}
    return {w.run.run_id: kinds[w.request.task] for side in sides for w in side
            if w.request.task in kinds}  # fmt: skip


def test_matching_takes_away_what_only_the_mix_of_tasks_made() -> None:
    before, after = runs("b", {"fix": 30, "ask": 10}), runs("a", {"fix": 10, "ask": 30})
    found = {each.covariate: each for each in balance(before, after, strata(before, after))}
    assert found["task: fix"].before < -0.9
    assert found["task: fix"].after == pytest.approx(0)
    assert "task: build" not in found
    assert "model: model-x" not in found  # there is no other


def test_runs_that_were_left_out_count_before_matching_only() -> None:
    before = runs("b", {"fix": 10, "build": 10})
    after = runs("a", {"fix": 10})
    found = {each.covariate: each for each in balance(before, after, strata(before, after))}
    assert found["task: fix"].before > 0.5
    assert found["task: fix"].after == pytest.approx(0)


def test_a_difference_inside_a_kind_stays() -> None:
    before, after = runs("b", {"fix": 20}), runs("a", {"fix": 20}, length=3000)
    (length,) = [
        each for each in balance(before, after, strata(before, after))
        if each.covariate.startswith("length")
    ]  # fmt: skip
    assert length.before == pytest.approx(length.after)
    assert length.after > 2


def test_an_empty_side_has_no_balance() -> None:
    assert balance([], runs("a", {"fix": 3}), {}) == ()
