"""Several closing looks under one budget: which z each of them has to pass.

The looks see more and more of the same data, so their z values hang together as a Brownian motion
in information time; the chance of passing a bound first at each look is integrated numerically.
Sources: Armitage, McPherson & Rowe 1969 (the recursion); Lan & DeMets 1983 (spending).
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dream.audit.quantiles import normal, tail

Floats = NDArray[np.float64]

POINTS = 301  # of the grid between the bounds; odd, for Simpson's rule
FARTHEST = 8.0  # sd below which nothing is left
CLOSE = 1e-9
THREE = (0.5, 0.8, 1.0)
"""Information at a third, two thirds and all of the nights: what was before is there already."""


def exits(bounds: Sequence[float], information: Sequence[float], *, both: bool = False) -> Floats:
    """The chance of passing a bound for the first time at each look, nothing being there.

    bounds: z, one a look. information: shares of the last look's, rising to 1. both: passing on
    either side counts.
    """
    found = np.zeros(len(bounds))
    place, weight = np.zeros(1), np.ones(1)
    before = 0.0
    for look, (bound, share) in enumerate(zip(bounds, information, strict=True)):
        step = math.sqrt(share - before)
        high = bound * math.sqrt(share)
        low = -high if both else -FARTHEST * math.sqrt(share)
        found[look] = float(weight @ _beyond((high - place) / step))
        if both:
            found[look] += float(weight @ _beyond((place - low) / step))
        inner = np.linspace(low, high, POINTS)
        move = (inner[:, None] - place[None, :]) / step
        density = np.exp(-move * move / 2) @ weight / (step * math.sqrt(2 * math.pi))
        place, weight = inner, density * _simpson(low, high)
        before = share
    return found


def _beyond(z: Floats) -> Floats:
    return np.array([tail(each) for each in z])


def _simpson(low: float, high: float) -> Floats:
    weights = np.full(POINTS, 2.0)
    weights[1::2] = 4.0
    weights[0] = weights[-1] = 1.0
    return weights * (high - low) / (3 * (POINTS - 1))


def solved(wanted: float, risk: Callable[[float], float], low: float = 0.0) -> float:
    """The bound at which a falling risk is the wanted one, by bisection."""
    high = FARTHEST
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (middle, high) if risk(middle) > wanted else (low, middle)
    return (low + high) / 2


def spent(alpha: float, share: float) -> float:
    """What may be spent by then, one-sided: little of it early, as O'Brien and Fleming do."""
    return 2 * tail(-normal(alpha / 2) / math.sqrt(share))


def bounds(alpha: float, information: Sequence[float]) -> tuple[float, ...]:
    """One z a look, so that passing any of them by chance has the probability alpha, one-sided."""
    found: list[float] = []
    for look, share in enumerate(information):
        before = spent(alpha, information[look - 1]) if look else 0.0
        more = spent(alpha, share) - before

        def risk(z: float, known: Sequence[float] = tuple(found), look: int = look) -> float:
            return float(exits([*known, z], information[: look + 1])[look])

        found.append(solved(more, risk))
    return tuple(found)


@cache
def closing(alpha: float, looks: str) -> tuple[float, ...]:
    """The z of the closing looks of a plan: one at its horizon, or three."""
    return (-normal(alpha),) if looks == "one" else bounds(alpha, THREE)


def p_value(z: Sequence[float], alpha: float, looks: str) -> float:
    """One-sided p of closing looks up to now, ordered by the look that first passed its bound.

    z: of the looks that were taken, in the direction asked for. 1 before the first.
    """
    if not z:
        return 1.0
    if looks == "one":
        return tail(z[-1])
    limits = closing(alpha, looks)
    last = next((n for n, each in enumerate(z) if each >= limits[n]), len(z) - 1)
    found = exits([*limits[:last], z[last]], THREE[: last + 1])
    return min(1.0, float(found.sum()))
