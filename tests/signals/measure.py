"""What the detectors find on the hand labels, counted."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from dream.signals.asks import reduce, repeats
from dream.signals.failing import Failure, Verdict, verdict
from dream.signals.statements import marked, statements
from dream.signals.turns import HumanTurn, Said, hear
from tests.corpora import unpack
from tests.signals.fitting import Case, Rates, rates
from tests.signals.labels import CARRIES, CORPORA, Labels, Studied, study

ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Unpacked:
    """The corpora in folders, and the labels on them."""

    folder: Callable[[str], Path]
    labels: Labels


def unpacked(shared: Path) -> list[Studied]:
    """Every corpus studied; unpacks into a folder that goes when this is done."""
    with tempfile.TemporaryDirectory() as scratch:

        def folder(name: str) -> Path:
            target = Path(scratch) / name
            unpack(shared, name, target)
            return target

        labels = Labels(shared / "labels")
        return [study(name, folder, labels) for name in CORPORA]


def heard_in(studied: Studied) -> dict[str, Said]:
    """Every turn of a person by its message id."""
    turns = studied.relations.rows("signals/human_turns", HumanTurn, since=ALWAYS)
    return {turn.message_id: hear(turn) for turn in turns}


def cases_of(all_studied: Iterable[Studied]) -> list[Case]:
    """Every labelled turn with the features of its sentences."""
    cases = []
    for studied in all_studied:
        said = heard_in(studied)
        again = repeats(reduce(each) for each in said.values())
        for label, message_id in studied.turns:
            here = said.get(message_id or "")
            found = marked(here, again.get(here.turn.message_id)) if here else []
            marks = tuple(each for _, each in found)
            cases.append(Case(label, marks, label["kind"] in CARRIES))
    return cases


@dataclass(frozen=True)
class Found:
    """One labelled turn, and the kinds and leanings of what was found in it."""

    label: Mapping[str, Any]
    carries: bool
    kinds: tuple[str, ...]
    leanings: tuple[str, ...]  # the surest first


def found_in(studied: Studied) -> list[Found]:
    """What the shipped weights find on each labelled turn."""
    said = heard_in(studied)
    again = repeats(reduce(each) for each in said.values())
    result = []
    for label, message_id in studied.turns:
        here = said.get(message_id or "")
        listed = statements(here, again.get(here.turn.message_id)) if here else ()
        best = sorted(listed, key=lambda each: -each.score)
        kinds = tuple(each.kind for each in best)
        leanings = tuple(each.polarity for each in best)
        result.append(Found(label, label["kind"] in CARRIES, kinds, leanings))
    return result


def leaning_rate(found: Sequence[Found]) -> tuple[int, int]:
    """(right, all) of the polarity of what was found and is a judgement."""
    both = [each for each in found if each.carries and each.leanings]
    return sum(each.leanings[0] == each.label["polarity"] for each in both), len(both)


def errors_in(studied: Studied) -> list[tuple[Mapping[str, Any], Verdict | None]]:
    """Each labelled call with our verdict; None: nothing was asked about it, so no error."""
    listed = studied.relations.rows("signals/failures", Failure, since=ALWAYS)
    seen = {failure.call_id: verdict(failure) for failure in listed}
    return [(label, seen.get(call_id or "")) for label, call_id in studied.errors]


def counting(errors: Iterable[tuple[Mapping[str, Any], Verdict | None]]) -> Rates:
    return rates(
        (seen is not None and seen.counts, bool(label["counts_as_error"])) for label, seen in errors
    )


def f1(found: Rates) -> float:
    total = found.found + found.wanted
    return 2 * found.right / total if total else 0.0


def pairs(errors: Sequence[tuple[Mapping[str, Any], Verdict | None]]) -> Rates:
    """Pairs of errors of different sessions: put in one class by us and by the reader."""
    counted = [
        (label, seen) for label, seen in errors if label["counts_as_error"] and seen is not None
    ]
    told: Counter[tuple[bool, bool]] = Counter()
    for (one, mine), (other, theirs) in combinations(counted, 2):
        if one["session"] != other["session"]:
            same = mine.signature.cause == theirs.signature.cause
            told[same, one["error_class"] == other["error_class"]] += 1
    right = told[True, True]
    return Rates(right + told[True, False], right, right + told[False, True])
