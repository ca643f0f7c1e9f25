"""Which nights were, as the ledger tells."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

AHEAD = timedelta(days=1)
"""A night that began so long after now was told by a clock that was wrong."""


def last_night(state: Path, now: datetime) -> datetime | None:
    """When the last finished night began, UTC; None before the first. Raises StateBroken."""
    from dream.archive import ledger

    return last_of(ledger.events(state), now)


def last_of(events: Iterable[Mapping[str, Any]], now: datetime) -> datetime | None:
    """The same from the ledger's events. The latest counts, not the last written.

    One that lies ahead of now does not, or no night would be due until it is reached.
    """
    began = (event["happened"] for event in events if event["event"] == "night")
    known = (datetime.fromisoformat(each).astimezone(UTC) for each in began)
    return max((each for each in known if each - now < AHEAD), default=None)


def nights_of(events: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The dates of all finished nights, ISO."""
    return frozenset(str(event["night"]) for event in events if event["event"] == "night")
