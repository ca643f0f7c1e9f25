"""The bench's results as docs/audit-bench.md."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tests.bench_audit.fdr import Listed
from tests.bench_audit.run import Trial, right, wrong
from tests.bench_audit.scenarios import EXTRA, WORLDS, World, is_null

Results = Mapping[str, Sequence[Trial]]
SLACK = 2.0
"""Points that chance alone may move a measured share by."""


def share(trials: Sequence[Trial], of: Callable[[Trial], bool]) -> float:
    """Percent."""
    return 100 * sum(map(of, trials)) / len(trials) if trials else math.nan


def covered(trials: Sequence[Trial], of: Callable[[Trial], bool | None]) -> float:
    """Percent of the trials that have an interval."""
    told = [found for each in trials if (found := of(each)) is not None]
    return 100 * sum(told) / len(told) if told else math.nan


def nulls(done: Results) -> dict[str, Sequence[Trial]]:
    return {name: done[name] for name in done if name in WORLDS and is_null(WORLDS[name])}


def effects(done: Results) -> dict[str, Sequence[Trial]]:
    return {name: done[name] for name in done if name in WORLDS and not is_null(WORLDS[name])}


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    what: str
    wanted: str
    measured: str
    where: str
    reached: bool | None  # None: by no more than chance may do


def worst(
    done: Mapping[str, Sequence[Trial]], of: Callable[[str, Sequence[Trial]], float], *, low: bool
) -> tuple[float, str]:
    """The worst world: where a share that should be low is highest, or the other way round."""
    told = [(of(name, trials), name) for name, trials in done.items()]
    told = [(value, name) for value, name in told if not math.isnan(value)]
    return (max if low else min)(told, default=(math.nan, ""))


def _at_most(
    name: str, what: str, limit: float, found: tuple[float, str], slack: float = SLACK
) -> Goal:
    value, where = found
    reached = True if value <= limit else None if value <= limit + slack else False
    return Goal(name, what, f"≤ {limit:g} %", f"{value:.1f} %", where, reached)


def _at_least(name: str, what: str, limit: float, found: tuple[float, str]) -> Goal:
    value, where = found
    reached = True if value >= limit else None if value >= limit - SLACK else False
    return Goal(name, what, f"≥ {limit:g} %", f"{value:.1f} %", where, reached)


def goals(done: Results, crowd: Sequence[Listed]) -> list[Goal]:
    """G1 to G11 of the design, on these trials."""
    none, some = nulls(done), effects(done)

    def of(fact: Callable[[Trial], bool]) -> Callable[[str, Sequence[Trial]], float]:
        return lambda _, trials: share(trials, fact)

    def kept(fact: Callable[[Trial], bool | None]) -> Callable[[str, Sequence[Trial]], float]:
        return lambda _, trials: covered(trials, fact)

    def one(name: str, fact: Callable[[Trial], bool]) -> tuple[float, str]:
        return share(done.get(name, ()), fact), name

    comparable = {name: trials for name, trials in done.items() if name in WORLDS}
    with_rule = {n: t for n, t in comparable.items() if n != "S8_null_corule"}
    paths = {n: t for n, t in done.items() if n in WORLDS and WORLDS[n].path_ratio == 1}
    slowest = max((median(t.seconds for t in trials) for trials in done.values()), default=0.0)
    return [
        _at_most("G1", 'false "helped", worst of all worlds without an effect', 5,
                 worst(none, of(lambda t: t.fewer), low=True)),
        _at_most("G2", 'false "hurt", the same', 5, worst(none, of(lambda t: t.more), low=True)),
        _at_least("G3", "coverage of the interval on night 60, worst world", 90,
                  worst(with_rule, kept(lambda t: t.covered), low=False)),
        _at_least("G4", "coverage on all 60 nights together, worst world", 88,
                  worst(with_rule, kept(lambda t: t.covered_always), low=False)),
        _at_least("G5", "a halved rate is found, clean, some 60 errors before", 60,
                  one("E1_rr50_clean", lambda t: t.fewer)),
        _at_least("G6", "a doubled rate is found, clean", 70,
                  one("E6_hurt200_clean", lambda t: t.more)),
        _at_most("G7", "the wrong direction, worst of all worlds with an effect", 1,
                 worst(some, lambda n, ts: share(ts, lambda t: wrong(WORLDS[n], t)), low=True), 0),
        _at_most("G8", 'false "shorter" or "longer", worst of both', 5,
                 max(worst(paths, of(lambda t: t.shorter), low=True),
                     worst(paths, of(lambda t: t.longer), low=True))),
        _at_least("G9", 'another rule on the 7th night: "not comparable"', 95,
                  one("S8_null_corule", lambda t: t.verdict == "not comparable")),
        _at_most("G10", 'false among the rules told to have "helped", 40 rules', 10,
                 (100 * fdr(crowd, "false", "helped"), f"{len(crowd)} reports"), 0),
        Goal("G11", "one night of one rule, both windows, 7 controls, its path", "< 20 ms",
             f"{1000 * slowest / 60:.1f} ms", "slowest world", slowest / 60 < 0.02),
    ]  # fmt: skip


def fdr(crowd: Sequence[Listed], false: str, listed: str) -> float:
    """The mean share of false ones; a report that lists none has none."""
    shares = [getattr(one, false) / max(1, getattr(one, listed)) for one in crowd]
    return sum(shares) / len(shares) if shares else math.nan


def row(name: str, world: World, trials: Sequence[Trial]) -> str:
    found = sorted(t.first for t in trials if t.first is not None and right(world, t))

    def both(one: Callable[[Trial], bool], other: Callable[[Trial], bool]) -> str:
        return f"{share(trials, one):.1f} / {share(trials, other):.1f}"

    cells = [
        name,
        both(lambda t: t.verdict == "helped", lambda t: t.verdict == "hurt"),
        both(lambda t: t.fewer, lambda t: t.more),
        _pct(covered(trials, lambda t: t.covered)),
        _pct(covered(trials, lambda t: t.covered_always)),
        both(lambda t: t.shorter, lambda t: t.longer),
        _pct(covered(trials, lambda t: t.path_covered)),
        f"{median(found):.0f}" if found else "",
        both(lambda t: t.p_fewer <= STRICT, lambda t: t.p_more <= STRICT),
        both(lambda t: t.naive_fewer, lambda t: t.naive_more),
        _pct(covered(trials, lambda t: t.naive_covered)),
        _pct(covered(trials, lambda t: t.naive_covered_always)),
        both(lambda t: t.naive_shorter, lambda t: t.naive_longer),
    ]
    return "| " + " | ".join(cells) + " |"


STRICT = 0.025
"""The p at which a strict budget finds something: half of the usual."""
COLUMNS = (
    "world", "helped / hurt", "fewer / more", "coverage, night 60", "all nights",
    "path shorter / longer", "coverage", "night", "strict: fewer / more",
    "naive: fewer / more", "coverage, night 60", "all nights", "path shorter / longer",
)  # fmt: skip
HEAD = f"| {' | '.join(COLUMNS)} |\n|---|{'---:|' * (len(COLUMNS) - 1)}"


def _pct(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f}"


def tables(done: Results, crowd: Sequence[Listed], seed: int, reps: int) -> str:
    """Everything below the words of the page."""
    lines = ["| goal | what | wanted | measured | where | reached |", "|---|---|---:|---:|---|---|"]
    for goal in goals(done, crowd):
        said = {True: "yes", None: "within chance", False: "**no**"}[goal.reached]
        cells = (goal.name, goal.what, goal.wanted, goal.measured, goal.where, said)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        f"Seed {seed}, {reps} archives a world, 60 nights each. All shares are percent.",
        "",
    ]
    lines.append(HEAD)
    lines += [row(name, WORLDS[name], done[name]) for name in WORLDS if name in done]
    lines += ["", "Worlds that the design does not measure:", "", HEAD]
    lines += [row(name, EXTRA[name], done[name]) for name in EXTRA if name in done]
    lines += ["", *_crowd(crowd)]
    return "\n".join(lines) + "\n"


def _crowd(crowd: Sequence[Listed]) -> list[str]:
    if not crowd:
        return []
    rows = [
        ("errors over all rules, Benjamini-Hochberg at 10 %", "helped", "false"),
        ("e-values at 10 %, whatever hangs on what", "by_e", "by_e_false"),
        ("every rule for itself", "alone", "alone_false"),
        ("before against after, looked at every night", "naive", "naive_false"),
    ]
    lines = [
        f"Forty rules in one report, ten of which halve their errors ({len(crowd)} reports):", "",
        "| list | rules told to have helped | false among them |", "|---|---:|---:|",
    ]  # fmt: skip
    for what, listed, false in rows:
        mean = sum(getattr(one, listed) for one in crowd) / len(crowd)
        lines.append(f"| {what} | {mean:.1f} | {100 * fdr(crowd, false, listed):.1f} % |")
    return lines
