"""Runs and branches of a pi session. Its file marks no borders of runs: a typed prompt begins one.

What hangs below a prompt in the tree, up to the next prompt, is its run. So a prompt on an
abandoned branch has a run of its own, and a path taken up again goes on with the run it left.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from dream.records import Branch, Message, Run
from dream.sources import identity, pi_tree
from dream.sources.pi_reading import ROOT, Reading
from dream.swift import swift

State = Literal["settled", "interrupted", "stopped"]
_new_run = swift(Run)


class Left(NamedTuple):
    """What a summary says of a branch that was left."""

    summary: str
    reason: str


def runs(reading: Reading) -> list[Run]:
    """In the order of their prompts. Number 0 is what stands before any, if anything does."""
    spans: dict[str, _Span] = {}
    span: _Span | None = None
    run_id = ""
    for message in reading.messages:
        if message.run_id != run_id:
            run_id = message.run_id
            span = spans.get(run_id)
        if span is None:
            span = spans[run_id] = _Span(message)
        else:
            span.go_on(message)
    early = spans.pop(reading.first_run, None)
    made = [] if early is None else [early.run(0)]
    made.extend(span.run(number) for number, span in enumerate(spans.values(), 1))
    return made


class _Span:
    """A run while its messages go by."""

    __slots__ = ("ended", "first", "last")

    def __init__(self, first: Message) -> None:
        self.first = first
        self.last = first  # that says how the run stands: text that was put in says nothing
        self.ended = first.happened

    def go_on(self, message: Message) -> None:
        if message.role != "injected" or message.stop:
            self.last = message
        if message.happened is not None and (self.ended is None or message.happened > self.ended):
            self.ended = message.happened

    def run(self, number: int) -> Run:
        first = self.first
        return _new_run(
            first.run_id, first.session_id, number, None, _state(self.last),
            first.happened or self.ended, self.ended, first.line,
        )  # fmt: skip


def _state(last: Message) -> State:
    """Settled when the model had the last word of its own will.

    A run whose last call or prompt got no answer was cut off: the process died, or a person typed
    on. A session file does not tell which.
    """
    if last.stop == "aborted" or last.kind == "interrupt":
        return "interrupted"
    open_end = last.role in {"human", "tool"} or last.stop == "toolUse"
    return "stopped" if open_end else "settled"


def branches(
    reading: Reading, tree: pi_tree.Tree, marks: bytearray, left: Mapping[str, Left]
) -> list[Branch]:
    """One for each leaf, in the order of the file; the last entry's is the active one.

    marks: of the places on the active path. left: by the id of a tip that was left.
    """
    if tree.tip == ROOT:
        return []
    ids, nodes = list(reading.nodes), list(reading.nodes.values())
    tips = sorted({*pi_tree.leaves(tree), tree.tip})
    begins, lengths = pi_tree.begins(tree, marks), pi_tree.lengths(tree)
    summaries = _summaries(ids, tree, begins, left)
    reason = _reasons(reading.prompts, tree, begins)
    found: list[Branch] = []
    for tip in tips:
        fork = ROOT if begins[tip] == ROOT else tree.parents[begins[tip]]
        _, _, last, line, stamp = nodes[tip]
        told = summaries[tip]
        found.append(Branch(
            f"{reading.session_id}/{ids[tip]}", reading.session_id, tip == tree.tip, lengths[tip],
            None if fork == ROOT else f"{reading.session_id}/{ids[fork]}",
            reason(tip) if told is None else told.reason, None if told is None else told.summary,
            identity.moment(stamp), line, last,
        ))  # fmt: skip
    return found


def _summaries(
    ids: Sequence[str], tree: pi_tree.Tree, begins: Sequence[int], left: Mapping[str, Left]
) -> list[Left | None]:
    """For every place off the active path what is told of it or of the nearest place above it."""
    texts: list[Left | None] = [None] * len(ids)
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
