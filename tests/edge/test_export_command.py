"""`dream export`: to stdout or into a new file, and nowhere else."""

import json
import subprocess
from pathlib import Path

import pytest

from dream.commands import Exit
from dream.config_file import load
from dream.place import Place
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]


def test_before_anything_is_adopted_there_is_nothing_and_that_is_said(
    slept: Sample, capsys: Said
) -> None:
    assert slept.dream("export", "--as", "engram", "--json") == Exit.DONE
    told = capsys.readouterr()
    assert json.loads(told.out) == {"as": "engram", "rules": []}
    assert "No rule of ours is adopted yet" in told.err


def test_waiting_rules_are_those_of_the_night_with_the_turn_they_were_last_said_in(
    slept: Sample, capsys: Said
) -> None:
    assert slept.dream("export", "--as", "long-memory", "--waiting", "--json") == Exit.DONE
    rules = json.loads(capsys.readouterr().out)["rules"]
    report = json.loads((slept.out / NIGHT / "report.json").read_bytes())
    proposed = {one["folder"][:13] for one in report["proposals"] if one["folder"][:5] == "rule-"}
    assert proposed
    assert {rule["id"] for rule in rules} == proposed
    assert all(rule["turn"] > 0 and rule["state"] == "waiting" for rule in rules)
    assert slept.dream("export", "--as", "long-memory", "--waiting") == Exit.DONE
    assert capsys.readouterr().out.count("[FACT: CONSTRAINT] ") == len(rules)


def test_a_rule_that_was_applied_is_exported_without_asking_for_more(
    awake: Sample, capsys: Said
) -> None:
    assert awake.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    projects = load(awake.settings, Place(awake.folder, awake.folder, {})).projects
    for diff in sorted((awake.out / NIGHT).glob("rule-*/change.diff")):
        applied = [
            subprocess.run(["git", "apply", str(diff)], cwd=project.root, check=False).returncode
            for project in projects
        ]
        if 0 in applied:
            break
    assert 0 in applied
    capsys.readouterr()
    assert awake.dream("export", "--as", "engram", "--json") == Exit.DONE
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert [(rule["id"], rule["state"]) for rule in rules] == [(diff.parent.name[:13], "landed")]


def test_it_goes_into_a_new_file_and_over_no_other(
    slept: Sample, tmp_path: Path, capsys: Said
) -> None:
    out = tmp_path / "memory.md"
    asked = ("export", "--as", "engram", "--waiting", "--out", str(out))
    assert slept.dream(*asked) == Exit.DONE
    assert capsys.readouterr().out == ""
    written = out.read_bytes()
    assert written.count(b" | ") > 0
    assert slept.dream(*asked) == Exit.MISTAKE
    assert out.read_bytes() == written
    source = load(slept.settings, Place(tmp_path, tmp_path, {})).sources[0].path
    assert slept.dream("export", "--as", "engram", "--out", str(source / "x")) == Exit.MISTAKE
    assert "only read" in capsys.readouterr().err
    assert not (source / "x").exists()
