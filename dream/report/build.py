"""Puts the night's report together from what the stages handed on. Decides what to look at."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from dream.records import SKIPS
from dream.report.night import (
    AgentLine,
    AuditLine,
    BacktestLine,
    DroppedLine,
    MissLine,
    NightReport,
    ProposalLine,
    Removed,
    SkipLine,
    SourceLine,
    Stage,
    Totals,
    Unread,
    WaitingLine,
)
from dream.templates import counted
from dream.types import NearMiss, Proposal, Proposed, Rows, Waiting

MISSES = 200
"""Near misses kept in the report; all are counted."""

MANY = 50
"""From so many on, nothing kept is a warning and no quiet success."""


def build(
    rows: Rows,
    *,
    night: date,
    stages: Sequence[Stage],
    kinds: Mapping[str, int],
    proposed: Proposed,
    misses: Sequence[NearMiss],
    kept: Sequence[str] = (),
    audits: Sequence[AuditLine] = (),
    backtest: BacktestLine | None = None,
) -> NightReport:
    """The report of a night, from the archive as it stands and what the stages gave.

    stages: those after the signals, whose counts stand in the archive itself. kinds: judgements by
    kind; misses: in any order; kept: folders of an earlier run of the same date.
    """
    read: dict[str, Any] = {
        "sources": tuple(rows.rows("report/sources", SourceLine, night=night.isoformat())),
        "agents": tuple(rows.rows("report/agents", AgentLine)),
        "skips": tuple(rows.rows("report/skips", SkipLine)),
        "unread": tuple(rows.rows("report/unread", Unread)),
        "totals": next(iter(rows.rows("report/totals", Totals))),
    }
    totals = read["totals"]
    missed = (*misses, *proposed.later)
    road = (*_first_stages(read["sources"], totals, sum(kinds.values())), *stages)
    return NightReport(
        night=night.isoformat(),
        warnings=tuple(_warnings(read["unread"], totals, road, proposed, audits)),
        proposals=tuple(map(_proposal, proposed.proposals)),
        waiting=tuple(map(_waiting, proposed.waiting)),
        kept=tuple(kept),
        misses=tuple(map(_miss, nearest(missed)[:MISSES])),
        missed=dict(sorted(Counter(each.gate for each in missed).items())),
        stages=road,
        kinds=dict(sorted(kinds.items())),
        redactions={each.kind: each.secrets for each in rows.rows("report/removals", Removed)},
        dropped=tuple(DroppedLine(d.candidate, d.judgement, d.reason) for d in proposed.dropped),
        troubles=tuple(proposed.troubles),
        together=tuple(name for name, _ in proposed.files),
        audits=tuple(audits),
        backtest=backtest,
        **read,
    )


def _first_stages(
    sources: Sequence[SourceLine], totals: Totals, judgements: int
) -> tuple[Stage, ...]:
    """What was read, what of it is stored over all nights, and what was heard in it."""
    seen = sum(line.messages for line in sources)
    return (
        Stage("sources", totals.sources, "files", sum(line.records for line in sources), "records"),
        Stage("archive", seen, "messages and copies", totals.messages, "messages"),
        Stage("signals", totals.messages, "messages", judgements, "judgements"),
    )


def nearest(misses: Sequence[NearMiss]) -> list[NearMiss]:
    """What came nearest to its gate first, what one night had no room for before all others.

    What is over a limit (it repeats a rule, it contradicts itself) stands last.
    """
    return sorted(misses, key=lambda miss: (_distance(miss), miss.cluster, miss.gate))


def _distance(miss: NearMiss) -> float:
    if miss.gate == "per_night":
        return -1.0 / max(miss.got, 1.0)  # got is its place
    if miss.needed <= 0 or miss.got >= miss.needed:
        return 2.0
    return (miss.needed - miss.got) / miss.needed


def _warnings(
    unread: Sequence[Unread],
    totals: Totals,
    stages: Sequence[Stage],
    proposed: Proposed,
    audits: Sequence[AuditLine],
) -> list[str]:
    said = [
        f"The rule {each.rule} looks {each.retire}: {each.says}" for each in audits if each.retire
    ]
    if unread:
        said.append(f"{len(unread)} of {totals.sources} sources unreadable:")
        said[-1] += "".join(f" {each.source_file} ({_why(each)});" for each in unread[:5])
        said[-1] = said[-1].rstrip(";") + (" and more" if len(unread) > 5 else "")
    if not totals.messages:
        said.append("Nothing was read: the archive holds no messages. `dream doctor` says why.")
    for stage in stages:
        if (
            stage.taken >= MANY
            and not stage.given
            and not (stage.gave in ("candidates", "proposals") and proposed.waiting)
        ):
            said.append(
                f"{stage.name} took {stage.taken:,} {stage.took} and gave no {stage.gave}:"
                " a filter may be wrong."
            )
    if proposed.dropped:
        lost = counted(len(proposed.dropped), "piece")
        said.append(f"{lost} of evidence did not stand up to the stored words.")
    return said


def _why(unread: Unread) -> str:
    """The reader's own words where there are some: they name the step that failed."""
    return unread.detail or SKIPS.get(unread.reason, unread.reason)


def _proposal(made: Proposal) -> ProposalLine:
    candidate = made.candidate
    return ProposalLine(
        id=candidate.id,
        kind=candidate.kind,
        title=candidate.title,
        project=made.project,
        sessions=candidate.sessions,
        days=candidate.days,
        against=len(candidate.against),
        target=made.target,
        applies=made.applies,
        flags=made.flags,
        note=made.note,
        folder=made.folder,
    )


def _waiting(each: Waiting) -> WaitingLine:
    return WaitingLine(
        each.id, each.title, each.since.isoformat(), each.folder, each.state == "landed"
    )


def _miss(miss: NearMiss) -> MissLine:
    return MissLine(
        miss.cluster,
        miss.kind,
        miss.statement,
        miss.gate,
        round(miss.needed, 4),
        round(miss.got, 4),
        miss.note,
    )
