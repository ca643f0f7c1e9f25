"""A rule's page in words: its first line, Markdown, HTML; the same bytes, and no text is markup."""

import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from typing import Any

import pytest

from dream.audit.beside import Moved, Rate
from dream.audit.explain import sums
from dream.audit.figures import Interval
from dream.audit.pages import drawings, explained, headline, html, listed, markdown
from dream.audit.rule_page import LEVELS, REASONS, PathBlock, RulePage, Side, Stratum, Usage
from tests.audit.pages_made import page, practised
from tests.conftest import Golden

HOSTILE = '"><img src=x onerror=alert(1)>](javascript:x) `` \u202e {{ 7 * 7 }} <!-- | '
OPEN = Interval("", 0.4, 0.9, 2.0)
MORE = Interval("", 1.2, 1.8, 2.6)


def used(use: str, done: int = 0, of: int = 0) -> Usage:
    return Usage(
        use,  # type: ignore[arg-type]  # a word of Use
        runs=40,
        told=30,
        relevant=20,
        before=practised(1, 254),
        after=practised(done, of),
    )


BUN = Moved(
    "unknown_command: bun", "class", Rate(0, 250), Rate(43, 777), 9.0, 0.7, 120.0, "still",
    Rate(43, 309), brought=True,
)  # fmt: skip
PAGES: dict[str, dict[str, Any]] = {
    "helped": {},
    "hurt": {"verdict": "hurt", "ratio": MORE, "expected": 6.1},
    "helped by path": {"verdict": "helped (path)"},
    "hurt by path": {"verdict": "hurt (path)"},
    "mixed": {"verdict": "mixed"},
    "mixed the other way": {"verdict": "mixed", "ratio": MORE},
    "neutral": {"verdict": "neutral", "kind": "breaches"},
    "changed": {"verdict": "changed over time"},
    "suggestive": {"verdict": "suggestive"},
    "suggestive harm": {"verdict": "suggestive", "ratio": MORE, "kind": "said"},
    "nothing seen": {"verdict": "no effect shown", "ratio": OPEN},
    "nothing seen yet": {
        "verdict": "no effect shown", "ratio": OPEN, "missing": "5 more errors",
    },
    "not comparable": {"verdict": "not comparable", "reasons": ("co_intervention",)},
    "not counted": {"verdict": "not comparable", "reasons": ("no_denominator",), "kind": "nothing"},
    "never loaded": {"usage": used("never loaded")},
    "no occasion": {"usage": used("no occasion")},
    "not yet": {"usage": used("not yet")},
    "not followed": {
        "usage": used("not followed", 5, 600), "verdict": "no effect shown", "ratio": OPEN,
    },
    "followed, and brought errors": {
        "usage": used("followed", 309, 781), "kind": "breaches", "beside": (BUN,),
        "verdict": "not comparable", "reasons": ("no_history_outside_burst",),
    },
}  # fmt: skip


def test_the_first_line_says_what_became_of_a_rule(golden: Golden) -> None:
    told = [f"{name}\n    {headline(page(**parts))}\n" for name, parts in PAGES.items()]
    golden("audit_headlines.txt", "".join(told))


@pytest.mark.parametrize("name", PAGES)
def test_the_first_line_is_a_sentence_without_a_word_of_statistics(name: str) -> None:
    line = headline(page(**PAGES[name]))
    assert re.fullmatch(r"[A-Z].*\.", line)
    assert not re.search(r"\b(?:interval|p-value|significan|ratio|confiden|sd|CI)\b|_(?!c)", line)
    assert "\n" not in line


def test_the_page_in_markdown_is_the_same_bytes_every_time(golden: Golden) -> None:
    golden("audit_page.md", markdown(page()))


def test_the_page_in_html_is_the_same_bytes_every_time(golden: Golden) -> None:
    golden("audit_page.html", html(page()))


