"""`dream trial` makes the file, `dream tell` says at a session's beginning what is in it."""

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dream.cli import main
from dream.commands import Exit
from dream.trial import Trial, read, written
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]
TODAY = datetime.now(UTC).date()


def shop(folder: Path, share: float) -> Path:
    trial = Trial("rule-1", share, TODAY - timedelta(1), TODAY + timedelta(1), "0" * 8, "- Tabs.")
    home = folder / ".dream/trials"
    home.mkdir(parents=True)
    (home / "rule-1.md").write_text(written(trial))
    return folder


def test_a_proposed_rule_becomes_a_file_with_all_that_a_trial_needs(
    slept: Sample, capsys: Said
) -> None:
    rule = next((slept.out / NIGHT).glob("rule-*"))
    name = rule.name[:13]
    words = ("--withhold", "0.5", "--days", "7", "--from", "2026-11-15")
    assert slept.dream("trial", name, *words) == Exit.DONE
    made = read(capsys.readouterr().out)
    assert made is not None
    assert (made.rule, made.share, f"{made.first}", f"{made.last}") == (
        name, 0.5, "2026-11-15", "2026-11-21",
    )  # fmt: skip
    assert made.text == (rule / "rule.md").read_text().strip()
    assert slept.dream("trial", name, *words, "--json") == Exit.DONE
    assert json.loads(capsys.readouterr().out)["seed"] == made.seed


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("trial", "rule-ffffffff"), "No rule rule-ffffffff was proposed"),
        (("trial", "rule-"), "stands for several rules"),
        (("trial", "x", "--withhold", "1"), "not between"),
        (("trial", "x", "--withhold", "half"), "is no share"),
        (("trial", "x", "--days", "0"), "is no number of days"),
    ],
)
def test_what_cannot_be_put_on_trial_is_told(
    slept: Sample, capsys: Said, words: tuple[str, ...], why: str
) -> None:
    assert slept.dream(*words) == Exit.MISTAKE
    assert why in capsys.readouterr().err


def test_a_session_is_told_the_rule_or_drew_a_blank(tmp_path: Path, capsys: Said) -> None:
    assert main(["tell", str(shop(tmp_path / "a", 0.0)), "--session", "s1"]) == Exit.DONE
    assert capsys.readouterr().out == "- Tabs.\n"
    blank = shop(tmp_path / "b", 1.0)
    assert main(["tell", str(blank), "--session", "s1"]) == Exit.DONE
    assert capsys.readouterr().out == ""
    assert main(["tell", str(blank), "--session", "s1", "--json"]) == Exit.DONE
    assert json.loads(capsys.readouterr().out) == {"told": [], "withheld": ["rule-1"]}


def handed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_hook_hands_over_session_and_folder(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {"session_id": "s1", "cwd": str(shop(tmp_path, 0.0)), "hook_event_name": "SessionStart"}
    handed(monkeypatch, json.dumps(about))
    assert main(["tell"]) == Exit.DONE
    assert capsys.readouterr().out == "- Tabs.\n"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"session_id": 3}', "\x00", '"x"'])
def test_a_hook_that_names_no_session_is_told_so(
    text: str, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed(monkeypatch, text)
    assert main(["tell"]) == Exit.MISTAKE
    assert "session" in capsys.readouterr().err


def test_a_file_that_is_no_trial_is_named(tmp_path: Path, capsys: Said) -> None:
    (shop(tmp_path, 0.0) / ".dream/trials/odd.md").write_text("- Spaces.")
    assert main(["tell", str(tmp_path), "--session", "s1"]) == Exit.LOOK
    told = capsys.readouterr()
    assert told.out == "- Tabs.\n"
    assert "odd.md begins with no line of a trial" in told.err
