"""The conditional Poisson likelihood of a log rate ratio, on a grid, with strata and controls.

Stratum k has errors yb, ya and opportunities eb, ea before and after. Given their sum, the share
before is binomial with p = eb / (eb + exp(eta) ea), whatever the stratum's own rate; zero counts
need no correction. Source: the likelihood of the conditional maximized SPRT (Li & Kulldorff 2010).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dream.audit.rates import Stratum

STEP = 0.01
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


def curve(strata: Sequence[Stratum], phi: float, shift: float = 0.0, spread: float = 0.0) -> Curve:
    """The likelihood of the rule's own log rate ratio.

    phi: over-dispersion, 1 or more. shift, spread: mean and variance of what the log rate ratio is
    without a rule, as controls tell it; it is integrated out.
    """
    offsets = math.ceil(_REACH * math.sqrt(spread) / STEP) if spread > 0 else 0
    half = round(EDGE / STEP) + offsets
    wide: Floats = np.arange(-half, half + 1, dtype=np.float64) * STEP
    raw = _raw(strata, wide + shift) / phi
    grid = wide[offsets : len(wide) - offsets]
    if not offsets:
        return Curve(grid, raw)
    steps = np.arange(-offsets, offsets + 1, dtype=np.float64) * STEP
    weights = np.exp(-(steps**2) / (2 * spread))
    top = float(raw.max())
    mixed: Floats = np.convolve(np.exp(raw - top), weights / weights.sum(), mode="valid")
    return Curve(grid, np.log(np.maximum(mixed, 1e-300)) + top)


def _raw(strata: Sequence[Stratum], eta: Floats) -> Floats:
    total = np.zeros_like(eta)
    for one in strata:
        if one.eb <= 0 or one.ea <= 0:
            continue
        both = np.log(one.eb + np.exp(eta) * one.ea)
        total += one.yb * (math.log(one.eb) - both) + one.ya * (eta + math.log(one.ea) - both)
    return total


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
    less = float(mass[:middle].sum() + mass[middle] / 2)
    more = float(mass[middle + 1 :].sum() + mass[middle] / 2)
    scale = math.exp(min(top - likelihood.at_null, 700.0))
    return Evidence(
        (less + more) * scale, 2 * less * scale, 2 * more * scale, math.log(less + more) + top
    )


def sequence(likelihood: Curve, found: Evidence, alpha: float) -> tuple[float | None, float | None]:
    """The interval that holds on all nights at once with 1 - alpha.

    Source: prior-posterior-ratio confidence sequence (Waudby-Smith & Ramdas 2020).
    """
    return likelihood.interval(found.log_mixture + math.log(alpha))
