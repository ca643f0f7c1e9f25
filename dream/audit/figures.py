"""The figures of a rule's page, as drawings: intervals by night, strata, balance, time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from dream.audit.drawing import Drawing, Mark, Scale, Style, ratio_scale, ticks
from dream.templates.width import clip

WIDTH = 720
LEFT = 190
RIGHT = 20
ROW = 22
MOST = 24
"""Strata that are drawn; the table behind the figure has them all."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio, after divided by before, with its interval. None: nothing could be said."""

    label: str
    low: float | None
    point: float | None
    high: float | None
    note: str = ""  # beside it: the counts
    whole: bool = False  # all strata together

    def told(self) -> tuple[float, ...]:
        return tuple(each for each in (self.low, self.point, self.high) if each is not None)


@dataclass(frozen=True, slots=True)
class Balance:
    """How far apart the sides stand in what was known beforehand, in standard deviations."""

    covariate: str
    before: float  # before matching
    after: float  # after matching


@dataclass(frozen=True, slots=True)
class Span:
    """Something that lasts, by days: a model in use, a hole, a window."""

    label: str
    first: date
    last: date
    kind: str  # model, hole, detection


@dataclass(frozen=True, slots=True)
class Moment:
    """A rule that landed on a day."""

    label: str
    day: date
    own: bool  # the rule that the page is about


def trace(nights: Sequence[tuple[date, Interval]], title: str) -> Drawing:
    """The interval as it stood each night: a band that narrows, with the line at 1."""
    told = [(night, each) for night, each in nights if len(each.told()) == 3]
    height, bottom = 240, 210
    if not told:
        return Drawing(title, WIDTH, 40, (Mark("text", "note", 0, 24, text="No night could say."),))
    values = ratio_scale([value for _, each in told for value in each.told()], bottom, 16)
    first, last = nights[0][0], nights[-1][0]
    days = Scale(first.toordinal(), max(last.toordinal(), first.toordinal() + 1), 56, WIDTH - RIGHT)
    marks = [*_ratio_axis(values, 56)]
    upper = [(days.at(n.toordinal()), values.at(each.high or 1)) for n, each in told]
    lower = [(days.at(n.toordinal()), values.at(each.low or 1)) for n, each in told]
    middle = tuple((days.at(n.toordinal()), values.at(each.point or 1)) for n, each in told)
    marks.append(Mark("shape", "band", points=(*upper, *reversed(lower))))
    marks += [Mark("line", "line", *here, *there) for here, there in pairwise(middle)]
    marks += [
        Mark("circle", "point", x, y, 2.5, text=f"{night}: {each.note}")
        for (x, y), (night, each) in zip(middle, told, strict=True)
    ]
    marks += _days(days, first, last, bottom + 20)
    return Drawing(title, WIDTH, height, tuple(marks))


def forest(rows: Sequence[Interval], title: str) -> Drawing:
    """A line a stratum, the whole last."""
    shown = [*[row for row in rows if not row.whole][:MOST], *[row for row in rows if row.whole]]
    bottom = ROW * len(shown) + 12
    right = WIDTH - 170
    scale = ratio_scale([value for row in shown for value in row.told()], LEFT, right)
    marks = [
        *(Mark("line", "one" if each == 1 else "grid", scale.at(each), 4, scale.at(each), bottom)
          for each in ticks(scale)),
        *(Mark("text", "label", scale.at(each), bottom + 16, text=f"{each:g}", anchor="middle")
          for each in ticks(scale)),
    ]  # fmt: skip
    for number, row in enumerate(shown):
        y = ROW * number + 18
        marks.append(Mark("text", "head" if row.whole else "label", 0, y, text=clip(row.label, 31)))
        marks.append(Mark("text", "note", right + 12, y, text=row.note))
        marks += _whisker(row, scale, y - 4)
    return Drawing(title, WIDTH, bottom + 26, tuple(marks))


def love(rows: Sequence[Balance], title: str, limit: float = 0.1) -> Drawing:
    """How far apart the sides were in each covariate before matching, and are after it."""
    bottom = ROW * len(rows) + 12
    furthest = max([2 * limit, *(abs(v) for row in rows for v in (row.before, row.after))])
    scale = Scale(0, furthest, LEFT, WIDTH - RIGHT - 40)
    marks = [
        Mark("line", "one", scale.at(0), 4, scale.at(0), bottom),
        Mark("line", "grid", scale.at(limit), 4, scale.at(limit), bottom),
        Mark("text", "label", scale.at(0), bottom + 16, text="0", anchor="middle"),
        Mark("text", "label", scale.at(limit), bottom + 16, text=f"{limit:g}", anchor="middle"),
    ]
    for number, row in enumerate(rows):
        y = ROW * number + 18
        before, after = scale.at(abs(row.before)), scale.at(abs(row.after))
        marks += [
            Mark("text", "label", 0, y, text=clip(row.covariate, 31)),
            Mark("line", "faint", before, y - 4, after, y - 4),
            Mark("circle", "before", before, y - 4, 4, text=f"before matching {row.before:.2f}"),
            Mark("circle", "after", after, y - 4, 4, text=f"after matching {row.after:.2f}"),
        ]
    return Drawing(title, WIDTH, bottom + 26, tuple(marks))


