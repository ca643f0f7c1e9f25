"""Ratios in words."""

import pytest

from dream.templates import factor


@pytest.mark.parametrize(
    ("ratio", "told"), [(0.846, "0.85"), (12.3, "12.30"), (1000, "1000.00"), (7.3e7, "over 1,000")]
)
def test_a_ratio_that_nobody_knows_is_no_row_of_digits(ratio: float, told: str) -> None:
    assert factor(ratio) == told
