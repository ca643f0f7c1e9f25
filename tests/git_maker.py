"""Git repositories for tests, made object by object or by plain commands, with times we choose."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

NOON = "2026-03-02T12:00:00+00:00"


class Repo:
    """A repository below a folder. Nothing of the person's own settings has a say in it."""

    def __init__(self, root: Path, *words: str) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *words, ".")

    @property
    def store(self) -> Path:
        """Its git folder."""
        inner = self.root / ".git"
        return inner if inner.is_dir() else self.root

    def git(
        self, *words: str, given: bytes = b"", when: str = NOON, cwd: Path | None = None
    ) -> str:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
        }
        for who in ("AUTHOR", "COMMITTER"):
            env |= {f"GIT_{who}_NAME": "maker", f"GIT_{who}_EMAIL": "maker@example.org"}
        ran = subprocess.run(
            ["git", *words], input=given, cwd=cwd or self.root, env=env, capture_output=True,
            check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"git {words}: {ran.stderr.decode()}"
        return ran.stdout.decode().strip()

    def put(self, path: str, text: str | None) -> None:
        """Writes a file of the checkout; None takes it away."""
        target = self.root / path
        if text is None:
            target.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def commit(self, about: str, when: str, **files: str | None) -> str:
        """Commits all that lies in the checkout; "CLAUDE.md" is written as CLAUDE_md=..."""
        for name, text in files.items():
            self.put(name.replace("_", "."), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", about, when=when)
        return self.git("rev-parse", "HEAD")

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, files: Mapping[str, str]) -> str:
        """A tree of blobs by their paths."""
        folders: dict[str, dict[str, str]] = {}
        made = []
        for path, blob in files.items():
            top, slash, rest = path.partition("/")
            if slash:
                folders.setdefault(top, {})[rest] = blob
            else:
                made.append(f"100644 blob {blob}\t{path}")
        made += [f"040000 tree {self.tree(inner)}\t{top}" for top, inner in folders.items()]
        return self.git("mktree", given="".join(f"{line}\n" for line in made).encode())

    def keep(self, ref: str, files: Mapping[str, bytes]) -> str:
        """Makes a commit of these files and lets ref name it."""
        tree = self.tree({path: self.blob(content) for path, content in files.items()})
        commit = self.git("commit-tree", tree, "-m", "checkpoint")
        self.git("update-ref", ref, commit)
        return commit
