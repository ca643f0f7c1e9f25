"""What an agent did with its own context in a pi session: went back to an earlier point and left
work behind, or had a part of it made short.

The tools are those of pi-context, both generations and its range compaction, and billion-context.
They leave ordinary entries; nothing they hide from the model is gone from the file. What they write
in an agent's place is its own retelling and never evidence.
"""

import re
from collections.abc import Iterable, Mapping

import orjson

from dream.sources.pi_message import Asked, Said

RANGES = "pi-context-range-compaction"
"""Custom entry with the whole state of all ranges, each time."""
BEHIND = "acp-async-compress"
"""Custom entry of a compression that ran in the background."""

_BACK: Mapping[str, tuple[str, str]] = {
    "context_checkout": ("checkout", "message"),
    "context_compact": ("squash", "summary"),
}
"""Tool -> why a branch was left, and the argument that is carried over to the new one."""
_BLOCKS = "compress"
_TOOLS = frozenset({*_BACK, _BLOCKS})
_FIRST_LINE = re.compile(r"\((?:handoff )?summary from .+\)")
_PANEL = re.compile(r"▣ ACP \|.*?([1-9]\d*) blocks?\b")


class Curation:
    """Takes calls and entries in the order of the file."""

    def __init__(self) -> None:
        self._carried: dict[str, str] = {}  # what a call carries over -> why it leaves
        self._open: set[str] = set()  # calls that may make blocks
        self._ranges: set[str] = set()

    def asked(self, calls: Iterable[Asked]) -> None:
        """Calls of a reply."""
        for call in calls:
            if call.tool not in _TOOLS:
                continue
            if call.tool == _BLOCKS:
                self._open.add(call.id)
                continue
            why, part = _BACK[call.tool]
            given = orjson.loads(call.arguments)
            words = given.get(part) if isinstance(given, dict) else None
            if isinstance(words, str):
                self._carried[words.strip()] = why

    def made_short(self, said: Said) -> bool:
        """Whether a result says that its call made at least one block."""
        if said.answers not in self._open:
            return False
        self._open.discard(said.answers)
        return said.outcome == "ok" and _PANEL.match(said.text) is not None

    def why_left(self, summary: str) -> str | None:
        """Why the branch that a summary tells of was left: by which call of its own."""
        first, _, words = summary.partition("\n")
        return self._carried.get(words.strip()) if _FIRST_LINE.fullmatch(first) else None

    def new_ranges(self, state: object) -> int | None:
        """How many ranges are new in a state; None when it has another shape than known."""
        blocks = state.get("blocks") if isinstance(state, dict) else None
        if not isinstance(blocks, list):
            return None
        ids = [block.get("id") if isinstance(block, dict) else None for block in blocks]
        names = {name for name in ids if isinstance(name, str)}
        fresh = names - self._ranges
        self._ranges |= fresh
        return len(fresh) if len(names) == len(ids) else None


def ran_behind(data: object) -> int | None:
    """How many ranges a compression in the background made short; None for another shape."""
    ranges = data.get("ranges") if isinstance(data, dict) else None
    return len(ranges) if isinstance(ranges, list) else None
