"""What a request asks for and how large it is, by its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.audit.request import LOOKED_AT, files_in, request


def task(text: str) -> str:
    return request(text, length=len(text), fresh=False).task


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Why does the till print twice?", "ask"),
        ("can you explain what the cache does", "ask"),
        ("is there no library for that??", "ask"),
        ("can you add a test for the empty basket?", "build"),
        ("Could we rename it to till_id?", "build"),
        ("Implement the following plan:\n\n# Plan: a new page", "build"),
        ("the build fails with: missing module", "fix"),
        ("Fix the failing test, then commit", "fix"),
        ("commit and update the changelog", "ship"),
        ("and push", "ship"),
        ("let's rebase on main now", "ship"),
        ("update the README with the new flag", "write"),
        ("yes please", "go_on"),
        ("ok, continue", "go_on"),
        ("2 and 3", "go_on"),
        ("Option B", "go_on"),
        ("The shop opens at nine.", "other"),
        ("", "other"),
        ("为什么打印了两次？", "ask"),
        ("请帮我修复登录报错", "fix"),
        ("添加一个按钮", "build"),
        ("能不能把函数名改成 till_id", "build"),
        ("提交并推送", "ship"),
        ("更新一下文档", "write"),
        ("继续", "go_on"),
        ("好的，继续吧", "go_on"),
    ],
)
def test_the_kind_of_task_is_told_by_the_words(text: str, kind: str) -> None:
    assert task(text) == kind


def test_work_counts_before_a_question_in_the_same_request() -> None:
    assert task("Why is this so slow? Please replace the loop by one query.") == "build"


def test_code_that_was_pasted_says_nothing_of_the_task() -> None:
    assert task("What is this?\n```\nfix all errors\n```") == "ask"


def test_a_long_yes_is_no_mere_yes() -> None:
    assert task("yes, and replace the parser of the price list by the one of the shop") == "build"


def test_files_are_counted_once_and_addresses_are_none() -> None:
    text = "Look at src/till/print.py and @docs/a.md, then src/till/print.py; see https://a.org/b.c"
    assert files_in(text) == {"src/till/print.py", "@docs/a.md"}
    assert files_in("version 1.2.3 of example.com, e.g. today") == frozenset()


@pytest.mark.parametrize(
    ("length", "text", "fresh", "size"),
    [
        (30, "a small thing", False, "small"),
        (30, "a small thing", True, "medium"),
        (30, "see a.py", False, "medium"),
        (500, "words", False, "medium"),
        (1500, "words", False, "large"),
        (30, "a.py b.py c.py", False, "large"),
    ],
)
def test_the_size_is_told_by_length_files_and_a_fresh_session(
    length: int, text: str, fresh: bool, size: str
) -> None:
    assert request(text, length=length, fresh=fresh).size == size


@given(st.text(max_size=300), st.text(max_size=50), st.booleans())
def test_what_stands_behind_the_part_that_is_looked_at_changes_nothing(
    text: str, more: str, fresh: bool
) -> None:
    whole = text.ljust(LOOKED_AT)
    told = request(whole, length=9000, fresh=fresh)
    assert request(whole + more, length=9000, fresh=fresh).task == told.task
    assert told.size == "large"
