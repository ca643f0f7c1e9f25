"""Which rules each run was told: by the rule files that were in force for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dream import trial
from dream.in_force.ask import all_in_force, texts
from dream.in_force.decide import Held
from dream.in_force.facts import Place
from dream.rule_paths import TRIALS
from dream.trial import Trial
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

    def own_lines(self, text: str) -> tuple[str, ...]:
        """The lines of a file's text that are the rule's, each without its outer blanks."""
        telling = frozenset(self._telling())
        stripped = (line.strip() for line in text.split("\n"))
        return tuple(
            line for line in stripped if line in telling or (self.mark and self.mark in line)
        )

    def _telling(self) -> tuple[str, ...]:
        plain = dict.fromkeys(line.strip() for line in self.lines)
        return tuple(line for line in plain if len(line) >= SHORT) or tuple(filter(None, plain))


@dataclass(frozen=True, slots=True)
class Presence:
    """Of every run the rules it was told; a run that is not here was told nobody knows what."""

    told: Mapping[str, frozenset[str]]  # run id -> rules; runs share their sets
    by_time: frozenset[str]  # of these, runs whose rules are known by the time alone
    withheld: Mapping[str, frozenset[str]] = field(default_factory=dict)  # run id -> rules on trial
    #   that its session drew a blank for; a run without any is left out

    def of(self, run_id: str) -> frozenset[str] | None:
        """The rules that a run was told; None when that is not known."""
        return self.told.get(run_id)


def presence(rows: Rows, signs: Sequence[Sign]) -> Presence:
    """Looks the signs up in the rule files of every run. Nothing is asked without a sign."""
    if not signs:
        return Presence({}, frozenset())
    holding = _Holding(rows, signs)
    told: dict[str, frozenset[str]] = {}
    withheld: dict[str, frozenset[str]] = {}
    by_time = set()
    for place, found in all_in_force(rows):
        if found.basis == "unknown":
            continue
        told[place.run_id], trials = holding.of(found.held)
        if blank := _blank(trials, place):
            told[place.run_id] -= blank
            withheld[place.run_id] = blank
        if found.basis != "commit":
            by_time.add(place.run_id)
    return Presence(told, frozenset(by_time), withheld)


def _blank(trials: Iterable[Trial], place: Place) -> frozenset[str]:
    """The rules on trial that a session was not told."""
    began = place.session_started or place.started
    own = place.session_id.partition(":")[2]
    return frozenset(one.rule for one in trials if began and one.withheld(own, began))


class _Holding:
    """Which rules stand in which set of files. Few sets serve many runs, so each is read once."""

    def __init__(self, rows: Rows, signs: Iterable[Sign]) -> None:
        self._rows = rows
        self._signs = tuple(signs)
        self._sets: dict[tuple[Held, ...], tuple[frozenset[str], tuple[Trial, ...]]] = {}
        self._texts: dict[str, frozenset[str]] = {}

    def of(self, held: tuple[Held, ...]) -> tuple[frozenset[str], tuple[Trial, ...]]:
        """The rules in these files, and of these files those that are trials."""
        if held not in self._sets:
            words = texts(self._rows, held)
            rules = frozenset().union(*(self._in(text) for text in words.values()))
            found = (trial.read(words[path]) for path in sorted(words) if TRIALS in path)
            self._sets[held] = rules, tuple(one for one in found if one is not None)
        return self._sets[held]

    def _in(self, text: str) -> frozenset[str]:
        if text not in self._texts:
            self._texts[text] = frozenset(s.rule for s in self._signs if s.stands_in(text))
        return self._texts[text]
