"""Runs of a session whose file marks no borders of runs: a typed prompt begins one.

What hangs below a prompt in the tree, up to the next, is its run; a remark typed while the agent
worked belongs to the run it was typed in. Number 0 is what stands before any prompt.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from dream.records import Message, Run
from dream.sources.claude_draft import Draft, Talk

Told = Draft | Message


def runs(talk: Talk) -> list[Run]:
    """In the order of their first messages."""
    return runs_of(talk.id, talk.drafts, {draft.message_id for draft, _ in talk.asked})


def runs_of(session_id: str, told: Iterable[Told], asking: Collection[str]) -> list[Run]:
    """The same of any session whose messages name their runs. asking: those that ask for calls."""
    members: dict[str, list[Told]] = {}
    for one in told:
        if (run := members.get(one.run_id)) is None:
            run = members[one.run_id] = []
        run.append(one)
    start = f"{session_id}:start"
    ordered = sorted(members, key=lambda run: run != start)  # stable: the start comes first
    first = 0 if start in members else 1
    return [_run(run, number, members[run], asking) for number, run in enumerate(ordered, first)]


def _run(run: str, number: int, drafts: Sequence[Told], asking: Collection[str]) -> Run:
    times = [draft.happened for draft in drafts if draft.happened is not None]
    started, ended = (times[0], max(times)) if times else (None, None)
    first = drafts[0]
    return Run(
        run, first.session_id, number, None, _state(drafts, asking), started, ended, first.line
    )


def _state(
    drafts: Sequence[Told], asking: Collection[str]
) -> Literal["settled", "interrupted", "stopped"]:
    """Settled when the model had the last word: one that asked for no further call."""
    for draft in reversed(drafts):
        if draft.kind == "interrupt":
            return "interrupted"
        if draft.role in ("assistant", "system"):
            return "stopped" if draft.message_id in asking else "settled"
        if draft.role in ("human", "tool"):
            return "stopped"
    return "settled"
