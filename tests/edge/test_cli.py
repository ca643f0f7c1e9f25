"""The command line as a person and a script meet it."""

import argparse
import ast
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from dream import __version__, cli
from dream.cli import COMMANDS, main, parser
from dream.commands import Call, Exit
from dream.errors import NightBusy, StateBroken, UserMistake
from dream.stopping import Terminated

NAMES = sorted(path.stem for path in Path(cli.__file__).parent.glob("commands/[a-z]*.py"))
HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, an empty home, and no variable that says otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.startswith(("PI_", "CLAUDE_", "XDG_")):
            monkeypatch.delenv(name)
    return tmp_path


def run(
    *words: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "dream", *words],
        capture_output=True,
        check=False,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(HOUSE), **(env or {})},
        timeout=60,
    )


@contextmanager
def started(*words: str, cwd: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A command that runs beside the test, and not longer than it."""
    with subprocess.Popen(
        [sys.executable, "-m", "dream", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(HOUSE), "HOME": str(cwd)},
    ) as child:
        try:
            yield child
            child.wait(60)
        finally:
            child.kill()


def failing(error: BaseException) -> Callable[[Call], int]:
    def run_failing(call: Call) -> int:
        raise error

    return run_failing


def call_of(monkeypatch: pytest.MonkeyPatch, does: Callable[[Call], int]) -> Callable[[], int]:
    """main() with one more command, `boom`, that does this."""

    def add_boom(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        commands.add_parser("boom").set_defaults(run=does)

    monkeypatch.setattr(cli, "COMMANDS", (*COMMANDS, add_boom))
    return lambda: main(["boom"])


@pytest.mark.parametrize("name", NAMES)
def test_every_command_explains_itself_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert "example:\n  dream " + name in said
    for option in ("--json", "--config", "--no-color", "--quiet", "--verbose"):
        assert option in said


def test_the_help_names_every_command_and_every_exit_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert all(f"\n  {name} " in said or f"\n    {name} " in said for name in NAMES)
    assert (
        "0 done; 1 done, and a person should look; 2 not done, you can mend it; 3 our bug" in said
    )


def test_the_help_answers_at_once() -> None:
    """The best of three, since other work may share the machine."""
    times = []
    for _ in range(3):
        began = time.monotonic()
        assert run("--help").returncode == 0
        times.append(time.monotonic() - began)
    assert min(times) < 0.4


def test_the_help_imports_nothing_heavy() -> None:
    code = "import sys, dream.cli as c; c.parser(); print(sorted(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HOUSE
    )
    loaded = set(ast.literal_eval(ran.stdout))
    assert not loaded & {"duckdb", "rich", "jinja2", "yaml", "apscheduler", "orjson", "sqlite3"}


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"dream {__version__}\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["nigth"], "did you mean night?"),
        (["doctr", "--json"], "did you mean doctor?"),
        (["doctor", "--jsn"], "did you mean --json?"),
        (["night", "--if-deu"], "did you mean --if-due?"),
        (["--confg", "x", "night"], "did you mean --config?"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_the_nearest_word(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == Exit.MISTAKE
    said = capsys.readouterr()
    assert meant in said.err
    assert said.err.startswith("dream: ")
    assert "Traceback" not in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    "words", [["frobnicate"], ["night", "--date", "tomorrow"], ["why"], ["--colour", "--json"], []]
)
def test_what_cannot_be_meant_is_a_mistake_with_a_way_on(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == Exit.MISTAKE
    said = capsys.readouterr()
    assert "--help" in said.err
    assert said.out == ""


def test_a_word_too_many_is_answered_with_the_help_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "now"]) == Exit.MISTAKE
    assert capsys.readouterr().err.endswith(
        "unrecognized arguments: now\nSee: dream doctor --help\n"
    )


def test_options_for_every_command_may_stand_before_it_or_after_it() -> None:
    before = parser().parse_args(["--json", "--config", "x", "doctor"])
    after = parser().parse_args(["doctor", "--json", "--config", "x"])
    assert vars(before) == vars(after)
    assert (before.json, before.config, before.quiet) == (True, Path("x"), False)


def test_a_mistake_in_the_settings_is_said_and_exits_2(
    away: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("dream.yaml").write_text("state: x\nskils_out: y\n", encoding="utf-8")
    assert main(["doctor"]) == Exit.MISTAKE
    said = capsys.readouterr()
    assert f"{away}/dream.yaml:2: 'skils_out'" in said.err
    assert "did you mean 'skills_out'" in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("error", "code", "word"),
    [
        (UserMistake("mend it"), Exit.MISTAKE, "mend it"),
        (StateBroken("mend it"), Exit.MISTAKE, "mend it"),
        (NightBusy("held since noon"), Exit.DONE, "held since noon"),
        (OSError(28, "No space left on device", "x"), Exit.MISTAKE, "No space left on device"),
        (PermissionError(13, "Permission denied", "x"), Exit.MISTAKE, "Permission denied"),
        (IsADirectoryError(21, "Is a directory", "x"), Exit.MISTAKE, "Is a directory"),
        (NotADirectoryError(20, "Not a directory", "x"), Exit.MISTAKE, "Not a directory"),
        (FileExistsError(17, "File exists", "x"), Exit.MISTAKE, "File exists"),
        (OSError(5, "Input/output error", "x"), Exit.MISTAKE, "Input/output error"),
        (KeyboardInterrupt(), Exit.STOPPED, "Nothing is lost"),
        (Terminated(), Exit.TERMINATED, "Nothing is lost"),
        (BrokenPipeError(), Exit.PIPE, ""),
    ],
)
def test_every_way_to_fail_has_its_exit_code_and_no_trace(
    away: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: Exit,
    word: str,
) -> None:
    assert call_of(monkeypatch, failing(error))() == code
    said = capsys.readouterr()
    assert word in said.err
    assert "Traceback" not in said.err
    assert said.out == ""
    assert list(away.rglob("*.log")) == []


def test_a_bug_of_ours_leaves_its_trace_in_a_private_file_without_secrets(
    away: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = "ghp_" + "aB3" * 12
    assert call_of(monkeypatch, failing(ValueError(f"cannot read {token}")))() == Exit.BUG
    said = capsys.readouterr().err
    (trace,) = (away / "home/.local/state/dream/logs").glob("bug-*.log")
    assert str(trace) in said
    assert "ValueError" in said
    assert token not in said
    text = trace.read_text(encoding="utf-8")
    assert "Traceback" in text
    assert "command: run_failing" in text
    assert token not in text
    assert trace.stat().st_mode & 0o077 == 0


def test_a_bug_is_told_even_when_the_state_folder_cannot_be_written(
    away: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (away / "home").write_text("a file where the home should be", encoding="utf-8")
    assert call_of(monkeypatch, failing(ValueError("x")))() == Exit.BUG
    trace = Path(capsys.readouterr().err.split("The details are in ")[1].split("\n")[0])
    assert "Traceback" in trace.read_text(encoding="utf-8")
    trace.unlink()


@pytest.mark.parametrize("words", [["doctor"], ["schedule", "--next"], ["init", "--stdout"]])
@pytest.mark.parametrize("env", [{}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}])
def test_what_goes_into_a_pipe_has_no_colour(
    tmp_path: Path, words: Sequence[str], env: dict[str, str]
) -> None:
    ran = run(*words, env={"HOME": str(tmp_path), **env}, cwd=tmp_path)
    assert ran.returncode in (0, 1), ran.stderr
    assert ran.stdout
    assert b"\x1b" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("words", [["doctor"], ["schedule", "--next"], ["init"]])
def test_a_result_as_json_is_one_json_value_and_nothing_else(
    tmp_path: Path, words: Sequence[str]
) -> None:
    ran = run(*words, "--json", env={"HOME": str(tmp_path)}, cwd=tmp_path)
    assert ran.returncode in (0, 1), ran.stderr
    assert isinstance(json.loads(ran.stdout), dict)


def test_a_terminal_without_utf_8_gets_escapes_and_no_error(tmp_path: Path) -> None:
    home = tmp_path / "家"
    home.mkdir()
    env = {"HOME": str(home), "PYTHONIOENCODING": "ascii"}
    ran = run("init", "--stdout", env=env, cwd=tmp_path)
    assert ran.returncode in (0, 1), ran.stderr
    assert rb"\u5bb6" in ran.stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with started("init", "--stdout", cwd=tmp_path) as child:
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        told = child.stderr.read()
    assert child.returncode == Exit.PIPE
    assert told == b""


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, Exit.DONE), (signal.SIGTERM, Exit.DONE)]
)
def test_the_loop_ends_cleanly_when_it_is_told_to(
    tmp_path: Path, sent: signal.Signals, code: Exit
) -> None:
    with started("schedule", cwd=tmp_path) as child:
        assert child.stderr
        assert any(b"the next night is due at" in line for line in child.stderr)
        child.send_signal(sent)
        _, told = child.communicate(timeout=60)
    assert child.returncode == code
    assert b"Stopping." in told
    assert b"Traceback" not in told
