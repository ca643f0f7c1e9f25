"""A rule's page as a noun: everything that is told of one audit, ready to be put into words.

It holds no time of day and no duration, so that the same archive and the same day give the same
bytes. Words are in templates/audit_*.j2, and figures are drawn from it by `drawings`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from math import exp
from typing import Literal

from dream.audit.beside import Moved
from dream.audit.figures import Balance, Interval, Moment, Span
from dream.audit.holes import Coverage, Hole
from dream.audit.output import Outputs

Verdict = Literal[
    "helped", "helped (path)", "hurt", "hurt (path)", "mixed", "neutral", "changed over time",
    "no effect shown", "not comparable", "suggestive",
]  # fmt: skip
"""The words of the design; suggestive: it would be helped or hurt, but for the number of rules that
were looked at."""
REASONS: Mapping[str, str] = {
    "no_overlap": "no runs of the same kind stand on both sides of its landing",
    "no_denominator": "a machine cannot count what it is meant to improve, or how often that could"
    " have gone wrong",
    "no_history_outside_burst": "there is not enough data, since nothing of what it is about is on"
    " record from before the days that led to it",
    "co_intervention": "another rule about the same thing landed too soon after it",
    "model_change_unmatched": "the model changed with it, and nothing tells the two apart",
    "detector_changed": "what is counted was counted in another way in between",
    "too_few_errors": "there is not enough data, since too little of it happened",
    "too_few_days": "there is not enough data, since there were too few days of work",
    "controls_too_noisy": "other work changed too much by itself in that time",
    "negative_control_moved": "things that it is not about changed just as much",
    "placebo_moved": "a month earlier, when there was no rule, the same comparison shows as much",
    "archive_gap": "a good part of the sessions on one side is gone from the archive",
}
"""Every reason code, in words that finish a sentence."""

Use = Literal["followed", "not followed", "no occasion", "never loaded", "not yet", "not told"]
"""What became of a rule before any effect is asked for. not told: a machine cannot see whether it
was followed."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a landing, in all its runs; not all find one of their kind on the other."""

    runs: int = 0
    sessions: int = 0
    days: int = 0
    errors: int = 0
    occasions: int = 0
    aborted: int = 0
    turns: float | None = None  # median a run, as all below
    minutes: float | None = None
    tokens: float | None = None  # None: not told
    corrections: int = 0


@dataclass(frozen=True, slots=True)
class Practised:
    """Of the occasions on one side, those in which the rule was done."""

    done: int
    of: int

    @property
    def share(self) -> float | None:
        return self.done / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Usage:
    """Was it there, did it apply, was it done: runs after landing, whatever is compared."""

    use: Use
    runs: int = 0  # after landing in its project
    told: int = 0  # of these, where it was in force
    unknown: int = 0  # where nothing tells whether it was
    by_time: int = 0  # of those told, where only the time tells it
    relevant: int = 0  # of those told, where it applied at least once
    before: Practised = Practised(0, 0)
    after: Practised = Practised(0, 0)
    tokens: int = 0  # that the rule itself takes, about, each time a model is asked
    unit: str = "time"  # what is counted as an occasion: time, line


@dataclass(frozen=True, slots=True)
class PathBlock:
    """How long the path is, after by before. An aborted run counts as at least so long."""

    ratio: Interval
    state: str  # shorter, longer, equivalent, open
    median_before: float | None = None  # Kaplan-Meier, calls
    median_after: float | None = None
    rmst_before: float | None = None
    rmst_after: float | None = None
    aborted_before: float | None = None  # shares
    aborted_after: float | None = None
    censoring_changed: bool = False


@dataclass(frozen=True, slots=True)
class Stratum:
    """Runs of one kind. The sums from which a person can redo the estimate."""

    name: str
    errors_before: int
    occasions_before: int
    runs_before: int
    errors_after: int
    occasions_after: int
    runs_after: int
    ratio: Interval | None = None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The same question asked in another way; it never makes a verdict better."""

    name: str
    ratio: Interval | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Influential:
    """A run that weighs much in the answer."""

    run_id: str
    session_id: str
    name: str  # for people, "r3", or the day and the task
    day: str
    after: bool
    errors: int
    occasions: int
    stratum: str
    weight: float  # how far the log ratio moves without it
    address: str = ""  # of the file it stands in, "file:///..."; "" when that is no plain path


@dataclass(frozen=True, slots=True)
class RulePage:
    """One rule's audit as of a day."""

    rule: str
    title: str  # the rule's own words, one line
    project: str  # for people
    as_of: date
    landed: str  # local day and time, with the zone's name
    landed_day: date
    revision: str
    plan: str  # hash of the frozen plan, short
    target: str
    kind: str  # errors, breaches, said, nothing
    verdict: Verdict
    level: str  # A, B1, B2, C, D
    reasons: tuple[str, ...]  # reason codes
    usage: Usage
    before: Side
    after: Side
    withheld: Side  # after, and by lot not told the rule; runs 0 where no lot was drawn
    ratio: Interval  # the bracket
    excluding: Interval  # the burst before landing left out
    including: Interval  # and kept in
    confidence: int  # percent, of the intervals
    expected: float | None = None  # errors after, had nothing changed
    pruned: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # reason -> before, after
    balance: tuple[Balance, ...] = ()
    strata: tuple[Stratum, ...] = ()
    nights: tuple[tuple[date, Interval], ...] = ()
    crossed: date | None = None  # first night beyond a boundary
    closing: date | None = None  # night of the closing look
    closed: bool = False
    missing: str = ""  # what a gate still lacks
    gate_opens: date | None = None
    detectable: float | None = None  # smallest ratio that could have been seen by now
    detectable_at_close: float | None = None
    dispersion: float | None = None
    drift: float | None = None  # log ratio of the controls
    drift_spread: float | None = None  # tau
    controls: int = 0
    p: float | None = None
    p_adjusted: float | None = None
    evidence: float | None = None  # e-value, the larger one
    looks: int = 0
    path: PathBlock | None = None
    beside: tuple[Moved, ...] = ()
    tools: tuple[Moved, ...] = ()
    outputs: Outputs | None = None
    landings: tuple[Moment, ...] = ()
    spans: tuple[Span, ...] = ()  # models, holes, detection window
    runs_by_day: Mapping[str, int] = field(default_factory=dict)  # by ISO day
    straddling: tuple[str, ...] = ()  # runs that cross the landing: in neither side
    coverage: Coverage | None = None
    holes: tuple[Hole, ...] = ()
    burst: bool = False  # landed right after an unusual time
    sensitivity: tuple[Sensitivity, ...] = ()
    influential: tuple[Influential, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def tone(self) -> Literal["good", "bad", "doubt", "none"]:
        """What a reader should feel at a glance."""
        if self.verdict.startswith("helped"):
            return "good"
        if self.verdict.startswith("hurt"):
            return "bad"
        return "none" if self.verdict in ("neutral", "no effect shown") else "doubt"

    @property
    def finding(self) -> bool:
        """Whether an effect was found, one way or the other."""
        return self.verdict.startswith(("helped", "hurt", "mixed"))

    @property
    def drift_factor(self) -> float | None:
        """By how much the controls changed in the same time."""
        return None if self.drift is None else exp(self.drift)


LEVELS: Mapping[str, str] = {
    "A": "the rule was withheld from some sessions at random; they are what would have been anyway",
    "B1": "compared with the same errors elsewhere, where no rule was put in place",
    "B2": "compared with other errors of the same project",
    "C": "nothing to compare with, so models and agents must be the same on both sides",
    "D": "no runs that can be compared",
}
"""Every level of comparability, in words."""
