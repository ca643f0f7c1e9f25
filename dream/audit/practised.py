"""Which failed calls did what a rule asks for: errors that only these have, the rule brought."""

from collections.abc import Iterable, Sequence

from dream.aim import Aim
from dream.audit.errors_of import ErrorClass
from dream.audit.worked import Worked
from dream.detector import RecordedCall
from dream.practice import read, tallies
from dream.types import Rows


def practised_calls(
    rows: Rows, aim: Aim, classes: Iterable[ErrorClass], after: Sequence[Worked], done: int
) -> tuple[frozenset[str], int]:
    """Ids of failed calls of these runs that obey a practice of single calls; how many calls do.

    done: that number, as it was counted. Practices of lines or of an order are not looked into.
    """
    practices = {
        str(number): read(each)
        for number, each in enumerate(aim.practices)
        if each.get("practice") == "call"
    }
    if not practices or not done:
        return frozenset(), 0
    inside = {work.run.run_id for work in after}
    ids = sorted(
        {call for one in classes for run, calls in one.runs.items() if run in inside
         for call in calls}
    )  # fmt: skip
    found = set()
    for call in rows.rows("audit/failed_calls", RecordedCall, ids=ids):
        told = list(tallies(practices, [call]))
        if told and not any(each.broken for each in told):
            found.add(call.call_id)
    return frozenset(found), done
