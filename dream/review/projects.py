"""The repositories of the sessions: where each is on this machine, and where its rules go."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dream.config import ProjectSpec
from dream.review.tree import Tree
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class Place:
    """A project as the archive knows it. root: its path here; None where it is not."""

    key: str
    name: str
    root: str | None


def trees(rows: Rows, specs: Sequence[ProjectSpec]) -> dict[str, Tree]:
    """By project key. specs: what dream.yaml says of rule files."""
    rules = {str(spec.root): spec.rules for spec in specs}
    return {
        place.key: Tree(
            place.name, Path(place.root) if place.root else None, rules.get(place.key, "AGENTS.md")
        )
        for place in rows.rows("review/projects", Place)
    }
