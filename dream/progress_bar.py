"""The bar that a person sees while a night works. Apart, since rich takes a while to import."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed

from dream.console import visible


class Bar:
    """dream.progress.Progress on a terminal: one line a stage, the note of the last step."""

    def __init__(self, shown: Progress) -> None:
        self.shown = shown
        self.task: TaskID | None = None

    def stage(self, name: str, total: int | None = None) -> None:
        self.close()
        self.task = self.shown.add_task(visible(name), total=total, note="")

    def step(self, count: int = 1, note: str = "") -> None:
        if self.task is not None:
            self.shown.update(self.task, advance=count, note=visible(note)[-60:])

    def close(self) -> None:
        """A stage has ended: its bar is full, whatever it was announced with."""
        if self.task is not None:
            done = self.shown.tasks[self.task].completed
            self.shown.update(self.task, total=done or 1, completed=done or 1, note="")


@contextmanager
def bar(stream: TextIO, *, colour: bool) -> Iterator[Bar]:
    """A bar for each stage on stream, left standing when all is done."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        Elapsed(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    console = Console(file=stream, color_system="auto" if colour else None, highlight=False)
    with Progress(*columns, console=console) as shown:
        told = Bar(shown)
        yield told
        told.close()
