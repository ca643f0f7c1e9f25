"""What is planted in a simulated archive: fifteen worlds without an effect, ten with one."""

from dataclasses import dataclass, replace
from typing import Literal

Trigger = Literal["", "relative", "absolute"]


@dataclass(frozen=True, slots=True)
class World:
    """One kind of archive. Ratios are after by before; days count from the landing."""

    projects: int = 8
    runs_a_day: float = 3.0  # of a project, on a working day
    errors_a_call: float = 0.03
    shock_sd: float = 0.0  # of the day's own luck, log scale, carried on with 0.8
    trigger: Trigger = ""  # the rule is written after a burst, or on a day of its own
    drift: float = 0.0  # share of tasks that become easy (> 0) or hard (< 0) about the landing
    upgrade: int | None = None  # day of a new model: errors x 0.7, paths x 0.9, everywhere
    upgrade_sd: float = 0.0  # how differently it acts on the classes of error
    trend: float = 0.0  # of log errors a day, everywhere
    own_trends: float = 0.0  # sd over projects of the same
    other_rule: int | None = None  # day on which another rule takes 40 % of the errors away
    patience: float = 6.0  # median length, in twenties of calls, at which a run is given up
    abort_limit: float = 1.0  # how that changes with the landing, in the rule's project
    rate_ratio: float = 1.0
    path_ratio: float = 1.0
    history: int = 90
    withheld: float = 0.0  # share of sessions after the landing that are not told the rule


CLEAN = World()
ALL = World(shock_sd=0.4, trigger="relative", drift=0.8, upgrade=5, trend=-0.004)
SINGLE = World(projects=1, shock_sd=0.4, trigger="relative", upgrade=5, trend=-0.004)
DENSE = World(runs_a_day=12, errors_a_call=0.06)

WORLDS: dict[str, World] = {
    "S0_null_clean": CLEAN,
    "S1_null_rtm": World(shock_sd=0.4, trigger="relative"),
    "S1b_null_rtm_absolute": World(shock_sd=0.4, trigger="absolute"),
    "S2a_null_easier_tasks": World(drift=0.8),
    "S2b_null_harder_tasks": World(drift=-0.8),
    "S3_null_model_upgrade": World(upgrade=5),
    "S4_null_trend": World(trend=-0.008),
    "S5_null_clustered": World(shock_sd=0.7),
    "S6_null_all": ALL,
    "S7_null_het_trend": World(own_trends=0.005),
    "S8_null_corule": World(other_rule=7),
    "S9_null_abort_shift": World(patience=2.5, abort_limit=0.4),
    "S10_null_upgrade_by_class": World(upgrade=5, upgrade_sd=0.35),
    "S11_null_single_project": SINGLE,
    "S12_null_single_by_class": replace(SINGLE, upgrade_sd=0.35),
    "E1_rr50_clean": World(rate_ratio=0.5, path_ratio=0.85),
    "E2_rr50_all": replace(ALL, rate_ratio=0.5, path_ratio=0.85),
    "E3_rr25_all": replace(ALL, rate_ratio=0.25, path_ratio=0.75),
    "E4_rr70_clean": World(rate_ratio=0.7, path_ratio=0.9),
    "E5_hurt160_all": replace(ALL, rate_ratio=1.6, path_ratio=1.2),
    "E6_hurt200_clean": World(rate_ratio=2.0, path_ratio=1.3),
    "E7_null_dense": DENSE,
    "E8_rr50_dense_all": replace(ALL, runs_a_day=12, errors_a_call=0.06, rate_ratio=0.5),
    "E9_rr50_single": World(projects=1, rate_ratio=0.5, path_ratio=0.85),
    "E10_rr70_dense": replace(DENSE, rate_ratio=0.7, path_ratio=0.9),
}
EXTRA: dict[str, World] = {
    "X1_null_few_controls": World(projects=4, own_trends=0.005),
    "X2_null_withheld": World(withheld=0.3, upgrade=5, trend=-0.008, runs_a_day=6),
    "X3_rr50_withheld": World(withheld=0.3, upgrade=5, rate_ratio=0.5, runs_a_day=6),
    "X4_null_sparse": World(errors_a_call=0.008),
}
"""Worlds that the design does not measure, and that people will meet."""


def is_null(world: World) -> bool:
    return world.rate_ratio == 1.0
