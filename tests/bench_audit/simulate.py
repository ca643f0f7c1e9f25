"""Archives in which the truth is known: runs of several projects around one rule's landing.

Sessions of some runs, kinds of tasks and difficulties, paths with a heavy tail and a limit to
patience, errors of four classes that hang on all of this, on the session and on the day's own luck.
What is planted stands in scenarios.World.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tests.bench_audit.scenarios import World

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TASKS = np.array([0.40, 0.30, 0.20, 0.10])  # refactor, feature, bugfix, docs
EASY_TASKS = np.array([0.10, 0.20, 0.35, 0.35])
HARD_TASKS = np.array([0.70, 0.20, 0.08, 0.02])
SIZES = np.array([0.30, 0.40, 0.30])  # low, mid, high
EASY_SIZES = np.array([0.70, 0.25, 0.05])
HARD_SIZES = np.array([0.05, 0.25, 0.70])
CALLS_OF_TASK = np.log([20.0, 18.0, 15.0, 7.0])
CALLS_OF_SIZE = np.array([-0.3, 0.0, 0.4])
ERRORS_OF_TASK = np.array([1.3, 1.0, 0.9, 0.4])
ERRORS_OF_SIZE = np.array([0.6, 1.0, 1.7])
SHARES = np.array([0.38, 0.27, 0.21, 0.14])
"""Of the four classes of error; the rule is about the first."""
WEEKEND = 0.35
AFTER = 60
FIRST_LANDING = 45
"""With a trigger, the first night on which the rule may land."""


@dataclass(frozen=True, slots=True)
class Archive:
    """Columns, one entry a run. Day 0 is the day after the rule landed."""

    project: Ints
    session: Ints
    day: Ints
    task: Ints
    size: Ints
    calls: Floats
    aborted: NDArray[np.bool_]
    errors: Floats  # [run, class]
    withheld: NDArray[np.bool_]
    own: int  # the project of the rule


@dataclass(frozen=True, slots=True)
class _Nature:
    """What is drawn once for an archive."""

    pace: Floats  # runs on a working day, by project
    long: Floats  # log of path, by project
    faulty: Floats  # log of error rate, by project and class
    slope: Floats  # of log errors a day, by project
    upgrade: Floats  # log of what the new model does, by class


def archive(world: World, rng: Generator) -> Archive:
    """One archive. With a trigger, histories are drawn until one fires."""
    nature = _nature(world, rng)
    while True:
        own = int(rng.integers(world.projects))
        shocks = _shocks(world, rng)
        landed = world.history
        past = _runs(world, nature, rng, 0, landed, shocks, own=None, landed=landed)
        if world.trigger:
            found = _fired(world, past)
            if found is None:
                continue
            own, landed = found
            past = _cut(past, landed)
        late = _runs(world, nature, rng, landed, landed + AFTER, shocks, own=own, landed=landed)
        return _joined(past, late, own, landed)


def _nature(world: World, rng: Generator) -> _Nature:
    p = world.projects
    return _Nature(
        world.runs_a_day * rng.gamma(8, 1 / 8, p),
        rng.normal(0, 0.25, p),
        rng.normal(0, 0.3, (p, 4)),
        world.trend + rng.normal(0, world.own_trends, p) if world.own_trends else
        np.full(p, world.trend),
        np.log(0.7) + rng.normal(0, world.upgrade_sd, 4) if world.upgrade_sd else
        np.full(4, np.log(0.7)),
    )  # fmt: skip


def _shocks(world: World, rng: Generator) -> Floats:
    """Log of each day's own luck, by project, day and class: AR(1) with 0.8."""
    days = world.history + AFTER
    noise = rng.normal(0, 1, (days, world.projects, 4))
    found = np.empty_like(noise)
    found[0] = noise[0]
    for day in range(1, days):
        found[day] = 0.8 * found[day - 1] + 0.6 * noise[day]
    made: Floats = np.moveaxis(found * world.shock_sd - world.shock_sd**2 / 2, 0, 1)
    return made


