"""Candidates with their proof, as files a person can judge and take.

Look (the stored words, the repositories), decide (what stands up, what is new), write down. The
files are handed on as bytes; `publish` puts the whole night in place at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from dream.config import Gates
from dream.review.acts import Acts, acts
from dream.review.change import Change, Ground, change
from dream.review.diff import shape
from dream.review.earlier import Earlier
from dream.review.evidence import Case, case, stored
from dream.review.existing import Told, existing_rules
from dream.review.flags import flags
from dream.review.limits import nested_rules
from dream.review.page import page, shown
from dream.review.personal import shared_names
from dream.review.record import evidence
from dream.review.together import names, together
from dream.review.tree import Tree
from dream.review.words import content, skill_name, spoken, words
from dream.types import (
    Candidate,
    Dropped,
    Judgement,
    NearMiss,
    Proposal,
    Proposed,
    Rows,
    Waiting,
)

NOTHING_TOLD = Told()
_ENDS = ".。!！ "


@dataclass(frozen=True, slots=True)
class _Draft:
    case: Case
    ground: Ground
    change: Change
    note: str


@dataclass(slots=True)
class _Piles:
    """The night's candidates by what becomes of them."""

    drafts: list[_Draft] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    later: list[NearMiss] = field(default_factory=list)


def propose(
    candidates: Sequence[Candidate],
    judgements: Mapping[str, Judgement],
    rows: Rows,
    trees: Mapping[str, Tree],
    *,
    night: date,
    earlier: Mapping[str, Earlier],
    gates: Gates,
    git: str | None,
    told: Told = NOTHING_TOLD,
) -> Proposed:
    """The night's proposals, with every file of each as bytes; writes nothing.

    trees: by project key; a candidate of another project has no target. earlier: by candidate id,
    from dates before `night` only, so that the same night again gives the same bytes. git: the
    program's path, None where there is none; then no diff is checked, and the pages say so.
    told: what agents are told already, of the trees that were looked into before; its troubles are
    handed on.
    No more than gates.per_night are new, the first ones: what waits for a person takes no place
    from what nobody has seen.
    """
    grounds = _grounds(trees, candidates, told)
    messages = stored(rows, _cited(candidates, judgements))
    piles = _Piles()
    for candidate in candidates:
        ground = grounds.get(candidate.scope.project, Ground(personal=told.personal))
        made, lost = case(candidate, judgements, messages, gates)
        piles.dropped += lost
        if candidate.valid_until and candidate.valid_until < night:
            ended = f"it held until {candidate.valid_until}"
            piles.later.append(_missed(candidate, "ended", 1, 0, ended))
        elif made is not None:
            _put(piles, made, ground, earlier.get(candidate.id), night, gates, git)
    drafts = piles.drafts
    whole = _together(drafts, git)
    done = acts((judgement for each in drafts for judgement in shown(each.case)), rows)
    proposals = tuple(
        _proposal(each, drafts, night, whole, git is not None, done) for each in drafts
    )
    return Proposed(
        proposals,
        tuple(piles.waiting),
        tuple(piles.dropped),
        tuple(piles.later),
        tuple(sorted(whole.values())),
        tuple(_troubles(trees, grounds, told)),
    )


def _put(
    piles: _Piles,
    made: Case,
    ground: Ground,
    before: Earlier | None,
    night: date,
    gates: Gates,
    git: str | None,
) -> None:
    """Puts one candidate where it belongs: proposed, waiting, or over what one night proposes."""
    full = len(piles.drafts) >= gates.per_night
    planned = change(made.candidate, ground, None if full else git)
    stands = dict(ground.book.own).get(made.candidate.id, "")
    state = _state(made.candidate, planned, before, night, stands)
    if isinstance(state, Waiting):
        piles.waiting.append(state)
    elif full:
        place = len(piles.drafts) + sum(m.gate == "per_night" for m in piles.later) + 1
        piles.later.append(_missed(made.candidate, "per_night", gates.per_night, place))
    else:
        alone = _alone(planned, made.candidate, ground, piles.drafts)
        piles.drafts.append(_Draft(made, ground, alone, state))


def _cited(candidates: Iterable[Candidate], judgements: Mapping[str, Judgement]) -> Iterator[str]:
    """Ids of the messages that the candidates rest on and that speak against them."""
    for each in candidates:
        known = (judgements[j] for j in (*each.evidence, *each.against) if j in judgements)
        yield from (judgement.message_id for judgement in known)


def _grounds(
    trees: Mapping[str, Tree], candidates: Sequence[Candidate], told: Told
) -> dict[str, Ground]:
    """The repositories of tonight's candidates, each looked at once."""
    grounds = {}
    for key in sorted({candidate.scope.project for candidate in candidates} & trees.keys()):
        tree = trees[key]
        if tree.root is None or not tree.root.is_dir():
            grounds[key] = Ground(replace(tree, root=None))
        else:
            book = told.projects.get(key) or existing_rules(tree, key)
            grounds[key] = Ground(tree, book, nested_rules(tree.root), told.personal)
    return grounds


