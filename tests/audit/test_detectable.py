"""The smallest effect that could have been seen."""

import math
from dataclasses import replace

import pytest

from dream.audit.detectable import smallest
from dream.plan import Budget
from tests.bench_audit.observe import PLAN

Z = 1.751
MORE = 1.3
"""Controls add so much to the variance in the table below."""


@pytest.mark.parametrize(
    ("phi", "row"),
    [
        (1.0, (0.48, 0.62, 0.72, 0.82, 0.87)),
        (1.5, (0.38, 0.54, 0.67, 0.78, 0.84)),
        (2.5, (None, 0.42, 0.58, 0.72, 0.80)),
    ],
)
def test_the_planning_table_of_the_design(phi: float, row: tuple[float | None, ...]) -> None:
    for errors, wanted in zip((50, 100, 200, 500, 1000), row, strict=True):
        found = smallest(PLAN, errors, 1.0, phi * MORE, 0.0, Z)
        assert found == (None if wanted is None else pytest.approx(wanted, abs=0.012))


def test_more_data_show_smaller_effects_and_any_night_shows_less_than_the_last() -> None:
    few, many = (smallest(PLAN, n, 1.0, 1.2, 0.01, Z) for n in (60, 600))
    assert few is not None
    assert many is not None
    assert few < many < 1
    any_night = smallest(PLAN, 600, 1.0, 1.2, 0.01, None)
    assert any_night is not None
    assert any_night < many


def test_nothing_before_shows_nothing() -> None:
    assert smallest(PLAN, 0, 1.0, 1.0, 0.0, Z) is None
    assert smallest(PLAN, 50, 0.0, 1.0, 0.0, Z) is None


def test_a_stricter_budget_asks_for_a_larger_effect() -> None:
    strict = replace(PLAN, budget=Budget(any_night=0.005, closing=0.02))
    usual, stricter = (smallest(plan, 200, 1.0, 1.0, 0.0, None) for plan in (PLAN, strict))
    assert usual is not None
    assert stricter is not None
    assert math.log(stricter) < math.log(usual)
