"""What lies beside the path a session ended on, and what only looks so."""

from hypothesis import given
from hypothesis import strategies as st

from dream.sources import claude_tree
from dream.sources.claude_tree import ROOT, Knot, Way

SAID = Knot(True)  # a prompt or a reply
NOTE = Knot(False)  # a notice, an echo, a result of nobody's


def lost(above: list[int], knots: list[Knot]) -> set[int]:
    return claude_tree.given_up(above, claude_tree.path(above), knots)


def asks(*calls: str, reply: str = "r1") -> Knot:
    return Knot(True, reply, calls)


def answers(*calls: str) -> Knot:
    return Knot(False, None, (), calls)


def test_a_plain_session_has_nothing_beside_its_path() -> None:
    assert claude_tree.path([ROOT, 0, 1, 2]) == {0, 1, 2, 3}


def test_an_edited_prompt_gives_up_the_one_before_with_all_below() -> None:
    above = [ROOT, 0, 1, 2, 1, 4]
    assert lost(above, [SAID] * 6) == {2, 3}
    assert claude_tree.ways(above, {2, 3}) == [Way(3, 1, 4)]


def test_results_of_parallel_calls_are_no_forks() -> None:
    # a chain of two calls, each with its result; the reply goes on from the last result
    above = [ROOT, 0, 1, 1, 2, 4]
    knots = [SAID, asks("t1"), asks("t2"), answers("t1"), answers("t2"), asks(reply="r2")]
    assert lost(above, knots) == set()


def test_calls_of_one_reply_on_two_branches_are_no_forks() -> None:
    # the second call hangs on the first's parent, as when results come in while the model speaks
    above = [ROOT, 0, 1, 0, 3, 4]
    knots = [SAID, asks("t1"), answers("t1"), asks("t2"), answers("t2"), asks(reply="r2")]
    assert lost(above, knots) == set()


def test_notices_beside_the_path_are_not_given_up() -> None:
    above = [ROOT, 0, 1, 2, 1]
    assert lost(above, [SAID, SAID, NOTE, NOTE, SAID]) == set()


def test_a_notice_below_a_given_up_reply_goes_with_it() -> None:
    above = [ROOT, 0, 1, 2, 0]
    assert lost(above, [SAID, SAID, SAID, NOTE, SAID]) == {1, 2, 3}


def test_a_notice_that_leads_to_a_given_up_prompt_goes_with_it() -> None:
    above = [ROOT, 0, 1, 2, 1]
    assert lost(above, [SAID, SAID, NOTE, SAID, SAID]) == {2, 3}


def test_a_broken_off_tree_goes_on_from_the_line_before() -> None:
    assert claude_tree.path([ROOT, 0, ROOT, 2, ROOT]) == {0, 1, 2, 3, 4}
    assert lost([ROOT, 0, 1, 0, ROOT], [SAID] * 5) == {1, 2}


def test_a_ring_of_parents_ends() -> None:
    assert claude_tree.path([2, 0, 1]) == {0, 1, 2}
    assert claude_tree.ways([2, 0, 1], {0, 1, 2}) == []


trees = st.lists(st.integers(-1, 30), max_size=30).map(
    lambda ups: [up if up < len(ups) else ROOT for up in ups]
)


@given(trees, st.lists(st.booleans(), min_size=30, max_size=30), st.integers(0, 3))
def test_any_tree_splits_into_what_stayed_and_what_did_not(
    above: list[int], weighs: list[bool], names: int
) -> None:
    knots = [Knot(weighs[place], f"r{place % (names + 2)}") for place in range(len(above))]
    on_path = claude_tree.path(above)
    gone = claude_tree.given_up(above, on_path, knots)
    assert gone.isdisjoint(on_path)
    assert not above or len(above) - 1 in on_path
    for way in claude_tree.ways(above, gone):
        assert way.tip in gone
        assert way.fork not in gone
        assert 0 < way.length <= len(above)
