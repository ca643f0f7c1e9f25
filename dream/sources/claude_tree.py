"""Which records of a Claude Code session lie on the path it ended on, and which were given up.

Each record names the one before it. Two children of one record are not always a fork: the calls of
one reply stand in a chain and each result hangs on its own call, so all results but one are leaves;
hooks, command echoes and notices hang on whatever came last. Given up is only what a person said or
a model replied beside the path, with all that hangs below.

Records go by their place in the file, from 0. above[place] is the place of the record before it in
the tree, or ROOT.
"""

from collections.abc import Sequence
from typing import NamedTuple

ROOT = -1


class Knot(NamedTuple):
    """What of a record tells a fork from its look-alikes."""

    weighs: bool  # a prompt or a reply: beside the path it is an attempt given up
    reply: str | None = None  # equal for all records of one model reply
    calls: Sequence[str] = ()  # the calls it asks for
    answers: Sequence[str] = ()  # the calls it gives results of


class Way(NamedTuple):
    """A path that was given up, told by its last record."""

    tip: int
    fork: int  # the last record it shares with the path that stayed, or ROOT
    length: int  # records from root to tip


def path(above: Sequence[int]) -> set[int]:
    """The places from the last record up.

    Where the tree breaks off (a root that is not the first record, a parent that is missing), the
    record before it in the file counts as its parent.
    """
    on_path: set[int] = set()
    if above == list(range(ROOT, len(above) - 1)):  # each hangs on the one before it
        return set(range(len(above)))
    place = len(above) - 1
    while place >= 0:
        on_path.add(place)
        up = above[place]
        if up == ROOT or up in on_path:
            up = place - 1
            while up in on_path:
                up -= 1
        place = up
    return on_path


def given_up(above: Sequence[int], on_path: set[int], knots: Sequence[Knot]) -> set[int]:
    """The places that were given up."""
    stays = _completed(on_path, knots)
    heavy = _heavy(above, stays, knots)
    lost: set[int] = set()
    for place, up in enumerate(above):
        if place not in stays and (place in heavy or up in lost):
            lost.add(place)
    return lost


def ways(above: Sequence[int], lost: set[int]) -> list[Way]:
    """One for each leaf among the places that were given up."""
    inner = {above[place] for place in lost}
    return [_way(above, lost, tip) for tip in sorted(lost - inner)]


def _completed(on_path: set[int], knots: Sequence[Knot]) -> set[int]:
    """The path with the rest of each reply on it, and the results of its calls."""
    stays = set(on_path)
    replies = {knots[place].reply for place in on_path} - {None}
    stays.update(place for place, knot in enumerate(knots) if knot.reply in replies)
    calls = {call for place in stays for call in knots[place].calls}
    stays.update(place for place, knot in enumerate(knots) if not calls.isdisjoint(knot.answers))
    return stays


def _heavy(above: Sequence[int], stays: set[int], knots: Sequence[Knot]) -> set[int]:
    """Records beside the path that are, or lead to, a prompt or a reply."""
    heavy: set[int] = set()
    for place, knot in enumerate(knots):
        up = place if knot.weighs else ROOT
        while up != ROOT and up not in stays and up not in heavy:
            heavy.add(up)
            up = above[up]
    return heavy


def _way(above: Sequence[int], lost: set[int], tip: int) -> Way:
    seen: set[int] = set()
    fork, place = ROOT, tip
    while place != ROOT and place not in seen:
        seen.add(place)
        if fork == ROOT and place not in lost:
            fork = place
        place = above[place]
    return Way(tip, fork, len(seen))