def _missed(candidate: Candidate, gate: str, needed: float, got: float, note: str = "") -> NearMiss:
    cluster = candidate.clusters[0] if candidate.clusters else candidate.id
    return NearMiss(cluster, candidate.title, candidate.kind, gate, needed, got, note)


def _alone(
    planned: Change, candidate: Candidate, ground: Ground, drafts: Sequence[_Draft]
) -> Change:
    """The change, or its refusal when tonight already makes a new file of that name."""
    for other in drafts:
        same = other.ground is ground and other.change.path == planned.path
        if candidate.kind != "rule" and same and not other.change.refused:
            why = f"{other.case.candidate.id} of this night makes a file of that name"
            return replace(planned, diff=b"", refused=why)
    return planned


def _state(
    candidate: Candidate, planned: Change, before: Earlier | None, night: date, stands: str
) -> Waiting | str:
    """Waiting, or the note with which the candidate is proposed ("" for a new one).

    stands: the words in which a person has adopted it, "" when they have not; what they made of
    them is theirs.
    """
    same = before is not None and before.content == content(candidate)
    same = same or (bool(stands) and stands.rstrip(_ENDS) == candidate.body.rstrip(_ENDS))
    if planned.there and (before is None or same or not planned.diff):
        since, folder = (before.night, before.folder) if before else (night, "")
        return Waiting(candidate.id, candidate.title, since, folder, "landed")
    if before is None:
        return ""
    if not same:
        return f"Its words have changed: it supersedes {before.folder}."
    if before.diff == shape(planned.diff):
        return Waiting(candidate.id, candidate.title, before.night, before.folder)
    return f"Its target has changed, so the diff was made anew: it supersedes {before.folder}."


def _together(drafts: Sequence[_Draft], git: str | None) -> dict[str, tuple[str, bytes]]:
    """For each project with several proposals the diff that takes them all, with its name."""
    known = {d.case.candidate.scope.project: d.ground.tree for d in drafts}
    projects = {key: tree.name for key, tree in known.items() if tree.root is not None}
    made = {}
    for key, name in names(projects).items():
        own = [
            (d.case.candidate, d.change) for d in drafts if d.case.candidate.scope.project == key
        ]
        if diff := together(own, git):
            made[key] = (name, diff)
    return made


def _proposal(
    draft: _Draft,
    all_drafts: Sequence[_Draft],
    night: date,
    whole: Mapping[str, tuple[str, bytes]],
    checked: bool,
    done: Acts,
) -> Proposal:
    candidate, planned, tree = draft.case.candidate, draft.change, draft.ground.tree
    name, text = words(candidate)
    raised = _flags(candidate, planned)
    about = {
        "project": tree.name,
        "target": planned.path,
        "content": content(candidate),
        "diff": shape(planned.diff),
    }
    written = page(
        draft.case,
        draft.ground,
        planned,
        night,
        raised,
        draft.note,
        _siblings(draft, all_drafts),
        whole.get(candidate.scope.project, ("", b""))[0],
        checked,
        done,
    )
    files = {
        name: text.encode(),
        "change.diff": planned.diff,
        "proposal.md": written.encode(),
        "evidence.json": evidence(draft.case, night, about),
    }
    return Proposal(
        candidate=candidate,
        folder="-".join(dict.fromkeys((candidate.id, skill_name(candidate)))),
        project=tree.name,
        target=planned.path,
        applies=bool(planned.diff),
        content=about["content"],
        diff=about["diff"],
        flags=raised,
        note=draft.note or planned.refused,
        files=tuple((key, data) for key, data in sorted(files.items()) if data),
    )


def _siblings(draft: _Draft, all_drafts: Sequence[_Draft]) -> list[str]:
    """Other proposals of the night that change the same file of the same repository."""
    return [
        other.case.candidate.id
        for other in all_drafts
        if other is not draft and other.ground is draft.ground
        if other.change.path == draft.change.path and other.change.diff
    ]


def _flags(candidate: Candidate, planned: Change) -> tuple[str, ...]:
    """What the stage before raised, and what a look at the words and the target raises."""
    raised = [*candidate.flags, *flags(spoken(candidate))]
    if planned.twins:
        raised.append(f"several skills have this name: {', '.join((planned.path, *planned.twins))}")
    return tuple(dict.fromkeys(raised))


def _troubles(
    trees: Mapping[str, Tree], grounds: Mapping[str, Ground], told: Told
) -> Iterator[str]:
    books = {**{key: ground.book for key, ground in grounds.items()}, **told.projects}
    for key in sorted(books):
        shared = shared_names(books[key], told.personal)
        yield from (f"{trees[key].name}: {each}" for each in (*books[key].troubles, *shared))
    yield from told.personal.troubles
