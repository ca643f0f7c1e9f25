"""The figures of a rule's page: places on the sheet, and nothing of a text becomes markup."""

import math
import xml.etree.ElementTree as ET  # our own output
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dream.audit.drawing import Drawing, Mark, Scale, ratio_scale, ticks
from dream.audit.figures import (
    Balance,
    Interval,
    Moment,
    Span,
    forest,
    love,
    timeline,
    trace,
)
from dream.templates import render
from tests.conftest import Golden

LANDED = date(2026, 3, 2)
HOSTILE = '"><script>alert(1)</script>\u202e'


def drawn(drawing: Drawing) -> str:
    return render("figure.svg.html.j2", drawing=drawing)


def nights(count: int) -> list[tuple[date, Interval]]:
    wide = [1 + 4 / (n + 1) for n in range(count)]
    return [
        (LANDED + timedelta(n), Interval("", 0.6 / w, 0.6, 0.6 * w)) for n, w in enumerate(wide)
    ]


def all_figures(name: str = "shop / fix") -> list[Drawing]:
    rows = [
        Interval(name, 0.3, 0.7, 1.6, "4 in 20 to 3 in 21"),
        Interval(f"{name} / large", None, None, None, "0 in 3 to 0 in 2"),
        Interval("all", 0.5, 0.7, 0.95, "27 in 3,412 to 11 in 3,105", whole=True),
    ]
    spans = [
        Span(name, LANDED - timedelta(20), LANDED + timedelta(30), "model"),
        Span("nothing recorded", LANDED + timedelta(10), LANDED + timedelta(24), "hole"),
    ]
    runs = {LANDED + timedelta(n): n % 5 for n in range(-20, 31)}
    return [
        trace(nights(30), "Interval by night"),
        forest(rows, "By stratum"),
        love([Balance(name, -0.4, 0.05), Balance("files", 0.1, 0.2)], "Balance"),
        timeline(runs, spans, [Moment(name, LANDED, True)], "Time"),
    ]


def test_the_figures_are_the_same_bytes_every_time(golden: Golden) -> None:
    golden("figures.html", "".join(map(drawn, all_figures())))


def test_no_text_becomes_an_element_or_leaves_its_place() -> None:
    plain = [ET.fromstring(drawn(each)) for each in all_figures()]  # noqa: S314 - our own output
    hostile = [ET.fromstring(drawn(each)) for each in all_figures(HOSTILE)]  # noqa: S314
    for one, other in zip(plain, hostile, strict=True):
        assert [e.tag for e in one.iter()] == [e.tag for e in other.iter()]
        assert {key for e in other.iter() for key in e.attrib} <= {
            *("viewBox", "role", "aria-label", "class", "x", "y", "x1", "y1", "x2", "y2"),
            *("width", "height", "cx", "cy", "r", "points", "text-anchor"),
        }
    told = "".join("".join(one.itertext()) for one in hostile)
    assert "<script>" in told
    assert "⟨U+202E⟩" in told


def test_a_band_narrows_around_its_line_and_one_is_marked() -> None:
    drawing = trace(nights(10), "x")
    (band,) = [mark for mark in drawing.marks if mark.style == "band"]
    assert len(band.points) == 20
    assert band.points[0][1] < band.points[9][1] < band.points[10][1] < band.points[-1][1]
    assert len([mark for mark in drawing.marks if mark.style == "one"]) == 1


def test_a_night_that_could_not_say_is_left_out_and_so_is_a_whole_trace() -> None:
    silent = [(LANDED, Interval("", None, None, None))]
    assert [mark.text for mark in trace(silent, "x").marks] == ["No night could say."]
    points = [mark for mark in trace([*silent, *nights(3)], "x").marks if mark.style == "point"]
    assert len(points) == 3


def test_many_strata_are_cut_and_the_whole_stays() -> None:
    rows = [Interval(f"s{n}", 0.5, 1, 2) for n in range(40)]
    drawing = forest([Interval("all", 0.8, 1, 1.2, whole=True), *rows], "x")
    labels = [mark.text for mark in drawing.marks if mark.kind == "text" and mark.x == 0]
    assert (len(labels), labels[-1]) == (25, "all")


def test_an_archive_without_runs_has_an_empty_time() -> None:
    assert [mark.text for mark in timeline({}, [], [], "x").marks] == ["No runs."]
    one = timeline({LANDED: 1}, [], [], "x")
    assert all(math.isfinite(value) for mark in one.marks for value in (mark.x, mark.x2))


def test_a_shape_writes_its_points_in_order() -> None:
    assert Mark("shape", "band", points=((1, 2.5), (3, 4))).path == "1,2.5 3,4"


@given(st.lists(st.floats(0.001, 1000), max_size=8))
def test_a_ratio_scale_always_holds_one_and_stays_on_the_sheet(values: list[float]) -> None:
    scale = ratio_scale(values, 10, 500)
    assert scale.low < 1 < scale.high
    assert 1 in ticks(scale)
    assert all(10 <= scale.at(value) <= 500 for value in values)


def test_equal_ratios_are_equal_distances_and_what_is_outside_stands_at_the_edge() -> None:
    scale = Scale(0.25, 4, 0, 400, ratio=True)
    assert [scale.at(each) for each in (0.25, 0.5, 1, 2, 4, 99)] == [0, 100, 200, 300, 400, 400]
    assert Scale(0, 10, 100, 0).at(2.5) == 75
