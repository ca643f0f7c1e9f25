"""The conditional Poisson likelihood of a log rate ratio, on a grid, with strata and controls.

Stratum k has errors yb, ya and opportunities eb, ea before and after. Given their sum, the share
before is binomial with p = eb / (eb + exp(eta) ea), whatever the stratum's own rate; zero counts
need no correction. Source: the likelihood of the conditional maximized SPRT (Li & Kulldorff 2010).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEP = 0.02
EDGE = 8.0
_REACH = 6  # sd of the controls' spread that is integrated over

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """log L over the grid, up to a constant that is the same everywhere."""

    eta: Floats
    log: Floats

    @property
    def at_null(self) -> float:
        return float(self.log[len(self.log) // 2])

    def best(self) -> float:
        """The maximiser, by a parabola through the highest point and its neighbours."""
        top = int(np.argmax(self.log))
        if top in (0, len(self.log) - 1):
            return float(self.eta[top])
        left, here, right = (float(self.log[top + each]) for each in (-1, 0, 1))
        bend = left - 2 * here + right
        return float(self.eta[top]) + (STEP * 0.5 * (left - right) / bend if bend else 0.0)

    def interval(self, floor: float) -> tuple[float | None, float | None]:
        """Where log L is at least floor; None for a side that the grid does not reach.

        An interval of no width at the maximum when the floor lies above it.
        """
        inside = np.flatnonzero(self.log >= floor)
        if not len(inside):
            return self.best(), self.best()
        low, high = int(inside[0]), int(inside[-1])
        return (
            None if low == 0 else self._crossing(low - 1, low, floor),
            None if high == len(self.log) - 1 else self._crossing(high + 1, high, floor),
        )

    def _crossing(self, outside: int, inside: int, floor: float) -> float:
        a, b = float(self.log[outside]), float(self.log[inside])
        share = (floor - a) / (b - a)
        return float(self.eta[outside]) + share * float(self.eta[inside] - self.eta[outside])

    def likely(self, z: float) -> tuple[float | None, float | None]:
        """The likelihood interval of a two-sided normal quantile."""
        return self.interval(float(self.log.max()) - z * z / 2)


def curve(
    errors: Floats, occasions: Floats, phi: float, shift: float = 0.0, spread: float = 0.0
) -> Curve:
    """The likelihood of the rule's own log rate ratio.

    errors, occasions: [stratum, side], before and after; both sides of each have occasions.
    phi: over-dispersion, 1 or more. shift, spread: mean and variance of what the log rate ratio is
    without a rule, as controls tell it; it is integrated out.
    """
    offsets = math.ceil(_REACH * math.sqrt(spread) / STEP) if spread > 0 else 0
    half = round(EDGE / STEP) + offsets
    wide: Floats = np.arange(-half, half + 1, dtype=np.float64) * STEP
    raw = _raw(errors, occasions, wide + shift) / phi
    grid = wide[offsets : len(wide) - offsets]
    if not offsets:
        return Curve(grid, raw)
    steps = np.arange(-offsets, offsets + 1, dtype=np.float64) * STEP
    weights = np.exp(-(steps**2) / (2 * spread))
    top = float(raw.max())
    mixed: Floats = np.convolve(np.exp(raw - top), weights / weights.sum(), mode="valid")
    return Curve(grid, np.log(np.maximum(mixed, 1e-300)) + top)


def _raw(errors: Floats, occasions: Floats, eta: Floats) -> Floats:
    """The sum over strata of yb log p + ya log(1 - p)."""
    both = np.log(occasions[:, :1] + np.exp(eta) * occasions[:, 1:])
    constant = float((errors * np.log(occasions)).sum())
    found: Floats = constant + eta * float(errors[:, 1].sum()) - errors.sum(axis=1) @ both
    return found


@dataclass(frozen=True, slots=True)
class Evidence:
    """e-values against "no difference": two-sided, for fewer, for more; log of int L pi."""

    two_sided: float
    fewer: float
    more: float
    log_mixture: float


def evidence(likelihood: Curve, mixing: float) -> Evidence:
    """Mixture e-values with a normal prior of sd `mixing` on the log rate ratio."""
    eta = likelihood.eta
    prior = np.exp(-(eta**2) / (2 * mixing**2)) / (mixing * math.sqrt(2 * math.pi)) * STEP
    top = float(likelihood.log.max())
    mass = np.exp(likelihood.log - top) * prior
    middle = len(eta) // 2
    # the trapezoid rule up to the middle, with the first term of what it leaves out
    bent = float(mass[middle + 1] - mass[middle - 1]) / 24
    less = float(mass[:middle].sum() + mass[middle] / 2) - bent
    more = float(mass[middle + 1 :].sum() + mass[middle] / 2) + bent
    scale = math.exp(min(top - likelihood.at_null, 700.0))
    return Evidence(
        (less + more) * scale, 2 * less * scale, 2 * more * scale, math.log(less + more) + top
    )


def sequence(likelihood: Curve, found: Evidence, alpha: float) -> tuple[float | None, float | None]:
    """The interval that holds on all nights at once with 1 - alpha.

    Source: prior-posterior-ratio confidence sequence (Waudby-Smith & Ramdas 2020).
    """
    return likelihood.interval(found.log_mixture + math.log(alpha))
