"""Forty rules in one report, ten of which halve their errors: how many of those told are chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dream.audit.assess import assess
from dream.audit.multiplicity import together
from tests.bench_audit.observe import PLAN, naive, observed
from tests.bench_audit.scenarios import World
from tests.bench_audit.simulate import Archive, archive

RULES, EFFECTIVE, FREE = 40, 10, 8
RATIO = 0.5
CROWD = World(projects=RULES + FREE)
"""A project a rule, and some without one: the controls of all, so that rules hang together."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Of one report: rules told to have helped, and those among them that do nothing."""

    helped: int
    false: int
    by_e: int
    by_e_false: int
    alone: int  # without the adjustment for many rules
    alone_false: int
    naive: int
    naive_false: int


def report(seed: Sequence[int]) -> Listed:
    rng = np.random.default_rng(list(seed))
    seen = _planted(archive(CROWD, rng), rng)
    free = tuple(range(RULES, RULES + FREE))
    told = []
    for rule in range(RULES):
        one = observed(seen, CROWD, own=rule)
        kept = tuple(each for each in one.by_project if int(each.unit[1:]) in free)
        told.append(assess(PLAN, replace(one, by_project=kept)))
    found = together(told, PLAN.budget.fdr)
    alone = [rule for rule, one in enumerate(told) if one.verdict == "helped"]
    stands = [rule for rule in alone if found.standings[rule].stands]
    by_e = [rule for rule in alone if found.standings[rule].by_e]
    plain = [rule for rule in range(RULES) if _naive(replace(seen, own=rule))]
    counts = [len(each) for each in (stands, by_e, alone, plain)]
    false = [sum(rule >= EFFECTIVE for rule in each) for each in (stands, by_e, alone, plain)]
    return Listed(*(n for pair in zip(counts, false, strict=True) for n in pair))


def _planted(seen: Archive, rng: np.random.Generator) -> Archive:
    """Half of the errors of some rules' projects are taken away after the landing, one by one."""
    errors = seen.errors.copy()
    rows = np.flatnonzero((seen.project < EFFECTIVE) & (seen.day >= 0))
    errors[rows, 0] = rng.binomial(errors[rows, 0].astype(np.int64), RATIO)
    return replace(seen, errors=errors)


def _naive(seen: Archive) -> bool:
    return any(each.high < 0 for each in naive(seen, range(1, 61)))
