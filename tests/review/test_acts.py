"""The calls around an error, and those of a path, as a reviewer sees them."""

import json

import pytest

from dream.called import in_words
from dream.records import ToolCall
from dream.review.acts import acts
from dream.types import Judgement, Rows
from tests.makers import judgement
from tests.review.tables import Tables

LINES = ("uv run pytest -q", "uv sync --group test", "uv run pytest -q", "git push", "make", "ls")


@pytest.fixture
def tables() -> Tables:
    """A run whose first call fails and whose third mends it, and another run after it."""
    made = Tables()
    for place, line in enumerate((*LINES, "rm -rf build")):
        run = "run2:a" if place < len(LINES) else "run2:b"
        made.add(
            "calls",
            ToolCall(
                f"c{place}", "pi:one", run, f"pi:one/m{place}", place, 0, "bash",
                json.dumps({"command": line}), "ok" if place else "error", place, f"k{place}",
            ),
            source_file="a.sqlite",
        )  # fmt: skip
    return made


def failed(**detail: str) -> Judgement:
    return judgement("missing_module: httpx", kind="tool_error", detail={"call_id": "c0", **detail})


def test_an_error_is_shown_with_the_calls_up_to_what_mended_it(tables: Tables) -> None:
    error = failed(recovered_by="c2")
    assert acts([error], tables) == {
        error.id: (
            "failed: uv run pytest -q",
            "worked: uv sync --group test",
            "worked: uv run pytest -q",
        )
    }


def test_an_error_that_nothing_mended_is_shown_with_some_calls_of_its_run(tables: Tables) -> None:
    error = failed()
    assert [line.partition(": ")[2] for line in acts([error], tables)[error.id]] == list(LINES[:4])
    last = judgement("x", kind="tool_error", detail={"call_id": "c5"})
    assert acts([last], tables)[last.id] == ("worked: ls",)


def test_a_path_is_shown_with_its_own_calls(tables: Tables) -> None:
    path = judgement("a > b", kind="path", detail={"calls": ["c1", "c3", "gone"]})
    assert acts([path], tables)[path.id] == ("worked: uv sync --group test", "worked: git push")


def test_what_is_about_no_call_has_none_and_asks_for_none() -> None:
    class Unasked(Rows):
        pass

    assert acts([judgement("Use pnpm.")], Unasked()) == {}  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("bash", {"command": "make \\\n  check"}, "make \\ check"),
        ("shell", {"cmd": ["git", "push"]}, "git push"),
        ("Edit", {"file_path": "a/b.py", "new_string": "x"}, "Edit a/b.py"),
        (
            "WebFetch",
            {"url": "https://example.invalid", "n": 3},
            "WebFetch https://example.invalid, 3",
        ),
        ("noop", {}, "noop"),
    ],
)
def test_a_call_is_told_on_one_line(tool: str, arguments: dict[str, object], words: str) -> None:
    assert in_words(tool, json.dumps(arguments)) == words
    assert in_words(tool, "not JSON") == tool
