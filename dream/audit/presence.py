"""Which rules each run was told: by the rule files that were in force for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dream.in_force.ask import all_in_force, texts
from dream.in_force.decide import Held
from dream.types import Rows

ENOUGH = 0.5
"""Share of a rule's lines that must stand in a file. A rule is reworded more often than renamed."""
SHORT = 12
"""Characters under which a line may stand anywhere: a bracket, a fence, "### Notes"."""


@dataclass(frozen=True, slots=True)
class Sign:
    """By what a rule is known again in a file: its id where it came from us, else its lines."""

    rule: str
    mark: str = ""  # "dream:rule-1a2b3c4d", as our block has it; "" for a rule of a person's
    lines: tuple[str, ...] = ()

    def stands_in(self, text: str) -> bool:
        """Whether a file's text holds the rule."""
        if self.mark and self.mark in text:
            return True
        telling = self._telling()
        if not telling:
            return False
        there = {line.strip() for line in text.split("\n")}
        return sum(line in there for line in telling) >= ENOUGH * len(telling)

    def _telling(self) -> tuple[str, ...]:
        plain = dict.fromkeys(line.strip() for line in self.lines)
        return tuple(line for line in plain if len(line) >= SHORT) or tuple(filter(None, plain))


@dataclass(frozen=True, slots=True)
class Presence:
    """Of every run the rules it was told; a run that is not here was told nobody knows what."""

    told: Mapping[str, frozenset[str]]  # run id -> rules; runs share their sets
    by_time: frozenset[str]  # of these, runs whose rules are known by the time alone

    def of(self, run_id: str) -> frozenset[str] | None:
        """The rules that a run was told; None when that is not known."""
        return self.told.get(run_id)


def presence(rows: Rows, signs: Sequence[Sign]) -> Presence:
    """Looks the signs up in the rule files of every run. Nothing is asked without a sign."""
    if not signs:
        return Presence({}, frozenset())
    holding = _Holding(rows, signs)
    told: dict[str, frozenset[str]] = {}
    by_time = set()
    for place, found in all_in_force(rows):
        if found.basis == "unknown":
            continue
        told[place.run_id] = holding.of(found.held)
        if found.basis != "commit":
            by_time.add(place.run_id)
    return Presence(told, frozenset(by_time))


class _Holding:
    """Which rules stand in which set of files. Few sets serve many runs, so each is read once."""

    def __init__(self, rows: Rows, signs: Iterable[Sign]) -> None:
        self._rows = rows
        self._signs = tuple(signs)
        self._sets: dict[tuple[Held, ...], frozenset[str]] = {}
        self._texts: dict[str, frozenset[str]] = {}

    def of(self, held: tuple[Held, ...]) -> frozenset[str]:
        if held not in self._sets:
            words = texts(self._rows, held)
            self._sets[held] = frozenset().union(*(self._in(text) for text in words.values()))
        return self._sets[held]

    def _in(self, text: str) -> frozenset[str]:
        if text not in self._texts:
            self._texts[text] = frozenset(s.rule for s in self._signs if s.stands_in(text))
        return self._texts[text]
