"""The repositories of the sessions: where each is on this machine, and where its rules go."""

from collections.abc import Mapping, Sequence
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
    said = {str(spec.root): spec for spec in specs}
    return {place.key: _tree(place, said) for place in rows.rows("review/projects", Place)}


def _tree(place: Place, said: Mapping[str, ProjectSpec]) -> Tree:
    root = Path(place.root) if place.root else None
    spec = said.get(place.key)
    return Tree(place.name, root, spec.rules, spec.memory) if spec else Tree(place.name, root)
