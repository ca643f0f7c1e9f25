"""Which sentences can be rules, and what cleaning leaves of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.candidates.wording import cleaned, dated, unfit


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (
            "can you make sure that we always run `make fmt`, please?",
            "Always run `make fmt`.",
        ),
        ("ok, and please use uv instead of pip", "Use uv instead of pip."),
        ("you should never push to main without asking", "Never push to main without asking."),
        ("No summary at the end of a reply", "No summary at the end of a reply."),
        ("同时别忘了在 docs 中登记哦", "在 docs 中登记。"),
        ("同时运行的测试不要超过两个", "同时运行的测试不要超过两个。"),
        ("提交前把全部测试跑一遍", "提交前把全部测试跑一遍。"),
        ("用英文回答我一遍吧", "用英文回答我。"),
        ("push it, and always run make check first", "Always run make check first."),
        ("Use cents, and never floats", "Use cents, and never floats."),
        ("Caching must be off in tests", "Caching must be off in tests."),
        ("Ask before you go on when a total is off", "Ask before you go on when a total is off."),
        ("no, write the tests first", "Write the tests first."),
        ("- **Always** link the [guide](http://x.y/z)", "Always link the guide."),
        ("“Ask before you delete a table.”", "Ask before you delete a table."),
        (
            "note in the README that we should never edit the generated files",
            "Never edit the generated files.",
        ),
        ("使用 pnpm，不要用 npm", "使用 pnpm，不要用 npm。"),
        ("请提交前先运行格式检查", "提交前先运行格式检查。"),
        ("Point the subagent at the plan :) 🎉", "Point the subagent at the plan."),
        ("one thing for all later work: cents are integers", "Cents are integers."),
        ("use ``` fences\n  everywhere", "Use fences everywhere."),
    ],
)
def test_cleaning_takes_politeness_and_marks_away(said: str, rule: str) -> None:
    assert cleaned(said) == rule


@pytest.mark.parametrize(
    "moment",
    [
        "no, the other one",
        "that's wrong",
        "still broken",
        "commit",
        "ok",
        "go ahead",
        "it does not work again",
        "fix that test please",
        "look at exporter.py: the payment batch is off",
        "check the footer, its colour looks odd",
        "why did you change the parser?",
        "you removed the wrong function",
        "先不要修改代码",
        "用英文再次回答我",
        "revert the last two commits",
        "can you look at the changes in this branch?",
        "the build is failing right now",
        "apply the fix from option 2",
        "check the changes in the local branch",
        "全文搜索 的检查失败了",
        "请修 sync.py：同步模块 的结果不对，先跑检查。",
        "reply to comment #1234 on the PR",
        "这个还是报错",
        "为什么又改了配置文件？",
        "还是不行，继续修改",
    ],
)
def test_what_only_made_sense_in_its_moment_is_no_rule(moment: str) -> None:
    assert unfit(moment)


@pytest.mark.parametrize(
    "junk",
    [
        "## Decision",
        "sudo tool remove shaders && tool build -j8",
        "[score=0.85 recalls=0 avg=0.62]",
        "@@ -3,4 +3,9 @@ - Use the staging key for demos",
        "https://example.org/a https://example.org/b",
        "TypeError: cannot read the property of undefined",
        "const price = cents / 100;",
        "<div class='x'>Always use the big button</div>",
        "Deploy with the token [redacted:github-token] from the vault.",
        "git push --force origin main",
    ],
)
def test_what_is_no_sentence_is_no_rule(junk: str) -> None:
    assert unfit(junk)


@pytest.mark.parametrize(
    "lasting",
    [
        "Use the staging key for demos, never the live key.",
        "Prices are stored in cents.",
        "先不要合并，等测试通过再说",
        "先读代码再回答问题",
        "Screens need an empty state.",
        "Ask before you change the public API.",
        "Generated files are off limits in this repository.",
        "Comments say why, not what.",
        "Update the changelog whenever a command changes its output.",
        "Reply to every review comment with the commit that fixes it.",
        "Always check the changes in a branch before a push.",
        "Read a template before you change it.",
        "We never commit to main, only to branches.",
        "提交前先运行格式检查。",
        "不要使用 any 类型",
        "这个项目统一使用 pnpm",
        "Die Kundenliste der Firma Müller nie exportieren.",
        "Не трогай папку vendor.",
        "لا تحذف ملفات السجل.",
    ],
)
def test_what_holds_for_long_can_be_a_rule_in_any_language(lasting: str) -> None:
    assert unfit(lasting) == ""


def test_days_told_from_the_day_of_speaking_are_written_out() -> None:
    until = dated("Until next Friday use the old price list.", {"valid_until": "2026-04-17"})
    assert until == "Until 2026-04-17 use the old price list."
    since = dated("Since yesterday the export needs a header.", {"valid_from": "2026-04-10"})
    assert since == "Since 2026-04-10 the export needs a header."
    assert unfit("Since yesterday the export needs a header.")
    assert not unfit(since)


@given(st.text(max_size=120))
def test_cleaning_gives_one_line_without_an_open_tick_and_never_fails(text: str) -> None:
    rule = cleaned(text)
    assert "\n" not in rule
    assert rule.count("`") % 2 == 0
    assert "``" not in rule
    unfit(text)


@given(st.text(alphabet="abc please, ok. no not `*_#-", max_size=60))
def test_cleaning_twice_changes_nothing_more_than_the_case(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once).lower() == once.lower() or len(cleaned(once)) < len(once)
