"""Where a person stands: the folder, the home and the environment, looked at once and handed on."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "dream.yaml"


@dataclass(frozen=True, slots=True)
class Place:
    """All that a command may know of its surroundings. Only `here` asks the machine."""

    cwd: Path
    home: Path
    env: Mapping[str, str]

    def folder(self, variable: str, otherwise: str) -> Path:
        """The folder a variable names; an empty or relative one counts as not set (XDG says so)."""
        path = Path(self.env.get(variable) or "")
        return path if path.is_absolute() else self.home / otherwise

    def state(self) -> Path:
        """The state folder when no file says otherwise."""
        return self.folder("XDG_STATE_HOME", ".local/state") / "dream"

    def settings(self) -> tuple[Path, ...]:
        """Where a dream.yaml is looked for; the first one found wins."""
        return (self.cwd / NAME, self.folder("XDG_CONFIG_HOME", ".config") / "dream" / NAME)


def here() -> Place:
    """The place of this process. A home that cannot be told is the folder itself."""
    try:
        home = Path.home()
    except RuntimeError:
        home = Path.cwd()
    return Place(Path.cwd(), home, dict(os.environ))
