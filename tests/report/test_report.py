"""The night's report: honest, the same bytes each time, and safe to look at."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dream.errors import NotFound, StateBroken
from dream.records import Compaction, ToolCall
from dream.report.build import build, nearest
from dream.report.files import last_report, loaded, markdown, report_files
from dream.report.night import Stage, Tonight
from dream.report.terminal import terminal
from dream.templates.hidden import hidden
from dream.templates.width import width
from dream.types import Dropped, NearMiss, Proposed, Waiting
from tests.conftest import Golden
from tests.report.nights import STAGES, empty, filled, report
from tests.review.nouns import NIGHT
from tests.templates.test_markdown import HOSTILE

FULL = report()
TONIGHT = Tonight(
    {"sources": 1.23, "signals": 0.31}, 212.4, ("A lock that was left was taken over.",)
)


def test_a_full_night(golden: Golden) -> None:
    golden("report_full.md", markdown(report()))
    golden("report_full.txt", terminal(report(), tonight=TONIGHT))
    golden("report_full.json", report_files(report())["report.json"].decode())


def test_nothing_to_propose_is_an_answer(golden: Golden) -> None:
    golden("report_empty.md", markdown(empty()))
    tables = filled()
    quiet = build(tables, night=NIGHT, stages=(), kinds={}, proposed=Proposed(), misses=())
    quiet = replace(quiet, totals=replace(quiet.totals, messages=40), warnings=(), unread=())
    golden("report_quiet.txt", terminal(quiet))
    assert "That is a good night too" in markdown(quiet)


def test_the_same_night_gives_the_same_bytes_and_reads_back_equal() -> None:
    one, two = report(), report()
    assert report_files(one) == report_files(two)
    assert loaded(report_files(one)["report.json"], Path("report.json")) == one


@pytest.mark.parametrize("cells", [40, 60, 80, 120])
def test_the_terminal_report_fits_its_width(cells: int) -> None:
    for line in terminal(report(), width=cells).splitlines():
        assert width(line) <= cells or "skills_out/" in line or "earlier run" in line


def test_colour_is_only_there_when_it_is_asked_for() -> None:
    plain, coloured = terminal(report()), terminal(report(), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured


@pytest.mark.parametrize(
    "text", [*HOSTILE, "\x1b]0;owned\x07", "a\u202eb", "[bold]x[/bold] :smile:"]
)
def test_hostile_text_stays_text_everywhere(text: str) -> None:
    miss = NearMiss("c-00000000000a", text, "correction", "rule_days", 2, 1, text)
    made = report(text, [miss])
    page = markdown(made)
    tokens = [t for block in MarkdownIt().parse(page) for t in (block, *(block.children or ()))]
    links = {str(token.attrs["href"]) for token in tokens if token.type == "link_open"}
    assert all(re.fullmatch(r"[\w./-]+/proposal\.md", link) for link in links)
    assert not {token.type for token in tokens} & {"image", "html_block", "html_inline", "hr"}
    assert {token.tag for token in tokens if token.type == "heading_open"} == {"h1", "h2"}
    for shown in (page, terminal(made), report_files(made)["report.json"].decode()):
        assert hidden(shown) == ()


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_title_reads_on_a_terminal_without_commanding_it(text: str) -> None:
    made = FULL
    made = replace(made, proposals=tuple(replace(p, title=text) for p in made.proposals))
    assert hidden(terminal(made)) == ()


def test_a_source_that_cannot_be_read_is_no_plain_success() -> None:
    said = report().warnings
    assert "1 of 3 sources unreadable: /old.sqlite (damaged; page 7 is malformed)" in said


def test_nothing_kept_out_of_many_is_a_warning() -> None:
    tables = filled()
    stages = [Stage("candidates", 80, "clusters", 0, "candidates"), *STAGES[:1]]

    def said(proposed: Proposed) -> str:
        made = build(tables, night=NIGHT, stages=stages, kinds={}, proposed=proposed, misses=())
        return " ".join(made.warnings)

    assert "candidates took 80 clusters and gave no candidates" in said(Proposed())
    waits = Waiting("rule-0000000a", "x", NIGHT, "2026-04-11/x")
    assert "took 80" not in said(Proposed(waiting=(waits,)))
    dropped = Proposed(dropped=(Dropped("rule-1", "j-1", "gone"),))
    assert "1 piece of evidence did not stand up" in said(dropped)


def test_what_came_nearest_stands_first() -> None:
    def miss(name: str, needed: float, got: float) -> NearMiss:
        return NearMiss(name, name, "correction", "gate", needed, got)

    order = nearest(
        [miss("over", 0.5, 0.9), miss("far", 10, 1), miss("near", 3, 2), miss("b", 3, 2)]
    )
    assert [each.cluster for each in order] == ["b", "near", "far", "over"]


def test_the_last_report_is_found_and_another_night_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no report yet"):
        last_report(tmp_path)
    for night in ("2026-04-11", "2026-04-12"):
        (tmp_path / night).mkdir()
        made = replace(empty(), night=night)
        (tmp_path / night / "report.json").write_bytes(report_files(made)["report.json"])
    assert last_report(tmp_path).night == "2026-04-12"
    assert last_report(tmp_path, "2026-04-11").night == "2026-04-11"
    assert last_report(tmp_path, own={"2026-04-11"}).night == "2026-04-11"
    with pytest.raises(NotFound, match="Of other archives there are: 2026-04-11, 2026-04-12"):
        last_report(tmp_path, own=())
    with pytest.raises(NotFound, match="2026-05-01"):
        last_report(tmp_path, "2026-05-01")
    (tmp_path / "2026-04-12" / "report.json").write_text('{"night": 1, "x": []}')
    with pytest.raises(StateBroken, match="not a report"):
        last_report(tmp_path)


def test_what_else_happened_is_counted_apart_and_unknown_usage_is_not_zero() -> None:
    tables = filled()
    said = tables.say("Tidy up.", native="m0")
    for n, (reply, tokens) in enumerate((("a", None), ("a", 20), ("b", 10), ("c", None)), 1):
        part = replace(said, role="assistant", kind="reply", copy_key=f"k{n}", reply_id=reply)
        tables.add("messages", replace(part, tokens_in=tokens, tokens_out=tokens, active=n > 1))
    for kind in ("api_error", "api_error", "interrupt"):
        tables.add("messages", replace(said, role="system", kind=kind, copy_key=kind))
    tables.add("compactions", Compaction("c", "pi:a", "manual", 3))
    for status in ("unanswered", "error"):
        tables.add("calls", ToolCall("c", "pi:a", "r", "m", 1, 0, "Bash", "{}", status, 1, "k"))
    made = build(tables, night=NIGHT, stages=(), kinds={}, proposed=Proposed(), misses=())
    for shown in (markdown(made), terminal(made, width=200)):
        assert (
            "Also: 3 replies (30 tokens in, 30 out; 1 without a number), 1 call without an answer,"
            " 2 API errors, 1 interruption, 1 compaction, 1 message on branches given up" in shown
        )
        assert "2 tool calls (1 failed)" in shown


def test_unread_lines_are_counted_with_their_first_place() -> None:
    (lost,) = (skip for skip in report().skips if skip.lost)
    assert (lost.reason, lost.count, lost.places) == ("not_json", 1, ("/home/me/a.jsonl, line 17",))
