"""Which nights were, as the ledger tells."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def last_night(state: Path) -> datetime | None:
    """When the last finished night began, UTC; None before the first. Raises StateBroken."""
    from dream.archive import ledger

    return last_of(ledger.events(state))


def last_of(events: Iterable[Mapping[str, Any]]) -> datetime | None:
    """The same from the ledger's events. The latest counts, not the last written."""
    began = [event["happened"] for event in events if event["event"] == "night"]
    return max((datetime.fromisoformat(each).astimezone(UTC) for each in began), default=None)


def nights_of(events: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The dates of all finished nights, ISO."""
    return frozenset(str(event["night"]) for event in events if event["event"] == "night")
