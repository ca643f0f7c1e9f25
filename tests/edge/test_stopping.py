"""Ctrl-C and SIGTERM, at any moment and in any number, end the program as they are said to."""

import argparse
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType

import duckdb
import pytest

from dream import cli
from dream.commands import Call, Exit
from dream.commands.schedule import _told_to_stop
from dream.stopping import Terminated, stoppable

SIGNALS = [(signal.SIGINT, Exit.STOPPED), (signal.SIGTERM, Exit.TERMINATED)]


@pytest.mark.parametrize(("sent", "code"), SIGNALS)
@pytest.mark.parametrize("error", [RuntimeError("interrupted"), duckdb.InterruptException()])
def test_a_library_that_was_stopped_in_a_query_is_no_mistake_of_ours(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sent: signal.Signals,
    code: Exit,
    error: Exception,
) -> None:
    def run(call: Call) -> int:
        try:
            os.kill(os.getpid(), sent)
        except KeyboardInterrupt:
            raise error from None
        raise AssertionError("the signal did not arrive")

    def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
        commands.add_parser("boom").set_defaults(run=run)

    monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, add))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["boom"]) == code
    assert "Nothing is lost" in capsys.readouterr().err
    assert list(tmp_path.rglob("*.log")) == []


def test_a_second_signal_does_not_break_the_unwinding_and_the_third_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    with stoppable() as asked:
        with pytest.raises(Terminated):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert (asked.number, asked.times, left) == (signal.SIGTERM, 2, [])
        os.kill(os.getpid(), signal.SIGINT)
    assert left == [130]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_is_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable() as asked:
            os.kill(os.getpid(), signal.SIGINT)
        assert asked.times == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_the_program_loads_leaves_no_trace() -> None:
    program = "\n".join(
        (
            "import os, signal, sys",
            "from dream.__main__ import main",
            "class Late:",
            "    def find_spec(self, name, path=None, target=None):",
            "        if name == 'dream.cli':",
            "            os.kill(os.getpid(), signal.SIGINT)",
            "sys.meta_path.insert(0, Late())",
            "main()",
        )
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, timeout=60
    )
    assert ran.returncode == -signal.SIGINT
    assert ran.stderr == b""


def test_the_loop_wakes_for_a_signal_that_another_thread_was_given() -> None:
    def too_long(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("the signal was not seen")

    def hit() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    alarm = signal.signal(signal.SIGALRM, too_long)
    try:
        with _told_to_stop() as wait:
            other = threading.Timer(0.2, hit)
            other.start()
            signal.setitimer(signal.ITIMER_REAL, 10)
            wait()
            other.join()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
