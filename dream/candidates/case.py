"""A cluster with its evidence in hand, and how much of it there is."""

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from dream.candidates.wording import dated, unfit
from dream.types import Cluster, Judgement, NearMiss

TYPED = frozenset(["correction", "preference", "constraint", "repeated_ask", "refusal"])
"""Kinds that only a person's own words can be; what a memory ledger notes founds nothing."""
SLUG = 48


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster and the judgements that count for it, by time and id."""

    cluster: Cluster
    members: tuple[Judgement, ...]
    against: tuple[Judgement, ...] = ()  # what opposed clusters say for good, by time and id

    @property
    def sessions(self) -> int:
        """Distinct sessions, not lines."""
        return len({member.session_id for member in self.members})

    @property
    def days(self) -> int:
        """Distinct UTC days."""
        return len(days(self.members))

    @property
    def score(self) -> float:
        """The mean over sessions of the surest judgement in each, 0 to 1."""
        best: dict[str, float] = {}
        for member in self.members:
            best[member.session_id] = max(best.get(member.session_id, 0.0), member.score)
        return math.fsum(best.values()) / len(best) if best else 0.0

    @property
    def project(self) -> str:
        """The key of its project, "" when unknown."""
        return self.cluster.scope.project

    def missed(self, gate: str, needed: float, got: float, note: str = "") -> NearMiss:
        """That it became nothing, and why."""
        return NearMiss(
            self.cluster.id, self.cluster.statement, self.cluster.kind, gate, needed, got, note
        )


def cases(clusters: Sequence[Cluster], judgements: Mapping[str, Judgement]) -> list[Case]:
    """One a cluster. Of what people said only what they typed counts."""
    members = {cluster.id: _counting(cluster, judgements) for cluster in clusters}
    return [
        Case(
            cluster,
            members[cluster.id],
            _by_time(
                member
                for other in cluster.opposed
                for member in members.get(other, ())
                if lasting(member)
            ),
        )
        for cluster in sorted(clusters, key=lambda cluster: cluster.id)
    ]


def _counting(cluster: Cluster, judgements: Mapping[str, Judgement]) -> tuple[Judgement, ...]:
    found = [judgements[member] for member in cluster.members if member in judgements]
    spoken = any(member.kind in TYPED or member.kind == "memory" for member in found)
    return _by_time(member for member in found if not spoken or member.kind in TYPED)


def lasting(member: Judgement) -> bool:
    """Whether a sentence means something beyond its moment; only such can contradict a rule."""
    return not unfit(dated(member.statement, member.detail))


def _by_time(members: Iterable[Judgement]) -> tuple[Judgement, ...]:
    return tuple(sorted(members, key=order))


def order(judgement: Judgement) -> tuple[datetime, str]:
    """Time, then id; those without a time first."""
    return judgement.happened or datetime.min.replace(tzinfo=UTC), judgement.id


def days(members: Sequence[Judgement]) -> tuple[date, ...]:
    """The UTC days of members, each once, in order."""
    return tuple(sorted({m.happened.astimezone(UTC).date() for m in members if m.happened}))


def telling(members: Sequence[Judgement]) -> tuple[str, ...]:
    """Judgement ids, the surest first, one of each session before a second of any."""
    ranked = sorted(members, key=lambda member: (-member.score, order(member)))
    met: set[str] = set()
    first: list[str] = []
    again: list[str] = []
    for member in ranked:
        (again if member.session_id in met else first).append(member.id)
        met.add(member.session_id)
    return tuple(first + again)


def named(kind: str, cluster: str) -> str:
    """A candidate's id: its kind and 8 digits from its cluster's id, so that it stays."""
    digits = cluster.removeprefix("c-")
    if not re.fullmatch(r"[0-9a-f]{12}", digits):
        digits = hashlib.sha256(cluster.encode()).hexdigest()
    return f"{kind}-{digits[:8]}"


def slug(text: str) -> str:
    """[a-z0-9-], at most SLUG characters, cut between words; "" when nothing in it can stay."""
    whole = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if len(whole) <= SLUG:
        return whole
    return whole[: SLUG + 1].rpartition("-")[0] or whole[:SLUG]


def title(text: str, limit: int = 72) -> str:
    """A heading: the text without ticks and full stop, cut between words."""
    line = " ".join(text.replace("`", "").split()).rstrip(".。")
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def worth(score: float, sessions: int, total_days: int) -> float:
    """0 to 1: how sure, times how often; the second and third session count most."""
    often = 1 - 1 / (1 + sessions)
    spread = 1 - 1 / (1 + total_days)
    return round(score * (0.7 * often + 0.3 * spread), 6)
