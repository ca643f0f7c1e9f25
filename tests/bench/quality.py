"""make bench-quality: how good judgements and clusters are on the hand labels, with intervals.

    python -m tests.bench.quality ../shared [--write docs/quality.md]

An interval is the middle 95 % of a bootstrap that draws whole sessions again (of clusters, whole
gold clusters), since turns of one session are no independent witnesses. Seeded: it stays the same.
"""

import argparse
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from dream.clusters import group
from tests.clusters.labelled import Gold, b_cubed, gold, wrongly_merged
from tests.corpora import unpack
from tests.signals.fitting import DEALS, LIMIT, Case, crossed, rates
from tests.signals.labels import CORPORA, Labels, half, study
from tests.signals.measure import cases_of, counting, errors_in, f1, found_in, pairs

DRAWS = 400
SEED = 20261201

Item = TypeVar("Item")
Measure = Callable[[Sequence[Any]], float]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. least, stretch: what the project wants to reach; None: no goal."""

    what: str
    rows: int
    value: float
    low: float | None
    high: float | None
    least: float | None = None
    stretch: float | None = None
    upward: bool = True  # False: less is better

    @property
    def reached(self) -> str:
        if self.least is None:
            return ""
        good = self.value >= self.least if self.upward else self.value <= self.least
        return "yes" if good else "not yet"


def drawn(
    what: str,
    items: Sequence[tuple[str, Item]],
    measure: Callable[[Sequence[Item]], float],
    least: float | None = None,
    stretch: float | None = None,
    *,
    times: int = 1,
) -> Row:
    """items: each with the session it belongs to; times: how often each row stands among them."""
    by_session: dict[str, list[Item]] = defaultdict(list)
    for session, item in items:
        by_session[session].append(item)
    sessions = sorted(by_session)
    draw = random.Random(SEED)  # noqa: S311 - drawing again, not hiding
    values = sorted(
        measure([each for s in draw.choices(sessions, k=len(sessions)) for each in by_session[s]])
        for _ in range(DRAWS)
    )
    edge = DRAWS // 40
    value = measure([item for _, item in items])
    low, high = values[edge], values[-edge - 1]
    return Row(what, len(items) // times, value, low, high, least, stretch)


def _precision(said: Sequence[tuple[bool, bool]]) -> float:
    return rates(said).precision


def _recall(said: Sequence[tuple[bool, bool]]) -> float:
    return rates(said).recall


GOALS = {"en": ("English", 0.80, 0.70, 0.90, 0.85), "zh": ("Chinese", 0.75, 0.65, 0.90, 0.80)}
"""By language: least precision and recall, then the stretch."""


def turn_rows(cases: Sequence[Case]) -> list[Row]:
    """A turn carries a judgement or not: random rows alone, weights fitted on other sessions."""
    fitted = crossed(cases)
    found = []
    for language, (name, least_p, least_r, most_p, most_r) in GOALS.items():
        said = _said(fitted, language)
        what = f"{name} turn carries a judgement or not"
        found.append(drawn(f"{what}: precision", said, _precision, least_p, most_p, times=DEALS))
        found.append(drawn(f"{what}: recall", said, _recall, least_r, most_r, times=DEALS))
    unseen = _said([each for each in fitted if half(each[1].label) == "unseen"], "en")
    what = "the same in English, sessions that nobody looked at"
    found.append(drawn(f"{what}: precision", unseen, _precision, times=DEALS))
    found.append(drawn(f"{what}: recall", unseen, _recall, times=DEALS))
    return found


def _said(
    fitted: Iterable[tuple[float, Case]], language: str
) -> list[tuple[str, tuple[bool, bool]]]:
    return [
        (_session(case.label), (score > LIMIT, case.carries))
        for score, case in fitted
        if case.label["sample"] == "random" and case.label["lang"] == language
    ]


def _session(label: Any) -> str:
    return str(label["session"] or label["file"])


def error_rows(errors: Sequence[tuple[Any, Any]]) -> list[Row]:
    listed = [(_session(label), (label, seen)) for label, seen in errors]
    unseen = [each for each in listed if half(each[1][0]) == "unseen"]
    return [
        drawn("failure counts as an error or not: F1", listed, _counts, 0.92, 0.97),
        drawn("the same, sessions that nobody looked at: F1", unseen, _counts),
        drawn("error class over sessions: pairwise F1", listed, _classes, 0.85, 0.95),
        drawn("the same, sessions that nobody looked at: pairwise F1", unseen, _classes),
    ]


def _counts(errors: Sequence[tuple[Any, Any]]) -> float:
    return f1(counting(errors))


def _classes(errors: Sequence[tuple[Any, Any]]) -> float:
    return f1(pairs(errors))


def cluster_rows(labelled: Gold) -> list[Row]:
    homes = _homes(labelled)
    found = []
    for name, doubtful in (("all rows", True), ("without doubtful rows", False)):
        wanted = {
            member: cluster
            for member, cluster in labelled.cluster.items()
            if doubtful or member not in labelled.doubtful
        }
        goals = (0.85, 0.93) if doubtful else (None, None)
        found.append(_b_cubed(f"clusters, {name}: B-cubed F1", homes, wanted, 2, *goals))
        if doubtful:
            found.append(_b_cubed(f"clusters, {name}: B-cubed precision", homes, wanted, 0))
            found.append(_b_cubed(f"clusters, {name}: B-cubed recall", homes, wanted, 1))
    merged, told = wrongly_merged(homes, labelled.cluster, sorted(labelled.apart))
    share = merged / told
    found.append(
        Row("opposites, near misses merged", told, share, None, None, 0.10, 0.02, upward=False)
    )
    moved, members = _moved(labelled)
    found.append(
        Row("members moved by a second night", members, moved, None, None, 0.02, 0, upward=False)
    )
    return found


def _homes(labelled: Gold) -> dict[str, str]:
    return {m: cluster.id for cluster in group(labelled.judgements, {}) for m in cluster.members}


def _b_cubed(
    what: str,
    homes: dict[str, str],
    wanted: dict[str, str],
    part: int,
    least: float | None = None,
    stretch: float | None = None,
) -> Row:
    """What each member has of its cluster is settled by all of them; only the mean is drawn."""
    shares = _shares(homes, wanted)

    def measure(listed: Sequence[tuple[float, float]]) -> float:
        precision = sum(each[0] for each in listed) / len(listed)
        recall = sum(each[1] for each in listed) / len(listed)
        return (precision, recall, 2 * precision * recall / (precision + recall))[part]

    items = [(wanted[member], share) for member, share in sorted(shares.items())]
    row = drawn(what, items, measure, least, stretch)
    assert abs(row.value - b_cubed(homes, wanted)[part]) < 1e-9
    return row


def _shares(homes: dict[str, str], wanted: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Of each member: how much of our cluster is its gold one's, and the other way round."""
    ours: dict[str, set[str]] = defaultdict(set)
    theirs: dict[str, set[str]] = defaultdict(set)
    for member, cluster in wanted.items():
        ours[homes[member]].add(member)
        theirs[cluster].add(member)
    found = {}
    for member, cluster in wanted.items():
        both = len(ours[homes[member]] & theirs[cluster])
        found[member] = both / len(ours[homes[member]]), both / len(theirs[cluster])
    return found


