"""`dream rules`: what was in force for a run, in words and as JSON, and how rule files came."""

import json
from pathlib import Path

import pytest

from dream.cli import main
from dream.commands import Exit
from tests.edge.conftest import Sample
from tests.in_force.land import Land

Said = pytest.CaptureFixture[str]
RUN = "claude-code:s:00000001-0000-4000-8000-000000000000"


def test_a_run_shows_files_lines_and_how_they_are_known(slept: Sample, capsys: Said) -> None:
    assert slept.dream("rules", "r3") == Exit.DONE
    said = capsys.readouterr().out
    assert "known by commit: git's log of the checkout: it had " in said
    assert "\nAGENTS.md  since 2026-09-14 09:00, commit " in said
    assert "\n     7  Run `make check` before you push.\n" in said


def test_the_same_as_json(slept: Sample, capsys: Said) -> None:
    assert slept.dream("rules", "r3", "--json") == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["in_force"]["basis"], told["in_force"]["how"]) == ("commit", "log_of_checkout")
    files = {one["held"]["path"]: one["lines"] for one in told["rules"]}
    assert [7, "Run `make check` before you push."] in files["AGENTS.md"]


def test_without_a_run_every_repository_tells_its_history(slept: Sample, capsys: Said) -> None:
    assert slept.dream("rules") == Exit.DONE
    said = capsys.readouterr().out
    assert said.count("  branch main\n") == 2
    assert "  2026-09-14 09:00  " in said
    assert "\n      added AGENTS.md\n" in said
    assert "  runs whose rules are known by commit: " in said
    assert slept.dream("rules", "--json") == Exit.DONE
    told = json.loads(capsys.readouterr().out)
    assert {one["branch"] for one in told["repositories"]} == {"main"}
    assert told["unread"] == []


def test_a_session_and_an_unknown_name_are_mistakes_that_say_what_to_do(
    slept: Sample, capsys: Said
) -> None:
    slept.dream("show", "r3", "--json")
    session = json.loads(capsys.readouterr().out)["messages"][0]["message_id"].rpartition("/")[0]
    assert slept.dream("rules", session) == Exit.MISTAKE
    assert f"dream show {session}" in capsys.readouterr().err
    assert slept.dream("rules", "r9999") == Exit.MISTAKE


def test_before_any_night_nothing_is_known_and_it_says_so(awake: Sample, capsys: Said) -> None:
    assert awake.dream("rules") == Exit.DONE
    assert "No rule file is known" in capsys.readouterr().out


class TestEveryWay:
    """What is said for each way to know it, over a repository made for it."""

    def said(self, land: Land, capsys: Said, *words: str) -> str:
        settings = land.state.parent / "dream.yaml"
        settings.write_text(f"state: {land.state}\n")
        assert main(["rules", *words, "--config", str(settings)]) == Exit.DONE
        return capsys.readouterr().out

    @pytest.fixture
    def land(self, tmp_path: Path) -> Land:
        made = Land(tmp_path)
        made.repo.commit("rule\n\nwhy", "2026-05-04T07:00:00Z", CLAUDE_md="- Use\x1b[31m pnpm.\n")
        return made

    def test_by_time(self, land: Land, capsys: Said) -> None:
        land.session("s", "2026-05-04T08:00:00Z")
        land.forget_moves()
        land.night()
        said = self.said(land, capsys, RUN)
        assert "known by time: the time, on branch main\n" in said
        assert "\x1b" not in said

    def test_by_the_default_branch(self, land: Land, capsys: Said) -> None:
        land.session("s", "2026-05-04T08:00:00Z", branch="gone")
        land.night()
        assert "as the session's own is not known here" in self.said(land, capsys, RUN)

    def test_by_its_own_commit(self, land: Land, capsys: Said) -> None:
        land.session("s", "2026-05-04T08:00:00Z")
        land.checkpoint("s", "0a1b2c3d4e5f", "2026-05-04T08:10:00Z")
        about = "work\n\nEntire-Checkpoint: 0a1b2c3d4e5f"
        commit = land.repo.commit(about, "2026-05-04T08:10:00Z", code_py="1")
        land.night()
        said = self.said(land, capsys, RUN)
        assert f"the commit before {commit[:10]}, which came of this session" in said

    def test_by_what_lies_there(self, land: Land, capsys: Said) -> None:
        land.session("s", "2026-05-04T08:00:00Z")
        land.repo.put("CLAUDE.local.md", "Mine.\n")
        land.repo.put(".claude/skills/deploy/SKILL.md", "---\ndescription: Deploys it.\n---\n")
        land.night()
        said = self.said(land, capsys, RUN)
        assert "CLAUDE.local.md  in no commit; known only as written " in said
        assert "     1  Deploys it.\n" in said
        assert "in no commit\n      CLAUDE.local.md\n" in self.said(land, capsys)

    def test_not_at_all(self, land: Land, capsys: Said) -> None:
        land.session("s", "2026-05-04T08:00:00Z", cwd=Path("/home/somebody/else"))
        land.night()
        said = self.said(land, capsys, RUN)
        assert "known by unknown: nothing" not in said
        assert "not known" in said

    def test_what_of_a_history_could_not_be_read(self, land: Land, capsys: Said) -> None:
        commit = land.repo.git("rev-parse", "HEAD")
        land.repo.commit("more", "2026-05-04T08:00:00Z", CLAUDE_md="b")
        (land.repo.store / "objects" / commit[:2] / commit[2:]).unlink()
        land.night()
        said = self.said(land, capsys)
        assert f"{land.repo.store}/HEAD: the source could not be opened or read" in said
