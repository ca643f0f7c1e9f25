"""`dream audit`, and what a night does with rules that have landed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dream.cli import main
from dream.commands import Exit
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]
RULE = "rule-1b0d75c1"  # pnpm instead of npm
LANDED = "2026-10-20T08:00:00+00:00"


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """The sample after a night, a rule adopted in the middle of its weeks, another night."""
    from dream.sample.build import build

    sample = Sample(tmp_path_factory.mktemp("landed"))
    build(sample.folder / "sample", sample.out)
    assert sample.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    shop = sample.folder / "sample/repos/shop"
    (diff,) = (sample.out / NIGHT).glob(f"{RULE}-*/change.diff")
    env = os.environ | {"GIT_COMMITTER_DATE": LANDED, "GIT_AUTHOR_DATE": LANDED}
    named = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("apply", str(diff)), (*named, "commit", "-qam", "adopt it")):
        subprocess.run(["git", *words], cwd=shop, check=True, env=env)
    assert sample.dream("night", "--quiet", "--date", "2026-11-15") in (0, 1)
    return sample


def audits(sample: Sample, night: str) -> list[dict[str, str]]:
    report = json.loads((sample.out / night / "report.json").read_bytes())
    return list(report["audits"])


def test_a_night_audits_what_has_landed_and_leaves_a_page_of_it(landed: Sample) -> None:
    (line,) = audits(landed, "2026-11-15")
    assert (line["rule"], line["page"]) == (RULE, f"2026-11-15/audit/{RULE}.md")
    folder = landed.out / "2026-11-15/audit"
    assert sorted(path.name for path in folder.iterdir()) == [f"{RULE}.html", f"{RULE}.md"]
    assert line["says"] in (folder / f"{RULE}.md").read_text().replace("\\", "")
    told = (landed.out / "2026-11-15/report.md").read_text()
    assert "Do the adopted rules do any good" in told
    assert f"../2026-11-15/audit/{RULE}.md" in told
    assert audits(landed, NIGHT) == []


def events(sample: Sample) -> list[dict[str, object]]:
    lines = (sample.state / "ledger.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_the_ledger_holds_the_plan_once_and_each_look(landed: Sample) -> None:
    told = events(landed)
    (plan,) = [event for event in told if event["event"] == "audit_plan"]
    assert plan["rule"] == RULE
    looks = [event for event in told if event["event"] == "audited"]
    assert [event["night"] for event in looks] == ["2026-11-15"]
    assert looks[0]["rules"][0]["plan"] == plan["plan"]  # type: ignore[index]  # JSON


def test_a_night_with_nothing_new_says_the_same_and_looks_at_nothing(landed: Sample) -> None:
    """In a process of its own: what it imports is part of the question."""
    before = len(events(landed))
    code = (
        "import sys; from dream.cli import main; main(sys.argv[1:]); "
        "sys.exit(int('numpy' in sys.modules))"
    )
    words = ("night", "--quiet", "--date", "2026-11-16", "--config", str(landed.settings))
    done = subprocess.run([sys.executable, "-c", code, *words], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    (line,) = audits(landed, "2026-11-16")
    assert line["page"] == f"2026-11-15/audit/{RULE}.md"
    assert not (landed.out / "2026-11-16/audit").exists()
    assert [event["event"] for event in events(landed)[before:]] == ["night"]


def test_every_rule_is_told_in_a_few_lines(landed: Sample, capsys: Said) -> None:
    assert landed.dream("audit") == Exit.DONE
    told = capsys.readouterr().out
    assert told.startswith("1 rule audited as of 2026-11-1")
    assert f"{RULE}, shop, landed 2026-10-20" in told
    assert "Not landed yet:" in told


def test_one_rule_has_its_page_its_sums_and_its_json(landed: Sample, capsys: Said) -> None:
    assert landed.dream("audit", "rule-1b") == Exit.DONE
    assert capsys.readouterr().out.startswith("# ")
    assert landed.dream("audit", RULE, "--explain") == Exit.DONE
    assert "ya*Eb/(Eb+Ea)" in capsys.readouterr().out
    assert landed.dream("audit", RULE, "--json") == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["audits"][0]["page"]["landed_day"] == "2026-10-20"
    assert told["audits"][0]["plan"]["aim"]["target"] == "call among shell breaks npm"


def test_a_day_in_the_past_is_audited_as_it_would_have_been(landed: Sample, capsys: Said) -> None:
    assert landed.dream("audit", "--as-of", "2026-10-19") == Exit.DONE
    assert capsys.readouterr().out.startswith("0 rules audited as of 2026-10-19")
    assert landed.dream("audit", RULE, "--as-of", "2026-10-25", "--json") == Exit.DONE
    page = json.loads(capsys.readouterr().out)["audits"][0]["page"]
    assert max(page["runs_by_day"]) <= "2026-10-25"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("audit", "rule-ffffffff"), "There is no rule rule-ffffffff"),
        (("audit", "rule-8318a6d8"), "has not landed"),
        (("audit", "--explain"), "--explain needs a rule"),
        (("audit", "--as-of", "May"), "is no day"),
    ],
)
def test_what_cannot_be_audited_is_told(
    landed: Sample, capsys: Said, words: tuple[str, ...], why: str
) -> None:
    assert landed.dream(*words) == Exit.MISTAKE
    assert why in capsys.readouterr().err


def test_the_machines_own_zone_changes_nothing(landed: Sample) -> None:
    said = []
    for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        words = ("audit", RULE, "--as-of", "2026-11-10", "--config", str(landed.settings))
        done = subprocess.run(
            [sys.executable, "-m", "dream", *words],
            check=True, capture_output=True, env=os.environ | {"TZ": zone},
        )  # fmt: skip
        said.append(done.stdout)
    assert said[0] == said[1] == said[2]


def test_without_any_rule_there_is_nothing_to_audit(tmp_path: Path, capsys: Said) -> None:
    settings = tmp_path / "dream.yaml"
    settings.write_text(f"sources: []\nstate: {tmp_path}/state\nskills_out: {tmp_path}/out\n")
    assert main(["audit", "--as-of", "2026-05-31", "--config", str(settings)]) == Exit.DONE
    assert capsys.readouterr().out == "0 rules audited as of 2026-05-31.\n"
