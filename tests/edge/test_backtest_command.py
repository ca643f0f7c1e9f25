"""`dream backtest`: the nights of the past over the sample, as a person sees it."""

import json

import pytest

from dream.commands import Exit
from tests.conftest import Golden
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]


def test_it_tells_what_came_true_beside_what_anybody_would_try(
    slept: Sample, capsys: Said, golden: Golden
) -> None:
    assert slept.dream("backtest", "--step", "weekly", "--quiet") == Exit.DONE
    told = capsys.readouterr()
    golden("backtest.txt", told.out)
    assert told.err == ""
    assert "\x1b" not in told.out


def test_as_json_it_is_told_whole_and_progress_goes_elsewhere(slept: Sample, capsys: Said) -> None:
    days = ("--from", "2026-11-01", "--to", "2026-11-11", "--step", "5")
    assert slept.dream("backtest", "--json", *days) == Exit.DONE
    told = capsys.readouterr()
    made = json.loads(told.out)
    assert (made["first"], made["last"], made["nights"]) == ("2026-11-01", "2026-11-11", 3)
    assert {each["way"] for each in made["scores"]} == {
        "dream", "exact text", "most frequent", "most sessions",
    }  # fmt: skip
    assert {each["item"]["way"] for each in made["outcomes"]} >= {"dream"}
    assert "nights: 3 in" in told.err


def test_what_was_kept_stands_in_the_report_of_the_next_night(awake: Sample, capsys: Said) -> None:
    assert awake.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    assert "Looking back" not in capsys.readouterr().out
    assert awake.dream("backtest", "--keep", "--step", "28") == Exit.DONE
    assert "backtest.json; the next night's report says so" in capsys.readouterr().err
    assert awake.dream("night", "--quiet", "--date", "2026-11-15") in (0, 1)
    assert "Looking back: Of" in capsys.readouterr().out
    page = (awake.out / "2026-11-15" / "report.md").read_text("utf-8")
    assert "## Looking back" in page
    assert awake.dream("verify", "--quiet") == Exit.DONE


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--from", "2026-11-09", "--to", "2026-11-01"), "would come after the last"),
        (("--step", "hourly"), "is no step; write nightly, weekly or 3"),
        (("--step", "0"), "is no step"),
        (("--from", "monday"), "is no day"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_played(
    slept: Sample, capsys: Said, words: tuple[str, ...], why: str
) -> None:
    assert slept.dream("backtest", *words) == Exit.MISTAKE
    told = capsys.readouterr()
    assert why in told.err
    assert told.out == ""


def test_before_any_night_there_is_nothing_to_play(awake: Sample, capsys: Said) -> None:
    assert awake.dream("backtest") == Exit.MISTAKE
    assert "Read some sessions first with: dream night" in capsys.readouterr().err
