"""What reaches the streams, and what does not."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.console import TRICKS, Console, as_json, size, visible

ATTACKS = [
    "\x1b[2J\x1b[31mall is well",
    "\x9b31m",
    "\x1b]0;title\x07",
    "over\rwritten",
    "\u202egnp.exe",
    "\U000e0041",
    "\u2028",
    "\x00",
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Streams:
    out: io.StringIO
    err: io.StringIO
    console: Console


def streams(*, quiet: bool = False, verbose: bool = False, terminal: bool = False) -> Streams:
    out, err = io.StringIO(), Terminal() if terminal else io.StringIO()
    return Streams(out, err, Console(out, err, quiet, verbose, colour=terminal))


@pytest.mark.parametrize("attack", ATTACKS)
def test_text_of_an_archive_cannot_steer_a_terminal(attack: str) -> None:
    at = streams(verbose=True)
    at.console.result(attack)
    at.console.note(attack)
    at.console.problem(attack)
    at.console.json({"text": attack})
    assert not TRICKS.search(at.out.getvalue() + at.err.getvalue())


def test_ordinary_writing_is_shown_as_it_is() -> None:
    text = "用 pnpm，不要 npm — “ja”\n\tمرحبا 👩‍💻"
    assert visible(text) == text


@given(st.text())
def test_json_says_the_same_whatever_is_in_a_text(text: str) -> None:
    shown = as_json({"text": text})
    assert json.loads(shown) == {"text": text}
    assert not TRICKS.search(shown)


def test_nouns_times_and_paths_have_a_json_form() -> None:
    @dataclass(frozen=True, slots=True)
    class Inner:
        when_seen: datetime
        night: date
        path: Path
        words: tuple[str, ...]

    noun = Inner(datetime(2026, 5, 1, 2, 30, tzinfo=UTC), date(2026, 5, 1), Path("a/b"), ("c",))
    assert json.loads(as_json([noun])) == [
        {
            "when_seen": "2026-05-01T02:30:00Z",
            "night": "2026-05-01",
            "path": "a/b",
            "words": ["c"],
        }
    ]
    with pytest.raises(TypeError, match="object has no JSON form"):
        as_json(object())


def test_quiet_leaves_the_result_and_the_problem() -> None:
    at = streams(quiet=True)
    at.console.result("result")
    at.console.note("note")
    at.console.problem("problem")
    with at.console.progress() as progress:
        progress.stage("sources", 2)
        progress.step()
    assert (at.out.getvalue(), at.err.getvalue()) == ("result\n", "problem\n")


def test_a_log_gets_one_line_a_stage() -> None:
    at = streams()
    with at.console.progress() as progress:
        progress.stage("sources", 3)
        progress.step(2, "a.jsonl")
        progress.step(1, "b.jsonl")
        progress.stage("signals")
    lines = at.err.getvalue().splitlines()
    assert [line.split(" in ")[0] for line in lines] == ["sources: 3", "signals:"]
    assert at.out.getvalue() == ""


def test_verbose_names_each_step_in_a_log() -> None:
    at = streams(verbose=True)
    with at.console.progress() as progress:
        progress.stage("sources", 1)
        progress.step(1, "a.jsonl")
    assert at.err.getvalue().splitlines()[0] == "  a.jsonl"


@contextmanager
def told(at: Streams) -> Iterator[None]:
    with at.console.progress() as progress:
        progress.stage("sources", 2)
        progress.step(1, "[red]\x1b[31m" + "x" * 200)
        progress.step(1)
        progress.stage("signals")
        progress.step(1)
        yield


def test_a_terminal_gets_a_bar_and_names_in_it_are_only_text() -> None:
    at = streams(terminal=True)
    with told(at):
        pass
    shown = at.err.getvalue()
    assert "sources" in shown
    assert "2/2" in shown
    assert "\x1b[31mx" not in shown


def test_a_stage_that_fails_takes_the_bar_down() -> None:
    at = streams(terminal=True)
    with pytest.raises(KeyboardInterrupt), told(at):
        raise KeyboardInterrupt
    assert at.err.getvalue().count("\x1b[?25l") == at.err.getvalue().count("\x1b[?25h")


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_400_000, "1.4 MB"),
        (2 * 10**12, "2000.0 GB"),
    ],
)
def test_sizes_are_said_in_steps_of_a_thousand(count: int, words: str) -> None:
    assert size(count) == words