def _runs(
    world: World,
    nature: _Nature,
    rng: Generator,
    first: int,
    end: int,
    shocks: Floats,
    *,
    own: int | None,
    landed: int,
) -> Archive:
    """The runs of some days. own: the project in which what is planted for it happens."""
    project, session, day = _sessions(world, nature, rng, first, end)
    since = day - landed
    mine = project == own if own is not None else np.zeros(len(day), dtype=np.bool_)
    withheld = (rng.random(int(session.max()) + 1) < world.withheld)[session]
    withheld &= mine & (since >= 0)
    told = mine & (since >= 0) & ~withheld
    task, size = _kinds(world, rng, np.where(mine, since, -(10**6)))
    length = CALLS_OF_TASK[task] + CALLS_OF_SIZE[size] + nature.long[project]
    length += rng.normal(0, 0.25, int(session.max()) + 1)[session] + rng.normal(0, 0.7, len(day))
    length += np.where(rng.random(len(day)) < 0.05, np.log(rng.uniform(2, 6, len(day))), 0.0)
    newer = since >= world.upgrade if world.upgrade is not None else np.zeros_like(mine)
    length += np.log(0.9) * newer + np.log(world.path_ratio) * told
    patience = np.log(world.patience * 20.0) + rng.normal(0, 0.8, len(day))
    patience += np.log(world.abort_limit) * (mine & (since >= 0))
    calls = np.maximum(1.0, np.round(np.exp(np.minimum(length, patience))))
    rate = np.log(world.errors_a_call) + np.log(ERRORS_OF_TASK[task] * ERRORS_OF_SIZE[size])
    rate += nature.slope[project] * (day - world.history)
    rate += np.log(rng.gamma(1 / 0.3, 0.3, int(session.max()) + 1)[session])
    classes = np.log(SHARES) + nature.faulty[project] + shocks[project, day]
    classes = classes + rate[:, None] + newer[:, None] * nature.upgrade
    classes[:, 0] += np.log(world.rate_ratio) * told
    if world.other_rule is not None:
        classes[:, 0] += np.log(0.6) * (mine & (since >= world.other_rule))
    errors = rng.poisson(np.exp(classes) * calls[:, None]).astype(np.float64)
    return Archive(
        project, session, day, task, size, calls, length > patience, errors, withheld, own or 0
    )


def _sessions(
    world: World, nature: _Nature, rng: Generator, first: int, end: int
) -> tuple[Ints, Ints, Ints]:
    """Project, session and day of every run."""
    days = np.arange(first, end)
    busy = np.where(days % 7 >= 5, WEEKEND, 1.0)
    counts = rng.poisson(nature.pace[:, None] * busy[None, :])
    project, place = (np.repeat(each.ravel(), counts.ravel()) for each in np.indices(counts.shape))
    day = days[place]
    sizes = 1 + rng.poisson(1, max(len(day), 1))
    session = np.repeat(np.arange(len(sizes)), sizes)[: len(day)]
    # a session ends with its day and project
    _, session = np.unique(np.stack([project, day, session]), axis=1, return_inverse=True)
    return project, session.ravel(), day


def _kinds(world: World, rng: Generator, since: Ints) -> tuple[Ints, Ints]:
    """Task and difficulty; in the rule's project they move within 20 days around the landing."""
    moved = np.clip((since + 10) / 20, 0, 1) * abs(world.drift)
    towards = rng.random(len(since)) < moved
    tasks, sizes = (EASY_TASKS, EASY_SIZES) if world.drift > 0 else (HARD_TASKS, HARD_SIZES)
    task = np.where(towards, _drawn(rng, tasks, len(since)), _drawn(rng, TASKS, len(since)))
    size = np.where(towards, _drawn(rng, sizes, len(since)), _drawn(rng, SIZES, len(since)))
    return task, size


def _drawn(rng: Generator, shares: Floats, count: int) -> Ints:
    return np.searchsorted(np.cumsum(shares), rng.random(count)).clip(max=len(shares) - 1)


def _fired(world: World, past: Archive) -> tuple[int, int] | None:
    """The project and the night on which a burst first made somebody write a rule."""
    daily = np.zeros((world.projects, world.history))
    np.add.at(daily, (past.project, past.day), past.errors[:, 0])
    total = np.concatenate([np.zeros((world.projects, 1)), daily.cumsum(axis=1)], axis=1)
    for night in range(FIRST_LANDING, world.history + 1):
        week = total[:, night] - total[:, night - 7]
        usual = (total[:, night - 7] - total[:, night - 37]) * 7 / 30
        many = (week >= 5) & (week >= 2 * usual)
        fires = week >= 9 if world.trigger == "absolute" else many
        if fires.any():
            return int(np.argmax(fires)), night
    return None


def _cut(past: Archive, end: int) -> Archive:
    kept = past.day < end
    return Archive(
        past.project[kept], past.session[kept], past.day[kept], past.task[kept], past.size[kept],
        past.calls[kept], past.aborted[kept], past.errors[kept], past.withheld[kept], past.own,
    )  # fmt: skip


def _joined(past: Archive, late: Archive, own: int, landed: int) -> Archive:
    gap = int(past.session.max()) + 1
    return Archive(
        np.concatenate([past.project, late.project]),
        np.concatenate([past.session, late.session + gap]),
        np.concatenate([past.day, late.day]) - landed,
        np.concatenate([past.task, late.task]),
        np.concatenate([past.size, late.size]),
        np.concatenate([past.calls, late.calls]),
        np.concatenate([past.aborted, late.aborted]),
        np.concatenate([past.errors, late.errors]),
        np.concatenate([past.withheld, late.withheld]),
        own,
    )
