"""What counts as met again, and what anybody would try first. The same for every way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.backtest.nouns import WAYS, Item, Way
from dream.backtest.outcome import Begun, Hindsight, missed, outcome, recurring, scores
from dream.backtest.ways import Known, Ranking, can_be_put
from dream.clusters import group
from dream.types import Judgement, Scope
from tests.makers import START, judgement

SHOP = Scope("/repo/shop")
NIGHT = date(2026, 3, 4)
MOMENT = datetime.fromisoformat("2026-03-04T00:00:00+00:00")
PNPM, DOCS = "Use pnpm instead of npm here.", "Never touch the generated docs folder."


def said(text: str, session: str, days: float, **rest: object) -> Judgement:
    happened = START + timedelta(days=days)
    where = f"{session}/{days}"
    return judgement(text, session=session, happened=happened, message=where, scope=SHOP, **rest)  # type: ignore[arg-type]  # a maker's


def hindsight(all_of_it: Sequence[Judgement]) -> Hindsight:
    first: dict[str, datetime] = {}
    for each in all_of_it:
        assert each.happened is not None
        first[each.session_id] = min(first.get(each.session_id, each.happened), each.happened)
    begun = [Begun(name, SHOP.project, moment) for name, moment in first.items()]
    return Hindsight(all_of_it, group(all_of_it, {}), begun)


def item(*evidence: Judgement, way: Way = "dream", moment: datetime = MOMENT) -> Item:
    names = tuple(each.id for each in evidence)
    return Item(way, NIGHT, moment, "rule", evidence[0].statement, SHOP.project, names)


class TestMetAgain:
    early = (said(PNPM, "pi:a", 0), said(PNPM, "pi:b", 1))

    def test_it_was_met_again_when_another_session_says_it_after_the_night(self) -> None:
        later = said("use pnpm, not npm, here", "pi:c", 3)
        met = outcome(item(*self.early), hindsight([*self.early, later])).met["cluster"]
        assert (met.sessions, met.within) == (1, 0)
        assert met.days == pytest.approx(1.38, abs=0.01)

    def test_a_session_that_had_said_it_before_does_not_count_however_often(self) -> None:
        again = [said(PNPM, "pi:b", days) for days in (3, 4, 5)]
        assert outcome(item(*self.early), hindsight([*self.early, *again])).met["cluster"] == (
            replace(outcome(item(*self.early), hindsight(self.early)).met["cluster"])
        )

    def test_a_session_that_says_it_twice_counts_once(self) -> None:
        later = [said(PNPM, "pi:c", 3), said(PNPM, "pi:c", 3.1), said(PNPM, "pi:d", 4)]
        assert (
            outcome(item(*self.early), hindsight([*self.early, *later])).met["cluster"].sessions
            == 2
        )

    def test_what_is_said_in_other_words_is_no_repetition_to_the_letter(self) -> None:
        later = said("use pnpm, not npm, here", "pi:c", 3)
        met = outcome(item(*self.early), hindsight([*self.early, later])).met
        assert (met["cluster"].sessions, met["words"].sessions) == (1, 0)

    def test_another_judgement_is_not_it(self) -> None:
        later = said(DOCS, "pi:c", 3)
        met = outcome(item(*self.early), hindsight([*self.early, later])).met
        assert (met["cluster"].sessions, met["words"].sessions) == (0, 0)

    def test_evidence_that_the_whole_archive_does_not_bear_out_is_not_met_again(self) -> None:
        found = outcome(item(said(DOCS, "pi:z", 0)), hindsight(self.early))
        assert found.met["cluster"].sessions == found.met["words"].sessions == 0

    def test_the_same_moment_counts_as_after_it(self) -> None:
        later = replace(said(PNPM, "pi:c", 3), happened=MOMENT)
        met = outcome(item(*self.early), hindsight([*self.early, later])).met["cluster"]
        assert (met.sessions, met.days) == (1, 0.0)


class TestTooEarly:
    def test_an_item_counts_by_what_followed_and_not_by_whether_it_was_met(self) -> None:
        evidence = said(PNPM, "pi:a", 0)
        for followed in (4, 5):
            rest = [said(PNPM, f"pi:{n}", 3 + n) for n in range(followed)]
            score = scores([outcome(item(evidence), hindsight([evidence, *rest]))])[0]
            assert (score.put, score.early) == (1, followed < 5)
            assert score.met.count == score.met.of == (followed >= 5)

    def test_sessions_of_other_projects_do_not_follow(self) -> None:
        evidence = said(PNPM, "pi:a", 0)
        elsewhere = [Begun(f"pi:{n}", "/repo/blog", MOMENT + timedelta(n)) for n in range(9)]
        back = Hindsight([evidence], group([evidence], {}), elsewhere)
        assert outcome(item(evidence), back).follow == 0

    def test_without_anything_there_is_no_share(self) -> None:
        empty = scores([])
        assert {each.way for each in empty} == set(WAYS)
        assert all(each.met.share is None and each.days is None for each in empty)


def known(all_of_it: Sequence[Judgement]) -> Known:
    by_id = {each.id: each for each in all_of_it}
    return Known(NIGHT, MOMENT, by_id, group(all_of_it, {}))


class TestWhatAnybodyWouldTry:
    loud = tuple(said(DOCS, "pi:loud", n / 100) for n in range(9))
    often = tuple(said(PNPM, f"pi:{n}", n / 100) for n in range(4))

    def test_the_most_frequent_counts_judgements_and_the_other_sessions(self) -> None:
        seen = known([*self.loud, *self.often])
        for way, first in (("most frequent", DOCS), ("most sessions", PNPM), ("exact text", DOCS)):
            ranking = Ranking(way)  # type: ignore[arg-type]  # one of them
            ranking.fill(seen, 1)
            assert [each.text for each in ranking.items] == [first]

    def test_nothing_is_put_forward_twice_and_never_more_than_asked(self) -> None:
        seen = known([*self.loud, *self.often])
        ranking = Ranking("most frequent")
        for count in (1, 1, 2, 9):
            ranking.fill(seen, count)
            assert len(ranking.items) == min(count, 2)
        assert {each.text for each in ranking.items} == {DOCS, PNPM}

    def test_what_nobody_could_propose_nobody_puts_forward(self) -> None:
        red = [
            said(
                "test_failure",
                f"pi:{n}",
                n / 100,
                kind="tool_error",
                detail={"cause": "test_failure"},
            )
            for n in range(9)
        ]
        assert not can_be_put(red[0])
        for way in ("exact text", "most frequent", "most sessions"):
            ranking = Ranking(way)
            ranking.fill(known([*red, *self.often]), 5)
            assert [each.text for each in ranking.items] == [PNPM]

    def test_a_text_that_came_once_repeats_nothing(self) -> None:
        ranking = Ranking("exact text")
        ranking.fill(known([said(PNPM, "pi:a", 0), said(DOCS, "pi:a", 0)]), 5)
        assert ranking.items == []


class TestWhatWasMissed:
    def test_it_came_again_after_it_could_have_been_known(self) -> None:
        three = [said(PNPM, f"pi:{n}", n) for n in range(3)]
        two = [said(DOCS, f"pi:{n}", n) for n in range(2)]
        back = hindsight([*three, *two])
        names = recurring(back)
        assert [back.clusters[name].statement for name in names] == [PNPM]
        assert list(names.values()) == [three[-1].happened]
        told = missed(back, names, (), {three[0].id: "score"})
        assert [(each.text, each.sessions, each.gate) for each in told] == [(PNPM, 3, "score")]
        assert missed(back, names, set(names), {}) == ()


@given(st.permutations(range(6)))
def test_the_order_in_which_things_are_handed_in_is_of_no_account(order: list[int]) -> None:
    texts = (PNPM, DOCS, PNPM, PNPM, DOCS, PNPM)
    heard = [said(text, f"pi:{n}", n) for n, text in enumerate(texts)]
    mixed = [heard[n] for n in order]
    one, other = hindsight(heard), hindsight(mixed)
    assert outcome(item(heard[0], heard[2]), one) == outcome(item(heard[0], heard[2]), other)
    for way in ("exact text", "most frequent", "most sessions"):
        ranked = []
        for all_of_it in (heard, mixed):
            ranking = Ranking(way)
            ranking.fill(known(all_of_it), 5)
            ranked.append(ranking.items)
        assert ranked[0] == ranked[1]
