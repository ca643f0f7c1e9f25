"""Marks on a sheet: what a figure is made of, ready for SVG. No text is trusted; the template
escapes it. Coordinates are rounded, so that the same figures give the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Style = Literal[
    "axis", "grid", "band", "line", "point", "one", "before", "after", "faint", "landing",
    "other", "hole", "label", "note", "head", "whole", "model",
]  # fmt: skip
"""Names of styles; the page's style sheet says what they look like, in light and in dark."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One element. kind: line (x, y to x2, y2), rect (x, y, width, height in x2, y2), circle (x, y,
    radius in x2), text (x, y, its end given by anchor), shape (points).
    """

    kind: Literal["line", "rect", "circle", "text", "shape"]
    style: Style
    x: float = 0
    y: float = 0
    x2: float = 0
    y2: float = 0
    text: str = ""  # shown, or of another mark what a pointer over it says
    anchor: Literal["start", "middle", "end"] = "start"
    points: tuple[tuple[float, float], ...] = ()

    @property
    def path(self) -> str:
        """The points of a shape as SVG writes them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure. title: what it shows, for who cannot see it."""

    title: str
    width: int
    height: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places on the sheet. ratio: equal ratios are equal distances."""

    low: float
    high: float
    start: float
    end: float
    ratio: bool = False

    def at(self, value: float) -> float:
        """The place of a value; one outside stands at the edge."""
        inside = min(max(value, self.low), self.high)
        if self.ratio:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


RATIOS = (0.05, 0.1, 0.2, 0.33, 0.5, 0.8, 1.0, 1.25, 2.0, 3.0, 5.0, 10.0, 20.0)


def ratio_scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale of ratios that holds 1 and these values, from 1/20 to 20 at most."""
    known = [min(max(value, RATIOS[0]), RATIOS[-1]) for value in values if value > 0]
    low = max(each for each in RATIOS if each <= min([0.5, *known]))
    high = min(each for each in RATIOS if each >= max([2.0, *known]))
    return Scale(low, high, start, end, ratio=True)


def ticks(scale: Scale) -> tuple[float, ...]:
    """The ratios that are written at a scale's axis."""
    inside = [each for each in RATIOS if scale.holds(each)]
    if len(inside) <= 7:
        return tuple(inside)
    return tuple(each for each in inside if each not in (0.33, 0.8, 1.25, 3.0))
