"""`dream init`: what it finds on a machine, what it writes, and that it overwrites nothing."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dream.checkouts import repositories
from dream.cli import main
from dream.config import Config, ProjectSpec, SourceSpec
from dream.config_file import load
from dream.health import settings
from dream.machine import archives, checkpoints, zone
from dream.place import Place, here


def git(folder: Path, *words: str) -> None:
    env = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.invalid",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.invalid",
    }
    subprocess.run(["git", *words], cwd=folder, env=env, check=True, capture_output=True)


def pi_session(folder: Path, name: str, cwd: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    header = {"type": "session", "version": 3, "id": name, "cwd": str(cwd)}
    path.write_text(json.dumps(header, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with sessions of pi in a repository and its worktree, a run archive and no Claude."""
    home = tmp_path / "home"
    shop = home / "work" / "shop: 店"
    shop.mkdir(parents=True)
    git(shop, "init", "-q")
    git(shop, "commit", "-q", "--allow-empty", "-m", "first")
    git(shop, "worktree", "add", "-q", str(home / "work/shop-fix"))
    (shop / "CLAUDE.md").write_text("# Rules\n", encoding="utf-8")
    agent = home / ".pi/agent"
    pi_session(agent / "sessions/--a--", "2026-01-01T00-00-00-000Z_s1", shop / "src")
    pi_session(agent / "sessions/--a--", "2026-01-02T00-00-00-000Z_s2", shop)
    pi_session(agent / "sessions/--b--", "2026-01-03T00-00-00-000Z_s3", home / "work/shop-fix")
    pi_session(agent / "sessions/--c--", "2026-01-04T00-00-00-000Z_s4", home / "gone")
    (agent / "run-archive").mkdir()
    (agent / "run-archive/runs.sqlite").write_bytes(b"x" * 10)
    (agent / "run-archive/runs.sqlite-wal").write_bytes(b"y" * 5)
    cwd = home / "here"
    cwd.mkdir()
    monkeypatch.chdir(cwd)
    for name in list(os.environ):
        if name.startswith(("PI_", "CLAUDE_", "XDG_")) or name == "TZ":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    return home


def test_the_archives_are_found_counted_and_measured(home: Path) -> None:
    found = {one.kind: one for one in archives(here())}
    others = {"codex", "copilot-cli", "gemini-cli", "opencode", "kimi-cli"}
    assert set(found) == {"pi", "run2", "claude-code"} | others
    assert len(found["pi"].files) == 4
    assert (len(found["run2"].files), found["run2"].size) == (1, 15)
    assert found["claude-code"].files == ()


def test_a_repository_that_keeps_sessions_beside_the_code_is_found(home: Path) -> None:
    shop = home / "work" / "shop: 店"
    assert checkpoints([shop]) == ()
    git(shop, "update-ref", "refs/heads/entire/checkpoints/v1", "HEAD")
    path = home / "here" / "dream.yaml"
    assert main(["init"]) == 0
    sources = load(path, here()).sources
    assert SourceSpec(shop / ".git", "entire") in sources


def test_variables_and_the_archive_programs_own_setting_are_followed(home: Path) -> None:
    agent = home / "other-agent"
    agent.mkdir()
    (agent / "pi-experiencev2.json").write_text('{"db": "~/runs.sqlite"}', encoding="utf-8")
    place = Place(home, home, {"PI_CODING_AGENT_DIR": str(agent), "CLAUDE_CONFIG_DIR": "cc"})
    paths = {one.kind: (one.path, one.why) for one in archives(place)}
    assert paths["pi"] == (agent / "sessions", "PI_CODING_AGENT_DIR")
    assert paths["run2"] == (home / "runs.sqlite", "pi-experiencev2.json")
    assert paths["claude-code"] == (home / "cc/projects", "CLAUDE_CONFIG_DIR")
    env = {**place.env, "PI_RUNS_DB": str(home / "x.sqlite")}
    runs = {one.kind: one for one in archives(Place(home, home, env))}["run2"]
    assert (runs.path, runs.why) == (home / "x.sqlite", "PI_RUNS_DB")


