"""One night of the whole program over some sources, through its command line, and what it says."""

import io
import json
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dream.archive.archive import Archive
from dream.cli import main

DATE = "2026-04-20"
"""A night after everything that the case files tell."""

ONE_IS_ENOUGH = (
    "gates: {rule_sessions: 1, rule_days: 1, error_sessions: 1, error_days: 1, skill_sessions: 1}"
)


@dataclass(frozen=True)
class Said:
    """What one command answered."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Home:
    """A folder with a dream.yaml, and what the nights leave beside it."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def dream(self, *words: str) -> Said:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*words, "--config", str(self.folder / "dream.yaml")])
        return Said(code, out.getvalue(), err.getvalue())

    def night(self, date: str = DATE) -> "Night":
        said = self.dream("night", "--quiet", "--date", date)
        assert said.code in (0, 1), said.err
        report = json.loads((self.out / date / "report.json").read_bytes())
        return Night(self, date, said.code, said.out, report)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a question to the archive, as they come."""
        with Archive.open(self.state) as archive:
            return archive._connection.execute(sql).fetchall()

    def written(self) -> dict[str, bytes]:
        """Every file that the nights have left, by its path."""
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}


@dataclass(frozen=True)
class Night:
    """One night and its report."""

    home: Home
    date: str
    code: int
    said: str  # on the terminal
    report: dict[str, Any]  # report.json

    @property
    def totals(self) -> dict[str, Any]:
        totals: dict[str, Any] = self.report["totals"]
        return totals

    @property
    def page(self) -> str:
        """report.md."""
        return (self.home.out / self.date / "report.md").read_text()

    @property
    def skips(self) -> dict[tuple[str, bool], dict[str, Any]]:
        """What was passed over, by reason and whether it was lost; places without the folder."""
        return {
            (each["reason"], each["lost"]): {
                "count": each["count"],
                "places": [Path(place).name for place in each["places"]],
                "details": each["details"],
            }
            for each in self.report["skips"]
        }

    @property
    def rules(self) -> dict[tuple[str, str], int]:
        """Sessions of each proposal, by its project and title."""
        return {(p["project"], p["title"]): p["sessions"] for p in self.report["proposals"]}

    @property
    def misses(self) -> dict[str, str]:
        """The gate that each near miss failed, by its statement."""
        return {each["statement"]: each["gate"] for each in self.report["misses"]}

    def proposal(self, title: str, project: str = "") -> "Made":
        (found,) = (
            each
            for each in self.report["proposals"]
            if each["title"] == title and project in ("", each["project"])
        )
        return Made(self.home.out / self.date / found["folder"], found)


@dataclass(frozen=True)
class Made:
    """A proposal's folder and its line in the report."""

    folder: Path
    line: dict[str, Any]

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()

    @property
    def page(self) -> str:
        return self.read("proposal.md")


def home(
    folder: Path, sources: Iterable[Path], projects: Iterable[Path] = (), settings: str = ""
) -> Home:
    """A fresh home in folder whose dream.yaml names these sources and repositories."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["sources:", *(f"  - path: {path}" for path in sources)]
    roots = [f"  - root: {path}" for path in projects]
    lines += ["projects:", *roots] if roots else []
    lines += ["state: state", "skills_out: out", settings, ""]
    (folder / "dream.yaml").write_text("\n".join(lines))
    return Home(folder)
