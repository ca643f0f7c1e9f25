"""How far a finding could be something else. None of this ever makes a verdict better."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dream.audit.assessment import Estimate
from dream.audit.series import Floats, Series, Sides, Span, joined


def e_value(ratio: float, limits: tuple[float | None, float | None]) -> tuple[float, float]:
    """How strongly something unmeasured would have to hang on both the rule and the errors to
    explain the ratio away, and the same for the limit nearer to 1 (1 where it covers 1).

    Source: VanderWeele & Ding 2017.
    """
    low, high = limits
    near = low if ratio > 1 else high
    covered = near is None or (low is not None and low <= 1 <= (high or math.inf))
    covered = covered or (low is None and (high or 0) >= 1)
    return _e_value(ratio), 1.0 if covered or near is None else _e_value(near)


def _e_value(ratio: float) -> float:
    up = ratio if ratio >= 1 else 1 / ratio
    return up + math.sqrt(up * (up - 1))


@dataclass(frozen=True, slots=True)
class Expected:
    """What a unit would have had, were its bad days chance in part."""

    weight: float  # of the reference, 0 to 1
    mean: float
    sd: float


def shrunk(counts: Sequence[float], reference: float, dispersion: float) -> Expected:
    """Empirical Bayes for a unit chosen for its bad record. Source: Hauer et al. 2002.

    reference: what units like it have in a period; dispersion: of the negative binomial, in the
    unit of the reference (its shape parameter).
    """
    whole = reference * len(counts)
    weight = 1 / (1 + whole / dispersion)
    mean = weight * whole + (1 - weight) * math.fsum(counts)
    return Expected(weight, mean, math.sqrt((1 - weight) * mean))


def bayes_ratio(
    own: Sides, reference: Sequence[Series], before: Span, drift: float, z: float = 1.645
) -> Estimate | None:
    """Errors after by what was to be expected, the record before drawn towards that of its like.

    The like are other projects before the landing, stratum by stratum; what they moved since, the
    drift (a log ratio), is expected of this one too. None where there are too few of them.
    Source: Hauer et al. 2002, the index of effectiveness and its variance.
    """
    rates = _rates(reference, before)
    if rates is None:
        return None
    usual = _expected(own.runs, rates)
    early, late = float(usual[~own.after].sum()), float(usual[own.after].sum())
    shape = _shape(reference, before, rates)
    if early <= 0 or late <= 0 or shape is None:
        return None
    told = shrunk([float(own.runs.errors[~own.after].sum())], early, shape)
    growth = late / early * math.exp(drift)
    expected, variance = told.mean * growth, (told.sd * growth) ** 2
    seen = float(own.runs.errors[own.after].sum())
    if expected <= 0 or seen <= 0:
        return None
    bent = variance / expected**2
    point = seen / expected / (1 + bent)
    reach = z * math.sqrt(1 / seen + bent)
    return Estimate(point * math.exp(-reach), point, point * math.exp(reach))


def _rates(reference: Sequence[Series], before: Span) -> dict[int, float] | None:
    """Errors per occasion by stratum, all reference units together."""
    if not reference:
        return None
    runs = joined([_early(unit, before) for unit in reference])
    if not runs.errors.sum():
        return None
    names, codes = np.unique(runs.stratum, return_inverse=True)
    errors = np.bincount(codes, weights=runs.errors)
    occasions = np.bincount(codes, weights=runs.occasions)
    told = zip(names.tolist(), errors.tolist(), occasions.tolist(), strict=True)
    return {name: e / o for name, e, o in told if o > 0}


def _early(unit: Series, before: Span) -> Series:
    return unit.where((unit.day >= before[0]) & (unit.day < before[1]))


def _expected(runs: Series, rates: Mapping[int, float]) -> Floats:
    """What units like it have in each of these runs; strata that they lack count nothing."""
    rate = np.array([rates.get(each, 0.0) for each in runs.stratum.tolist()])
    found: Floats = runs.occasions * rate
    return found


def _shape(reference: Sequence[Series], before: Span, rates: Mapping[int, float]) -> float | None:
    """How alike the reference units are: the shape of a gamma distribution, by moments."""
    told = [_early(unit, before) for unit in reference]
    pairs = [(float(t.errors.sum()), float(_expected(t, rates).sum())) for t in told]
    pairs = [(seen, usual) for seen, usual in pairs if usual > 0]
    if len(pairs) < 3:
        return None
    extra = math.fsum((seen - usual) ** 2 - usual for seen, usual in pairs)
    spread = extra / math.fsum(usual**2 for _, usual in pairs)
    return 1 / max(spread, 0.01)