def _moved(labelled: Gold) -> tuple[float, int]:
    half_of = [each for number, each in enumerate(labelled.judgements) if number % 2]
    first = {m: cluster.id for cluster in group(half_of, {}) for m in cluster.members}
    then = {m: c.id for c in group(labelled.judgements, first) for m in c.members}
    return sum(then[m] != home for m, home in first.items()) / len(first), len(first)


def measured(shared: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as scratch:

        def folder(name: str) -> Path:
            target = Path(scratch) / name
            if not target.is_dir():
                unpack(shared, name, target)
            return target

        studied = [study(name, folder, Labels(shared / "labels")) for name in CORPORA]
        leaning = [
            (_session(each.label), each.leanings[0] == each.label["polarity"])
            for one in studied
            for each in found_in(one)
            if each.label["sample"] == "random" and each.carries and each.leanings
        ]
        return [
            *turn_rows(cases_of(studied)),
            drawn("polarity of the judgements found, random rows", leaning, _share, 0.90, 0.97),
            *error_rows([each for one in studied for each in errors_in(one)]),
            *cluster_rows(gold(shared, folder)),
        ]


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0


def table(rows: Iterable[Row]) -> str:
    """As Markdown, the same on the screen and in docs/quality.md."""
    lines = ["| what | rows | measured | 95 % | at least | stretch | reached |"]
    lines.append("|---|---:|---:|---|---:|---:|---|")
    for row in rows:
        sign = "" if row.upward else "≤ "
        between = "" if row.low is None else f"{row.low:.2f} to {row.high:.2f}"
        goals = ["" if g is None else f"{sign}{g:.2f}" for g in (row.least, row.stretch)]
        lines.append(
            f"| {row.what} | {row.rows} | {row.value:.2f} | {between} | {goals[0]} | {goals[1]}"
            f" | {row.reached} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.quality", description=__doc__)
    parser.add_argument("shared", type=Path, help="the folder with labels/ and corpora/")
    parser.add_argument("--write", type=Path, help="put the table into this file, below its mark")
    options = parser.parse_args()
    told = table(measured(options.shared))
    print(told)
    if options.write:
        head = options.write.read_text(encoding="utf-8").split("<!-- bench -->")[0]
        options.write.write_text(f"{head}<!-- bench -->\n\n{told}", encoding="utf-8")


if __name__ == "__main__":
    main()
