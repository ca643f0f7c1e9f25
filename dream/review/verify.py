"""`dream verify`: every published quote against our store, and against its source as it is today.

The words are ours to keep; that a source has changed or deleted them since is told, not hidden.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dream.review.evidence import Witness, stored, witness
from dream.review.record import Published
from dream.review.show import DeletedRun, deleted_runs
from dream.review.source_lines import digests
from dream.templates import placed, render
from dream.types import Rows

Source = Literal["present", "changed", "deleted", "gone", "unknown"]
Reread = Callable[[Path, Collection[int]], Mapping[int, Collection[str]] | None]
Again = Callable[[str, Path], Collection[str]]

MEANINGS = {
    "present": "stands at its source as it was read",
    "changed": "its source holds something else there now",
    "deleted": "its run was deleted by its own archive; the words are our copy",
    "gone": "its source file is no longer there; the words are our copy",
    "unknown": "its message is not in our store, so its source is not known",
}
_BEST: tuple[Source, ...] = ("present", "deleted", "changed", "gone", "unknown")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place where a message was seen."""

    message_id: str
    reader: str
    source_file: str
    line: int
    digest: str
    run_id: str
    gone: bool  # the file was not there when the last night looked


@dataclass(frozen=True, slots=True)
class Checked:
    """One quote of one proposal, looked at again."""

    folder: str
    candidate: str
    judgement: str
    message_id: str
    name: str  # "r3/m2", or the message id
    flaw: str  # against our store; "" when the quote stands there
    source: Source
    detail: str  # the file and line, the day of deletion


@dataclass(frozen=True, slots=True)
class Verdict:
    """All quotes looked at again."""

    proposals: int
    quotes: int
    broken: tuple[Checked, ...]  # against our own store: never to be expected
    sources: Mapping[str, int]  # how many quotes are in which state at their source
    lost: tuple[Checked, ...]  # no longer at their source as they were read


def verify(
    published: Iterable[Published],
    rows: Rows,
    reread: Reread = digests,
    again: Again = lambda reader, path: (),
) -> Verdict:
    """Looks at every quote of every proposal. Reads files of lines only; opens no database.

    reread: gives the digests of the records on some lines of a file, None when it is not there.
    again: digests of all messages that the reader of this name finds in a file: for records that
    are no line, or whose line has moved. Asked only for a file in which one was not found.
    """
    all_of = [(each, seen) for each in published for seen in (*each.evidence, *each.against)]
    ids = sorted({seen.judgement.message_id for _, seen in all_of})
    messages = stored(rows, ids)
    sightings: dict[str, list[Sighting]] = {}
    for place in rows.rows("review/sightings_of", Sighting, ids=ids):
        sightings.setdefault(place.message_id, []).append(place)
    runs = {place.run_id for places in sightings.values() for place in places}
    gone = deleted_runs(rows, [*runs, *(seen.judgement.run_id for _, seen in all_of)])
    now = _reread([p for places in sightings.values() for p in places], reread, again)
    checked = []
    for proposal, seen in all_of:
        found = witness(seen.judgement, messages.get(seen.judgement.message_id, ()))
        places = sightings.get(seen.judgement.message_id, [])
        source, detail = _at_source(seen, places, gone, now)
        flaw = found if isinstance(found, str) else ""
        checked.append(_checked(proposal, seen, flaw, source, detail))
    return _verdict(checked)


def verify_text(verdict: Verdict, others: int = 0) -> str:
    """For the terminal, without colour. others: proposals of other archives, passed over."""
    return render("verify.txt.j2", verdict=verdict, meanings=MEANINGS, others=others)


def _reread(
    places: Sequence[Sighting], reread: Reread, again: Again
) -> dict[tuple[str, int], Collection[str]]:
    """Digests of what stands on each seen line today; of a record without a line, of all records.

    A run archive has no lines and is left alone.
    """
    files: dict[tuple[str, str], list[Sighting]] = {}
    for place in places:
        if place.reader != "run2":
            files.setdefault((place.source_file, place.reader), []).append(place)
    now: dict[tuple[str, int], Collection[str]] = {}
    for (file, reader), seen in sorted(files.items(), key=lambda each: each[0]):
        found = reread(Path(file), {place.line for place in seen})
        if found is None:
            continue
        lost = [place for place in seen if place.digest not in found.get(place.line, ())]
        whole = again(reader, Path(file)) if lost else ()
        now |= {(file, place.line): {*found.get(place.line, ()), *whole} for place in seen}
    return now


def _at_source(
    seen: Witness,
    places: Sequence[Sighting],
    gone: Mapping[str, DeletedRun],
    now: Mapping[tuple[str, int], Collection[str]],
) -> tuple[Source, str]:
    """The best state of any copy: a message is at its source while one copy of it is."""
    states = [_one(place, gone, now) for place in places]
    if not states:
        run = gone.get(seen.judgement.run_id)
        return ("deleted", _day(run)) if run else ("unknown", "")
    return min(states, key=lambda state: _BEST.index(state[0]))


def _one(
    place: Sighting,
    gone: Mapping[str, DeletedRun],
    now: Mapping[tuple[str, int], Collection[str]],
) -> tuple[Source, str]:
    where = placed(place.source_file, place.line)
    if place.reader == "run2":
        if place.run_id in gone:
            return "deleted", _day(gone[place.run_id])
        return ("gone", place.source_file) if place.gone else ("present", where)
    found = now.get((place.source_file, place.line))
    if found is None:
        return "gone", place.source_file
    return ("present" if place.digest in found else "changed"), where


def _day(run: DeletedRun) -> str:
    when = f" on {run.deleted:%Y-%m-%d}" if run.deleted else ""
    return f"run {run.name} was deleted{when}: {run.reason}"


def _checked(proposal: Published, seen: Witness, flaw: str, source: Source, detail: str) -> Checked:
    return Checked(
        folder=proposal.folder,
        candidate=proposal.candidate.id,
        judgement=seen.judgement.id,
        message_id=seen.judgement.message_id,
        name=seen.cited.name or seen.judgement.message_id,
        flaw=flaw,
        source=source,
        detail=detail,
    )


def _verdict(checked: Sequence[Checked]) -> Verdict:
    counts = Counter(each.source for each in checked)
    return Verdict(
        proposals=len({each.folder for each in checked}),
        quotes=len(checked),
        broken=tuple(each for each in checked if each.flaw),
        sources={state: counts[state] for state in _BEST if counts[state]},
        lost=tuple(each for each in checked if each.source != "present"),
    )
