"""Quantiles of the normal and of Student's distribution, and of what they are used for."""

import math
from statistics import NormalDist

_NORMAL = NormalDist()


def normal(share: float) -> float:
    """The point below which this share of the normal distribution lies."""
    return _NORMAL.inv_cdf(share)


def tail(z: float) -> float:
    """The share of the normal distribution that lies above z; exact far out too."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def student(share: float, freedom: float) -> float:
    """The same for Student's distribution; exact for 1 and 2 degrees, within 0.2 % above.

    Source: the expansion of Abramowitz & Stegun 26.7.5.
    """
    if freedom <= 1:
        return math.tan(math.pi * (share - 0.5))
    if freedom <= 2:
        return (2 * share - 1) / math.sqrt(2 * share * (1 - share))
    z = normal(share)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def widening(freedom: float) -> float:
    """How much a variance is to be taken larger because so few days told it."""
    return (student(0.975, max(freedom, 1)) / normal(0.975)) ** 2


def mixture_half_width(variance: float, mixing: float, alpha: float) -> float:
    """Half the width of a normal estimate's interval that holds on all nights at once.

    Source: Robbins 1970; Howard, Ramdas, McAuliffe & Sekhon 2021.
    """
    both = variance + mixing**2
    return math.sqrt(variance * both / mixing**2 * math.log(both / (variance * alpha**2)))


def mixture_evidence(estimate: float, variance: float, mixing: float) -> float:
    """The two-sided e-value of a normal estimate. Source: Johari et al. 2022 (mSPRT)."""
    both = variance + mixing**2
    gain = estimate**2 * mixing**2 / (2 * variance * both)
    return math.sqrt(variance / both) * math.exp(min(gain, 700.0))


def evidence_below(estimate: float, variance: float, mixing: float) -> float:
    """The one-sided one, for less than nothing: half the mixture, taken twice."""
    both = variance + mixing**2
    middle, sd = estimate * mixing**2 / both, math.sqrt(variance * mixing**2 / both)
    return 2 * mixture_evidence(estimate, variance, mixing) * tail(middle / sd)
