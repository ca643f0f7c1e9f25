"""The sums behind an estimate, by kind of run, to be done again by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from dream.audit.rule_page import Stratum

HALF = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of run; over and under are its shares of the two sums."""

    name: str
    yb: int
    eb: int
    ya: int
    ea: int
    over: float
    under: float


@dataclass(frozen=True, slots=True)
class Sums:
    """All of them. ratio None: no kind of run has occasions on both sides."""

    rows: tuple[Row, ...]
    yb: int
    eb: int
    ya: int
    ea: int
    over: float
    under: float
    ratio: float | None
    including: bool  # the days that led to the rule are in it


def sums(strata: Sequence[Stratum], *, including: bool) -> Sums:
    """The Mantel-Haenszel sums of kinds of runs that have occasions on both sides."""
    rows = tuple(_row(each) for each in strata if each.occasions_before and each.occasions_after)
    over, under = fsum(row.over for row in rows), fsum(row.under for row in rows)
    return Sums(
        rows,
        sum(row.yb for row in rows),
        sum(row.eb for row in rows),
        sum(row.ya for row in rows),
        sum(row.ea for row in rows),
        over,
        under,
        (over + HALF) / (under + HALF) if rows else None,
        including,
    )


def _row(each: Stratum) -> Row:
    yb, eb, ya, ea = (
        each.errors_before, each.occasions_before, each.errors_after, each.occasions_after,
    )  # fmt: skip
    return Row(each.name, yb, eb, ya, ea, ya * eb / (eb + ea), yb * ea / (eb + ea))
