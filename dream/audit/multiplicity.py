"""Several rules in one report: which findings stand when all of them were looked at.

Sources: Benjamini & Hochberg 1995; Wang & Ramdas 2022 (e-BH).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dream.audit.assessment import Assessment


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


DIRECTION: Mapping[str, str] = {
    "helped": "p_fewer", "hurt": "p_more", "helped (path)": "p_shorter", "hurt (path)": "p_longer",
}  # fmt: skip
"""Findings of one direction, and the p that they rest on. A mixed one rests on two."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One rule among all that were looked at. None: its gates are closed, so it was not tested."""

    p: float | None  # of its better direction, adjusted for all rules and both directions
    stands: bool  # its finding is one at the rate asked for; True where it has none
    by_e: bool = False  # e-values find it too, whatever hangs on what


@dataclass(frozen=True, slots=True)
class Together:
    """Of all rules of a report. wrong: how many of the findings are expected to be chance."""

    standings: tuple[Standing, ...]
    findings: int
    wrong: float


def together(told: Sequence[Assessment], q: float) -> Together:
    """Findings that do not survive that all rules were looked at do not stand.

    Errors and paths are two families: the path's p stand beside those of the errors.
    """
    tested = [number for number, one in enumerate(told) if one.p is not None]
    errors = _family([(told[n].p_fewer, told[n].p_more) for n in tested], tested)
    paths = [(n, one.path) for n, one in enumerate(told) if one.path is not None]
    ways = _family([(path.p_shorter, path.p_longer) for _, path in paths], [n for n, _ in paths])
    e = [value for n in tested for value in (told[n].e_fewer, told[n].e_more)]
    count = e_found(e, q)
    least = sorted(e, reverse=True)[count - 1] if count else float("inf")
    standings = tuple(
        Standing(
            min(errors[n]) if n in errors else None,
            _stands(one, errors.get(n), ways.get(n), q),
            n in errors and max(one.e_fewer, one.e_more) >= least,
        )
        for n, one in enumerate(told)
    )
    listed = sum(one.verdict in DIRECTION and s.stands
                 for one, s in zip(told, standings, strict=True))  # fmt: skip
    return Together(standings, listed, q * listed)


def _family(
    pairs: Sequence[tuple[float, float]], numbers: Sequence[int]
) -> dict[int, tuple[float, float]]:
    """Adjusted p of both directions, by rule."""
    whole = adjusted([p for pair in pairs for p in pair])
    return {n: (whole[2 * place], whole[2 * place + 1]) for place, n in enumerate(numbers)}


def _stands(
    one: Assessment,
    errors: tuple[float, float] | None,
    path: tuple[float, float] | None,
    q: float,
) -> bool:
    name = DIRECTION.get(one.verdict)
    if name is None:
        return True
    pair = errors if name in ("p_fewer", "p_more") else path
    return pair is not None and pair[name in ("p_more", "p_longer")] <= q
