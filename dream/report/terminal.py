"""The night's report on a terminal of any width, with or without colour.

Nothing from an archive is taken for markup or for a command to the terminal: each text goes in as
text, with what cannot be seen spelled out. Titles stand on lines of their own, so that a text that
runs from right to left does not reorder its neighbours.
"""

import io
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dream import gates
from dream.records import SKIPS
from dream.report.night import NightReport, Tonight, besides, distance, looked_back
from dream.templates import counted
from dream.templates.hidden import shown
from dream.templates.markdown import oneline
from dream.templates.width import clip

WIDTH = 80
NARROW = 40
MISSES = 5
WAITING = 12
AUDITS = 6
SKIPPED = 8
TROUBLES = 5
WHOLE = ("foreign_format",)
"""Reasons for which a whole file is passed over, though nothing of ours was lost."""


def terminal(
    report: NightReport,
    *,
    width: int = WIDTH,
    colour: bool = False,
    tonight: Tonight | None = None,
    out: str = "skills_out",
) -> str:
    """The report as text of at most so many cells a line; colour: with escape sequences.

    tonight: what this run has to say, when the night has just ended. out: skills_out, for paths.
    """
    console = Console(
        file=io.StringIO(),
        width=max(width, NARROW),
        color_system="standard" if colour else None,
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    _head(console, report)
    _proposals(console, report, out)
    _waiting(console, report)
    _audits(console, report)
    _nearly(console, report)
    if report.backtest:
        _line(console, "")
        _line(console, f"Looking back: {' '.join(looked_back(report.backtest))}")
    _troubles(console, report)
    _read(console, report)
    _road(console, report, tonight)
    console.print(f"\nThe whole report: {out}/{report.night}/report.md", soft_wrap=True)
    text = console.file.getvalue() if isinstance(console.file, io.StringIO) else ""
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _head(console: Console, report: NightReport) -> None:
    waiting = sum(not each.landed for each in report.waiting)
    parts = [
        counted(len(report.proposals), "proposal") if report.proposals else "nothing to propose"
    ]
    if waiting:
        parts.append(f"{waiting} waiting since earlier nights")
    if landed := len(report.waiting) - waiting:
        parts.append(f"{landed} adopted")
    _line(console, f"Night of {report.night}: {', '.join(parts)}", "bold")
    if not report.proposals and not report.missed and report.totals.messages:
        _line(console, "No judgement repeats yet. That is a good night too.")
    if report.warnings:
        _line(console, "")
        _line(console, "A person should look:", "bold yellow")
        for warning in report.warnings:
            _item(console, warning, "yellow")


def _proposals(console: Console, report: NightReport, out: str) -> None:
    for number, each in enumerate(report.proposals, 1):
        if number == 1:
            _line(console, "")
        _line(console, f"{number:>2}. {each.title}", "bold green")
        told = f"{counted(each.sessions, 'session')} on {counted(each.days, 'day')}"
        if each.against:
            told += f", {each.against} against"
        _line(console, f"    {each.kind} for {each.project}: {told}")
        if each.note:
            _line(console, f"    {each.note}")
        for flag in each.flags:
            # Two lines of it: the page has all.
            note = clip(f"note: {shown(oneline(flag))}", 2 * (console.width - 8))
            _line(console, f"    {note}", "yellow")
        _line(console, f"    {out}/{report.night}/{each.folder}/proposal.md", "dim", whole=True)
    for name in report.together:
        _line(console, f"All at once: {out}/{report.night}/{name}", "dim", whole=True)
    for folder in report.kept:
        _line(console, f"From an earlier run of this date: {folder}", "dim", whole=True)


def _waiting(console: Console, report: NightReport) -> None:
    """What a person has been shown already and what was taken, a line each."""
    for landed, heading in ((False, "Waiting for a person:"), (True, "Adopted:")):
        told = [each for each in report.waiting if each.landed is landed]
        for number, each in enumerate(told[:WAITING]):
            if not number:
                _line(console, "")
                _line(console, heading, "bold")
            title = shown(oneline(each.title))
            _line(console, f"  {clip(f'{each.id}  {title}', max(console.width - 2, 10))}")
        if (more := len(told) - WAITING) > 0:
            _line(console, f"  and {more:,} more")


def _audits(console: Console, report: NightReport) -> None:
    """What the rules that landed do, the first line of each page."""
    for number, each in enumerate(report.audits[:AUDITS]):
        if not number:
            _line(console, "")
            _line(console, "Do the adopted rules do any good:", "bold")
        title = shown(oneline(each.title))
        _line(console, f"  {clip(f'{each.rule}  {title}', max(console.width - 2, 10))}")
        _item(console, f"{each.verdict}: {each.says}")
    if (more := len(report.audits) - AUDITS) > 0:
        _line(console, f"  and {more:,} more: dream audit")


def _nearly(console: Console, report: NightReport) -> None:
    if not report.misses:
        return
    by_gate = ", ".join(f"{gate} {count:,}" for gate, count in report.missed.items())
    _line(console, "")
    _line(console, f"Nearly ({by_gate}):", "bold")
    for miss in report.misses[:MISSES]:
        subject = shown(oneline(gates.subject(miss.kind, miss.statement)))
        _line(console, f"  {clip(subject, max(console.width - 2, 10))}")
        _line(console, f"    {miss.cluster} {distance(miss)}", "dim")
    if (more := sum(report.missed.values()) - MISSES) > 0:
        _line(console, f"  and {more:,} more")


def _troubles(console: Console, report: NightReport) -> None:
    for number, trouble in enumerate(report.troubles[:TROUBLES]):
        if not number:
            _line(console, "")
            _line(console, "Rule files that are not read as they were meant:", "bold")
        _item(console, trouble, "yellow")
    if (more := len(report.troubles) - TROUBLES) > 0:
        _line(console, f"  and {more:,} more")


def _read(console: Console, report: NightReport) -> None:
    totals = report.totals
    span = f", {totals.first} to {totals.last}" if totals.first else ""
    _line(console, "")
    _line(
        console,
        f"Read: {counted(totals.sessions, 'session')}{span}, {counted(totals.runs, 'run')}, "
        f"{counted(totals.messages, 'message')} ({totals.human:,} typed by a person), "
        f"{counted(totals.calls, 'tool call')} ({totals.failed:,} failed)",
    )
    if also := besides(totals):
        _line(console, f"Also: {', '.join(also)}")
    if report.sources:
        rows = [
            (s.reader, s.files, s.fresh, s.gone, s.messages, s.lost, s.noticed)
            for s in report.sources
        ]
        heads = ("reader", "files", "new", "gone", "messages", "lost", "noticed")
        _table(console, heads, rows)
    if len(report.agents) > 1:
        lines = [
            (a.agent, a.sessions, a.by_programs, a.typed, a.calls, a.failed) for a in report.agents
        ]
        _table(console, ("agent", "sessions", "of programs", "typed", "calls", "failed"), lines)
    for skip in [each for each in report.skips if each.lost or each.reason in WHOLE][:SKIPPED]:
        words = SKIPS.get(skip.reason, skip.reason)
        if skip.reason in WHOLE and skip.details:
            named = (f"{name} × {n:,}" if n > 1 else name for name, n in skip.details.items())
            words += f" ({', '.join(sorted(named))})"
        fate = "lost" if skip.lost else "passed over"
        _line(console, f"  {skip.count:,} {fate}: {words}; first {skip.places[0]}", "yellow")
    if report.redactions:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in report.redactions.items())
        _line(console, f"Secrets removed: {kinds}")