def test_codex_and_copilot_are_found_where_they_keep_their_sessions(home: Path) -> None:
    for name in ("c/sessions/2026/03/a.jsonl", "c/archived_sessions/b.jsonl"):
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text("{}\n")
    (home / ".copilot/session-state/s").mkdir(parents=True)
    (home / ".copilot/session-state/s/events.jsonl").write_text("{}\n")
    found = archives(Place(home, home, {"CODEX_HOME": "c"}))
    named = [(one.kind, [path.name for path in one.files], one.why) for one in found if one.files]
    assert named[-3:] == [
        ("codex", ["a.jsonl"], "CODEX_HOME"),
        ("codex", ["b.jsonl"], ""),
        ("copilot-cli", ["events.jsonl"], ""),
    ]


def test_gemini_and_opencode_are_found_where_they_keep_their_sessions(home: Path) -> None:
    names = (
        ".gemini/tmp/till/chats/session-1.jsonl",
        ".gemini/tmp/till/logs.json",
        ".local/share/opencode/opencode.db",
        ".local/share/opencode/storage/session/p/ses_1.json",
        ".local/share/opencode/storage/message/ses_1/msg_1.json",
    )
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    here_found = archives(Place(home, home, {}))
    found = {one.kind: [path.name for path in one.files] for one in here_found}
    assert found["gemini-cli"] == ["session-1.jsonl"]
    assert found["opencode"] == ["opencode.db", "ses_1.json"]
    moved = Place(home, home, {"XDG_DATA_HOME": "data"})
    elsewhere = {one.kind: one.why for one in archives(moved)}
    assert elsewhere["opencode"] == "XDG_DATA_HOME"


def test_kimi_is_found_by_its_contexts_alone(home: Path) -> None:
    folder = home / ".kimi/sessions/0/s"
    folder.mkdir(parents=True)
    for name in ("context.jsonl", "context_1.jsonl", "wire.jsonl", "state.json"):
        (folder / name).touch()
    found = {one.kind: [path.name for path in one.files] for one in archives(Place(home, home, {}))}
    assert found["kimi-cli"] == ["context.jsonl"]
    moved = archives(Place(home, home, {"KIMI_SHARE_DIR": ".kimi"}))
    assert {one.kind: one.why for one in moved}["kimi-cli"] == "KIMI_SHARE_DIR"


@pytest.mark.parametrize("text", ["[]", "{", '{"db": 3}', '{"db": ""}', "\xff"])
def test_a_setting_that_cannot_be_read_is_as_none(home: Path, text: str) -> None:
    agent = home / ".pi/agent"
    (agent / "pi-experiencev2.json").write_text(text, encoding="latin-1")
    runs = {one.kind: one for one in archives(here())}["run2"]
    assert (runs.path, runs.why) == (agent / "run-archive/runs.sqlite", "")


