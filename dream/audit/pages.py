"""A rule's page in words: the first line, Markdown, HTML with figures; and all rules, shortly."""

from collections.abc import Mapping, Sequence
from datetime import date

from dream.audit.drawing import Drawing
from dream.audit.explain import sums
from dream.audit.figures import Interval, forest, love, timeline, trace
from dream.audit.rule_page import LEVELS, REASONS, RulePage
from dream.templates import render


def headline(page: RulePage) -> str:
    """The answer in a sentence or two, for who knows no statistics."""
    return " ".join(render("audit_headline.txt.j2", page=page, reasons=REASONS).split())


def markdown(page: RulePage) -> str:
    """The page for a terminal, a pull request, a diff."""
    return render(
        "audit_page.md.j2", page=page, headline=headline(page), reasons=REASONS, levels=LEVELS
    )


def html(page: RulePage) -> str:
    """The page for a browser: one file, no script, nothing loaded."""
    return render(
        "audit_page.html.j2",
        page=page,
        headline=headline(page),
        reasons=REASONS,
        levels=LEVELS,
        figures=drawings(page),
    )


def listed(
    pages: Sequence[RulePage], waiting: Sequence[tuple[str, str]], as_of: date, q: float
) -> str:
    """Every rule in a few lines for a terminal. waiting: id and title of those not landed."""
    lines = list(map(headline, pages))
    return render("audit_list.txt.j2", pages=pages, lines=lines, waiting=waiting, as_of=as_of, q=q)


def explained(page: RulePage, *, including: bool = True) -> str:
    """The sums behind a rule's ratio. including: those with the days that led to it."""
    return render("audit_explain.txt.j2", page=page, sums=sums(page.strata, including=including))


def drawings(page: RulePage) -> Mapping[str, Drawing]:
    """The figures that this page has something to show in."""
    found: dict[str, Drawing] = {}
    if any(each.told() for _, each in page.nights):
        found["trace"] = trace(page.nights, "The ratio and its interval, night by night")
    if page.runs_by_day:
        days = {date.fromisoformat(day): count for day, count in page.runs_by_day.items()}
        title = "Runs by day, landings, models and holes"
        found["time"] = timeline(days, page.spans, page.landings, title)
    rows = [each.ratio for each in page.strata if each.ratio is not None]
    if rows:
        found["forest"] = forest([*rows, _whole(page)], "The ratio in each kind of run")
    if page.balance:
        found["love"] = love(page.balance, "Balance of what was known beforehand")
    return found


def _whole(page: RulePage) -> Interval:
    note = f"{page.before.errors:,} in {page.before.occasions:,} to"
    note += f" {page.after.errors:,} in {page.after.occasions:,}"
    whole = page.ratio
    return Interval("all kinds together", whole.low, whole.point, whole.high, note, whole=True)
