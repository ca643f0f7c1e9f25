"""`dream why`: from a proposal, cluster or judgement back to the words it rests on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from pathlib import PurePath
from typing import Literal

from dream.errors import Ambiguous, NotFound
from dream.gates import missed, subject
from dream.review.evidence import Cited, stored, witness
from dream.review.page import KINDS, ROLES, dated
from dream.review.record import Published
from dream.review.show import DeletedRun, deleted_runs
from dream.templates import render
from dream.types import Candidate, Cluster, Judgement, NearMiss, Rows

AROUND = 240
"""Characters shown before and after a quote."""

_ID = re.compile(r"(?:(?:rule|skill|check)-[0-9a-f]{1,8}|[cj]-[0-9a-f]{1,12})")


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that `why` can be asked for, by id. Proposals of skills_out and the last night."""

    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    clusters: Mapping[str, Cluster] = field(default_factory=dict)
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    misses: Mapping[str, NearMiss] = field(default_factory=dict)  # by cluster id
    folders: Mapping[str, str] = field(default_factory=dict)  # candidate id -> its folder


@dataclass(frozen=True, slots=True)
class Words:
    """One judgement and the stored words around its quote."""

    judgement: Judgement
    side: Literal["for", "against"]
    message: Cited | None  # None: not in the archive; its text is left out
    before: str
    quote: str
    after: str
    flaw: str  # what is wrong with the quote; "" when it stands there
    deleted: datetime | None  # at its source; the words are our copy
    who: str
    what: str
    dated: str  # the days its words stand for, when they name some; else ""


@dataclass(frozen=True, slots=True)
class Walk:
    """The way from an id to the words."""

    id: str
    kind: str  # rule, skill, check, cluster, judgement
    title: str
    folder: str  # of the proposal; "" when there is none
    sessions: int
    days: int
    clusters: tuple[str, ...]
    miss: NearMiss | None  # why it is no candidate
    words: tuple[Words, ...]  # the evidence for it, then against it


def known(
    published: Iterable[Published],
    clusters: Iterable[Cluster] = (),
    judgements: Iterable[Judgement] = (),
    misses: Iterable[NearMiss] = (),
) -> Known:
    """What can be asked for. Of a proposal written several times the last one counts."""
    candidates, folders = dict[str, Candidate](), dict[str, str]()
    told: dict[str, Judgement] = {}
    for each in sorted(published, key=lambda each: (each.night, each.folder)):
        candidates[each.candidate.id], folders[each.candidate.id] = each.candidate, each.folder
        told |= {seen.judgement.id: seen.judgement for seen in (*each.evidence, *each.against)}
    told |= {each.id: each for each in judgements}
    by_cluster = {each.cluster: each for each in misses}
    return Known(candidates, {each.id: each for each in clusters}, told, by_cluster, folders)


def why(asked: str, what: Known, rows: Rows) -> Walk:
    """The walk from an id, or from the beginning of one, or from a proposal's folder.

    Raises NotFound with the nearest id, Ambiguous with the choices.
    """
    found = _resolved(asked, what)
    if found in what.candidates:
        return _of_candidate(what.candidates[found], what, rows)
    if found in what.clusters:
        return _of_cluster(what.clusters[found], what, rows)
    told = what.judgements[found]
    words = _words((told,), "for", rows)
    days = 1 if told.happened else 0
    return Walk(found, "judgement", told.statement, "", 1, days, (), None, words)


def why_text(walk: Walk) -> str:
    """For the terminal, without colour."""
    miss, kind = walk.miss, walk.words[0].judgement.kind if walk.words else ""
    said = walk.title if walk.kind in {"rule", "skill", "check"} else subject(kind, walk.title)
    told = missed(miss.gate, miss.needed, miss.got, miss.note) if miss else ""
    return render("why.txt.j2", walk=walk, subject=said, missed=told)


def _resolved(asked: str, what: Known) -> str:
    ids = {*what.candidates, *what.clusters, *what.judgements}
    name = PurePath(asked.strip().strip("`")).name
    if name in ids:
        return name
    hit = _ID.match(name)
    begins = sorted(each for each in ids if each.startswith(hit[0])) if hit else []
    if len(begins) == 1:
        return begins[0]
    if begins:
        raise Ambiguous(asked, begins[:12])
    near = get_close_matches(name, sorted(ids), n=1, cutoff=0.6)
    hint = f" Did you mean {near[0]}?" if near else " `dream report` lists what there is."
    raise NotFound(f"No proposal, cluster or judgement is called {asked}.{hint}")


def _of_candidate(candidate: Candidate, what: Known, rows: Rows) -> Walk:
    return Walk(
        id=candidate.id,
        kind=candidate.kind,
        title=candidate.title,
        folder=what.folders.get(candidate.id, ""),
        sessions=candidate.sessions,
        days=candidate.days,
        clusters=candidate.clusters,
        miss=None,
        words=(
            *_words(_told(candidate.evidence, what), "for", rows),
            *_words(_told(candidate.against, what), "against", rows),
        ),
    )


def _of_cluster(cluster: Cluster, what: Known, rows: Rows) -> Walk:
    opposing = [what.clusters[each] for each in cluster.opposed if each in what.clusters]
    against = [member for each in opposing for member in each.members]
    return Walk(
        id=cluster.id,
        kind="cluster",
        title=cluster.statement,
        folder="",
        sessions=cluster.sessions,
        days=cluster.days,
        clusters=cluster.opposed,
        miss=what.misses.get(cluster.id),
        words=(
            *_words(_told(cluster.members, what), "for", rows),
            *_words(_told(against, what), "against", rows),
        ),
    )


def _told(ids: Sequence[str], what: Known) -> tuple[Judgement, ...]:
    return tuple(what.judgements[each] for each in ids if each in what.judgements)


def _words(
    told: Sequence[Judgement], side: Literal["for", "against"], rows: Rows
) -> tuple[Words, ...]:
    messages = stored(rows, (each.message_id for each in told))
    gone = deleted_runs(rows, [each.run_id for each in told])
    return tuple(_one(each, side, messages.get(each.message_id, ()), gone) for each in told)


def _one(
    told: Judgement,
    side: Literal["for", "against"],
    there: Sequence[Cited],
    gone: Mapping[str, DeletedRun],
) -> Words:
    found = witness(told, there)
    if isinstance(found, str):
        flaw, cited, text = found, there[0] if there else None, ""
    else:
        flaw, cited, text = "", found.cited, found.cited.text
    run = gone.get(told.run_id)
    return Words(
        judgement=told,
        side=side,
        message=replace(cited, text="") if cited else None,
        before=text[max(told.start - AROUND, 0) : told.start],
        quote=told.quote,
        after=text[told.end : told.end + AROUND],
        flaw=flaw,
        deleted=run.deleted if run else None,
        who=ROLES.get(cited.role, cited.role) if cited else "",
        what=KINDS.get(told.kind, told.kind),
        dated=dated(told),
    )
