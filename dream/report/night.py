"""The night's report as a noun: what was read, what came of it, what a person should look at.

It holds no time of day and no duration, so that the same night gives the same bytes. How long the
night took is told beside it, on the terminal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dream import gates
from dream.templates import counted


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the road, with what went in and what came out."""

    name: str
    taken: int
    took: str  # what was counted: "messages"
    given: int
    gave: str


@dataclass(frozen=True, slots=True)
class SourceLine:
    """What one reader took."""

    reader: str
    files: int
    fresh: int  # first seen on this night
    gone: int  # no longer there; what was read from them is kept
    records: int
    messages: int  # with every copy
    lost: int  # things whose content was lost
    noticed: int  # things that were mended or only seen


@dataclass(frozen=True, slots=True)
class AgentLine:
    """What the archive holds of one agent's work, each thing once."""

    agent: str
    sessions: int
    by_programs: int  # of them sub-agents', reviewers' and scripts'
    typed: int  # messages of a person
    messages: int
    calls: int
    failed: int
    compactions: int


@dataclass(frozen=True, slots=True)
class SkipLine:
    """Everything that was not plainly read for one reason."""

    reader: str  # "" where no reader took it
    reason: str  # a word of records.SKIPS
    lost: bool
    count: int
    files: int
    places: tuple[str, ...]  # the first ones: file and line; at most six
    details: Mapping[str, int] = field(default_factory=dict)  # unknown names and the like, counted;
    #   the six that stand there most often


@dataclass(frozen=True, slots=True)
class Unread:
    """A source that could not be read at all."""

    source_file: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Totals:
    """What the archive holds, each thing once."""

    sources: int = 0  # files and databases, those that could not be read too
    sessions: int = 0
    projects: int = 0
    runs: int = 0
    messages: int = 0
    human: int = 0  # typed by a person
    calls: int = 0
    failed: int = 0
    unanswered: int = 0  # calls without a result
    refused: int = 0  # calls that a person turned down
    replies: int = 0  # of models, each once however many records it has
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0  # replies that do not say how many tokens; these are not counted as zero
    api_errors: int = 0
    interruptions: int = 0  # by a person
    compactions: int = 0
    abandoned: int = 0  # messages on branches that were given up
    first: str = ""  # ISO dates of sessions; "" without any
    last: str = ""


def besides(totals: Totals) -> tuple[str, ...]:
    """What else happened, in words; what did not is left out."""
    tokens = f" ({totals.tokens_in:,} tokens in, {totals.tokens_out:,} out"
    tokens += f"; {totals.untold:,} without a number)" if totals.untold else ")"
    told = (
        (totals.replies, counted(totals.replies, "reply", "replies") + tokens),
        (totals.unanswered, f"{counted(totals.unanswered, 'call')} without an answer"),
        (totals.refused, f"{counted(totals.refused, 'call')} refused by a person"),
        (totals.api_errors, counted(totals.api_errors, "API error")),
        (totals.interruptions, counted(totals.interruptions, "interruption")),
        (totals.compactions, counted(totals.compactions, "compaction")),
        (totals.abandoned, f"{counted(totals.abandoned, 'message')} on branches given up"),
    )
    return tuple(words for number, words in told if number)


@dataclass(frozen=True, slots=True)
class Removed:
    """Different secrets of one kind that were taken out."""

    kind: str
    secrets: int


