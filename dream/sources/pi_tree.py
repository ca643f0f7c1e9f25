"""A pi session as a tree: tip, branches, forks. Takes ids and gives places; opens no file.

The order of the lines is the order in time; only the parent says what followed what. The tip is
the last entry of the file, whatever its type. All functions work on places, an entry's index in
file order, so that one pass over a long session costs one list and no lookups.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ROOT = -1
"""The place of a parent that is not there."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Parents by place. A tree from `grow` has no circle, and every walk in it ends."""

    parents: Sequence[int]  # ROOT for a root
    broken: Sequence[int] = ()  # places whose parent is not in the file, or closes a circle

    @property
    def tip(self) -> int:
        """The last entry's place; ROOT when there is none."""
        return len(self.parents) - 1


def grow(ids: Sequence[str], parents: Sequence[str | None]) -> Tree:
    """The tree of entries given by their id and their parent's id, in file order.

    ids: no two equal. A parent that is not there makes a root: the walk ends, nothing is lost.
    """
    place_of: dict[str | None, int] = {name: place for place, name in enumerate(ids)}
    places: list[int] = []
    broken: list[int] = []
    forward = False
    for child, parent in enumerate(parents):
        place = place_of.get(parent, ROOT)
        if place == ROOT and parent is not None:
            broken.append(child)
        elif place >= child:
            forward = True
        places.append(place)
    if forward:
        broken = sorted({*broken, *_cut_circles(places)})
    return Tree(places, broken)


def _cut_circles(places: list[int]) -> list[int]:
    """Makes a root of one entry in each circle. Only a damaged file has a parent after its child.

    Every place is walked over once: a walk stops where an earlier one has been.
    """
    cut: list[int] = []
    walk_of = [ROOT] * len(places)
    for start in range(len(places)):
        place = start
        last = ROOT
        while place != ROOT and walk_of[place] == ROOT:
            walk_of[place] = start
            last, place = place, places[place]
        if place != ROOT and last != ROOT and walk_of[place] == start:
            places[last] = ROOT
            cut.append(last)
    return cut


def path(tree: Tree, place: int) -> list[int]:
    """Places from the root down to this one."""
    parents = tree.parents
    walk: list[int] = []
    while place != ROOT:
        walk.append(place)
        place = parents[place]
    walk.reverse()
    return walk


def on_branch(tree: Tree) -> bytearray:
    """For every place whether it lies on the path to the tip: 1 or 0."""
    marks = bytearray(len(tree.parents))
    place = tree.tip
    while place != ROOT:
        marks[place] = 1
        place = tree.parents[place]
    return marks


def roots(tree: Tree) -> list[int]:
    """Several are legal: a summary put on nothing, a tip that was reset."""
    return [place for place, parent in enumerate(tree.parents) if parent == ROOT]


def leaves(tree: Tree) -> list[int]:
    """Entries that nothing follows. In a whole file the tip is one of them."""
    childless = bytearray(b"\x01") * len(tree.parents)
    for parent in tree.parents:
        if parent != ROOT:
            childless[parent] = 0
    return [place for place, bare in enumerate(childless) if bare]


def branch_points(tree: Tree) -> list[int]:
    """Entries with several children."""
    once, twice = set[int](), set[int]()
    for parent in tree.parents:
        (twice if parent in once else once).add(parent)
    return sorted(twice - {ROOT})


def begins(tree: Tree, marks: Sequence[int]) -> list[int]:
    """For every place off the marked path the first place of its branch; ROOT for those on it.

    A branch begins behind its fork, so the fork is the parent of where it begins.
    """
    first = [ROOT] * len(tree.parents)
    for place in parents_first(tree):
        if not marks[place]:
            parent = tree.parents[place]
            over = ROOT if parent == ROOT else first[parent]
            first[place] = place if over == ROOT else over
    return first


def lengths(tree: Tree) -> list[int]:
    """How many entries there are from the root to each place, itself included."""
    deep = [0] * len(tree.parents)
    for place in parents_first(tree):
        parent = tree.parents[place]
        deep[place] = 1 if parent == ROOT else deep[parent] + 1
    return deep


def owners(tree: Tree, starts: Sequence[int]) -> list[int]:
    """For every place the nearest start at or above it in the tree; ROOT where there is none.

    starts: places, in any order. What a prompt set off hangs below it, on whatever branch.
    """
    begins = bytearray(len(tree.parents))
    for start in starts:
        begins[start] = 1
    owner = [ROOT] * len(tree.parents)
    for place in parents_first(tree):
        parent = tree.parents[place]
        owner[place] = place if begins[place] else (ROOT if parent == ROOT else owner[parent])
    return owner


def parents_first(tree: Tree) -> Iterable[int]:
    """Every place, none before its parent. In a whole file that is the order of its lines."""
    parents = tree.parents
    if all(parent < place for place, parent in enumerate(parents)):
        return range(len(parents))
    order: list[int] = []
    seen = bytearray(len(parents))
    for start in range(len(parents)):
        walk: list[int] = []
        place = start
        while place != ROOT and not seen[place]:
            seen[place] = 1
            walk.append(place)
            place = parents[place]
        order.extend(reversed(walk))
    return order
