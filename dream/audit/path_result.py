"""What is told of the path: its ratio, and medians and means that assume little."""

from collections.abc import Sequence
from datetime import date

from dream.audit.assessment import PathResult
from dream.audit.observed import Observed
from dream.audit.path_looks import PathLook, path_course, path_looks
from dream.audit.pathlength import survival
from dream.plan import Plan

HIGH = 0.9
"""Means are taken up to the length that this share of all runs does not pass."""


def path_result(
    plan: Plan, seen: Observed, days: Sequence[tuple[int, float | None]]
) -> PathResult | None:
    """days: nights and the z of closing looks. None where no path can be compared."""
    looks = path_looks(plan, seen, days)
    if not looks:
        return None
    last, all_ = looks[-1], path_course(plan, looks)
    medians, means = _companions(last)
    return PathResult(
        all_.state,
        last.ratio(plan, last.z),
        medians,
        means,
        last.own.cut_off,
        last.own.runs,
        last.level,
        date.fromordinal(all_.crossed - 1) if all_.crossed else None,
        all_.p_shorter,
        all_.p_longer,
    )


def _companions(
    look: PathLook,
) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
    """Kaplan-Meier medians and restricted means, before and after."""
    runs, after = look.compared.runs, look.compared.after
    told = runs.steps > 0
    lengths = sorted(runs.steps[told].tolist())
    limit = lengths[int(HIGH * (len(lengths) - 1))]
    curves = [
        survival(runs.steps[mine].tolist(), runs.cut_off[mine].tolist())
        for mine in (told & ~after, told & after)
    ]
    medians, means = [c.median() for c in curves], [c.mean_up_to(limit) for c in curves]
    return (medians[0], medians[1]), (means[0], means[1])
