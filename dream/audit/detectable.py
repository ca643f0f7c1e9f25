"""The smallest effect that the data could have shown: printed wherever none was found."""

import math

from dream.audit.looks import Look
from dream.audit.quantiles import mixture_half_width
from dream.plan import Plan

POWER_Z = 0.84
"""Seen with a probability of 0.8."""
ROUNDS = 40
CLOSE = 1e-4
LEAST = 0.2
"""A fall beyond it leaves too few errors for any of this to hold."""


def detectable(
    plan: Plan, told: Look, *, growth: float = 1.0, z: float | None = None
) -> float | None:
    """The rate ratio below 1 that would just be seen; None where no fall would be.

    growth: what comes after by then over what came so far. z: of a closing look; None for the
    boundary of any night. Fewer errors after tell less, so that the ratio answers for itself.
    """
    before, _ = told.errors
    runs, after = told.compared.runs, told.compared.after
    exposure = float(runs.occasions[after].sum()) * growth / float(runs.occasions[~after].sum())
    return smallest(plan, before, exposure, told.phi, told.spread, z)


def smallest(
    plan: Plan, before: float, exposure: float, phi: float, spread: float, z: float | None
) -> float | None:
    """before: errors. exposure: occasions after by before. phi, spread: as in a look."""
    if before <= 0 or exposure <= 0:
        return None

    def short(eta: float) -> bool:
        """Whether this is too little to be seen."""
        variance = phi * (1 / before + 1 / (before * exposure * math.exp(eta))) + spread
        return -eta < _reach(plan, variance, z) + POWER_Z * math.sqrt(variance)

    steps = (math.log(LEAST) * step / ROUNDS for step in range(1, ROUNDS + 1))
    low = next((eta for eta in steps if not short(eta)), None)
    if low is None:
        return None
    high = low - math.log(LEAST) / ROUNDS
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if short(middle) else (middle, high)
    return math.exp(low)


def _reach(plan: Plan, variance: float, z: float | None) -> float:
    if z is not None:
        return z * math.sqrt(variance)
    return mixture_half_width(variance, plan.budget.mixing, 2 * plan.budget.any_night)
