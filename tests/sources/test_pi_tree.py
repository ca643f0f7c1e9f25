"""A session's tree, told from ids alone."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from dream.sources import pi_tree
from dream.sources.pi_tree import ROOT, Tree

#     a - b - c - d          (left)
#          \- e - f          (left)
#     g - h                  (the tip's own root)
WOOD = {"a": None, "b": "a", "c": "b", "d": "c", "e": "b", "f": "e", "g": None, "h": "g"}


def _grown(wood: dict[str, str | None]) -> Tree:
    return pi_tree.grow(list(wood), list(wood.values()))


def _names(places: Sequence[int]) -> str:
    return "".join(list(WOOD)[place] for place in places)


def test_the_tip_is_the_last_entry_and_its_branch_goes_to_its_root() -> None:
    tree = _grown(WOOD)
    assert _names([tree.tip]) == "h"
    assert _names(pi_tree.path(tree, tree.tip)) == "gh"
    assert list(pi_tree.on_branch(tree)) == [0, 0, 0, 0, 0, 0, 1, 1]
    assert _names(pi_tree.path(tree, 5)) == "abef"


def test_roots_leaves_and_branch_points_are_told_in_file_order() -> None:
    tree = _grown(WOOD)
    assert _names(pi_tree.roots(tree)) == "ag"
    assert _names(pi_tree.leaves(tree)) == "dfh"
    assert _names(pi_tree.branch_points(tree)) == "b"
    assert pi_tree.lengths(tree) == [1, 2, 3, 4, 3, 4, 1, 2]


def test_a_branch_begins_behind_its_fork() -> None:
    tree = _grown({**WOOD, "i": "c"})
    begins = pi_tree.begins(tree, pi_tree.on_branch(tree))
    assert begins == [ROOT, ROOT, ROOT, 3, 4, 4, 6, 6, ROOT]


def test_what_hangs_below_a_start_belongs_to_it_until_the_next_one() -> None:
    tree = _grown(WOOD)
    assert pi_tree.owners(tree, [1, 4]) == [ROOT, 1, 1, 1, 4, 4, ROOT, ROOT]


def test_a_parent_that_is_not_there_ends_the_walk() -> None:
    tree = _grown({"a": None, "b": "nobody", "c": "b"})
    assert tree.broken == [1]
    assert pi_tree.path(tree, tree.tip) == [1, 2]
    assert pi_tree.roots(tree) == [0, 1]


def test_a_parent_further_down_the_file_is_followed() -> None:
    tree = _grown({"a": "c", "b": None, "c": "b", "d": "a"})
    assert tree.broken == []
    assert pi_tree.path(tree, tree.tip) == [1, 2, 0, 3]
    assert pi_tree.lengths(tree) == [3, 1, 2, 4]
    assert pi_tree.owners(tree, [2]) == [2, ROOT, 2, 2]


def test_a_circle_is_cut_once_and_told() -> None:
    tree = _grown({"a": "c", "b": "a", "c": "b", "d": "c", "e": "e"})
    assert tree.broken == [1, 4]
    assert pi_tree.path(tree, 3) == [1, 2, 3] or pi_tree.path(tree, 3)[-1] == 3
    assert pi_tree.roots(tree) == tree.broken


def test_an_empty_tree_has_no_tip_and_no_branch() -> None:
    tree = pi_tree.grow([], [])
    assert tree.tip == ROOT
    assert pi_tree.path(tree, tree.tip) == []
    assert not pi_tree.on_branch(tree)
    assert pi_tree.leaves(tree) == []


links = st.lists(st.none() | st.integers(-2, 24), max_size=22)


@given(links)
def test_any_links_make_a_tree_in_which_every_walk_ends(parents: list[int | None]) -> None:
    ids = [str(place) for place in range(len(parents))]
    asked = [None if parent is None else str(parent) for parent in parents]
    tree = pi_tree.grow(ids, asked)
    order = list(pi_tree.parents_first(tree))
    assert sorted(order) == list(range(len(parents)))
    met: set[int] = set()
    for place in order:
        assert tree.parents[place] in met or tree.parents[place] == ROOT
        met.add(place)
    lengths = pi_tree.lengths(tree)
    for place, parent in enumerate(parents):
        walk = pi_tree.path(tree, place)
        assert len(walk) == lengths[place] == len(set(walk))
        assert tree.parents[walk[0]] == ROOT
        kept = None if parent is None or not 0 <= parent < len(parents) else parent
        if place not in tree.broken:
            assert tree.parents[place] == (ROOT if kept is None else kept)
        else:
            assert parent is not None
            assert tree.parents[place] == ROOT


@given(links)
def test_every_entry_lies_on_the_branch_of_some_leaf(parents: list[int | None]) -> None:
    tree = pi_tree.grow(
        [str(place) for place in range(len(parents))],
        [None if parent is None else str(parent) for parent in parents],
    )
    covered = {step for leaf in pi_tree.leaves(tree) for step in pi_tree.path(tree, leaf)}
    assert covered == set(range(len(parents)))
    marks = pi_tree.on_branch(tree)
    begins = pi_tree.begins(tree, marks)
    for place, begin in enumerate(begins):
        assert (begin == ROOT) == bool(marks[place])
        if begin != ROOT:
            walk = pi_tree.path(tree, place)
            assert begin in walk
            above = walk[: walk.index(begin)]
            assert all(marks[step] for step in above)
            assert not any(marks[step] for step in walk[len(above) :])
