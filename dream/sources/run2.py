"""The RUN2 archive of pi-experiencev2: one SQLite file that holds every run of the pi agent.

A unit is a run, since the archive only ever appends runs, ends them or deletes them: a night
decodes what ended or changed since the last one. Layouts 1 and 2 are read, both where they lie.
The extension itself would rewrite a file of layout 1 the moment it opened it.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from dream.errors import Damaged, NotAnArchive, TooNew
from dream.records import Run, Skip, Transcript
from dream.sources import run2_records, sqlite
from dream.sources.below import below
from dream.sources.run2_index import Index
from dream.sources.run2_layout import APPLICATION_ID, LAYOUTS, NEEDED, Layout
from dream.sources.run2_payload import Payloads
from dream.sources.run2_records import Unit
from dream.sources.run2_rows import Head, Means, transcript

NAME = "run2"
VERSION = 1

_LAST = itemgetter(5)  # of a row of layout.messages or layout.loose
_STRETCH = 500  # runs of one statement
_BATCH = 200  # runs and messages between two looks at whether the file has moved


def find(root: Path) -> Iterator[Path]:
    """Root itself when it is a file, else every .sqlite file below it, in name order."""
    return below(root, ".sqlite")


def claims(path: Path, head: bytes) -> bool:
    """Any SQLite database: whose it is may stand in the write-ahead log alone, so read decides."""
    return head.startswith(sqlite.MAGIC)


def read(path: Path, known: Mapping[str, str], scratch: Path) -> Iterator[Transcript]:
    """Every run that ended or changed, by ordinal; then the archive's own records, unit "".

    A file that is written to meanwhile is read on from a copy: what was handed out until then was
    read from a file that stood still, and is not handed out again.
    Raises NotAnArchive, TooNew, Damaged; SourceUnreadable when it cannot be opened.
    """
    given = dict(known)
    for copy in (False, True):
        try:
            with sqlite.opened(path, scratch, copy=copy) as database:
                for some in _batches(_transcripts(path, database, given)):
                    database.steady()
                    given.update((unit.unit, unit.token) for unit in some)
                    yield from some
            return
        except sqlite.Moved:
            continue


def _batches(units: Iterator[Transcript]) -> Iterator[list[Transcript]]:
    """Some runs at a time, so that a look at the file costs little and few are held in memory."""
    batch: list[Transcript] = []
    messages = 0
    for unit in units:
        batch.append(unit)
        messages += 1 + len(unit.messages)
        if messages >= _BATCH:
            yield batch
            batch, messages = [], 0
    yield batch


def _transcripts(
    path: Path, database: sqlite.Database, known: Mapping[str, str]
) -> Iterator[Transcript]:
    layout = _layout(database)
    index, tables = _index(database, layout)
    units = list(run2_records.units(index))
    changed = [unit for unit in units if known.get(unit.row.uuid) != unit.token]
    if changed or index.loose:
        for table in NEEDED:
            database.check(table)
    means = _means(path, database, layout, index, tables)
    for stretch in _stretches(units, changed):
        yield from _runs(database, layout, stretch, means)
    seen = [unit.row.uuid for unit in units]
    for loose in _loose(database, layout, index, means):
        seen.append(loose.unit)
        if known.get(loose.unit) != loose.token:
            yield loose
    yield Transcript(
        "",
        "",
        sessions=run2_records.sessions(index),
        branches=run2_records.branches(index),
        compactions=index.compactions,
        deletions=index.deleted,
        skips=[*index.skips, *run2_records.not_read(index)],
        seen=seen,
    )


def _layout(database: sqlite.Database) -> Layout:
    """Refuses every file but a RUN2 archive of a known layout, before any row is looked at."""
    mark = database.value("reading the application id", "PRAGMA application_id")
    if mark != APPLICATION_ID:
        raise NotAnArchive(database.path, "not an archive: another program's database")
    version = database.value("reading the layout's number", "PRAGMA user_version")
    encoding = database.value("reading the text encoding", "PRAGMA encoding")
    if version in LAYOUTS and encoding == "UTF-8":
        return LAYOUTS[version]
    newest = max(LAYOUTS)
    if version > newest:
        raise TooNew(
            database.path,
            f"layout {version} is newer than this reader, which knows up to {newest}. "
            "It was left untouched; a newer Dream may read it.",
        )
    raise NotAnArchive(database.path, f"not an archive: layout {version} in {encoding}")


def _index(database: sqlite.Database, layout: Layout) -> tuple[Index, frozenset[str]]:
    """Everything but the messages. A table that is not there is missed with a note."""
    index = Index()
    tables = database.tables()
    for table in NEEDED:
        if table not in tables:
            raise Damaged(database.path, f"damaged; reading the list of tables: no table {table}")
    rows = database.rows
    index.take_sessions(rows("reading sessions", layout.sessions))
    for table, take, sql in (
        ("deleted_runs", index.take_deleted, layout.deleted),
        ("branches", index.take_branches, layout.branches),
        ("events", index.take_happenings, layout.happenings),
    ):
        if table in tables:
            take(rows(f"reading {table}", sql))
        else:
            index.skips.append(Skip("bad_shape", 0, f"no table {table}", lost=False))
    index.take_runs(rows("reading runs", layout.runs), rows("counting messages", layout.counts))
    return index, tables


def _means(
    path: Path, database: sqlite.Database, layout: Layout, index: Index, tables: frozenset[str]
) -> Means:
    def captured(first: int, last: int) -> Mapping[int, object]:
        if "events" not in tables:
            return {}
        return dict(database.rows("reading times of messages", layout.captured, (first, last)))

    held = ()
    if layout.dictionaries is not None and "dicts" in tables:
        held = tuple(database.rows("reading dictionaries", layout.dictionaries))
    # The prompt that follows the input of an extension is that extension's.
    following = (
        seq
        for session, after in index.by_program
        for (seq,) in database.rows("reading inputs", layout.next_prompt, (session, after))
    )
    by_program = frozenset(seq for seq in following if seq is not None)
    return Means(Payloads(held), Path(f"{path.resolve()}-blobs"), captured, by_program)


def _stretches(units: list[Unit], changed: list[Unit]) -> Iterator[dict[int, Unit]]:
    """Changed runs with nothing unchanged between them, at most _STRETCH at once, by ordinal."""
    place_of = {unit.row.ordinal: place for place, unit in enumerate(units)}
    stretch: dict[int, Unit] = {}
    last = -1
    for unit in changed:
        place = place_of[unit.row.ordinal]
        if stretch and (place != last + 1 or len(stretch) == _STRETCH):
            yield stretch
            stretch = {}
        stretch[unit.row.ordinal] = unit
        last = place
    if stretch:
        yield stretch


def _runs(
    database: sqlite.Database, layout: Layout, stretch: Mapping[int, Unit], means: Means
) -> Iterator[Transcript]:
    """The transcripts of some runs, one held in memory at a time."""
    bounds = (min(stretch), max(stretch))
    rows = database.rows("reading messages", layout.messages, bounds)
    for ordinal, own in groupby(rows, _LAST):
        unit = stretch.get(ordinal)
        if unit is None:  # a run still going, between two that ended
            continue
        head = Head(unit.row.uuid, unit.token, unit.run.name or "", unit.run, unit.active)
        messages = [row for row in own if row[0] is not None]
        yield transcript(head, messages, means)


def _loose(
    database: sqlite.Database, layout: Layout, index: Index, means: Means
) -> Iterator[Transcript]:
    """Messages that stand in no run, one unit for each session and place they are found in."""
    for key in sorted(index.loose, key=str):
        rows = database.rows("reading messages outside of runs", layout.loose, (key,))
        for session, own in groupby(rows, _LAST):
            messages = list(own)
            session_id = index.sessions.get(session)
            if session_id is None:
                what = "messages of no session"
                index.skips.append(Skip("bad_shape", 0, what, count=len(messages)))
                continue
            unit = f"loose:{session}:{'' if key is None else key}"
            token = f"{len(messages)} {messages[-1][2]}"
            run = Run(f"{session_id}:start", session_id, 0)
            yield transcript(Head(unit, token, "", run), messages, means)
