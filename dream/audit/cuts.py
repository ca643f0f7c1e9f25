"""From when on an effect cannot be told apart: the rule changed, or another one came."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from dream.audit.landed import Landing
from dream.audit.subjects import Subject


@dataclass(frozen=True, slots=True)
class Cut:
    """The first day that does not count any more."""

    day: date
    reason: str  # a code of rule_page.REASONS; "" for a change of the rule itself
    why: str  # in words


def cut_of(
    subject: Subject,
    landing: Landing,
    all_landings: Sequence[tuple[Subject, Landing]],
    zone: ZoneInfo,
) -> Cut | None:
    """The earliest cut after a landing; None without one.

    Another rule cuts when it is about the same thing in the same project; one that landed on the
    very day of this one cuts at once.
    """
    found = []
    if landing.until is not None:
        found.append(Cut(_day(landing.until, zone), "", "it was reworded or taken away"))
    for other, its in all_landings:
        same = other.rule != subject.rule and other.aim.target == subject.aim.target
        near = other.project in ("", subject.project) or not subject.project
        if same and near and subject.aim.target and its.since >= landing.since:
            found.append(Cut(_day(its.since, zone), "co_intervention", f"{other.rule} landed"))
    return min(found, key=lambda one: (one.day, one.reason), default=None)


def _day(moment: datetime, zone: ZoneInfo) -> date:
    return moment.astimezone(zone).date()