def test_a_further_folder_is_known_by_its_content(home: Path) -> None:
    extra = home / "backup"
    pi_session(extra, "s9", home)
    (extra / "notes.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    found = archives(here(), [extra])[-1]
    assert (found.kind, [path.name for path in found.files]) == ("pi", ["s9.jsonl"])


def test_a_worktree_belongs_to_its_main_checkout(home: Path) -> None:
    files = [path for one in archives(here()) for path in one.files]
    (found,) = repositories(files, home)
    assert found.root == home / "work" / "shop: 店"
    assert (found.folders, found.also) == (2, (home / "work/shop-fix",))


def test_a_home_kept_in_git_is_nobodys_project(home: Path) -> None:
    git(home, "init", "-q")
    files = [pi_session(home / "sessions", "s1", home / "notes")]
    assert repositories(files, home) == ()


def test_what_is_written_reads_back_as_what_was_found(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init"]) == 0
    config = load(None, here())
    agent = home / ".pi/agent"
    assert config == Config(
        path=home / "here/dream.yaml",
        sources=(
            SourceSpec(agent / "sessions", "pi"),
            SourceSpec(agent / "run-archive/runs.sqlite", "run2"),
        ),
        projects=(
            ProjectSpec(home / "work" / "shop: 店", "CLAUDE.md", (str(home / "work/shop-fix"),)),
        ),
        state=home / ".local/state/dream",
        skills_out=home / "here/skills_out",
        timezone="Europe/Berlin",
    )
    said = capsys.readouterr().out
    assert "sessions of pi: 4 files" in said
    assert "not    " + str(home / ".claude/projects") in said
    assert "sessions of Claude Code: not there" in said


def test_every_setting_and_every_gate_stands_in_the_file_with_its_default(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from dataclasses import asdict

    from dream import config_file, yaml_lines

    assert main(["init", "--stdout"]) == 0
    node = yaml_lines.parse(capsys.readouterr().out.encode(), Path("x"))
    assert isinstance(node, yaml_lines.Keys)
    keys = {key.value: value for key, value in node.values}
    assert set(keys) == set(config_file.KEYS)
    gates = keys["gates"]
    assert isinstance(gates, yaml_lines.Keys)
    written = {key.value: float(value.value) for key, value in gates.values}  # type: ignore[union-attr]
    assert written == asdict(Config().gates)
    assert not Path("dream.yaml").exists()


def test_folders_with_the_persons_own_rules_are_written_when_they_hold_some(home: Path) -> None:
    (home / ".claude/skills").mkdir(parents=True)
    (home / ".pi/agent/AGENTS.md").write_text("- Answer in Chinese.\n")
    (home / ".codex").mkdir()
    assert main(["init"]) == 0
    config = load(None, here())
    assert config.personal == (home / ".claude", home / ".pi/agent")


def test_a_file_that_is_there_is_left_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("dream.yaml").write_text("window_days: 5\n", encoding="utf-8")
    assert main(["init"]) == 2
    assert Path("dream.yaml").read_text(encoding="utf-8") == "window_days: 5\n"
    assert "--force" in capsys.readouterr().err
    assert main(["init", "--force", "--quiet"]) == 0
    assert load(None, here()).window_days == 365
    assert [path.name for path in Path.cwd().iterdir()] == ["dream.yaml"]


def test_the_result_as_json_has_counts_and_projects(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--json", "--config", "sub/other.yaml"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["written"] == str(home / "here/sub/other.yaml")
    assert [(one["kind"], one["files"], one["bytes"]) for one in result["archives"]][1] == (
        "run2",
        1,
        15,
    )
    assert result["projects"][0]["root"].endswith("shop: 店")
    assert Path("sub/other.yaml").stat().st_mode & 0o077 == 0


def test_a_machine_without_any_archive_gets_a_file_and_a_word_that_a_person_should_look(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(home / "empty"))
    assert main(["init"]) == 1
    assert load(None, here()).sources == ()
    said = capsys.readouterr().out
    assert "dream init --force FOLDER" in said
    assert "dream night" not in said
    assert "No repository" not in said


def test_a_folder_name_cannot_write_settings(home: Path) -> None:
    evil = home / 'x"\nstate: "\\evil'
    evil.mkdir()
    git(evil, "init", "-q")
    pi_session(home / ".pi/agent/sessions/--e--", "2026-02-01T00-00-00-000Z_s7", evil)
    assert main(["init", "--quiet"]) == 0
    config = load(None, here())
    assert config.state == home / ".local/state/dream"
    assert evil in [project.root for project in config.projects]


def test_the_zone_of_the_machine_is_named(home: Path) -> None:
    assert zone(Place(home, home, {"TZ": ":Asia/Shanghai"})) == "Asia/Shanghai"
    assert zone(Place(home, home, {"TZ": "nonsense"}))


def test_a_folder_without_access_is_told_and_not_taken_for_absent(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    private = home / ".pi/agent/sessions/--b--"
    listed: Callable[..., Any] = os.scandir

    def scandir(path: Any = ".") -> Any:
        if Path(path) == private:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = next(one for one in archives(here()) if one.kind == "pi")
    assert (len(found.files), found.barred) == (3, (private,))
    assert main(["init"]) == 0
    assert re.search(r"3 files, \d+ B, 1 folder without access", capsys.readouterr().out)
    told = [one for one in settings(Config(sources=(SourceSpec(found.path, "pi"),))) if not one.ok]
    assert f"holds 1 folder that may not be listed, first {private}" in told[-1].words


def test_the_json_of_stdout_holds_the_file_and_nothing_is_written(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "--stdout", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["written"] is None
    assert told["text"].startswith("# Settings of Dream")
    assert {"pi", "run2", "claude-code", "codex"} <= {one["kind"] for one in told["archives"]}
    assert not Path("dream.yaml").exists()


def test_a_folder_that_cannot_be_written_is_the_persons_to_mend(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").touch()
    assert main(["init", "--config", "file/dream.yaml"]) == 2
    said = capsys.readouterr().err
    assert "file/dream.yaml cannot be written" in said
    assert "dream init --stdout" in said
