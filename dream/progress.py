"""How a long stage tells what it is doing, without knowing who listens."""

from typing import Protocol


class Progress(Protocol):
    """Told by the stages, shown by the edge on stderr."""

    def stage(self, name: str, total: int | None = None) -> None:
        """A stage begins; total: how many steps it will tell, if known."""

    def step(self, count: int = 1, note: str = "") -> None:
        """So many steps more."""


class Silent:
    """Nobody listens."""

    def stage(self, name: str, total: int | None = None) -> None: ...

    def step(self, count: int = 1, note: str = "") -> None: ...
