"""How alike the sides are in what was known beforehand, before matching and after it."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dream.audit.figures import Balance
from dream.audit.matching import difference, spread, weights
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
    even = [1.0] * len(before), [1.0] * len(after)
    kinds = ([stratum.get(run.run.run_id, f"-{side}") for run in runs]
             for side, runs in enumerate((before, after)))  # fmt: skip
    matched = weights(*kinds)
    found = []
    for name, of in covariates([*before, *after]).items():
        early, late = [of(run) for run in before], [of(run) for run in after]
        scale = spread(early, late)
        whole = difference(early, even[0], late, even[1], scale)
        inner = difference(early, matched[0], late, matched[1], scale)
        if whole is not None:
            found.append(Balance(name, whole, 0.0 if inner is None else inner))
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
