"""How dream/signals/weights.yaml is made from the hand labels.

    python -m tests.signals.fitting ../shared        shows what cross-validation says
    python -m tests.signals.fitting ../shared --write    also writes the weights fitted on all

A logistic regression over named cues, drawn towards the weights that a person set beforehand
(`prior`): a few hundred labels move what they can speak for, and the rest stays as thought. Each
turn is represented by its best sentence under the weights so far. What a person said speaks for a
judgement is never turned into something that speaks against it. No session is in the part that
is fitted and in the part that is scored.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

import yaml

from dream.signals.weigh import odds, probability
from tests.signals.labels import fold

FOLDS, DEALS = 5, 3
_ROUNDS, _STEPS, _PACE = 3, 150, 0.15
_PULL = 0.003
"""How strongly weights are held at the prior."""
_PICKED = 0.3
"""What a row picked by hand counts against a random one."""

Marks = frozenset[str]


@dataclass(frozen=True)
class Case:
    """One labelled turn: the features of its sentences, and what a reader said of it."""

    label: Mapping[str, Any]
    sentences: tuple[Marks, ...]
    carries: bool


def prior() -> dict[str, float]:
    """The weights set by hand, by feature."""
    return dict(_file()["prior"])


def _file() -> dict[str, dict[str, float]]:
    text = resources.files("dream.signals").joinpath("weights.yaml").read_text(encoding="utf-8")
    return cast("dict[str, dict[str, float]]", yaml.safe_load(text))


def fit(cases: Sequence[Case], start: Mapping[str, float]) -> dict[str, float]:
    """Weights by feature, the bias moved so that 0 is even odds for a turn of the random sample."""
    weights = dict(start)
    for _ in range(_ROUNDS):
        chosen = [
            (
                sorted(max(case.sentences, key=lambda marks: odds(marks, weights))),
                float(case.carries),
                1.0 if case.label["sample"] == "random" else _PICKED,
            )
            for case in cases
            if case.sentences
        ]
        _descend(chosen, weights, start)
    return weights


def _descend(
    chosen: Sequence[tuple[list[str], float, float]],
    weights: dict[str, float],
    start: Mapping[str, float],
) -> None:
    total = sum(weight for _, _, weight in chosen)
    paces: dict[str, float] = defaultdict(lambda: 1e-4)
    for _ in range(_STEPS):
        slope: dict[str, float] = defaultdict(float)
        for marks, carries, weight in chosen:
            given = weights["bias"] + sum(weights.get(mark, 0.0) for mark in marks)
            off = (probability(given) - carries) * weight
            slope["bias"] += off
            for mark in marks:
                slope[mark] += off
        for name in sorted(set(slope) | set(weights)):
            held = 0.0 if name == "bias" else weights.get(name, 0.0) - start.get(name, 0.0)
            steep = slope[name] / total + _PULL * held
            paces[name] += steep * steep
            moved = weights.get(name, 0.0) - _PACE * steep / math.sqrt(paces[name])
            weights[name] = max(0.0, moved) if name in start and start[name] > 0 else moved


def scored(case: Case, weights: Mapping[str, float]) -> float:
    """Log odds of a turn: those of its best sentence; a rule on its face is always taken."""
    best = max((odds(marks, weights) for marks in case.sentences), default=-math.inf)
    plainly = any(mark.startswith("law:") for marks in case.sentences for mark in marks)
    plainly = plainly or any(_often(marks) for marks in case.sentences)
    return max(best, LIMIT + 0.01) if plainly else best


def _often(marks: Marks) -> bool:
    """As dream.signals.statements takes what came in three sessions, but for a question."""
    demands = marks & {"form:says", "form:order", "form:request"}
    return "asked:in_three" in marks and bool(demands) and not marks & {"asked:routine", "long"}


def crossed(cases: Sequence[Case]) -> list[tuple[float, Case]]:
    """Each case scored with weights fitted on other sessions, once for each deal of the folds."""
    found: list[tuple[float, Case]] = []
    for deal in range(DEALS):
        for number in range(FOLDS):
            inside = [case for case in cases if fold(case.label, FOLDS, deal) != number]
            outside = [case for case in cases if fold(case.label, FOLDS, deal) == number]
            weights = fit(inside, prior())
            found += [(scored(case, weights), case) for case in outside]
    return found


@dataclass(frozen=True)
class Rates:
    """precision and recall, 0 to 1."""

    found: int
    right: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 0.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f} ({self.right}/{self.found}), "
            f"recall {self.recall:.3f} ({self.right}/{self.wanted})"
        )


def rates(said: Iterable[tuple[bool, bool]]) -> Rates:
    """said: (found, carries) pairs."""
    pairs = list(said)
    return Rates(
        sum(found for found, _ in pairs),
        sum(found and carries for found, carries in pairs),
        sum(carries for _, carries in pairs),
    )


def random_rows(crossed_cases: Iterable[tuple[float, Case]], language: str, limit: float) -> Rates:
    return rates(
        (score > limit, case.carries)
        for score, case in crossed_cases
        if case.label["sample"] == "random" and case.label["lang"] == language
    )


LIMIT = 0.6
"""Log odds over which a turn is taken, before the bias is moved there: chosen for precision."""


def _write(weights: Mapping[str, float]) -> None:
    moved = {**weights, "bias": weights["bias"] - LIMIT}
    parts = {"prior": prior(), "fitted": moved}
    head = (
        "# Log odds by feature of a sentence (dream/signals/cues.py). prior: set by hand.\n"
        "# fitted: made from it and the hand labels by tests/signals/fitting.py; do not edit.\n"
    )
    lines = [head]
    for name, listed in parts.items():
        lines.append(f"{name}:\n")
        lines += [f'  "{key}": {round(listed[key], 3)}\n' for key in sorted(listed)]
    path = Path(str(resources.files("dream.signals").joinpath("weights.yaml")))
    path.write_text("".join(lines), encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    from tests.signals.measure import cases_of, unpacked

    cases = cases_of(unpacked(Path(arguments[0])))
    seen = crossed(cases)
    for language in ("en", "zh"):
        for limit in (0.0, 0.4, LIMIT, 0.8, 1.0):
            print(language, limit, random_rows(seen, language, limit))
    if "--write" in arguments:
        _write(fit(cases, prior()))


if __name__ == "__main__":
    main(sys.argv[1:])
