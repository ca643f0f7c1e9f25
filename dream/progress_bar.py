"""The bar that a person sees while a night works. Apart, since rich takes a while to import."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.progress import TimeElapsedColumn as Elapsed
from rich.table import Column
from rich.text import Text

from dream.console import visible

WIDE = 60
"""Cells of a terminal from which there is room for what a stage is at."""


class Note(ProgressColumn):
    """What the stage is at: the only column that gives way where there is no room for all."""

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=False, overflow="ellipsis", ratio=1))

    def render(self, task: Task) -> Text:
        return Text(task.fields["note"], no_wrap=True, overflow="ellipsis")


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
    console = Console(file=stream, color_system="auto" if colour else None, highlight=False)
    wide = console.width >= WIDE
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24 if wide else 6, table_column=Column(no_wrap=True)),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        Elapsed(table_column=Column(no_wrap=True)),
        *([Note()] if wide else []),
    )
    with Progress(*columns, console=console) as shown:
        told = Bar(shown)
        yield told
        told.close()
