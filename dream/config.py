"""What a person may set, with the value that stands when they do not.

dream.yaml is read by dream.config_file; this module holds the nouns only, so that a stage can take
its own part without knowing where it came from.
"""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """A folder or file to read. kind: a reader's name; None lets every reader look."""

    path: Path
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class ProjectSpec:
    """A repository on this machine and the rule file that rules for it go into."""

    root: Path
    rules: str = "AGENTS.md"
    also: tuple[str, ...] = ()  # other folders whose sessions belong to it
    memory: tuple[str, ...] = ()  # files of a hand-kept memory, relative to the root


@dataclass(frozen=True, slots=True)
class Gates:
    """What evidence a candidate needs. Numbers, so that a near miss can say by how much."""

    rule_sessions: int = 2  # distinct sessions in which a person said it
    rule_days: int = 2
    error_sessions: int = 3  # distinct sessions in which the error came
    error_days: int = 2
    skill_sessions: int = 3  # distinct sessions in which the path ended well
    skill_steps: int = 3  # steps of the path
    check_breaches: int = 1  # recorded calls that the detector would have caught
    score: float = 0.5  # a cluster's mean score
    per_night: int = 12  # candidates proposed in one night, the best first
    contradiction: float = 0.34  # share of opposing sessions from which nothing is settled
    already_said: float = 0.75  # likeness to an existing rule from which it is not proposed again


@dataclass(frozen=True, slots=True)
class Config:
    """One person's dream.yaml."""

    path: Path | None = None  # None: no file, all defaults
    sources: tuple[SourceSpec, ...] = ()
    projects: tuple[ProjectSpec, ...] = ()
    personal: tuple[Path, ...] = ()  # folders with a person's own rules and skills for all projects
    state: Path = Path("~/.local/state/dream")
    skills_out: Path = Path("skills_out")
    checks: Path | None = None  # folder of adopted checks for `dream check`; None: <state>/checks
    timezone: str = "UTC"  # for words like "yesterday", for the schedule, for a night's date
    schedule: str = "30 2 * * *"  # minute hour day month weekday, in that timezone
    window_days: int = 365  # older sessions are kept, and not mined
    line_limit: int = 64 * 1024 * 1024  # bytes of one line of a source
    gates: Gates = field(default_factory=Gates)
