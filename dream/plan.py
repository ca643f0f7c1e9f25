"""The audit plan of a rule: all that decides what its audit will say, fixed before it lands.

Choosing a window or a stratum after a look is a look of another kind, so nothing in it changes
later: a changed plan is a new audit, with a hash of its own.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal

import msgspec
import orjson

from dream.aim import Aim
from dream.types import Scope

Looks = Literal["one", "three"]
"""How many closing looks: at the horizon, or at a third, two thirds and all of it."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Days. The defaults and their reasons are those of the design, section 3.2."""

    before: int = 60
    detection: int = 7  # before landing: what the night that proposed the rule had seen
    horizon: int = 60  # nights after landing
    grace: int = 0

    def __post_init__(self) -> None:
        if min(self.before, self.horizon) < 1 or not 0 <= self.grace < self.horizon:
            raise ValueError(f"{self} are no windows: before and horizon are 1 day or more")
        if not 0 <= self.detection < self.before:
            raise ValueError(f"{self} are no windows: the detection window lies in those before")

    def first(self, landed: date) -> int:
        """The ordinal of the first day that counts."""
        return landed.toordinal() - self.detection - self.before


@dataclass(frozen=True, slots=True)
class Budget:
    """What may go wrong by chance, per direction, and the margins of "the same"."""

    any_night: float = 0.01
    closing: float = 0.04
    mixing: float = 0.5  # sd of the log rate ratio that the e-process is tuned for
    path_mixing: float = 0.2
    rate_margin: float = 1.25  # 1/1.25 to 1.25 is no difference
    path_margin: float = 1.10
    looks: Looks = "one"
    fdr: float = 0.10

    def __post_init__(self) -> None:
        sure = 0 < self.any_night < 0.5 and 0 < self.closing < 0.5 and 0 < self.fdr < 1
        wide = self.mixing > 0 and self.path_mixing > 0
        if not (sure and wide and self.rate_margin > 1 and self.path_margin > 1):
            raise ValueError(f"{self} is no budget: shares lie in 0 to 0.5, margins above 1")

    @classmethod
    def strict(cls) -> "Budget":
        """Half of the usual: for who would rather miss an effect than tell of none."""
        return cls(any_night=0.005, closing=0.02)

    @property
    def whole(self) -> float:
        return self.any_night + self.closing


@dataclass(frozen=True, slots=True)
class Gates:
    """The least data before anything is said, in the strata that both sides have."""

    errors: int = 8
    errors_before: int = 5
    days: int = 8  # active, on each side
    path_runs: int = 10  # on each side
    control_sd: float = 1.0
    control_errors: int = 5  # of a control, on each side
    control_days: int = 4
    controls: int = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """One rule's audit. Dates are local days in `zone`."""

    rule: str
    revision: str  # hash of the text as it landed
    landed: date
    zone: str
    scope: Scope
    aim: Aim
    detector: str  # what counts the aim, with its version
    strata: tuple[str, ...] = ("project", "task", "size")
    windows: Windows = Windows()
    budget: Budget = Budget()
    gates: Gates = Gates()
    path: Literal["target", "guardrail", "note"] = "guardrail"
    withheld: float = 0.0  # share of sessions in which the rule is withheld by lot
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """SHA-256 of the plan, hex: the same plan, the same digest, on every machine."""
        return hashlib.sha256(written(self)).hexdigest()


def written(plan: Plan) -> bytes:
    """The plan as JSON with sorted keys."""
    return orjson.dumps(asdict(plan), option=orjson.OPT_SORT_KEYS)


def read(data: bytes) -> Plan:
    """The plan that was written. Raises ValueError for anything else."""
    return msgspec.json.decode(data, type=Plan)
