"""The signals stage: from the archive's rows to judgements, each with its words and reasons."""

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo

from dream.signals.errors import failures
from dream.signals.given_up import given_up
from dream.signals.memories import remembered
from dream.signals.paths import paths
from dream.signals.people import listen
from dream.text import words
from dream.types import Judgement, Rows

_UTC = ZoneInfo("UTC")
_NONE: Mapping[str, datetime] = MappingProxyType({})
_FIRST = datetime.min.replace(tzinfo=UTC)


def detect(
    rows: Rows, since: datetime, *, zone: ZoneInfo = _UTC, own: Mapping[str, datetime] = _NONE
) -> list[Judgement]:
    """Every judgement of what happened at or after since (UTC), by time and id.

    zone: where the people are, for words like "yesterday". own: texts of our own rules with the
    time from which people could read them; a sentence that only repeats one is an echo. Keeps
    judgements in memory and no message; the same rows give the same list.
    """
    echoes = {words(rule): since for rule, since in own.items()}
    heard = listen(rows, since, zone, echoes)
    errors = failures(rows, since)
    failed = frozenset(str(each.detail["call_id"]) for each in errors if each.kind == "tool_error")
    found = [
        *remembered(rows, since, heard.judgements),
        *errors,
        *given_up(rows, since),
        *paths(rows, since, failed, heard.corrected, heard.openings),
    ]
    unique = {judgement.id: judgement for judgement in found}
    return sorted(unique.values(), key=lambda each: (each.happened or _FIRST, each.id))
