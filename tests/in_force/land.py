"""A repository, sessions that worked in it at times we choose, and nights that look at both."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from dream.archive import histories
from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.config import ProjectSpec, SourceSpec
from dream.in_force.ask import rules_in_force, texts
from dream.in_force.decide import InForce
from dream.sources import git_history
from dream.sources.registry import READERS
from dream.types import Taken
from tests.git_maker import Repo
from tests.sources.claude_makers import lines, model, user


class Land:
    """Everything below one folder: the repository, what agents wrote, our own state."""

    def __init__(self, folder: Path, projects: Sequence[ProjectSpec] = ()) -> None:
        self.sessions = folder / "sessions"
        self.sessions.mkdir(parents=True)
        self.repo = Repo(folder / "shop")
        self.state = folder / "state"
        # Folders for tests are scratch, and what happens there is nobody's project unless named.
        self.projects = [*projects, ProjectSpec(self.repo.root)]

    def session(
        self, name: str, *prompts: str, branch: str | None = "main", cwd: Path | None = None
    ) -> Path:
        """A session with a prompt at each of these times (ISO), and a reply to each."""
        said = []
        for number, moment in enumerate(prompts):
            about: dict[str, Any] = {
                "sessionId": name,
                "timestamp": moment,
                "cwd": str(cwd or self.repo.root),
                "gitBranch": branch,
            }
            said.append(user(2 * number + 1, f"{name}, do {number}", **about))
            said.append(model(2 * number + 2, f"{name} is done", **about))
        path = self.sessions / f"{name}.jsonl"
        path.write_bytes(lines(*said))
        return path

    def checkpoint(self, name: str, checkpoint: str, kept: str, **more: str) -> None:
        """A checkpoint of a session, in the repository's own branch for them."""
        transcript = (self.sessions / f"{name}.jsonl").read_bytes()
        about = json.dumps({"session_id": name, "created_at": kept} | more).encode()
        place = f"{checkpoint[:2]}/{checkpoint[2:]}/0"
        self.repo.keep(
            "refs/heads/entire/checkpoints/v1",
            {f"{place}/full.jsonl": transcript, f"{place}/metadata.json": about},
        )

    def night(self, day: int = 1) -> Taken:
        """What a night does with sources and repositories."""
        night = date(2026, 6, day)
        sources = [SourceSpec(self.sessions), SourceSpec(self.repo.root, "entire")]
        here = [source for source in sources if source.path.exists()]
        ingest(self.state, here, READERS, night, known_roots=self.projects)
        places = histories.sources(self.state, self.projects)
        return ingest(histories.folder_of(self.state), places, (git_history,), night)

    def forget_moves(self) -> None:
        """Git's log of checkouts, as it is gone on another machine."""
        (self.repo.store / "logs" / "HEAD").unlink()

    def asked(self, name: str, prompt: int = 0) -> tuple[InForce, dict[str, str]]:
        """What was in force for one prompt of a session, and the words by path."""
        run = f"claude-code:{name}:{2 * prompt + 1:08d}-0000-4000-8000-000000000000"
        with Archive.open(self.state) as archive:
            found = rules_in_force(archive, run)
            return found, texts(archive, found.held)

    def told(self, name: str, prompt: int = 0) -> tuple[str, str, dict[str, str]]:
        """Basis, how, words by path."""
        found, words = self.asked(name, prompt)
        return found.basis, found.how, words
