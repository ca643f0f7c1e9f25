"""What happened in a Kimi CLI session, from the contexts it left behind, the oldest first.

The client only appends to a context, or puts it away whole and begins another: with the start of
the old one when the agent goes back to a checkpoint (it has sent itself a D-Mail), with a summary
and the last messages after a compaction, with nothing when a person clears it. So a record that two
contexts begin with is one record, and what only the older one has was given up or summed up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from dream.sources.jsonl import Line
from dream.sources.kimi_voices import d_mail, is_mark, is_summary
from dream.sources.shape import number

Change = Literal["summary", "d_mail", "reset", "cleared"]


@dataclass(slots=True, eq=False)
class Entry:
    """A record of the session, however many contexts hold it."""

    line: Line
    above: "Entry | None"  # the message before it
    number: int = 0  # its line in the context in force; 0: only an earlier one has it
    lost: int = 0  # which step back gave it up, from 1; 0: it stands
    began: "Turn | None" = None  # the context that it was the first new message of


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """The change from one context to the next."""

    change: Change
    lost: int = 0  # the number of the step back; 0: it was none
    said: str = ""  # a D-Mail's words
    kept: Entry | None = None  # the first message that a compaction kept
    tokens: int | None = None  # that the old context held


@dataclass(slots=True)
class Story:
    """All records in the order in which they were first written, and what became of them."""

    entries: list[Entry] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    copies: int = 0  # records that a later context has again
    held: list[Entry] = field(default_factory=list)  # the latest context, record by record

    def context(self, lines: Sequence[Line]) -> None:
        """The next context."""
        before = self.held
        shared = sum(1 for _ in takewhile(_same, zip(before, lines, strict=False)))
        rest = lines[shared:]
        turn = self._turn(before, shared, rest) if shared < len(before) else None
        kept = _kept(before, rest) if turn is not None and turn.change == "summary" else []
        if turn is not None and kept:
            turn = Turn(turn.change, kept=kept[0], tokens=turn.tokens)
        now = before[:shared]
        above = _last(now if turn is not None and turn.lost else before)
        self.copies += shared + len(kept)
        for line in rest:
            mark = is_mark(line.value)
            if kept and turn is None and not mark:
                now.append(kept.pop(0))
                continue
            entry = Entry(line, above)
            now.append(entry)
            self.entries.append(entry)
            if not mark:
                entry.began, turn, above = turn, None, entry
        self.held = now

    def settle(self, lines: Sequence[Line]) -> None:
        """The latest context is the one in force."""
        for entry, line in zip(self.held, lines, strict=True):
            entry.number = line.number

    def _turn(self, before: Sequence[Entry], shared: int, rest: Sequence[Line]) -> Turn:
        first = next((line.value for line in rest if not is_mark(line.value)), {})
        said = d_mail(first)
        tokens = [number(one.line.value.get("token_count")) for one in before]
        held = next((count for count in reversed(tokens) if count is not None), None)
        if is_summary(first):
            turn = Turn("summary", tokens=held)
        elif said is None and _last(before[:shared]) is None:
            turn = Turn("cleared")
        else:
            lost = 1 + sum(turn.lost > 0 for turn in self.turns)
            turn = Turn("reset" if said is None else "d_mail", lost, said or "")
            for entry in before[shared:]:
                entry.lost = entry.lost or lost
        self.turns.append(turn)
        return turn


def _same(pair: tuple[Entry, Line]) -> bool:
    return pair[0].line.raw == pair[1].raw


def _last(entries: Sequence[Entry]) -> Entry | None:
    """The last message among them."""
    return next((one for one in reversed(entries) if not is_mark(one.line.value)), None)


def _kept(before: Sequence[Entry], rest: Sequence[Line]) -> list[Entry]:
    """The last messages of a context that stand again behind the summary of the rest."""
    old = [one for one in before if not is_mark(one.line.value)]
    new = [line.value for line in rest if not is_mark(line.value)][1:]
    for count in range(min(len(old), len(new)), 0, -1):
        if [one.line.value for one in old[-count:]] == new[:count]:
            return old[-count:]
    return []
