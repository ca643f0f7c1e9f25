"""How a memory kept by hand ages, as the one who thought of it does it. Nothing is ever deleted."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dream.types import Age, ExistingRule, FactType, Kept

LOWER = 50
"""Turns without a reference from which an entry ranks behind those that are fresh."""

ARCHIVED = 100
"""Turns without a reference from which an entry is no longer in force."""

FACTS: Sequence[FactType] = ("path", "name", "version", "order")
"""What is verified and not laid down."""


def age(turn: int | None, now: int) -> Age:
    """What has become of an entry last verified in `turn`, now that it is turn `now`.

    One that does not say its turn stays fresh: not known is not old.
    """
    unreferenced = 0 if turn is None else now - turn
    if unreferenced >= ARCHIVED:
        return "archived"
    return "lower" if unreferenced >= LOWER else "fresh"


def aged(rules: Sequence[ExistingRule], now: int) -> tuple[ExistingRule, ...]:
    """The same entries, each with its age, what is fresh first; within an age in their order."""
    told = [
        replace(rule, kept=replace(rule.kept, age=age(rule.kept.turn, now))) if rule.kept else rule
        for rule in rules
    ]
    order: tuple[Age, ...] = ("fresh", "lower", "archived")
    return tuple(sorted(told, key=lambda rule: order.index(rule.kept.age) if rule.kept else 0))


def settled(
    rules: Sequence[ExistingRule], opposed: Callable[[str, str], bool]
) -> tuple[ExistingRule, ...]:
    """The same entries in the same order, the losers of a conflict marked with who beat them.

    A fact that was verified later than a constraint beats it, when it holds wherever the constraint
    does. Else the constraint wins wherever it holds, so a fact that reaches further stands outside.
    Without both turns nothing is known to be newer. Archived entries neither beat nor are beaten;
    neither do fragments, whose scene is words and no scope. opposed(a, b): do two texts conflict?
    """
    live = [(rule, rule.kept) for rule in rules if rule.kept and rule.kept.age != "archived"]
    facts = [
        (rule, kept) for rule, kept in live if kept.type in ("path", "name", "version", "order")
    ]
    limits = [(rule, kept) for rule, kept in live if kept.type == "constraint"]
    lost: dict[ExistingRule, str] = {}
    for limit, its in limits:
        for fact, kept in facts:
            if _newer(kept, its) and _covers(kept, its) and opposed(fact.text, limit.text):
                lost.setdefault(limit, _place(fact))
    for fact, kept in facts:
        for limit, its in limits:
            if limit in lost or _newer(kept, its) or not _covers(its, kept):
                continue
            if opposed(fact.text, limit.text):
                lost.setdefault(fact, _place(limit))
    return tuple(
        replace(rule, kept=replace(rule.kept, beaten_by=lost[rule]))
        if rule.kept and rule in lost
        else rule
        for rule in rules
    )


def in_force(rule: ExistingRule) -> bool:
    """Whether an entry still tells agents what to do."""
    return rule.kept is None or (rule.kept.age != "archived" and not rule.kept.beaten_by)


def _newer(one: Kept, other: Kept) -> bool:
    return one.turn is not None and other.turn is not None and one.turn > other.turn


def _covers(one: Kept, other: Kept) -> bool:
    """Whether one holds wherever the other does. A module holds for what lies below it."""
    if one.subject != other.subject:
        return False
    return one.module in ("", other.module) or other.module.startswith(f"{one.module}/")


def _place(rule: ExistingRule) -> str:
    return f"{rule.path}:{rule.line}"
