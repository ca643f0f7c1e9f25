"""All that one rule's page is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from dream.audit.assessment import Assessment
from dream.audit.columns import Columns
from dream.audit.cuts import Cut
from dream.audit.holes import Coverage, Hole
from dream.audit.landed import Landing
from dream.audit.outcomes import Facts, Outcome
from dream.audit.rule_page import Usage
from dream.audit.sides import Place, Span
from dream.audit.subjects import Subject
from dream.audit.units import Unit
from dream.plan import Plan


@dataclass(frozen=True, slots=True)
class Evidence:
    """One rule as of a day: what was seen, and what the statistics make of it."""

    subject: Subject
    landing: Landing
    plan: Plan
    told: Assessment
    own: Sequence[Outcome]
    places: Mapping[str, Place]
    units: tuple[Unit, Unit, Unit]  # by the plan's strata, finer ones, withheld
    usage: Usage
    facts: Facts
    cut: Cut | None
    span: Span
    others: tuple[tuple[Subject, Landing], ...]
    as_of: date
    zone: ZoneInfo
    looks: int
    held: Coverage
    quiet: tuple[Hole, ...]
    columns: Columns

    def on(self, place: Place) -> list[Outcome]:
        return [each for each in self.own if self.places[each.work.run.run_id] == place]

    @property
    def unit(self) -> Unit:
        """The unit whose strata the assessment is of."""
        return self.units[1] if self.told.level == "C" else self.units[0]

    def run_at(self, position: int) -> str:
        """The run at a place of the columns that were assessed; withheld ones stand behind."""
        runs = self.unit.runs
        behind = position - len(runs)
        return runs[position] if behind < 0 else self.units[2].runs[behind]
