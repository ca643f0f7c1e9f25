"""The report as files: report.md for people, report.json for programs, and back from JSON."""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from dream import gates
from dream.errors import NotFound, StateBroken
from dream.records import SKIPS
from dream.report.night import NightReport, besides, distance, looked_back
from dream.templates import render
from dream.templates.json_text import json_bytes

SHOWN = 30
"""Near misses on the page; report.json has more."""

OTHERS = 5
"""Nights of other archives that are named."""


def report_files(report: NightReport) -> Mapping[str, bytes]:
    """Both files, by name, for the night's folder."""
    return {"report.json": json_bytes(report), "report.md": markdown(report).encode()}


def markdown(report: NightReport) -> str:
    """report.md."""
    nearest = [
        (miss, gates.subject(miss.kind, miss.statement), distance(miss))
        for miss in report.misses[:SHOWN]
    ]
    also = besides(report.totals)
    back = looked_back(report.backtest) if report.backtest else ()
    return render("report.md.j2", report=report, words=SKIPS, nearest=nearest, also=also, back=back)


def loaded(data: bytes, path: Path) -> NightReport:
    """The report of a report.json; path is for the message. StateBroken when it is none of ours."""
    try:
        return msgspec.json.decode(data, type=NightReport)
    except (ValueError, RecursionError) as error:
        raise StateBroken(f"{path} is not a report of this version: {error}") from error


def last_report(out: Path, night: str = "", own: Collection[str] | None = None) -> NightReport:
    """The report of a night (ISO date) below skills_out, or of the newest. NotFound without one.

    own: the nights of this archive (ISO dates), of which the newest is meant: other archives may
    write into the same folder. None: all are.
    """
    there = sorted(out.glob(f"{night or '????-??-??'}/report.json"))
    found = [path for path in there if night or own is None or path.parent.name in own]
    if not found:
        which = f"of the night {night}" if night else "yet"
        others = ", ".join(path.parent.name for path in there[-OTHERS:])
        besides = (
            f"\nOf other archives there are: {others}; see them with --date." if others else ""
        )
        raise NotFound(f"There is no report {which} in {out}. `dream night` makes one.{besides}")
    return loaded(found[-1].read_bytes(), found[-1])
