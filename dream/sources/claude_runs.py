"""Runs of a Claude Code session. Its file marks no borders of runs: a typed prompt begins one."""

from collections.abc import Sequence
from typing import Literal

from dream.records import Run
from dream.sources.claude_reading import Piece, Talk


def runs(talk: Talk) -> list[Run]:
    """Cut at typed prompts: what hangs below one in the tree, up to the next, is its run.

    Marks each piece with its run. A remark typed while the agent worked belongs to the run it was
    typed in. Number 0 is what stands before any prompt, if anything does.
    """
    start = f"{talk.id}:start"
    members: dict[str, list[Piece]] = {}
    latest = start
    for piece in talk.pieces:
        if piece.begins:
            latest = f"{talk.id}:{piece.id[len(talk.id) + 1 :]}"
        elif (above := piece.above) is not None and above.talk is talk and above.run:
            latest = above.run
        piece.run = latest
        if (pieces := members.get(latest)) is None:
            pieces = members[latest] = []
        pieces.append(piece)
    ordered = sorted(members, key=lambda run: run != start)  # stable: the start comes first
    first = 0 if start in members else 1
    return [_run(talk, run, number, members[run]) for number, run in enumerate(ordered, first)]


def _run(talk: Talk, run: str, number: int, pieces: Sequence[Piece]) -> Run:
    times = [piece.happened for piece in pieces if piece.happened is not None]
    started, ended = (times[0], max(times)) if times else (None, None)
    return Run(run, talk.id, number, None, _state(pieces), started, ended, pieces[0].line)


def _state(pieces: Sequence[Piece]) -> Literal["settled", "interrupted", "stopped"]:
    """Settled when the model had the last word: one that asked for no further call."""
    for piece in reversed(pieces):
        if piece.kind == "interrupt":
            return "interrupted"
        if piece.role in ("assistant", "system"):
            return "stopped" if piece.calls else "settled"
        if piece.role in ("human", "tool"):
            return "stopped"
    return "settled"
