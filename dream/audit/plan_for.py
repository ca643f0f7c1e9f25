"""The plan of an audit by the evidence a rule rests on: what stands unless a person changes it.

A pure function of what was known before the landing, so that it can be made again and compared.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from dream.audit.subjects import Subject
from dream.plan import Plan
from dream.types import Scope


def plan_for(
    subject: Subject,
    landed: datetime,
    revision: str,
    zone: ZoneInfo,
    detector: str,
    withheld: float = 0.0,
) -> Plan:
    """landed: UTC; revision: of the words as they landed; detector: what counts its aim, with
    a version; withheld: share of sessions that are not told the rule, by lot.
    """
    return Plan(
        rule=subject.rule,
        revision=revision,
        landed=landed.astimezone(zone).date(),
        zone=zone.key,
        scope=Scope(project=subject.project),
        aim=subject.aim,
        detector=detector,
        path="target" if subject.path_is_target else "guardrail",
        withheld=withheld,
    )
