"""What our own archive tells of drift: what failed, by distance from the last compaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dream.audit.drift import LEAST, NAMES, bin_of
from dream.audit.share import Share, share
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class At:
    """What was tried in one session at one distance, and what of it failed."""

    agent: str
    session_id: str
    talked: bool
    distance: int | None  # turns since the last compaction; None: before any
    failed: int
    tried: int


@dataclass(frozen=True, slots=True)
class Bin:
    """Everything of an agent in one bin."""

    name: str  # "" before any compaction
    failed: Share
    sessions: int
    few: bool


@dataclass(frozen=True, slots=True)
class AgentDrift:
    """One agent. calls: failed ones of all that ran. prompts: those that correct, of all."""

    agent: str
    sessions: int
    compacted: int  # sessions in which anything stands behind a compaction
    calls: tuple[Bin, ...]
    prompts: tuple[Bin, ...]
    untold: int  # calls in sessions where no person talks: not in the bins


def recorded_drift(
    rows: Rows, corrections: Sequence[str], since: datetime
) -> tuple[AgentDrift, ...]:
    """By agent. corrections: ids of messages that correct one; since: from when it was judged."""
    calls = list(rows.rows("audit/calls_by_distance", At))
    prompts = list(
        rows.rows("audit/corrections_by_distance", At, since=since, corrections=sorted(corrections))
    )
    return by_agent(calls, prompts)


def by_agent(calls: Sequence[At], prompts: Sequence[At]) -> tuple[AgentDrift, ...]:
    """The bins of every agent, by its name. Nothing that was tried is in two bins or in none."""
    found = []
    for agent in sorted({each.agent for each in (*calls, *prompts)}):
        ran = [each for each in calls if each.agent == agent and each.talked]
        said = [each for each in prompts if each.agent == agent]
        both = [*ran, *said]
        found.append(
            AgentDrift(
                agent=agent,
                sessions=len({each.session_id for each in both}),
                compacted=len({each.session_id for each in both if each.distance is not None}),
                calls=_bins(ran),
                prompts=_bins(said),
                untold=sum(c.tried for c in calls if c.agent == agent and not c.talked),
            )
        )
    return tuple(found)


def _bins(tried: Sequence[At]) -> tuple[Bin, ...]:
    found = []
    for name in ("", *NAMES):
        own = [each for each in tried if bin_of(each.distance) == name]
        failed = share(sum(each.failed for each in own), sum(each.tried for each in own))
        sessions = len({each.session_id for each in own})
        found.append(Bin(name, failed, sessions, failed.of < LEAST))
    return tuple(found)
