"""A log of deviations that a person keeps: turns labelled by hand, in their runs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dream.audit.log_lines import BadLine, Record, folded, read_lines, vocabulary

Kind = Literal[
    "information_loss", "mismatch", "over_generalisation", "path_drift", "unknown", "untold"
]
"""unknown: the log names a type that we do not know. untold: it names none."""

KINDS: Sequence[Kind] = (
    "information_loss", "mismatch", "over_generalisation", "path_drift", "unknown", "untold",
)  # fmt: skip
NONE = "none"
"""The intervention of a turn that names none."""


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """One line of a log."""

    file: str
    line: int  # from 1
    turn: int
    distance: int | None  # turns since the last compaction; None: not told, or none before
    deviated: bool
    kind: Kind | None  # None: it did not deviate
    word: str  # the log's own word for a kind
    intervention: str
    run: str  # as the log names it; "" when it names none


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """Turns that follow each other. name: "file#run", with a count where the log names no run."""

    name: str
    turns: tuple[LabelledTurn, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """One file. refused: why nothing of it counts; "" when it does."""

    file: str
    runs: tuple[LabelledRun, ...] = ()
    bad: tuple[BadLine, ...] = ()
    unknown_columns: tuple[str, ...] = ()
    unknown_kinds: Mapping[str, int] = field(default_factory=dict)  # how often each word stands
    refused: str = ""

    @property
    def turns(self) -> tuple[LabelledTurn, ...]:
        return tuple(turn for run in self.runs for turn in run.turns)


def read_log(path: Path) -> Log:
    """One deviation log. Never raises; what does not count is named with its line."""
    name = str(path)
    lines = read_lines(path)
    if lines.refused:
        return Log(name, refused=lines.refused)
    taken: list[LabelledTurn] = []
    bad = list(lines.bad)
    seen: set[tuple[str, int]] = set()
    for number, record in lines.records:
        made = labelled(record, name, number)
        if isinstance(made, str):
            bad.append(BadLine(name, number, made))
        elif made.run and (made.run, made.turn) in seen:
            bad.append(BadLine(name, number, f"turn {made.turn} of its run stands here again"))
        else:
            seen.add((made.run, made.turn))
            taken.append(made)
    unknown = Counter(turn.word for turn in taken if turn.kind == "unknown")
    return Log(
        file=name,
        runs=runs_of(taken),
        bad=tuple(sorted(bad, key=lambda each: each.line)),
        unknown_columns=lines.unknown,
        unknown_kinds=dict(sorted(unknown.items())),
    )


def labelled(record: Record, file: str, line: int) -> LabelledTurn | str:
    """A record as a labelled turn, or what is wrong with it."""
    known = vocabulary()
    turn, distance = record.get("turn", ""), record.get("distance", "")
    told, word = folded(record.get("deviated", "")), record.get("kind", "")
    if not _is_count(turn):
        return "its turn is no whole number"
    if not _is_count(distance) and folded(distance) not in known["nothing"]:
        return "its distance from the compaction is no whole number"
    if told not in known["yes"] and told not in known["no"]:
        return "it does not say yes or no to whether it deviated"
    deviated = told in known["yes"]
    named = folded(word) not in known["nothing"]
    if named and not deviated:
        return "it says that it did not deviate and names a type"
    kind: Kind | None = None
    if deviated:
        kind = known["kinds"].get(folded(word), "unknown") if named else "untold"
    given = record.get("intervention", "")
    return LabelledTurn(
        file=file,
        line=line,
        turn=int(turn),
        distance=int(distance) if _is_count(distance) else None,
        deviated=deviated,
        kind=kind,
        word=word if named else "",
        intervention=NONE if folded(given) in known["nothing"] else given,
        run=record.get("run", ""),
    )


def runs_of(turns: Iterable[LabelledTurn]) -> tuple[LabelledRun, ...]:
    """The runs of one log: as it names them, else a new one wherever the turns begin anew."""
    found: dict[str, list[LabelledTurn]] = {}
    number, last = 1, -1
    for turn in turns:
        if not turn.run:
            number += turn.turn <= last
            last = turn.turn
        found.setdefault(f"{turn.file}#{turn.run or number}", []).append(turn)
    return tuple(LabelledRun(name, tuple(own)) for name, own in found.items())


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
