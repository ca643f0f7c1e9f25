"""Where work goes astray: by type, by distance from the last compaction, by treatment."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dream.audit.deviations import KINDS, Kind, LabelledRun, LabelledTurn
from dream.audit.log_lines import folded, vocabulary
from dream.audit.share import Difference, Share, difference, share

BINS: Sequence[tuple[int, int | None]] = ((0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, None))
"""Turns since the last compaction, first and last of each bin. They double: most turns stand near
one, and few far behind."""

LEAST = 20
"""Cases under which a share is called few and a treatment is not compared."""


@dataclass(frozen=True, slots=True)
class KindRow:
    """How many turns deviated in this way, of all turns."""

    kind: Kind
    share: Share


@dataclass(frozen=True, slots=True)
class Row:
    """Turns of one bin or one treatment."""

    name: str
    deviated: Share
    kinds: Mapping[Kind, int]
    few: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A treatment against the baseline. difference None: not compared, since `why_not`."""

    treatment: str
    baseline: str
    difference: Difference | None
    why_not: str


@dataclass(frozen=True, slots=True)
class Drift:
    """What labelled runs tell."""

    runs: int
    deviated: Share
    few: bool
    kinds: tuple[KindRow, ...]
    distances: tuple[Row, ...]  # by distance; turns without one last, under ""
    treatments: tuple[Row, ...]  # by name, the baseline first
    comparisons: tuple[Comparison, ...]
    in_turn: bool  # each treatment is one stretch of the log: what time changed is in it too


def bin_of(distance: int | None) -> str:
    """The name of the bin of a distance: "0", "2-3", "16 or more"; "" without a distance."""
    if distance is None:
        return ""
    first, last = next(each for each in reversed(BINS) if distance >= each[0])
    return (
        f"{first} or more" if last is None else str(first) if first == last else f"{first}-{last}"
    )


NAMES = tuple(bin_of(first) for first, _ in BINS)
"""The bins by name, near to far."""


def drift(runs: Sequence[LabelledRun]) -> Drift:
    """Every table over the turns of these runs. The order of runs changes nothing but in_turn."""
    turns = [turn for run in runs for turn in run.turns]
    whole = share(sum(turn.deviated for turn in turns), len(turns))
    counted = Counter(turn.kind for turn in turns)
    named = sorted(
        {turn.intervention for turn in turns}, key=lambda name: (not _is_none(name), name)
    )
    treatments = [_row(name, [t for t in turns if t.intervention == name]) for name in named]
    return Drift(
        runs=len(runs),
        deviated=whole,
        few=len(turns) < LEAST,
        kinds=tuple(KindRow(kind, share(counted[kind], len(turns))) for kind in KINDS),
        distances=tuple(
            _row(name, own)
            for name in (*NAMES, "")
            if (own := [turn for turn in turns if bin_of(turn.distance) == name]) or name
        ),
        treatments=tuple(treatments),
        comparisons=tuple(_compared(treatments)),
        in_turn=len(named) > 1 and _stretches(turns) == len(named),
    )


def _row(name: str, turns: Sequence[LabelledTurn]) -> Row:
    counted = Counter(turn.kind for turn in turns if turn.kind)
    deviated = share(sum(turn.deviated for turn in turns), len(turns))
    kinds = {kind: counted[kind] for kind in KINDS if kind}
    return Row(name, deviated, kinds, len(turns) < LEAST)


def _compared(rows: Sequence[Row]) -> list[Comparison]:
    """Each treatment against the one that is none. Without one, or with several, none is."""
    bases = [row for row in rows if _is_none(row.name)]
    if len(rows) < 2:
        return []
    if len(bases) != 1:
        why = "no turns without treatment" if not bases else "several names for no treatment"
        return [Comparison(row.name, "", None, why) for row in rows]
    (base,) = bases
    found = []
    for row in rows:
        if row is base:
            continue
        small = min(row.deviated.of, base.deviated.of)
        why = f"too few turns: {small}, and {LEAST} are needed" if small < LEAST else ""
        apart = None if why else difference(row.deviated, base.deviated)
        found.append(Comparison(row.name, base.name, apart, why))
    return found


def _is_none(name: str) -> bool:
    return folded(name) in vocabulary()["baseline"]


def _stretches(turns: Sequence[LabelledTurn]) -> int:
    """How often the treatment changes from one turn to the next, and one."""
    changes = (one.intervention != other.intervention for one, other in pairwise(turns))
    return 1 + sum(changes)
