"""Text is measured in cells and shortened between whole characters."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dream.templates.width import clip, graphemes, width

FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("abc", 3),
        ("提交", 4),
        (FAMILY, 2),
        ("e\u0301", 1),
        ("ＦＷ", 4),
        ("🇩🇪", 2),
        ("❤️", 2),
        ("", 0),
    ],
)
def test_width_counts_cells(text: str, cells: int) -> None:
    assert width(text) == cells


@pytest.mark.parametrize(
    ("text", "cells", "short"),
    [
        ("Run the linter", 8, "Run the…"),
        ("提交前运行", 5, "提交…"),
        (f"a{FAMILY}b", 3, "a…"),
        (f"a{FAMILY}b", 4, f"a{FAMILY}b"),
        ("cafe\u0301 menu", 5, "cafe\u0301…"),
        ("long", 0, ""),
    ],
)
def test_shortening_never_splits_a_character(text: str, cells: int, short: str) -> None:
    assert clip(text, cells) == short


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_a_shortened_text_fits(text: str, cells: int) -> None:
    made = clip(text, cells)
    assert width(made) <= cells
    assert made == text or text.startswith(made.removesuffix("…").rstrip())


@given(st.text())
def test_the_pieces_make_the_whole(text: str) -> None:
    assert "".join(graphemes(text)) == text


@pytest.mark.shared
def test_real_wide_cells_are_measured_as_the_terminal_table_measures_them(shared: Path) -> None:
    path = shared / "cases" / "review" / "wide-characters.csv"
    with path.open(encoding="utf-8", newline="") as file:
        cells = [row["rule"] for row in csv.DictReader(file)]
    assert len(cells) == 6
    for each in cells:
        assert width(each) == cell_len(each)
        assert width(clip(each, 10)) <= 10