class Elements(HTMLParser):
    """Every element with its attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]


def hostile() -> RulePage:
    plain = page()
    moved = Moved(HOSTILE, "class", Rate(5, 50), Rate(9, 50), 1.8, 1.1, 3.0, "more")
    return page(
        title=HOSTILE,
        project=HOSTILE,
        target=HOSTILE,
        beside=(moved,),
        straddling=(HOSTILE,),
        warnings=(HOSTILE,),
        influential=tuple(
            replace(each, run_id=HOSTILE, session_id=HOSTILE, name=HOSTILE, stratum=HOSTILE)
            for each in plain.influential
        ),
    )


def test_no_name_or_word_becomes_an_element_or_an_address() -> None:
    plain, other = Elements(html(page())), Elements(html(hostile()))
    assert plain.found == other.found
    assert other.addresses == plain.addresses == ["file:///sessions/s1.jsonl"]
    assert "{{ 7 * 7 }}" in html(hostile())
    assert "⟨U+202E⟩" in html(hostile())


def test_nothing_is_loaded_and_nothing_runs() -> None:
    text = html(page())
    assert "default-src 'none'" in text
    assert not re.search(r"<script|<link|<iframe|url\(|@import|\son\w+=", text)


def test_markdown_keeps_its_headings_tables_and_fences() -> None:
    plain, other = markdown(page()), markdown(hostile())

    def shape(text: str) -> list[str]:
        return [re.sub(r"[^#|].*", "", line)[:3] for line in text.split("\n")]

    assert shape(plain) == shape(other)
    words = re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", other)
    assert "onerror" in words
    assert "](javascript:" not in words.replace("\\]", "")
    assert "<img" not in words


def test_a_page_without_data_is_still_a_page() -> None:
    nothing = Interval("", None, None, None)
    bare = page(
        verdict="not comparable", level="D", reasons=("no_overlap",), before=Side(), after=Side(),
        ratio=nothing, excluding=nothing, including=nothing, expected=None, pruned={}, balance=(),
        strata=(), nights=(), crossed=None, closing=None, detectable=None, dispersion=None,
        controls=0, p=None, path=None, beside=(), tools=(), outputs=None, landings=(), spans=(),
        runs_by_day={}, straddling=(), holes=(), sensitivity=(), influential=(), warnings=(),
    )  # fmt: skip
    assert drawings(bare) == {}
    assert "None" not in html(bare) + markdown(bare)
    assert "no runs of the same kind" in headline(bare)


def test_an_unusual_censoring_is_said_beside_the_path() -> None:
    path = PathBlock(OPEN, "open", aborted_before=0.0, aborted_after=0.667, censoring_changed=True)
    for text in (markdown(page(path=path)), html(page(path=path))):
        assert re.search(r"censoring pattern changed", text)
        assert "67 %" in text


def test_every_reason_and_level_has_words() -> None:
    assert set(LEVELS) == {"A", "B1", "B2", "C", "D"}
    assert len(REASONS) == 12
    for code in REASONS:
        told = page(verdict="not comparable", reasons=(code,))
        assert REASONS[code] in headline(told)


def test_all_rules_are_told_in_a_few_lines_each(golden: Golden) -> None:
    named = zip(("rule-2", "rule-3"), ("nothing seen yet", "not counted"), strict=True)
    others = [page(rule=rule, **PAGES[name]) for rule, name in named]
    waiting = [("rule-99999999", "Answer in Chinese.")]
    golden("audit_list.txt", listed([page(), *others], waiting, date(2026, 5, 1), 0.1))
    assert listed([], [], date(2026, 5, 1), 0.1) == "0 rules audited as of 2026-05-01.\n"


def test_the_sums_can_be_done_again_by_hand(golden: Golden) -> None:
    golden("audit_explain.txt", explained(page()))
    one_sided = page(strata=(Stratum("x", 3, 30, 2, 0, 0, 0),), controls=0)
    assert "there is no ratio" in explained(one_sided)


def test_the_sums_are_those_of_mantel_and_haenszel() -> None:
    made = sums(page().strata, including=True)
    over = 8 * 2000 / 3800 + 3 * 1412 / 2717
    under = 20 * 1800 / 3800 + 7 * 1305 / 2717
    assert made.ratio == pytest.approx((over + 0.5) / (under + 0.5))
    assert (made.yb, made.eb, made.ya, made.ea) == (27, 3412, 11, 3105)
