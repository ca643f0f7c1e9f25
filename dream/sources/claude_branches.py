"""The paths through a Claude Code session: the one it ended on, and those that were given up."""

from dream.records import Branch
from dream.sources import claude_tree
from dream.sources.claude_reading import Piece, Talk
from dream.sources.claude_tree import ROOT, Knot


def branches(talk: Talk) -> list[Branch]:
    """Marks the pieces that were given up, and tells each path by its tip, the active one first."""
    places: dict[str, int] = {}
    firsts: list[Piece] = []  # of each line, in the order of the file
    for piece in talk.pieces:
        if piece.uuid and piece.uuid not in places:
            places[piece.uuid] = len(firsts)
            firsts.append(piece)
    if not firsts:
        return []
    above = [
        places.get(up.uuid, ROOT) if (up := piece.above) and up.talk is talk else ROOT
        for piece in firsts
    ]
    on_path = claude_tree.path(above)
    made = [_branch(firsts[-1], len(on_path))]
    if len(on_path) < len(firsts):
        lost = claude_tree.given_up(above, on_path, _knots(talk, places))
        for piece in talk.pieces:
            piece.active = places.get(piece.uuid) not in lost
        for tip, fork, length in claude_tree.ways(above, lost):
            shared = None if fork == ROOT else firsts[fork].id
            made.append(_branch(firsts[tip], length, shared, _reason(firsts, above, tip, lost)))
    return made


def _branch(tip: Piece, length: int, fork: str | None = None, reason: str | None = None) -> Branch:
    return Branch(
        tip.id, tip.talk.id, reason is None, length, fork, reason, None, tip.happened, tip.line
    )


def _knots(talk: Talk, places: dict[str, int]) -> list[Knot]:
    knots = [Knot(False)] * len(places)
    for piece in talk.pieces:
        place = places.get(piece.uuid)
        if place is None:
            continue
        known = knots[place]
        knots[place] = Knot(
            known.weighs or piece.role in ("human", "assistant"),
            piece.reply or known.reply,
            [*known.calls, *(call.id for call in piece.calls)],
            [*known.answers, piece.answers] if piece.answers else known.answers,
        )
    return knots


def _reason(firsts: list[Piece], above: list[int], tip: int, lost: set[int]) -> str:
    """edit: a prompt was put in another way; retry: a reply was asked for again."""
    place = tip
    while above[place] in lost:
        place = above[place]
    return "retry" if firsts[place].role == "assistant" else "edit"
