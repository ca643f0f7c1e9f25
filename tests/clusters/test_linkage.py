"""Average linkage over few pairs, and finding these pairs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.clusters.linkage import link
from dream.clusters.pairs import COMMON, alike
from dream.likeness import dot


def test_a_chain_of_neighbours_is_not_one_group() -> None:
    pairs = {(0, 1): 0.6, (1, 2): 0.55, (2, 3): 0.6}
    assert link(4, pairs, (), 0.5) == [(0, 1), (2, 3)]


def test_the_most_alike_join_first() -> None:
    assert link(3, {(0, 1): 0.5, (1, 2): 0.9}, (), 0.5) == [(0,), (1, 2)]


def test_what_is_kept_apart_never_meets_even_through_others() -> None:
    pairs = {(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.9}
    assert link(3, pairs, [(0, 2)], 0.5) == [(0, 1), (2,)]


def test_a_pair_that_is_not_known_counts_as_nothing_in_common() -> None:
    assert link(3, {(0, 1): 0.8, (1, 2): 0.8}, (), 0.5) == [(0, 1), (2,)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], float]]:
    count = draw(st.integers(1, 8))
    possible = [(a, b) for a in range(count) for b in range(a + 1, count)]
    values = draw(
        st.lists(
            st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]),
            min_size=len(possible),
            max_size=len(possible),
        )
    )
    return count, dict(zip(possible, values, strict=True))


@given(graphs(), st.sampled_from([0.4, 0.5, 0.8]))
def test_groups_cover_everything_once_and_two_that_could_still_join_do_not_exist(
    graph: tuple[int, dict[tuple[int, int], float]], at_least: float
) -> None:
    count, pairs = graph
    groups = link(count, pairs, (), at_least)
    assert sorted(number for its in groups for number in its) == list(range(count))
    for one in groups:
        for other in groups:
            if one < other:
                between = [pairs[min(a, b), max(a, b)] for a in one for b in other]
                assert math.fsum(between) / len(between) < at_least + 1e-9


VECTORS = st.lists(
    st.dictionaries(st.sampled_from("abcdefghij"), st.floats(0.1, 1), min_size=1, max_size=6),
    min_size=1,
    max_size=12,
)


@given(VECTORS, st.sampled_from([0.2, 0.5, 0.9]))
def test_while_no_word_is_common_no_pair_is_missed(
    raw: list[dict[str, float]], at_least: float
) -> None:
    lengths = [math.sqrt(sum(value * value for value in each.values())) for each in raw]
    vectors = [
        {name: value / length for name, value in each.items()}
        for each, length in zip(raw, lengths, strict=True)
    ]
    wanted = {
        (one, other): dot(vectors[one], vectors[other])
        for one in range(len(raw))
        for other in range(one + 1, len(raw))
        if dot(vectors[one], vectors[other]) >= at_least
    }
    assert alike(vectors, [list(each) for each in raw], at_least) == pytest.approx(wanted)


def test_two_common_words_together_still_lead_to_a_pair() -> None:
    each_way = [{"run": 0.8, f"x{n}": 0.6} for n in range(COMMON)]
    other_way = [{"test": 0.8, f"y{n}": 0.6} for n in range(COMMON)]
    both = [{"run": 0.7, "test": 0.7, "slow": 0.141}, {"run": 0.7, "test": 0.7, "late": 0.141}]
    vectors = [*each_way, *other_way, *both]
    last = len(vectors) - 1
    found = alike(vectors, [list(vector) for vector in vectors], 0.9)
    assert found == {(last - 1, last): pytest.approx(0.98)}
