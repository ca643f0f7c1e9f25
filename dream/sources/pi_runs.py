"""Runs and branches of a pi session. Its file marks no borders of runs: a typed prompt begins one.

What hangs below a prompt in the tree, up to the next prompt, is its run. So a prompt on an
abandoned branch has a run of its own, and a path taken up again goes on with the run it left.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from dream.records import Branch, Message, Run
from dream.sources import identity, pi_tree
from dream.sources.pi_reading import ROOT, Reading

State = Literal["settled", "interrupted", "stopped"]


def runs(reading: Reading) -> list[Run]:
    """In the order of their prompts. Number 0 is what stands before any, if anything does."""
    members: dict[str, list[Message]] = {}
    for message in reading.messages:
        members.setdefault(message.run_id, []).append(message)
    numbers = {reading.run_id(place): number for number, place in enumerate(reading.prompts, 1)}
    numbers[reading.run_id(ROOT)] = 0
    made = [_run(run_id, numbers[run_id], parts) for run_id, parts in members.items()]
    return sorted(made, key=lambda run: run.number)


def _run(run_id: str, number: int, parts: Sequence[Message]) -> Run:
    times = [message.happened for message in parts if message.happened is not None]
    first = parts[0]
    return Run(
        run_id, first.session_id, number, None, _state(parts),
        times[0] if times else None, max(times, default=None), first.line,
    )  # fmt: skip


def _state(parts: Sequence[Message]) -> State:
    """Settled when the model had the last word of its own will.

    A run whose last call or prompt got no answer was cut off: the process died, or a person typed
    on. A session file does not tell which.
    """
    last = next((one for one in reversed(parts) if one.role != "injected" or one.stop), None)
    if last is None:
        return "settled"
    if last.stop == "aborted" or last.kind == "interrupt":
        return "interrupted"
    said = last.role == "assistant" or last.kind in {"api_error", "system"}
    return "settled" if said and last.stop != "toolUse" else "stopped"


def branches(reading: Reading, tree: pi_tree.Tree, left: Mapping[str, str]) -> list[Branch]:
    """One for each leaf, in the order of the file; the last entry's is the active one.

    left: id of a tip that was left -> what a model wrote about its branch.
    """
    if tree.tip == ROOT:
        return []
    marks, lengths = pi_tree.on_branch(tree), pi_tree.lengths(tree)
    tips = sorted({*pi_tree.leaves(tree), tree.tip})
    onward = {parent: place for place, parent in enumerate(tree.parents) if marks[place]}
    return [_branch(reading, tree, tip, marks, lengths[tip], left, onward) for tip in tips]


def _branch(
    reading: Reading,
    tree: pi_tree.Tree,
    tip: int,
    marks: Sequence[int],
    length: int,
    left: Mapping[str, str],
    onward: Mapping[int, int],
) -> Branch:
    name = reading.ids[tip]
    fork = ROOT if tip == tree.tip else pi_tree.fork_point(tree, tip, marks)
    reason = summary = None
    if tip != tree.tip:
        own = _own_part(tree, tip, fork)
        summary = next((left[one] for place in own if (one := reading.ids[place]) in left), None)
        reason = "summary" if summary is not None else _reason(reading, own[-1], fork, onward)
    return Branch(
        f"{reading.session_id}/{name}", reading.session_id, tip == tree.tip, length,
        None if fork == ROOT else reading.ids[fork], reason, summary,
        identity.moment(reading.stamps[tip]), reading.line_of[tip],
    )  # fmt: skip


def _own_part(tree: pi_tree.Tree, tip: int, fork: int) -> list[int]:
    """Places of a branch behind its fork, from the tip back."""
    own = [tip]
    while (parent := tree.parents[own[-1]]) != fork:
        own.append(parent)
    return own


def _reason(reading: Reading, first: int, fork: int, onward: Mapping[int, int]) -> str:
    """Why a branch without a summary was left, as far as its shape tells.

    first: where the branch begins. onward: place -> its child on the active path.
    reset: the new path shares nothing with it. edit: both go on with a prompt, so the person asked
    anew. navigation: anything else.
    """
    if fork == ROOT:
        return "reset"
    return "edit" if {first, onward[fork]} <= set(reading.prompts) else "navigation"
