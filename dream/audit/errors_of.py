"""Failed calls by class and run, as the night judged them; people's words by run likewise."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dream.types import Judgement

SAID = frozenset({"correction", "constraint", "preference", "refusal", "repeated_ask"})
"""Kinds of judgements in which a person tells an agent what it should have done."""


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """All calls that failed for one cause. A refusal or an interrupt is none."""

    name: str  # the signature: "edit_target_not_found", "missing_module: left-pad"
    runs: Mapping[str, tuple[str, ...]]  # run id -> the calls that failed so, by id
    tools: frozenset[str]  # names of the tools they were calls of, in lower case

    @property
    def total(self) -> int:
        return sum(map(len, self.runs.values()))


def error_classes(judgements: Iterable[Judgement]) -> Mapping[str, ErrorClass]:
    """Every class of failed calls, by its name. A call counts once in each class it is of."""
    calls: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    tools: defaultdict[str, set[str]] = defaultdict(set)
    for one in judgements:
        if one.kind != "tool_error":
            continue
        cause = str(one.detail.get("cause", "")) or one.statement
        for name in {one.statement, cause}:
            calls[name][one.run_id].add(str(one.detail.get("call_id", one.id)))
            tools[name].add(str(one.detail.get("tool", "")).lower())
    return {
        name: ErrorClass(
            name,
            {run: tuple(sorted(ids)) for run, ids in sorted(runs.items())},
            frozenset(tools[name] - {""}),
        )
        for name, runs in sorted(calls.items())
    }


def said(judgements: Iterable[Judgement], ids: Iterable[str]) -> Mapping[str, int]:
    """How often people said one of these, by the run in which they said it."""
    wanted = frozenset(ids)
    found = Counter(one.run_id for one in judgements if one.id in wanted and one.kind in SAID)
    return dict(sorted(found.items()))


def corrections(judgements: Iterable[Judgement]) -> Mapping[str, int]:
    """How often people corrected an agent in any way, by run; each message once."""
    told = {(one.run_id, one.message_id) for one in judgements if one.kind in SAID}
    return dict(sorted(Counter(run for run, _ in told).items()))
