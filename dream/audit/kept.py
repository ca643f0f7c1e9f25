"""What the last audits said, kept so that a night with nothing new asks nothing anew.

A cache: lost, the next night audits again and says the same.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import msgspec
import orjson

NAME = "audited.json"


@dataclass(frozen=True, slots=True)
class Line:
    """One rule in the night's report."""

    rule: str
    title: str
    project: str
    verdict: str
    says: str  # the first line of its page
    page: str  # "<date>/audit/<rule>.md", inside skills_out
    retire: str = ""  # why a person should look at it: harmful, unused, useless


@dataclass(frozen=True, slots=True)
class Kept:
    """key: of all that the audits were made from. night: on which."""

    key: str = ""
    night: str = ""
    lines: tuple[Line, ...] = ()
    due: tuple[date, ...] = ()  # days on which something changes without a new run: closing looks

    def holds(self, key: str, night: date) -> bool:
        """Whether they say on a night what they said: same runs, and no day is due."""
        last = night + timedelta(1)
        return (
            self.key == key
            and self.night <= night.isoformat()
            and all(last < each for each in self.due)
        )


def load(state: Path) -> Kept:
    """What was kept; nothing where nothing was, or of another version."""
    with suppress(OSError, ValueError, RecursionError):
        return msgspec.json.decode((state / NAME).read_bytes(), type=Kept)
    return Kept()


def save(state: Path, kept: Kept) -> None:
    """Atomic: a night that is killed leaves the old file or the new one."""
    fresh = (state / NAME).with_suffix(".tmp")
    fresh.write_bytes(orjson.dumps(kept))
    fresh.replace(state / NAME)
