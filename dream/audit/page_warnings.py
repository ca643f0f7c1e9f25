"""What a reader must know before believing any number on a rule's page."""

from datetime import timedelta

from dream.audit.page_evidence import Evidence
from dream.audit.rule_page import PathBlock

BURST = 2.0
"""A rule landed after an unusual time when errors were so many times as frequent just before it."""
BURST_ERRORS = 5


def is_burst(seen: Evidence) -> bool:
    """Whether errors were unusually frequent in the days that led to the rule."""
    border = seen.span.landed - timedelta(seen.plan.windows.detection)
    late, early = [0, 0], [0, 0]
    for each in seen.on("before"):
        began = each.work.began
        into = late if began is not None and began >= border else early
        into[0] += each.missed
        into[1] += each.occasions
    if late[0] < BURST_ERRORS or not early[1]:
        return False
    return late[0] / late[1] >= BURST * (early[0] + 0.5) / early[1]


def warnings(seen: Evidence, path: PathBlock | None) -> list[str]:
    """What a reader must know before believing any number."""
    said = []
    found = seen.held
    if found.lost:
        said.append(
            f"A part of the sessions cannot be read any more: {found.before} of"
            f" {found.known_before} before it landed are here, and {found.after} of"
            f" {found.known_after} after it. What is gone did not happen less."
        )
    if is_burst(seen):
        said.append(
            "It landed right after an unusual time: what it is about was far more frequent in the"
            " days before it than usual, and would have become rarer by itself."
        )
    if seen.cut is not None and seen.as_of >= seen.cut.day:
        said.append(f"Nothing after {seen.cut.day} counts: {seen.cut.why}.")
    if path is not None and path.censoring_changed:
        said.append(
            f"Runs are interrupted more or less often than before: {path.aborted_before:.0%} of"
            f" them before, {path.aborted_after:.0%} after. A shorter average may only be that."
        )
    if before := seen.plan.notes.get("instead_of"):
        said.append(
            f"What is counted is counted in another way than in plan {str(before)[:12]}, which"
            " this one stands for. Both sides are counted anew, and earlier looks do not count."
        )
    if seen.usage.use in ("followed", "not followed", "not told") and not _occasions(seen):
        said.append("It could not be measured: since it landed nothing came up that it is about.")
    return said


def _occasions(seen: Evidence) -> int:
    return sum(each.occasions for each in seen.on("after")) or int(seen.plan.aim.kind == "nothing")