def timeline(
    runs: Mapping[date, int], spans: Sequence[Span], moments: Sequence[Moment], title: str
) -> Drawing:
    """Runs by day, the landing of the rule and of others, which models worked, what is missing."""
    days = sorted(
        {*runs, *(m.day for m in moments), *(d for s in spans for d in (s.first, s.last))}
    )
    if not days:
        return Drawing(title, WIDTH, 40, (Mark("text", "note", 0, 24, text="No runs."),))
    first, last = days[0], days[-1]
    scale = Scale(first.toordinal(), last.toordinal() + 1, 110, WIDTH - RIGHT)
    lanes = list(dict.fromkeys(span.label for span in spans if span.kind == "model"))
    top, floor = 30, 110
    bottom = floor + 12 + ROW * len(lanes)
    marks: list[Mark] = []
    for span in spans:
        x, x2 = scale.at(span.first.toordinal()), scale.at(span.last.toordinal() + 1)
        told = f"{span.label}: {span.first} to {span.last}"
        if span.kind == "model":
            y = floor + 16 + ROW * lanes.index(span.label)
            marks.append(Mark("rect", "model", x, y, max(round(x2 - x, 1), 1), 8, text=told))
        else:
            style: Style = "hole" if span.kind == "hole" else "faint"
            height = bottom - top
            marks.append(Mark("rect", style, x, top, max(round(x2 - x, 1), 1), height, text=told))
    marks += [
        Mark("text", "label", 0, floor + 25 + ROW * number, text=clip(lane, 18))
        for number, lane in enumerate(lanes)
    ]
    marks += _bars(runs, scale, top, floor)
    for moment in moments:
        x = scale.at(moment.day.toordinal())
        line: Style = "landing" if moment.own else "other"
        marks.append(
            Mark("line", line, x, top - 8, x, bottom, text=f"{moment.label}, {moment.day}")
        )
        if moment.own:
            marks.append(Mark("text", "head", x, top - 14, text=moment.label, anchor="middle"))
    marks += _days(scale, first, last, bottom + 16)
    return Drawing(title, WIDTH, bottom + 26, tuple(marks))


def _bars(runs: Mapping[date, int], scale: Scale, top: int, floor: int) -> list[Mark]:
    most = max(runs.values(), default=1)
    marks = [
        Mark("text", "label", 0, floor, text="runs a day"),
        Mark("text", "note", 104, top + 8, text=f"{most}", anchor="end"),
        Mark("line", "axis", scale.start, floor, scale.end, floor),
    ]
    for day, count in sorted(runs.items()):
        x, x2 = scale.at(day.toordinal()), scale.at(day.toordinal() + 1)
        height = round((floor - top) * count / most, 1)
        width = max(round(x2 - x - 0.6, 1), 0.6)
        marks.append(
            Mark("rect", "before", x, floor - height, width, height, text=f"{day}: {count}")
        )
    return marks


def _whisker(row: Interval, scale: Scale, y: float) -> list[Mark]:
    if row.low is None or row.high is None or row.point is None:
        return []
    told = f"{row.point:.2f}, {row.low:.2f} to {row.high:.2f}"
    line = Mark(
        "line", "whole" if row.whole else "line", scale.at(row.low), y, scale.at(row.high), y
    )
    dot = Mark("circle", "point", scale.at(row.point), y, 4.5 if row.whole else 3, text=told)
    return [line, dot]


def _ratio_axis(scale: Scale, left: float) -> list[Mark]:
    marks = []
    for each in ticks(scale):
        y = scale.at(each)
        marks.append(Mark("line", "one" if each == 1 else "grid", left, y, WIDTH - RIGHT, y))
        marks.append(Mark("text", "label", left - 8, y + 4, text=f"{each:g}", anchor="end"))
    return marks


def _days(scale: Scale, first: date, last: date, y: float) -> list[Mark]:
    """The first and the last day, and those of the first of each month between, not too near."""
    shown = [first]
    for ordinal in range(first.toordinal() + 1, last.toordinal()):
        day = date.fromordinal(ordinal)
        far = scale.at(ordinal) - scale.at(shown[-1].toordinal()) > 110
        if day.day == 1 and far and scale.at(last.toordinal()) - scale.at(ordinal) > 110:
            shown.append(day)
    shown += [last] * (last > first)
    ends = {first: "start", last: "end"}
    return [
        Mark("text", "label", scale.at(day.toordinal()), y, text=day.isoformat(),
             anchor="end" if ends.get(day) == "end" else "start" if day == first else "middle")
        for day in shown
    ]  # fmt: skip
