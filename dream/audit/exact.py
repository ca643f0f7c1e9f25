"""The rate ratio of two counts without any approximation: what is left when there are few.

Given the sum, the count after is binomial; limits are those of Clopper and Pearson (central), as in
R's poisson.test. Source: Przyborowski & Wilenski 1940; Fay 2010.
"""

import math
from dataclasses import dataclass

from dream.audit.assessment import Estimate

CLOSE = 1e-13


def exact_ratio(
    before: int, after: int, occasions_before: float, occasions_after: float, confidence: float
) -> Estimate:
    """After by before. A limit is None where there is none: no error on a side."""
    count, scale = before + after, occasions_before / occasions_after
    share = (1 - confidence) / 2
    low = _share(share, after, count, upper=True) if after else None
    high = _share(share, after, count, upper=False) if before else None
    return Estimate(
        scale * low / (1 - low) if low is not None else None,
        scale * after / before if before else None,
        scale * high / (1 - high) if high is not None else None,
    )


@dataclass(frozen=True, slots=True)
class Chances:
    """p values: of so few or fewer after, of so many or more, of anything no likelier."""

    less: float
    more: float
    both: float


def chances(
    before: int, after: int, occasions_before: float, occasions_after: float, null: float = 1.0
) -> Chances:
    """Were the ratio `null`."""
    count = before + after
    share = null * occasions_after / (occasions_before + null * occasions_after)
    seen = _chance(after, count, share) * (1 + 1e-7)
    each = (_chance(k, count, share) for k in range(count + 1))
    both = math.fsum(chance for chance in each if chance <= seen)
    return Chances(at_most(after, count, share), at_least(after, count, share), min(1.0, both))


def at_least(k: int, n: int, share: float) -> float:
    """The chance of k or more of n."""
    return math.fsum(_chance(i, n, share) for i in range(k, n + 1))


def at_most(k: int, n: int, share: float) -> float:
    """The chance of k or fewer of n."""
    return math.fsum(_chance(i, n, share) for i in range(k + 1))


def _chance(k: int, n: int, share: float) -> float:
    if share <= 0 or share >= 1:
        return float(k == (0 if share <= 0 else n))
    log = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(log + k * math.log(share) + (n - k) * math.log1p(-share))


def _share(wanted: float, k: int, n: int, *, upper: bool) -> float:
    """The share at which the chance of k or more (upper), or of k or fewer, is the wanted one."""
    low, high = 0.0, 1.0
    while high - low > CLOSE * max(low, 1e-3):
        middle = (low + high) / 2
        rising = at_least(k, n, middle) if upper else 1 - at_most(k, n, middle)
        low, high = (middle, high) if rising < (wanted if upper else 1 - wanted) else (low, middle)
    return (low + high) / 2
