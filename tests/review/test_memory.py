"""A memory kept by hand: read as rules with their age, and written so that it reads back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.candidates.standing import standing
from dream.review.ageing import aged, in_force, settled
from dream.review.existing import existing_rules
from dream.review.memory import memory_of
from dream.review.memory_line import Entry, Heading, Odd, bars, fact_line, fragment_line, read_line
from dream.review.tree import Tree
from dream.types import Age, ExistingRule, FactType, Kept

LONG = """\
# What holds here
[PROJECT: shop]
[FACT: PATH] the settings lie in config/ | last verified turn: 190
[MODULE: api]
- [fact: Constraint] Use port 8080 for the server | last verified turn: 195
[FACT: NAME] the queue is called jobs | 最后验证轮次：140
[FACT: VERSION] Node 20 | last verified turn: 60
[FACT: COLOUR] blue | last verified turn: soon
[FACT: PATH
[MODULE]
```
[FACT: PATH] an example
```
Prose says nothing | of that kind
"""
words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs")), min_size=1)
texts = st.lists(words, min_size=1, max_size=4).map(" ".join).filter(lambda text: text != "-")


def entry(
    text: str,
    kind: FactType = "name",
    turn: int | None = None,
    module: str = "",
    line: int = 1,
    age: Age = "fresh",
) -> ExistingRule:
    return ExistingRule(
        "m.md", line, text, "key", kept=Kept(kind, turn, "shop", module=module, age=age)
    )


def test_facts_stand_below_their_project_and_module_with_type_and_turn() -> None:
    found = memory_of("m.md", LONG.encode(), "key")
    assert [(r.line, r.text, r.kept and (r.kept.type, r.kept.turn)) for r in found.rules] == [
        (3, "the settings lie in config/", ("path", 190)),
        (5, "Use port 8080 for the server", ("constraint", 195)),
        (8, "blue", ("unknown", None)),
        (6, "the queue is called jobs", ("name", 140)),
    ]
    assert {(r.kept.subject, r.kept.module) for r in found.rules if r.kept} == {
        ("shop", ""),
        ("shop", "api"),
    }
    assert {r.project for r in found.rules} == {"key"}


def test_what_is_old_is_set_aside_and_what_cannot_be_read_is_named_with_its_line() -> None:
    found = memory_of("m.md", LONG.encode(), "key")
    assert [(rule.line, rule.kept and rule.kept.age) for rule in found.aside] == [(7, "archived")]
    assert [trouble.partition(": ")[0] for trouble in found.troubles] == [
        "m.md:8", "m.md:9", "m.md:10", "m.md:14",
    ]  # fmt: skip
    assert "'COLOUR' is not one of PATH, NAME" in found.troubles[0]
    assert "its turn is no number" in found.troubles[0]


def test_fragments_have_three_parts_or_four_also_as_rows_of_a_table() -> None:
    text = (
        "| constraint | scene | counter-example |\n|---|---|---|\n"
        "| Use pnpm | in web | npm install |\n"
        "- 用 pnpm | 前端 | npm | 自 2026-03-01\n"
        "Keep `a \\| b` whole | - | -\n"
        "one | two\n"
    )
    found = memory_of("engrams.md", text.encode(), "key")
    told = [
        (r.text, r.kept.scene, r.kept.counter_example, r.kept.valid_from)
        for r in found.rules
        if r.kept
    ]
    assert told == [
        ("Use pnpm", "in web", "npm install", ""),
        ("用 pnpm", "前端", "npm", "2026-03-01"),
        ("Keep `a | b` whole", "", "", ""),
    ]
    assert found.troubles == (
        "engrams.md:6: a fragment has 3 or 4 parts with its constraint first; this has 2",
    )


@pytest.mark.parametrize(
    ("turn", "age"),
    [(None, "fresh"), (200, "fresh"), (151, "fresh"), (150, "lower"), (101, "lower"),
     (100, "archived"), (0, "archived"), (300, "fresh")],
)  # fmt: skip
def test_unreferenced_for_50_turns_ranks_lower_and_for_100_is_archived(
    turn: int | None, age: str
) -> None:
    (rule,) = aged([entry("x", turn=turn)], 200)
    assert rule.kept is not None
    assert rule.kept.age == age


@given(
    st.lists(st.none() | st.integers(0, 400), max_size=20), st.integers(0, 400), st.integers(0, 400)
)
def test_ageing_deletes_nothing_and_nothing_grows_younger(
    turns: list[int | None], now: int, later: int
) -> None:
    rules = [entry(f"x{n}", turn=turn, line=n + 1) for n, turn in enumerate(turns)]
    old = aged(rules, now)
    assert sorted(rule.line for rule in old) == list(range(1, len(rules) + 1))
    ranks: list[str] = ["fresh", "lower", "archived"]
    places = [ranks.index(rule.kept.age) for rule in old if rule.kept]
    assert places == sorted(places)
    before = {rule.line: ranks.index(rule.kept.age) for rule in old if rule.kept}
    for rule in aged(rules, now + later):
        assert rule.kept is not None
        assert ranks.index(rule.kept.age) >= before[rule.line]


@pytest.mark.parametrize(
    ("fact", "limit", "loser"),
    [
        (("", 9), ("", 3), "constraint"),
        (("", 9), ("api", 3), "constraint"),  # it holds wherever the constraint does
        (("api", 9), ("", 3), ""),  # outside of api the constraint still stands
        (("", 3), ("", 9), "name"),
        (("api/v2", 3), ("api", 9), "name"),
        (("", 3), ("api", 9), ""),  # outside of api the fact stands
        (("web", 3), ("api", 9), ""),
        (("", None), ("", 3), "name"),  # nothing is known to be newer
        (("", 3), ("", None), "name"),
    ],
)
def test_a_newer_fact_beats_an_older_constraint_else_the_scope_of_the_constraint_wins(
    fact: tuple[str, int | None], limit: tuple[str, int | None], loser: str
) -> None:
    rules = [
        entry("a", "name", fact[1], fact[0], 1),
        entry("b", "constraint", limit[1], limit[0], 2),
    ]
    found = settled(rules, lambda one, other: one != other)
    beaten = [rule.kept.type for rule in found if rule.kept and not in_force(rule)]
    assert beaten == ([loser] if loser else [])
    assert [rule.text for rule in found] == ["a", "b"]


def test_what_is_archived_neither_wins_nor_loses() -> None:
    rules = [entry("a", "name", 3), entry("b", "constraint", 900, age="archived")]
    assert settled(rules, lambda one, other: True) == tuple(rules)


def test_entries_that_contradict_each_other_are_named_with_the_one_that_holds() -> None:
    text = (
        "[FACT: CONSTRAINT] Use port 8080 for the server | last verified turn: 3\n"
        "[FACT: NAME] Use port 9090 for the server | last verified turn: 8\n"
    )
    found = memory_of("m.md", text.encode(), "key")
    assert [rule.line for rule in found.rules] == [2]
    assert found.troubles == ("m.md:1: m.md:2 says the opposite and holds",)


def test_a_memory_is_read_with_the_rules_of_its_project_and_only_where_it_is_set(
    tmp_path: Path,
) -> None:
    (tmp_path / "m.md").write_text("[FACT: NAME] the queue is called jobs\n")
    assert existing_rules(Tree("shop", tmp_path), "key").rules == ()
    book = existing_rules(Tree("shop", tmp_path, memory=("m.md", "gone.md", "../x")), "key")
    assert [(rule.path, rule.line, rule.text) for rule in book.rules] == [
        ("m.md", 1, "the queue is called jobs")
    ]
    assert book.troubles == (
        "gone.md: dream.yaml names it as memory; not there",
        "../x is not a path inside a repository",
    )


@given(texts, st.none() | st.integers(0, 10**8))
def test_a_fact_that_we_wrote_reads_back_as_it_was(text: str, turn: int | None) -> None:
    found = read_line(fact_line(text, turn))
    assert isinstance(found, Entry)
    assert (found.text, found.kept.type, found.kept.turn, found.fault) == (
        " ".join(text.split()), "constraint", turn, "",
    )  # fmt: skip


@given(texts, texts, texts)
def test_a_fragment_that_we_wrote_reads_back_as_it_was(one: str, two: str, three: str) -> None:
    found = read_line(fragment_line(one, two, three, "2026-03-01"))
    assert isinstance(found, Entry)
    kept = found.kept
    assert (found.text, kept.scene, kept.counter_example) == (one, two, three)
    assert kept.valid_from == "2026-03-01"


@given(st.text())
def test_no_line_is_an_error(line: str) -> None:
    assert isinstance(read_line(line), Heading | Entry | Odd | None)
    assert bars(line)


@pytest.mark.parametrize(
    "text", ["[FACT: NAME] x", "\\[x", "\\\\[x", "# x", "1. x", "a\\", "\\|", "|"]
)
def test_words_that_look_like_marks_stay_words(text: str) -> None:
    found = read_line(fragment_line(text, "s", "c"))
    assert isinstance(found, Entry)
    assert found.text == text


def test_of_two_that_say_the_same_the_one_still_in_use_is_named() -> None:
    old = entry("Use port 8080", line=1, age="lower")
    fresh = entry("Use port 8080", line=9)
    likeness, nearest = standing([old, fresh]).nearest("Use port 8080", "key")
    assert (likeness == pytest.approx(1), nearest) == (True, fresh)
