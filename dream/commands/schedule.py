"""`dream schedule`: the loop for machines without cron, systemd or launchd, and the next nights."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dream.commands import Call, Commands, Exit
from dream.console import Console

if TYPE_CHECKING:
    from dream.config import Config

EXAMPLE = """\
example:
  dream schedule --next    when the next three nights are due
  dream schedule           stay in the foreground and run them; end it with Ctrl-C or SIGTERM
"""
LOOK_AT_THE_CLOCK = 60
"""Seconds between looks: a machine that slept wakes with its timers late by as long as it slept."""

GRACE = 30
"""Seconds that a night gets to stop before it is killed, which it stands as well."""


def add_schedule(commands: Commands) -> None:
    parser = commands.add_parser(
        "schedule", help="run the nights when they are due, or say when that is", epilog=EXAMPLE
    )
    parser.add_argument("--next", action="store_true", help="print the next three and end")
    parser.set_defaults(run=run_schedule)


def run_schedule(call: Call) -> int:
    config = call.config()
    if call.args.next:
        return _say_next(call, config)
    run_loop(config, call.console, _night_command(call))
    return Exit.DONE


def _say_next(call: Call, config: "Config") -> int:
    from zoneinfo import ZoneInfo

    from dream.schedule import upcoming
    from dream.templates import render

    fires = upcoming(config.schedule, config.timezone, datetime.now(UTC))
    if call.json:
        result = {"schedule": config.schedule, "timezone": config.timezone, "next": fires}
        call.console.json(result)
    else:
        zone = ZoneInfo(config.timezone)
        local = [f"{fire.astimezone(zone):%A %Y-%m-%d %H:%M}" for fire in fires]
        call.console.result(render("schedule.txt.j2", config=config, local=local, fires=fires))
    return Exit.DONE


def _night_command(call: Call) -> Sequence[str]:
    """A night in a process of its own: its memory goes with it, and it reads the settings anew."""
    options = ["--config", str(call.config_path)] if call.config_path else []
    options += ["--quiet"] if call.console.quiet else []
    return [sys.executable, "-m", "dream", *options, "night", "--if-due"]


def run_loop(config: "Config", console: Console, command: Sequence[str]) -> None:
    """Start command at once and at every fire time, until this process is told to stop.

    The command itself asks whether a night is due, so a start too many does nothing.
    """
    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.schedulers.background import BackgroundScheduler
    from apscheduler.triggers.interval import IntervalTrigger

    from dream.fire_times import OncePerDate

    nights = Nights(command, console)
    trigger = OncePerDate(config.schedule, config.timezone)
    # The store is in memory: two processes on one lasting store both run the same fire.
    loop = BackgroundScheduler(
        timezone=UTC,
        executors={"default": ThreadPoolExecutor(2)},
        job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1},
    )
    with _told_to_stop() as wait:
        loop.add_job(nights.run, trigger, next_run_time=datetime.now(UTC), name="night")
        loop.add_job(_look_at_the_clock, IntervalTrigger(seconds=LOOK_AT_THE_CLOCK), name="clock")
        loop.start()
        first = trigger.get_next_fire_time(None, datetime.now(UTC))
        console.note(f"Waiting; the next night is due at {first:%Y-%m-%d %H:%M} UTC.")
        wait()
        console.note("Stopping.")
        nights.stop()
        loop.shutdown(wait=True)


@contextmanager
def _told_to_stop() -> Iterator[Callable[[], object]]:
    """Gives a function that returns when SIGINT or SIGTERM has come.

    The byte that wakes us is written where the signal arrives, which may be any thread: the main
    one alone would not see it before its read ends. And nothing is raised out of the blue, where a
    lock may be held.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, lambda *_: None) for one in signals]
    woken = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield lambda: os.read(reader, 1)
    finally:
        signal.set_wakeup_fd(woken)
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
        os.close(reader)
        os.close(writer)


def _look_at_the_clock() -> None:
    """Nothing to do: that the loop wakes is what makes it compare the time of day again."""


class Nights:
    """Starts nights one after the other and can end the one that is running."""

    def __init__(self, command: Sequence[str], console: Console) -> None:
        self.command = command
        self.console = console
        self.child: subprocess.Popen[bytes] | None = None
        self.stopping = False
        self.starting = threading.Lock()

    def run(self) -> None:
        """One night, to its end. Told to the person when it failed; never raises for that."""
        with self.starting:
            if self.stopping:
                return
            self.child = subprocess.Popen(self.command)
        code = self.child.wait()
        if code not in (Exit.DONE, Exit.LOOK) and not self.stopping:
            self.console.problem(
                f"The night ended with exit code {code}; it is tried again when one is due."
            )

    def stop(self) -> None:
        """Ask the running night to stop, kill it when it does not. Nothing is lost by either."""
        with self.starting:
            self.stopping = True
        if self.child is None or self.child.poll() is not None:
            return
        self.child.terminate()
        try:
            self.child.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.child.kill()
