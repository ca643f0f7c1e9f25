"""What a rule is meant to improve: what is counted, and among what. Data that stands in a plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import msgspec

from dream import practice

AimKind = Literal["errors", "breaches", "said", "nothing"]
"""errors: failed calls of a class, among calls of the tools that can raise it. breaches: of a
practice, among its occasions. said: that a person says it again, among runs. nothing: no machine
can count it."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A rule's aim. `target` is its name: equal names are the same thing counted."""

    kind: AimKind
    target: str  # "edit_target_not_found", "call shell wants rtk", "c-0123456789ab"
    tools: tuple[str, ...] = ()  # of errors: names in lower case; () counts among all calls
    practices: tuple[Mapping[str, Any], ...] = ()  # of breaches, as dream.practice reads them
    cluster: str = ""  # of what is said: the cluster whose members say it
    shorter: bool = False  # the path itself is meant to become shorter


def payload(aim: Aim) -> dict[str, Any]:
    """The aim as JSON: what the event of an adoption holds under "aim"."""
    return asdict(aim)


def read(told: object) -> Aim | None:
    """An aim from its payload; None for what is none, or names a practice that cannot be meant."""
    try:
        aim = msgspec.convert(told, type=Aim)
        for each in aim.practices:
            practice.read(each)
    except ValueError:
        return None
    return aim
