"""The paths through a Claude Code session: the one it ended on, and those that were given up."""

from collections.abc import Sequence

from dream.records import Branch
from dream.sources import claude_tree
from dream.sources.claude_draft import Draft, Talk
from dream.sources.claude_tree import ROOT, Knot


def branches(talk: Talk) -> list[Branch]:
    """Marks the drafts that were given up, and tells each path by its tip, the active one first."""
    drafts, above = talk.drafts, talk.above
    if not drafts:
        return []
    on_path = claude_tree.path(above)
    made = [_branch(drafts[-1], len(on_path))]
    if len(on_path) < len(drafts):
        lost = claude_tree.given_up(above, on_path, _knots(talk))
        for place in lost:
            drafts[place].active = False
        for tip, fork, length in claude_tree.ways(above, lost):
            shared = None if fork == ROOT else drafts[fork].message_id
            made.append(_branch(drafts[tip], length, shared, _reason(drafts, above, tip, lost)))
    return made


def _branch(tip: Draft, length: int, fork: str | None = None, reason: str | None = None) -> Branch:
    return Branch(
        tip.message_id, tip.session_id, reason is None, length, fork, reason, None, tip.happened,
        tip.line,
    )  # fmt: skip


def _knots(talk: Talk) -> list[Knot]:
    calls = {draft.number: [call.id for call in asked] for draft, asked in talk.asked}
    answers = {draft.number: (call,) for draft, call in talk.answered if call}
    knots: list[Knot] = []
    for number, draft in enumerate(talk.drafts):
        given: Sequence[str] = answers.get(number, ())
        if not given and "#" in draft.message_id:  # it stands or falls with its line
            given = knots[-1].answers
        weighs = draft.role in ("human", "assistant")
        knots.append(Knot(weighs, draft.reply_id, calls.get(number, ()), given))
    return knots


def _reason(drafts: list[Draft], above: list[int], tip: int, lost: set[int]) -> str:
    """edit: a prompt was put in another way; retry: a reply was asked for again."""
    place = tip
    while above[place] in lost:
        place = above[place]
    return "retry" if drafts[place].role == "assistant" else "edit"