@dataclass(frozen=True, slots=True)
class ProposalLine:
    """A proposal in the night's folder."""

    id: str
    kind: str
    title: str
    project: str
    sessions: int
    days: int
    against: int  # pieces of evidence against it
    target: str
    applies: bool
    flags: tuple[str, ...]
    note: str
    folder: str  # inside the night's folder


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """A candidate that a person has already been shown."""

    id: str
    title: str
    since: str  # ISO date
    folder: str  # "<date>/<id>-<slug>"
    landed: bool  # it stands in its target now


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A rule that has landed, and whether it does any good."""

    rule: str
    title: str
    project: str
    verdict: str
    says: str  # in a sentence, for who knows no statistics
    page: str  # "<date>/audit/<rule>.md"
    retire: str = ""  # harmful, unused, useless: why a person should look at it


@dataclass(frozen=True, slots=True)
class WayLine:
    """How many of the things that one way of proposing put forward met their judgement again."""

    way: str
    met: int
    of: int
    low: float | None  # of a 95 % interval, 0 to 1; None where `of` is 0
    high: float | None


@dataclass(frozen=True, slots=True)
class BacktestLine:
    """The last backtest that a person kept."""

    first: str  # ISO dates of its nights
    last: str
    nights: int
    ways: tuple[WayLine, ...]  # our own first
    in_time: int  # judgements that were proposed before they came for the last time
    recurring: int  # of so many that came again and again


def looked_back(line: BacktestLine) -> tuple[str, ...]:
    """What a backtest says, in sentences."""
    ours, *others = line.ways
    said = [
        f"Of {counted(ours.of, 'proposal')} of {counted(line.nights, 'night')} from {line.first}"
    ]
    said[0] += f" to {line.last}, {ours.met} met their judgement again{_range(ours)}."
    beside = ", ".join(f"{each.way} {each.met} of {each.of}" for each in others)
    said.append(f"At as many proposals: {beside}.")
    recurring = counted(
        line.recurring, "judgement that came again and again", "recurring judgements"
    )
    said.append(
        f"Of {recurring}, {line.in_time} {'was' if line.in_time == 1 else 'were'} proposed in time."
    )
    return tuple(said)


def _range(way: WayLine) -> str:
    if way.low is None or way.high is None:
        return ""
    share = f"{100 * way.met / way.of:.0f} %"
    return f" ({share}; 95 %: {100 * way.low:.0f} to {100 * way.high:.0f} %)"


@dataclass(frozen=True, slots=True)
class MissLine:
    """A cluster that became no candidate."""

    cluster: str
    kind: str
    statement: str
    gate: str
    needed: float
    got: float
    note: str


def distance(miss: MissLine) -> str:
    """How far a cluster was from its gate, in words."""
    return gates.missed(miss.gate, miss.needed, miss.got, miss.note)


@dataclass(frozen=True, slots=True)
class DroppedLine:
    """Evidence, or a candidate, that did not stand up to the stored words."""

    candidate: str
    judgement: str  # "" for the candidate as a whole
    reason: str


@dataclass(frozen=True, slots=True)
class NightReport:
    """One night."""

    night: str  # ISO date
    warnings: tuple[str, ...]  # why a person should look; () is plain success
    proposals: tuple[ProposalLine, ...] = ()
    waiting: tuple[WaitingLine, ...] = ()
    kept: tuple[str, ...] = ()  # folders of an earlier run of the same date
    misses: tuple[MissLine, ...] = ()  # the nearest first; not all of them
    missed: Mapping[str, int] = field(default_factory=dict)  # clusters by the gate they failed
    stages: tuple[Stage, ...] = ()
    kinds: Mapping[str, int] = field(default_factory=dict)  # judgements by kind
    sources: tuple[SourceLine, ...] = ()
    agents: tuple[AgentLine, ...] = ()
    skips: tuple[SkipLine, ...] = ()
    unread: tuple[Unread, ...] = ()
    totals: Totals = field(default_factory=Totals)
    redactions: Mapping[str, int] = field(default_factory=dict)  # secrets removed, by kind
    dropped: tuple[DroppedLine, ...] = ()
    troubles: tuple[str, ...] = ()  # rule files that are not read as they were meant
    together: tuple[str, ...] = ()  # diffs that take all of a project's proposals
    audits: tuple[AuditLine, ...] = ()  # rules that have landed
    backtest: BacktestLine | None = None  # the last one that was kept


@dataclass(frozen=True, slots=True)
class Tonight:
    """What only this run of the night has to say: told on the terminal, in no file of the report.

    The night's files say what the archive holds, so that the same night gives the same bytes.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)  # by part of the night, in order
    peak_megabytes: float = 0.0
    notes: tuple[str, ...] = ()  # "3 of 120 files were read", a lock that was taken over
