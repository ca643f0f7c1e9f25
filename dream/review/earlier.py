"""What was proposed on earlier nights: by what lies in skills_out, and by the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from dream.review.record import Published
from dream.types import Proposed


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is known of a candidate from an earlier date."""

    night: date
    folder: str  # "<date>/<id>-<slug>"
    content: str
    diff: str


def earlier_of(published: Iterable[Published], night: date) -> Mapping[str, Earlier]:
    """For each candidate its last proposal before this night, from what lies in skills_out."""
    return {
        each.candidate.id: Earlier(each.night, each.folder, each.content, each.diff)
        for each in sorted(published, key=lambda each: (each.night, each.folder))
        if each.night < night
    }


def parted(
    published: Iterable[Published], events: Iterable[Mapping[str, Any]]
) -> tuple[tuple[Published, ...], tuple[Published, ...]]:
    """The proposals that the ledger knows, and those that another archive has put beside them."""
    told = {each["folder"] for each in events if each.get("event") == "proposed"}
    found = tuple(published)
    return (
        tuple(each for each in found if each.folder in told),
        tuple(each for each in found if each.folder not in told),
    )


def events_of(proposed: Proposed, night: date, happened: datetime) -> tuple[Mapping[str, str], ...]:
    """What the ledger is told of a night: one event a proposal. happened: UTC."""
    return tuple(
        {
            "event": "proposed",
            "happened": happened.isoformat(),
            "id": each.candidate.id,
            "night": night.isoformat(),
            "folder": f"{night}/{each.folder}",
            "content": each.content,
            "diff": each.diff,
        }
        for each in proposed.proposals
    )


def earlier_in(events: Iterable[Mapping[str, Any]], night: date) -> Mapping[str, Earlier]:
    """As earlier_of, from the ledger's events; those of other kinds are passed over."""
    told = (each for each in events if each.get("event") == "proposed")
    return {
        each["id"]: Earlier(
            date.fromisoformat(each["night"]), each["folder"], each["content"], each["diff"]
        )
        for each in sorted(told, key=lambda each: str(each["night"]))
        if date.fromisoformat(each["night"]) < night
    }
