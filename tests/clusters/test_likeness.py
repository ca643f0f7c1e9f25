"""How alike two sentences are, and whether one speaks against the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.likeness import Weights, closest, conflict, dot, features, likeness, say, weigh

TEXTS = st.text(alphabet="ab cdnot neverx用不要前。,.-/`1", max_size=40)
EVEN = Weights()


def clash(one: str, other: str) -> str:
    sayings = say(one), say(other)
    return conflict(*sayings, weigh(sayings))


def test_other_forms_of_the_same_words_are_nearly_the_same() -> None:
    one, other = say("Never wrap a migration."), say("Migrations must never be wrapped.")
    assert likeness(one, other, EVEN) > 0.9


def test_little_words_make_nothing_alike() -> None:
    one, other = say("you should always use the one"), say("you should never do this at the end")
    assert likeness(one, other, EVEN) < 0.2


def test_a_misspelt_word_is_still_like_itself() -> None:
    assert likeness(say("update the changelog"), say("update the chagelog"), EVEN) > 0.5


def test_rare_words_tell_more_than_common_ones() -> None:
    texts = ["run the tests", "run the linter", "run the build", "run the importer"]
    weights = weigh(say(text) for text in texts)
    same_rare = likeness(say("run importer"), say("importer fails"), weights)
    same_common = likeness(say("run importer"), say("run docker"), weights)
    assert same_rare > same_common


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Ask before you delete a table.", "Do not delete tables without asking.", ""),
        ("Don't forget to run the linter.", "Run the linter.", ""),
        ("Don't use npm use pnpm", "Use pnpm", ""),
        ("When you edit a template, run the export.", "Run the export, not the import.", ""),
        ("提交前先运行测试", "先运行测试再提交", ""),
        ("别忘了运行测试", "要运行测试", ""),
        ("Don't use npm use pnpm", "Use npm", "stance"),
        ("Commit without a summary.", "Commit with a summary.", "stance"),
        ("Не трогай папку vendor.", "трогай папку vendor.", "stance"),
        ("Wrap lines at 100.", "Wrap lines at 120.", "value"),
        ("Wrap lines at 100.", "Wrap lines at 100, not at 80.", ""),
        ("Tabs in the Go files.", "Tabs in the Python files.", "scope"),
    ],
)
def test_conflicts(one: str, other: str, kind: str) -> None:
    assert clash(one, other) == kind
    assert clash(other, one) == kind


def test_what_the_detector_knows_of_a_complaint_counts() -> None:
    complaint = say("You touched the generated files again.", "do_not")
    demand = say("Touch the generated files.", "do")
    assert conflict(complaint, demand, EVEN) == "stance"


def test_the_closest_of_none_is_nothing() -> None:
    assert closest(say("use tabs"), [], EVEN) == (-1, 0.0)
    assert closest(say("use tabs"), [say("run it"), say("use tabs here")], EVEN)[0] == 1


@given(TEXTS, TEXTS)
def test_likeness_and_conflict_are_symmetric_and_bounded(one: str, other: str) -> None:
    a, b = say(one), say(other)
    weights = weigh([a, b])
    assert likeness(a, b, weights) == likeness(b, a, weights)
    assert 0.0 <= likeness(a, b, weights) <= 1.0
    assert conflict(a, b, weights) == conflict(b, a, weights)
    assert not conflict(a, a, weights)


@given(TEXTS)
def test_a_text_with_words_is_wholly_like_itself(text: str) -> None:
    saying = say(text)
    vector = features(saying, EVEN)
    assert dot(vector, vector) == pytest.approx(1.0 if saying.tokens else 0.0, abs=1e-6)
