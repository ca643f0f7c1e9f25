"""Shares with the range they may lie in, and the difference of two."""

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
"""The normal quantile of 97.5 %."""


@dataclass(frozen=True, slots=True)
class Share:
    """count of `of`. share, low and high are from 0 to 1, and None where `of` is 0."""

    count: int
    of: int
    share: float | None
    low: float | None  # of a 95 % interval
    high: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One share minus another, from -1 to 1."""

    difference: float
    low: float  # of a 95 % interval
    high: float


def share(count: int, of: int) -> Share:
    """A share with Wilson's score interval, which stays inside 0 to 1 and needs no large count.

    Raises ValueError unless 0 <= count <= of. It takes each case for a draw of its own; cases that
    come in bunches make the true range wider. Source: Wilson 1927.
    """
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no share")
    if of == 0:
        return Share(0, 0, None, None, None)
    part, squared = count / of, Z * Z
    middle = (part + squared / (2 * of)) / (1 + squared / of)
    half = Z / (1 + squared / of) * sqrt(part * (1 - part) / of + squared / (4 * of * of))
    low = 0.0 if count == 0 else middle - half
    high = 1.0 if count == of else middle + half
    return Share(count, of, part, low, high)


def difference(one: Share, other: Share) -> Difference | None:
    """The first minus the second, with Newcombe's interval; None where one has no cases.

    Source: Newcombe 1998, method 10, of two Wilson intervals; checked on examples of the paper in
    tests/audit/test_drift.py.
    """
    if one.share is None or one.low is None or one.high is None:
        return None
    if other.share is None or other.low is None or other.high is None:
        return None
    apart = one.share - other.share
    low = apart - sqrt((one.share - one.low) ** 2 + (other.high - other.share) ** 2)
    high = apart + sqrt((one.high - one.share) ** 2 + (other.share - other.low) ** 2)
    return Difference(apart, low, high)
