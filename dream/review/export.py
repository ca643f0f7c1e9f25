"""Our rules as a memory that a person keeps by hand: as facts, or as fragments."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Literal

from dream.review.memory_line import fact_line, fragment_line
from dream.review.record import Published
from dream.templates import render
from dream.templates.hidden import shown
from dream.templates.markdown import oneline, prose
from dream.types import Rows

Form = Literal["long-memory", "engram"]


@dataclass(frozen=True, slots=True)
class Exported:
    """A rule of ours, in the words in which it stands, or would stand, in a rule file."""

    id: str
    project: str  # for people
    module: str  # a path inside the project; "" for all of it
    text: str
    scene: str
    counter_example: str
    valid_from: date | None
    turn: int | None  # of its project, in which a person last said it; None: not known
    state: Literal["landed", "waiting"]


@dataclass(frozen=True, slots=True)
class TurnOf:
    """The turn of a project that a message falls in, from 1; 0 before the first."""

    message_id: str
    project_key: str
    turn: int


def turns_of(rows: Rows, published: Iterable[Published]) -> Mapping[str, int]:
    """By candidate the last turn of its project that it rests on; none where nothing is stored."""
    cited = {
        each.candidate.id: (
            each.candidate.scope.project,
            {seen.judgement.message_id for seen in each.evidence},
        )
        for each in published
    }
    ids = sorted({message for _, messages in cited.values() for message in messages})
    told = {
        (each.project_key, each.message_id): each.turn
        for each in rows.rows("review/turn_numbers", TurnOf, ids=ids)
    }
    found = {}
    for candidate, (project, messages) in cited.items():
        if turns := [turn for each in messages if (turn := told.get((project, each)))]:
            found[candidate] = max(turns)
    return found


def latest_rules(published: Iterable[Published]) -> tuple[Published, ...]:
    """Of every rule its last proposal, by id. Skills and checks are no memory."""
    ordered = sorted(published, key=lambda each: (each.night, each.folder))
    last = {each.candidate.id: each for each in ordered if each.candidate.kind == "rule"}
    return tuple(last[name] for name in sorted(last))


def exported(
    rules: Sequence[Published],
    own: Mapping[str, Sequence[tuple[str, str]]],
    names: Mapping[str, str],
    turns: Mapping[str, int],
    *,
    waiting: bool,
) -> tuple[Exported, ...]:
    """What is exported, by project, module and id.

    rules: as latest_rules gives them. own: by project key the rules of ours that stand in its
    files, as id and words. names: of projects, by key. waiting: also those that nobody has adopted
    and whose own last day is not over by the last night of rules.
    """
    found = []
    known = {each.candidate.id: each for each in rules}
    stands = {
        (name, key): text
        for key, lines in own.items()
        for name, text in lines
        if name.startswith("rule-")
    }
    for (name, key), text in stands.items():
        words = shown(oneline(text))
        found.append(_made(name, known.get(name), names.get(key, key), words, turns, "landed"))
    adopted = {name for name, _ in stands}
    night = max((each.night for each in rules), default=date.min)
    for each in rules if waiting else ():
        until = each.candidate.valid_until
        if each.candidate.id not in adopted and (until is None or until >= night):
            words = prose(each.candidate.body)
            found.append(_made(each.candidate.id, each, each.project, words, turns, "waiting"))
    return tuple(sorted(found, key=lambda each: (each.project, each.module, each.id)))


def memory_text(rules: Sequence[Exported], form: Form) -> str:
    """The file. dream.review.memory reads it back."""
    blocks = [
        (*place, [_line(each, form) for each in own])
        for place, own in groupby(rules, key=lambda each: (each.project, each.module))
    ]
    return render("memory.txt.j2", blocks=blocks, form=form)


def _made(
    name: str,
    known: Published | None,
    project: str,
    words: str,
    turns: Mapping[str, int],
    state: Literal["landed", "waiting"],
) -> Exported:
    """Without known, its proposal is gone from skills_out; its words stand all the same."""
    candidate = known.candidate if known else None
    return Exported(
        id=name,
        project=_name(project),
        module=_name(candidate.scope.path) if candidate else "",
        text=words,
        scene=prose(candidate.applies) if candidate else "",
        counter_example=prose(candidate.counter_example) if candidate else "",
        valid_from=candidate.valid_from if candidate else None,
        turn=turns.get(name),
        state=state,
    )


def _name(text: str) -> str:
    """A name that no bracket ends."""
    return shown(oneline(text)).replace("]", ")").replace("[", "(")


def _line(rule: Exported, form: Form) -> str:
    if form == "long-memory":
        return fact_line(rule.text, rule.turn)
    since = rule.valid_from.isoformat() if rule.valid_from else ""
    return fragment_line(rule.text, rule.scene, rule.counter_example, since)
