"""`dream drift`: over logs that a person keeps, and over what Dream has read itself."""

import json
from pathlib import Path

import pytest

from dream.cli import main
from dream.commands import Exit
from tests.conftest import Golden
from tests.edge.conftest import Sample

Said = pytest.CaptureFixture[str]
KINDS = ("information loss", "mismatch", "over-generalisation", "path drift")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs a treatment of 30 turns each, with a compaction every 20 turns and two bad lines."""
    monkeypatch.chdir(tmp_path)
    lines = ["turn,turns since compaction,deviated,type,intervention,mood"]
    for run in range(4):
        for turn in range(1, 31):
            distance = turn % 20
            astray = (turn + run) % (7 if run < 2 else 11) == 0
            kind = KINDS[(turn + run) % 4] if astray else ""
            told = ("yes" if astray else "no", kind, "baseline" if run < 2 else "long memory")
            lines.append(f"{turn},{distance if turn > 3 else ''},{','.join(told)},fine")
    lines += ['31,"2,yes,,,', "32,many,no,,,", "33,4,yes,\x1b[31mcosmic rays,baseline,"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_log_is_told_by_type_distance_and_treatment(
    log: Path, capsys: Said, golden: Golden
) -> None:
    assert main(["drift", "log.csv"]) == Exit.LOOK  # two lines were not taken
    said = capsys.readouterr().out
    golden("drift_log.txt", said)
    assert "\x1b" not in said


def test_a_log_that_is_given_twice_counts_once_and_as_json_it_is_told_whole(
    log: Path, capsys: Said
) -> None:
    assert main(["drift", "--json", str(log), "log.csv", "./log.csv"]) == Exit.LOOK
    told = json.loads(capsys.readouterr().out)
    assert [(one["turns"], len(one["bad"])) for one in told["logs"]] == [(121, 2)]
    assert told["drift"]["deviated"]["of"] == 121
    assert [row["name"] for row in told["drift"]["distances"]] == [
        "0", "1", "2-3", "4-7", "8-15", "16 or more", "",
    ]  # fmt: skip


def test_shares_without_counts_are_a_mistake_with_that_reason(shared: Path, capsys: Said) -> None:
    path = shared / "oracles/seed004_shares.json"
    assert main(["drift", str(path)]) == Exit.MISTAKE
    told = capsys.readouterr()
    assert told.out == ""
    assert "not comparable, no denominator" in told.err


def test_beside_a_log_a_refused_file_is_named_and_the_log_is_told(
    log: Path, tmp_path: Path, capsys: Said
) -> None:
    (tmp_path / "shares.csv").write_text("type,share\nmismatch,12\n")
    assert main(["drift", "log.csv", "shares.csv"]) == Exit.LOOK
    assert "shares.csv: refused; it tells shares and no counts" in capsys.readouterr().out


def test_what_is_recorded_is_told_by_agent_and_distance(
    slept: Sample, capsys: Said, golden: Golden
) -> None:
    assert slept.dream("drift") == Exit.DONE
    golden("drift_recorded.txt", capsys.readouterr().out)
    assert slept.dream("drift", "--json") == Exit.DONE
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert agents
    for one in agents:
        assert one["compacted"] <= one["sessions"]
        assert sum(each["failed"]["of"] for each in one["calls"]) > 0


def test_without_any_night_there_is_nothing_and_that_is_said(awake: Sample, capsys: Said) -> None:
    assert awake.dream("drift") == Exit.DONE
    assert "Nothing is recorded yet" in capsys.readouterr().out