def _road(console: Console, report: NightReport, tonight: Tonight | None) -> None:
    if report.stages:
        _line(console, "")
        rows = [
            (stage.name, f"{stage.taken:,} {stage.took}", f"{stage.given:,} {stage.gave}")
            for stage in report.stages
        ]
        _table(console, ("stage", "took", "gave"), rows)
    for note in tonight.notes if tonight else ():
        _line(console, note)
    if tonight and tonight.seconds:
        parts = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in tonight.seconds.items())
        whole = sum(tonight.seconds.values())
        memory = f"at most {tonight.peak_megabytes:,.0f} MB of memory"
        _line(console, f"{whole:.1f} s in all ({parts}), {memory}")


def _table(console: Console, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    listed = [tuple(row) for row in rows]
    for place, head in enumerate(heads):
        numbers = all(isinstance(row[place], int) for row in listed)
        table.add_column(Text(head), justify="right" if numbers else "left", overflow="fold")
    for row in listed:
        table.add_row(*(Text(f"{v:,}" if isinstance(v, int) else shown(str(v))) for v in row))
    console.print(Padding(table, (0, 0, 0, 2)))


def _item(console: Console, text: str, style: str = "") -> None:
    grid = Table.grid()
    grid.add_row(Text("  - "), Text(shown(oneline(text)), style=style, overflow="fold"))
    console.print(grid)


def _line(console: Console, text: str, style: str = "", *, whole: bool = False) -> None:
    """One paragraph, wrapped under its own indent; whole: a path, left in one piece."""
    words = shown(oneline(text)) if text.strip() else ""
    indent = len(text) - len(text.lstrip())
    if whole:
        console.print(Text(" " * indent + words, style=style), soft_wrap=True)
    else:
        console.print(Padding(Text(words, style=style, overflow="fold"), (0, 0, 0, indent)))
