"""Our rules as a memory: only what is adopted unless asked, and it reads back as it was."""

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from dream.review.export import Exported, exported, latest_rules, memory_text
from dream.review.memory import memory_of
from dream.review.record import Published
from dream.types import Candidate, Scope
from tests.conftest import Golden
from tests.review.nouns import NIGHT, PROJECT, candidate

NAMES = {PROJECT: "shop"}


def proposed(of: Candidate, night: date = NIGHT) -> Published:
    return Published(f"{night}/{of.id}-x", night, of, "shop", "AGENTS.md", "", "", (), ())


def test_only_what_stands_in_a_rule_file_is_exported_in_the_words_that_stand_there() -> None:
    rules = latest_rules([proposed(candidate(number=n)) for n in (1, 2)])
    own = {PROJECT: [("rule-00000002", "Use pnpm here."), ("check-00000001", "no")]}
    (one,) = exported(rules, own, NAMES, {"rule-00000002": 7}, waiting=False)
    assert (one.id, one.text, one.turn, one.state) == (
        "rule-00000002",
        "Use pnpm here.",
        7,
        "landed",
    )
    assert (one.scene, one.counter_example) == ("everywhere in shop", "`npm install`")


def test_with_waiting_the_others_follow_once_in_their_last_words_unless_they_have_ended() -> None:
    first = candidate(number=1, body="Use npm")
    rules = latest_rules(
        [
            proposed(replace(first, body="Use pnpm"), date(2026, 4, 13)),
            proposed(first),
            proposed(candidate(number=2, kind="skill")),
            proposed(candidate(number=3, valid_until=date(2026, 4, 12))),
            proposed(candidate(number=4)),
        ]
    )
    found = exported(rules, {PROJECT: [("rule-00000004", "x")]}, NAMES, {}, waiting=True)
    assert [(each.id[-1], each.text, each.state) for each in found] == [
        ("1", "Use pnpm", "waiting"),
        ("4", "x", "landed"),
    ]


def test_a_rule_whose_proposal_is_gone_is_exported_by_its_words() -> None:
    (one,) = exported((), {PROJECT: [("rule-00000009", "Ask first.")]}, NAMES, {}, waiting=False)
    assert one == Exported("rule-00000009", "shop", "", "Ask first.", "", "", None, None, "landed")


def rules() -> list[Exported]:
    made = [
        (candidate(number=1), 12),
        (candidate(number=2, body="Pipe with `a | b`", counter_example=""), 40),
        (candidate(number=3, body="Ask first", scope=Scope(PROJECT, "web/api")), None),
    ]
    turns = {each.id: turn for each, turn in made if turn}
    return list(exported([proposed(each) for each, _ in made], {}, NAMES, turns, waiting=True))


def test_a_long_memory_and_fragments_as_they_are_written(golden: Golden) -> None:
    golden("memory_long.txt", memory_text(rules(), "long-memory"))
    golden("memory_engram.txt", memory_text(rules(), "engram"))


def test_what_we_export_reads_back_as_rules_with_their_turns_and_scenes() -> None:
    facts = memory_of("m.md", memory_text(rules(), "long-memory").encode(), "key")
    assert [(r.text, r.kept and (r.kept.turn, r.kept.module)) for r in facts.rules] == [
        ("Use `pnpm`, never npm", (12, "")),
        ("Pipe with `a | b`", (40, "")),
        ("Ask first", (None, "web/api")),
    ]
    told = memory_of("e.md", memory_text(rules(), "engram").encode(), "key")
    assert [(r.text, r.kept and (r.kept.scene, r.kept.counter_example)) for r in told.rules] == [
        ("Use `pnpm`, never npm", ("everywhere in shop", "`npm install`")),
        ("Pipe with `a | b`", ("everywhere in shop", "")),
        ("Ask first", ("everywhere in shop", "`npm install`")),
    ]
    assert {r.kept.valid_from for r in told.rules if r.kept} == {"2026-04-08"}
    assert (facts.troubles, told.troubles, facts.aside) == ((), (), ())


@given(st.lists(st.text(min_size=1, max_size=60), max_size=5), st.text(max_size=30))
def test_whatever_words_a_rule_has_it_is_one_line_and_opens_no_tag(
    bodies: list[str], name: str
) -> None:
    made = [candidate(number=n, body=f"a {body}") for n, body in enumerate(bodies)]
    listed = [replace(proposed(each), project=f"p{name}") for each in made]
    found = exported(listed, {}, NAMES, {}, waiting=True)
    for form in ("long-memory", "engram"):
        text = memory_text(found, form)
        read = memory_of("m.md", text.encode(errors="replace"), "key")
        assert len(read.rules) + len(read.aside) == len(bodies)
        assert text.count("\n[PROJECT: ") == bool(bodies)
