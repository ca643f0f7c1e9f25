"""Was a rule there, did it apply, was it done: asked before any effect is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from dream.aim import Aim
from dream.audit.outcomes import Outcome
from dream.audit.presence import Presence
from dream.audit.rule_page import Practised, Usage, Use
from dream.text import language

Told = Literal["told", "not told", "withheld", "unknown"]

MOSTLY = 0.5
"""A rule that is done so often is followed, whatever was done before it."""
RISEN = 2.0
"""Else it is followed when it is done so many times as often as before, and often enough to see."""
SEEN = 5


@dataclass(frozen=True, slots=True)
class Force:
    """Where one rule was in force. landed: UTC; blind: nothing is known of its project's files."""

    rule: str
    landed: datetime
    presence: Presence
    blind: bool = False

    def of(self, outcome: Outcome) -> Told:
        """What the agent of a run was told. Where no file is known, the time alone decides."""
        run = outcome.work.run
        if self.rule in self.presence.withheld.get(run.run_id, ()):
            return "withheld"
        rules = self.presence.of(run.run_id)
        if rules is not None:
            return "told" if self.rule in rules else "not told"
        if not self.blind or run.started is None:
            return "unknown"
        return "told" if run.started >= self.landed else "not told"


def is_blind(presence: Presence, outcomes: Iterable[Outcome]) -> bool:
    """Whether of no run in a project it is known which rule files it had."""
    return all(presence.of(each.work.run.run_id) is None for each in outcomes)


def usage(aim: Aim, own: Sequence[Outcome], force: Force, text: str) -> Usage:
    """own: the outcomes of all runs in the rule's project; text: the rule's own words."""
    dated = [(began, each) for each in own if (began := each.work.began) is not None]
    after = [each for began, each in dated if began >= force.landed]
    before = [each for began, each in dated if began < force.landed]
    of = {each.work.run.run_id: force.of(each) for each in after}
    told = [each for each in after if of[each.work.run.run_id] == "told"]
    relevant = [each for each in told if each.occasions]
    done_before = _practised(aim, before)
    done_after = _practised(aim, told)
    known_by_time = force.presence.by_time
    return Usage(
        use=_use(aim, len(after), len(told), len(relevant), done_before, done_after),
        runs=len(after),
        told=len(told),
        unknown=sum(each == "unknown" for each in of.values()),
        by_time=sum(each.work.run.run_id in known_by_time or force.blind for each in told),
        relevant=len(relevant),
        before=done_before,
        after=done_after,
        tokens=tokens(text),
        unit="line" if any(p.get("practice") == "line" for p in aim.practices) else "time",
    )


def _use(aim: Aim, runs: int, told: int, relevant: int, before: Practised, after: Practised) -> Use:
    if not runs:
        return "not yet"
    if not told:
        return "never loaded"
    if aim.kind == "nothing":
        return "not told"
    if not relevant:
        return "no occasion"
    if aim.kind != "breaches" or after.share is None:
        return "not told"
    risen = after.done >= SEEN and after.share >= RISEN * (before.share or 0)
    return "followed" if after.share >= MOSTLY or risen else "not followed"


def _practised(aim: Aim, outcomes: Iterable[Outcome]) -> Practised:
    """Only of a practice a machine can see whether it was done."""
    if aim.kind != "breaches":
        return Practised(0, 0)
    listed = list(outcomes)
    occasions = sum(each.occasions for each in listed)
    return Practised(occasions - sum(each.missed for each in listed), occasions)


def tokens(text: str) -> int:
    """About how many tokens a text takes: four letters of a Latin script, one of a Chinese one."""
    each = 1.0 if language(text) == "zh" else 0.25
    return round(each * len(text))
