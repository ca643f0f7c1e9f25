"""`dream show`: a stored message, run or session by any name a person may have for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from dream.called import in_words
from dream.errors import Ambiguous, NotFound
from dream.review.evidence import Cited, stored
from dream.templates import render
from dream.templates.hidden import shown
from dream.templates.markdown import oneline
from dream.templates.width import clip
from dream.types import Rows

CHOICES = 12
"""Things listed when a name stands for several."""

LINE = 200
"""Characters of a call in the list of a run."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that a name may mean. rank: 0 its full id, 1 its name, 2 the beginning of it."""

    kind: str  # message, run, session, deleted
    id: str
    rank: int
    run_id: str
    session_id: str
    happened: datetime | None
    source_file: str
    title: str


@dataclass(frozen=True, slots=True)
class Near:
    """A run's name that is spelled nearly so."""

    name: str
    messages: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A message of a run, its first characters only."""

    message_id: str
    name: str | None
    role: str
    kind: str
    happened: datetime | None
    active: bool
    head: str
    length: int  # characters of the whole text


@dataclass(frozen=True, slots=True)
class RunHeading:
    """A run of a session."""

    run_id: str
    name: str | None
    state: str
    started: datetime | None
    messages: int
    head: str
    deleted: datetime | None  # at its source


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that a message made or answers."""

    tool: str
    arguments: str
    status: str
    exit_code: int | None
    message_id: str
    result_id: str | None


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A run that its own archive has deleted."""

    run_id: str
    name: str
    deleted: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked for. kind tells which parts are there."""

    kind: str  # message, run, session, deleted
    id: str
    message: Cited | None = None
    calls: Sequence[Call] = ()
    messages: Sequence[Heading] = ()  # of the run, in order
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)  # of the run, by message id
    runs: Sequence[RunHeading] = ()  # of the session, in order
    deleted: DeletedRun | None = None  # what is shown is our copy, or nothing is left


def show(ref: str, rows: Rows) -> Shown:
    """The one thing that ref names: r3/m2, r3, m17, an id, session/entry, or a beginning of one.

    Raises NotFound with what is spelled nearly so, Ambiguous with the choices.
    """
    choice = find(ref, rows)
    gone = deleted_runs(rows, [choice.run_id]).get(choice.run_id)
    if choice.kind == "deleted":
        return Shown("deleted", choice.id, deleted=gone)
    if choice.kind == "session":
        runs = tuple(rows.rows("review/session_runs", RunHeading, session=choice.id))
        return Shown("session", choice.id, runs=runs)
    lines = tuple(rows.rows("review/run_lines", Heading, run=choice.run_id))
    if choice.kind == "run":
        called = _called(rows.rows("review/calls_of_run", Call, run=choice.run_id))
        return Shown("run", choice.id, messages=lines, called=called, deleted=gone)
    message = next(
        each
        for each in stored(rows, [choice.id])[choice.id]
        if each.source_file == choice.source_file
    )
    calls = tuple(rows.rows("review/calls_of", Call, message=choice.id))
    return Shown("message", choice.id, message, calls, lines, deleted=gone)


def _called(calls: Iterable[Call]) -> dict[str, list[str]]:
    """The calls of each message, a line each."""
    found: dict[str, list[str]] = {}
    for call in calls:
        failed = " (failed)" if call.status == "error" else ""
        words = in_words(call.tool, call.arguments)[:LINE]
        found.setdefault(call.message_id, []).append(f"{words}{failed}")
    return found


def find(ref: str, rows: Rows) -> Choice:
    """The one thing that ref names; a full id before a name, a name before a beginning."""
    ref = ref.strip().strip("`")
    session, _, entry = ref.rpartition("/")
    run = ref.partition("/")[0]
    found = list(rows.rows("review/find", Choice, ref=ref, session=session, entry=entry, run=run))
    best = [each for each in found if each.rank == found[0].rank]
    kept = {each.run_id for each in best if each.kind != "deleted"}
    best = [each for each in best if each.kind != "deleted" or each.run_id not in kept]
    if not best:
        raise NotFound(_not_found(ref, run, rows))
    if len(best) > 1:
        same = len({each.id for each in best}) < len(best)
        lines = [_line(each, same) for each in best[:CHOICES]]
        more = len(best) - len(lines)
        raise Ambiguous(ref, lines + ([f"and {more} more"] if more else []))
    return best[0]


def deleted_runs(rows: Rows, runs: Sequence[str]) -> dict[str, DeletedRun]:
    """Of these run ids those that their own archive has deleted."""
    found = rows.rows("review/deleted_runs", DeletedRun, runs=sorted(set(runs)))
    return {each.run_id: each for each in found}


def shown_text(what: Shown) -> str:
    """For the terminal, without colour."""
    return render("show.txt.j2", shown=what)


def _not_found(ref: str, run: str, rows: Rows) -> str:
    words = f"Nothing in the archive is called {shown(ref)}."
    near = list(rows.rows("review/near", Near, run=run))
    if near and near[0].name == run:
        count = near[0].messages
        return (
            f"{words} {run} has {count} messages: {run}/m1 to {run}/m{count}." if count else words
        )
    if near:
        return f"{words} Did you mean {' or '.join(each.name for each in near)}?"
    return f"{words} Give r3/m2, r3, a message's or session's id, or the first characters of one."


def _line(choice: Choice, sources: bool) -> str:
    """sources: several have the same id, so the file tells them apart."""
    day = f"{choice.happened:%Y-%m-%d}" if choice.happened else "no date   "
    line = clip(f"{choice.id}  {day}  {choice.kind} {shown(oneline(choice.title))}", 110)
    return f"{line}\n      {choice.source_file}" if sources else line
