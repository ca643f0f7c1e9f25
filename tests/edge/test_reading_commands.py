"""The commands that read what a night has left: report, why, show, verify, check."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from dream.commands import Exit
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]


def proposals(sample: Sample, kind: str = "") -> list[str]:
    report = json.loads((sample.out / NIGHT / "report.json").read_bytes())
    return [one["folder"] for one in report["proposals"] if one["folder"].startswith(kind)]


def ids(sample: Sample, kind: str) -> list[str]:
    return ["-".join(folder.split("-")[:2]) for folder in proposals(sample, kind)]


def test_the_last_report_is_the_one_that_is_shown(slept: Sample, capsys: Said) -> None:
    code = slept.dream("report")
    said = capsys.readouterr().out
    assert f"Night of {NIGHT}" in said
    assert slept.dream("report", "--last", "--json") == code
    stored = json.loads((slept.out / NIGHT / "report.json").read_bytes())
    assert json.loads(capsys.readouterr().out) == stored
    assert code == (Exit.LOOK if stored["warnings"] else Exit.DONE)


def test_a_report_as_markdown_is_the_page_in_its_folder(slept: Sample, capsys: Said) -> None:
    slept.dream("report", "--date", NIGHT, "--format", "md")
    assert capsys.readouterr().out == (slept.out / NIGHT / "report.md").read_text("utf-8")


def test_a_night_without_a_report_is_a_mistake_that_says_so(slept: Sample, capsys: Said) -> None:
    assert slept.dream("report", "--date", "2020-01-01") == Exit.MISTAKE
    assert "There is no report of the night 2020-01-01" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["rule", "skill", "check"])
def test_every_proposal_leads_back_to_words(slept: Sample, capsys: Said, kind: str) -> None:
    assert ids(slept, kind)
    for name in ids(slept, kind):
        assert slept.dream("why", name) == Exit.DONE
        said = capsys.readouterr().out
        assert said.startswith(name)
        assert "»" in said
        assert ", line " in said


def test_the_way_as_json_names_judgement_run_message_and_words(slept: Sample, capsys: Said) -> None:
    assert slept.dream("why", ids(slept, "rule")[0], "--json") == Exit.DONE
    walk = json.loads(capsys.readouterr().out)
    for words in walk["words"]:
        assert words["flaw"] == ""
        assert words["quote"] == words["judgement"]["quote"]
        for key in ("id", "run_id", "message_id", "text_sha256"):
            assert words["judgement"][key]


def test_a_cluster_and_a_judgement_can_be_asked_for_too(slept: Sample, capsys: Said) -> None:
    slept.dream("why", ids(slept, "rule")[0], "--json")
    walk = json.loads(capsys.readouterr().out)
    assert slept.dream("why", walk["clusters"][0]) == Exit.DONE
    assert slept.dream("why", walk["words"][0]["judgement"]["id"]) == Exit.DONE


def test_an_unknown_name_is_answered_with_the_nearest(slept: Sample, capsys: Said) -> None:
    name = ids(slept, "rule")[0]
    assert slept.dream("why", f"x{name}") == Exit.MISTAKE
    assert f"Did you mean {name}?" in capsys.readouterr().err
    assert slept.dream("show", "r99999") == Exit.MISTAKE
    assert "Traceback" not in capsys.readouterr().err


def test_a_message_is_shown_by_its_short_name(slept: Sample, capsys: Said) -> None:
    assert slept.dream("show", "r3/m2") == Exit.DONE
    assert capsys.readouterr().out.startswith("r3/m2 ")
    assert slept.dream("show", "r3/m2", "--json") == Exit.DONE
    assert json.loads(capsys.readouterr().out)["message"]["name"] == "r3/m2"


def test_every_quote_stands_and_is_at_its_source(slept: Sample, capsys: Said) -> None:
    assert slept.dream("verify", "--json") == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["troubles"] == []
    assert told["verdict"]["broken"] == []
    assert told["verdict"]["quotes"] > 0
    assert told["verdict"]["sources"] == {"present": told["verdict"]["quotes"]}


def test_evidence_changed_by_hand_is_found(slept: Sample, tmp_path: Path, capsys: Said) -> None:
    copy = Sample(tmp_path / "copy")
    shutil.copytree(slept.folder, copy.folder)
    text = copy.settings.read_text("utf-8").replace(str(slept.out), str(copy.out))
    copy.settings.write_text(text, encoding="utf-8")
    first, second = proposals(copy, "rule")[:2]
    path = copy.out / NIGHT / first / "evidence.json"
    value = json.loads(path.read_bytes())
    value["evidence"][0]["judgement"]["quote"] += " and more"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert copy.dream("verify", "--json") == Exit.LOOK
    (broken,) = json.loads(capsys.readouterr().out)["verdict"]["broken"]
    assert broken["folder"] == f"{NIGHT}/{first}"
    (copy.out / NIGHT / second / "evidence.json").write_text("{", encoding="utf-8")
    assert copy.dream("verify") == Exit.LOOK
    assert f"{NIGHT}/{second}/evidence.json cannot be read" in capsys.readouterr().err


def test_what_another_archive_has_put_into_the_folder_is_neither_ours_nor_broken(
    slept: Sample, awake: Sample, capsys: Said
) -> None:
    shutil.copytree(slept.out, awake.out, dirs_exist_ok=True)
    assert awake.dream("report") == Exit.MISTAKE
    said = capsys.readouterr().err
    assert "There is no report yet" in said
    assert f"Of other archives there are: {NIGHT}" in said
    assert awake.dream("report", "--date", NIGHT) in (Exit.DONE, Exit.LOOK)
    assert awake.dream("verify") == Exit.DONE
    count = len(list(slept.out.glob("*/*/evidence.json")))
    said = capsys.readouterr().out
    assert f"{count} more proposals in the same folder" in said
    assert "BROKEN" not in said
    assert awake.dream("verify", "--json") == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"]["quotes"], len(told["of_other_archives"])) == (0, count)


def test_a_proposed_check_can_be_tried_before_it_is_adopted(slept: Sample, capsys: Said) -> None:
    folder = slept.out / NIGHT / proposals(slept, "check")[0]
    (file,) = folder.rglob("*.yaml")
    assert slept.dream("check", str(file.parent), "--json") == Exit.LOOK
    told = json.loads(capsys.readouterr().out)
    assert told["breaches"]
    assert {breach["check"] for breach in told["breaches"]} == {told["checks"][0]["id"]}
    assert slept.dream("check", str(slept.out / NIGHT)) == Exit.LOOK  # all of the night
    assert told["checks"][0]["id"] in capsys.readouterr().out
    assert slept.dream("check", str(file)) == Exit.LOOK
    said = capsys.readouterr().out
    for breach in told["breaches"]:
        assert f"dream show {breach['message_id']}" in said
    assert slept.dream("check", str(file), "--since", "2030-01-01") == Exit.DONE
    assert "no recorded call breaks it" in capsys.readouterr().out


def test_a_check_whose_diff_was_applied_is_adopted(awake: Sample, capsys: Said) -> None:
    awake.dream("night", "--quiet", "--date", NIGHT)
    name = ids(awake, "check")[0]
    diff = awake.out / NIGHT / proposals(awake, "check")[0] / "change.diff"
    walk = json.loads((diff.parent / "evidence.json").read_bytes())
    repository = awake.folder / "sample/repos" / walk["project"]
    subprocess.run(["git", "apply", diff], cwd=repository, check=True)
    capsys.readouterr()
    assert awake.dream("check", "--json") == Exit.LOOK
    told = json.loads(capsys.readouterr().out)
    assert [check["id"] for check in told["checks"]] == [name]
    assert told["breaches"]


def test_checks_of_the_folder_in_the_settings_are_adopted_too(
    awake: Sample, slept: Sample, capsys: Said
) -> None:
    (file,) = (slept.out / NIGHT / proposals(slept, "check")[0]).rglob("*.yaml")
    ours = awake.folder / "sample/checks"
    ours.mkdir()
    shutil.copy(file, ours)
    with awake.settings.open("a", encoding="utf-8") as settings:
        settings.write("checks: checks\n")
    assert awake.dream("check", "--json") == Exit.DONE  # nothing is recorded yet
    assert len(json.loads(capsys.readouterr().out)["checks"]) == 1


def test_without_any_adopted_check_there_is_nothing_to_break(slept: Sample, capsys: Said) -> None:
    assert slept.dream("check") == Exit.DONE
    assert "No check is adopted yet" in capsys.readouterr().out


def test_a_check_that_is_not_there_or_broken_is_a_mistake(
    slept: Sample, tmp_path: Path, capsys: Said
) -> None:
    assert slept.dream("check", str(tmp_path / "none")) == Exit.MISTAKE
    assert slept.dream("check", str(tmp_path)) == Exit.MISTAKE
    (tmp_path / "bad.yaml").write_text("detector: 3\n", encoding="utf-8")
    assert slept.dream("check", str(tmp_path)) == Exit.MISTAKE
    assert "bad.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["verify"], ["report"], ["show", "r1"], ["why", "rule-1"]])
def test_before_any_night_there_is_nothing_and_no_trace(
    awake: Sample, capsys: Said, words: list[str]
) -> None:
    code = awake.dream(*words)
    assert code == (Exit.DONE if words == ["verify"] else Exit.MISTAKE)
    assert "Traceback" not in capsys.readouterr().err
