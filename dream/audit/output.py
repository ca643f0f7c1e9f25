"""How long the results of calls are: some rules are meant to shorten what an agent has to read."""

from collections.abc import Iterable
from dataclasses import dataclass

from dream.types import Rows


@dataclass(frozen=True, slots=True)
class Output:
    """The results on one side of a landing; lengths in characters."""

    after: bool
    results: int
    median: float
    mean: float


@dataclass(frozen=True, slots=True)
class Outputs:
    """Both sides of it. None: no result on that side."""

    tools: tuple[str, ...]
    before: Output | None
    after: Output | None


def outputs(
    rows: Rows, before: Iterable[str], after: Iterable[str], tools: Iterable[str]
) -> Outputs:
    """The lengths of results in these runs, of these tools (in lower case)."""
    named = tuple(sorted(set(tools)))
    earlier, later = sorted(before), sorted(after)
    found = {
        one.after: one
        for one in rows.rows("audit/outputs", Output, earlier=earlier, later=later, tools=named)
    }
    return Outputs(named, found.get(False), found.get(True))
