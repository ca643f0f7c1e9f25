"""How alike the sides are in what was known beforehand, before matching and after it."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import stdev

from dream.audit.figures import Balance
from dream.audit.worked import Worked

Covariate = Callable[[Worked], float]

MOST_MODELS = 4


def balance(
    before: Sequence[Worked], after: Sequence[Worked], stratum: Mapping[str, int]
) -> tuple[Balance, ...]:
    """Standardized mean differences, after less before; the scale is that of the runs after.

    stratum: by run id the matched kind it is of; runs that are not in it were left out. Runs before
    are weighted so that each kind has the share it has after (coarsened exact matching).
    """
    kept_before = [run for run in before if run.run.run_id in stratum]
    kept_after = [run for run in after if run.run.run_id in stratum]
    weights = _weights(kept_before, kept_after, stratum)
    even = [1.0] * len(before)
    found = []
    for name, of in covariates([*before, *after]).items():
        scale = _scale(before, after, of)
        whole = _difference(before, even, after, of, scale)
        matched = _difference(kept_before, weights, kept_after, of, scale)
        if whole is not None:
            found.append(Balance(name, whole, 0.0 if matched is None else matched))
    return tuple(found)


def covariates(runs: Sequence[Worked]) -> dict[str, Covariate]:
    """What was known before a run began; models that few runs have are left out."""
    models = Counter(run.run.model or "" for run in runs)
    shown = sorted(models, key=lambda name: (-models[name], name))[:MOST_MODELS]
    found: dict[str, Covariate] = {
        "length of the request (log)": lambda run: math.log1p(run.request.length),
        "files named": lambda run: float(min(run.request.files, 10)),
        "first of its session": lambda run: float(run.request.fresh),
        "asked by a person": lambda run: float(run.run.asked),
        "weekend": lambda run: float(run.run.started is not None and run.run.started.weekday() > 4),
    }
    for task in ("ask", "fix", "build", "write", "ship", "go_on"):
        found[f"task: {task.replace('_', ' ')}"] = _is_task(task)
    if len(models) > 1:
        found |= {f"model: {name or 'not told'}": _is_model(name) for name in shown}
    return found


def _is_task(task: str) -> Covariate:
    return lambda run: float(run.request.task == task)


def _is_model(name: str) -> Covariate:
    return lambda run: float((run.run.model or "") == name)


def _weights(
    before: Sequence[Worked], after: Sequence[Worked], stratum: Mapping[str, int]
) -> list[float]:
    here = Counter(stratum[run.run.run_id] for run in before)
    there = Counter(stratum[run.run.run_id] for run in after)
    return [there[kind] / here[kind] for run in before for kind in [stratum[run.run.run_id]]]


def _difference(
    before: Sequence[Worked],
    weights: Sequence[float],
    after: Sequence[Worked],
    of: Covariate,
    scale: float,
) -> float | None:
    """None where a side has no run, or where nothing differs at all."""
    if not before or not after or not math.fsum(weights) or scale <= 0:
        return None
    late = math.fsum(map(of, after)) / len(after)
    early = math.fsum(w * of(run) for w, run in zip(weights, before, strict=True))
    return (late - early / math.fsum(weights)) / scale


def _scale(before: Sequence[Worked], after: Sequence[Worked], of: Covariate) -> float:
    """The standard deviation after; where all runs after are the same, that before."""
    for side in (after, before):
        values = [of(run) for run in side]
        if len(values) > 1 and (spread := stdev(values)) > 0:
            return spread
    return 0.0
