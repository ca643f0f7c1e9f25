"""Several rules in one report: which findings stand when all of them were looked at.

Sources: Benjamini & Hochberg 1995; Wang & Ramdas 2022 (e-BH).
"""

from collections.abc import Sequence


def adjusted(p: Sequence[float]) -> list[float]:
    """Benjamini-Hochberg p values, in the order given: those at most q are found at rate q."""
    count = len(p)
    order = sorted(range(count), key=lambda number: (-p[number], number))
    found = [1.0] * count
    least = 1.0
    for place, number in enumerate(order):
        least = min(least, p[number] * count / (count - place))
        found[number] = least
    return found


def e_found(e: Sequence[float], q: float) -> int:
    """How many of the largest e-values are findings at rate q, whatever hangs on what."""
    ranked = sorted(e, reverse=True)
    kept = [k for k, value in enumerate(ranked, start=1) if value >= len(ranked) / (q * k)]
    return max(kept, default=0)
