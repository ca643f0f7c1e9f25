"""What changes without a rule: other units, each with its own before and after, taken together.

Sources: DerSimonian & Laird 1986; the prediction interval of Higgins et al. 2009.
How differently units drift is told badly by three or four of them, so that what is usual counts for
some units more: with three controls this makes many more rules comparable, at the same error.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dream.audit.quantiles import widening

USUAL_SD = 0.2
"""How differently error rates of units drift, sd of their log ratios, before any unit is seen."""
USUAL_UNITS = 4.0
"""What that is worth in units."""


@dataclass(frozen=True, slots=True)
class Drift:
    """mean: of the log ratios. variance: of that mean. tau2: how differently units drift.

    usual: the sd that tau2 is drawn towards.
    """

    mean: float
    variance: float
    tau2: float
    units: int
    usual: float = USUAL_SD

    @property
    def spread(self) -> float:
        """Variance of what a further unit would do, widened as so few units tell it."""
        freedom = USUAL_UNITS + self.units - 1
        tau2 = (USUAL_UNITS * self.usual**2 + (self.units - 1) * self.tau2) / freedom
        return (self.variance + tau2) * widening(freedom)


def drift(logs: Sequence[float], variances: Sequence[float], usual: float = USUAL_SD) -> Drift:
    """Random-effects mean of the units' log ratios; at least two of them."""
    weights = [1 / each for each in variances]
    total = math.fsum(weights)
    fixed = math.fsum(w * y for w, y in zip(weights, logs, strict=True)) / total
    q = math.fsum(w * (y - fixed) ** 2 for w, y in zip(weights, logs, strict=True))
    scale = total - math.fsum(w * w for w in weights) / total
    tau2 = max(0.0, (q - (len(logs) - 1)) / scale) if scale > 0 else 0.0
    shared = [1 / (each + tau2) for each in variances]
    whole = math.fsum(shared)
    mean = math.fsum(w * y for w, y in zip(shared, logs, strict=True)) / whole
    return Drift(mean, 1 / whole, tau2, len(logs), usual)
