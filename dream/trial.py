"""A rule on trial: told in most sessions and withheld in some, by a lot that anyone can draw again.

Runs before and after a landing differ in more than the rule. Where a rule is withheld at random,
the sessions without it are what would have been anyway. The lot is drawn from the session's own id,
so nothing has to be written down while an agent works: the audit draws it again.

    <!-- dream:trial rule-1a2b3c4d withheld=0.2 from=2026-05-31 until=2026-06-13 seed=5f1c09aa -->
    - Use pnpm, never npm. <!-- rule-1a2b3c4d -->

Such a file stands in .dream/trials/ of a repository. Agents do not read it there; a hook at the
beginning of a session does, and prints it (`dream tell`) unless the session drew a blank.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

FOLDER = (".dream", "trials")
LARGEST = 64 * 1024
"""Bytes of a trial's file. It is said at the head of every session."""

_HEAD = re.compile(
    r"<!-- dream:trial (?P<rule>[\w.-]{1,80}) withheld=(?P<share>0(?:\.\d{1,4})?|1(?:\.0{1,4})?)"
    r" from=(?P<first>\d{4}-\d\d-\d\d) until=(?P<last>\d{4}-\d\d-\d\d) seed=(?P<seed>[0-9a-f]{8})"
    r" -->"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One rule on trial. Its days are UTC; share is that of the sessions it is withheld in."""

    rule: str
    share: float
    first: date
    last: date
    seed: str  # 8 hex digits
    text: str  # what sessions are told, as it stands in the file

    def withheld(self, session: str, began: datetime) -> bool:
        """Whether a session drew a blank. session: its agent's own id, without the agent's name.

        Before the first day and after the last one nothing is withheld.
        """
        inside = self.first <= began.astimezone(UTC).date() <= self.last
        lot = hashlib.sha256(f"{self.seed}|{self.rule}|{session}".encode()).digest()
        return inside and int.from_bytes(lot[:8]) < self.share * 2**64

    def head(self) -> str:
        """The line that makes a file a trial."""
        return (
            f"<!-- dream:trial {self.rule} withheld={self.share:g} from={self.first}"
            f" until={self.last} seed={self.seed} -->"
        )


def read(text: str) -> Trial | None:
    """A trial from its file's text; None for another file, or with days that are none."""
    line, _, rest = text.removeprefix("\ufeff").replace("\r\n", "\n").partition("\n")
    told = _HEAD.fullmatch(line.strip())
    if told is None:
        return None
    try:
        first, last = date.fromisoformat(told["first"]), date.fromisoformat(told["last"])
    except ValueError:
        return None
    return Trial(told["rule"], float(told["share"]), first, last, told["seed"], rest.strip("\n"))


def written(trial: Trial) -> str:
    """The text of a trial's file; `read` of it is the trial."""
    return f"{trial.head()}\n{trial.text}\n"


def here(folder: Path) -> Iterator[tuple[Path, Trial | None]]:
    """The trials that hold in a folder, those of the folders above it too, by name.

    None stands for a file that is no trial. A link that leads elsewhere is passed over.
    """
    for up in (folder, *folder.parents):
        home = up.joinpath(*FOLDER)
        for path in sorted(home.glob("*.md")):
            if path.is_symlink() or not path.is_file():
                continue
            with path.open("rb") as file:
                raw = file.read(LARGEST + 1)
            text = raw.decode(errors="replace") if len(raw) <= LARGEST else ""
            yield path, read(text)
        if (up / ".git").exists():
            return
