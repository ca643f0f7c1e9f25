"""Runs and branches of a pi session. Its file marks no borders of runs: a typed prompt begins one.

What hangs below a prompt in the tree, up to the next prompt, is its run. So a prompt on an
abandoned branch has a run of its own, and a path taken up again goes on with the run it left.
"""

from collections.abc import Callable, Mapping, Sequence
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
    first = members.pop(reading.first_run, None)
    later = sorted(members.items(), key=lambda one: one[1][0].number)
    made = [_run(reading.first_run, 0, first)] if first else []
    made.extend(_run(run_id, number, parts) for number, (run_id, parts) in enumerate(later, 1))
    return made


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
    ids, nodes = list(reading.nodes), list(reading.nodes.values())
    begins, lengths = pi_tree.begins(tree, pi_tree.on_branch(tree)), pi_tree.lengths(tree)
    summaries = _summaries(ids, tree, begins, left)
    reason = _reasons(reading.prompts, tree, begins)
    found: list[Branch] = []
    for tip in sorted({*pi_tree.leaves(tree), tree.tip}):
        fork = ROOT if begins[tip] == ROOT else tree.parents[begins[tip]]
        *_, line, stamp = nodes[tip]
        summary = summaries[tip]
        found.append(Branch(
            f"{reading.session_id}/{ids[tip]}", reading.session_id, tip == tree.tip, lengths[tip],
            None if fork == ROOT else f"{reading.session_id}/{ids[fork]}",
            reason(tip) if summary is None else "summary", summary, identity.moment(stamp), line,
        ))  # fmt: skip
    return found


def _summaries(
    ids: Sequence[str], tree: pi_tree.Tree, begins: Sequence[int], left: Mapping[str, str]
) -> list[str | None]:
    """For every place off the active path the summary of it or of the nearest place above it."""
    texts: list[str | None] = [None] * len(ids)
    for place in pi_tree.parents_first(tree) if left else ():
        if begins[place] != ROOT:
            parent = tree.parents[place]
            over = None if parent == ROOT else texts[parent]
            texts[place] = left.get(ids[place], over)
    return texts


def _reasons(
    prompts: Sequence[int], tree: pi_tree.Tree, begins: Sequence[int]
) -> Callable[[int], str | None]:
    """Why the branch of a tip was left, as far as its shape tells; None for the active one.

    reset: the active path shares nothing with it. edit: both go on with a prompt, so the person
    asked anew. navigation: anything else.
    """
    typed = set(prompts)
    onward = {parent: place for place, parent in enumerate(tree.parents) if begins[place] == ROOT}

    def reason(tip: int) -> str | None:
        begin = begins[tip]
        if begin == ROOT:
            return None
        fork = tree.parents[begin]
        if fork == ROOT:
            return "reset"
        return "edit" if begin in typed and onward.get(fork) in typed else "navigation"

    return reason
