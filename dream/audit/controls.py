"""What changes without a rule: other units, each with its own before and after, taken together.

Source: DerSimonian & Laird 1986; the prediction interval of Higgins et al. 2009.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dream.audit.quantiles import widening


@dataclass(frozen=True, slots=True)
class Drift:
    """mean: of the log ratios. variance: of that mean. tau2: how differently units drift."""

    mean: float
    variance: float
    tau2: float
    units: int

    @property
    def spread(self) -> float:
        """Variance of what a further unit would do: few units tell it badly, so it is widened."""
        return (self.variance + self.tau2) * widening(max(self.units - 2, 2))


def drift(logs: Sequence[float], variances: Sequence[float]) -> Drift:
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
    return Drift(mean, 1 / whole, tau2, len(logs))
