"""How much of a rule file its readers take in, and what a change would cost."""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

AGENTS_CHAIN = 32 * 1024
"""Bytes of all AGENTS.md files from the root down to where Codex works (project_doc_max_bytes)."""

CLAUDE_WARNS = 40_000
"""Characters of a CLAUDE.md from which Claude Code warns."""

SKILL_LINES = 500
"""Lines of a SKILL.md that the Agent Skills specification advises to stay under."""

_PASSED_OVER = frozenset({"node_modules", "vendor", "target", "dist", "build", "venv"})
_DEPTH = 5
_FOLDERS = 5000


@dataclass(frozen=True, slots=True)
class Size:
    """What a change does to a file's size, beside what its readers take in."""

    subject: str  # what is measured: a path, or a chain of files
    before: int  # bytes
    after: int
    limit: str  # a known reader's limit, in words; "" when none is known
    lost: str  # what would be cut off or warned of; "" when nothing


def size(path: str, before: bytes | None, after: bytes, nested: Mapping[str, int]) -> Size:
    """One file's size before and after. nested: bytes of the tree's other AGENTS.md, by path."""
    old, new = len(before or b""), len(after)
    name = PurePosixPath(path).name
    if name == "AGENTS.md":
        return _chain(path, old, new, nested)
    limit = lost = ""
    if name == "CLAUDE.md":
        limit = f"Claude Code warns above {CLAUDE_WARNS:,} characters"
        count = len(after.decode(errors="replace"))
        lost = f"{count:,} characters" if count > CLAUDE_WARNS else ""
    elif name == "SKILL.md":
        limit = f"the Agent Skills specification advises fewer than {SKILL_LINES} lines"
        count = after.count(b"\n")
        lost = f"{count:,} lines" if count >= SKILL_LINES else ""
    return Size(path, old, new, limit, lost)


def nested_rules(root: Path | None) -> Mapping[str, int]:
    """Bytes of every AGENTS.md of a tree, by path; bounded in depth and number of folders."""
    if root is None:
        return {}
    return dict(sorted(_agents_files(root)))


def _chain(path: str, before: int, after: int, nested: Mapping[str, int]) -> Size:
    """The longest chain of AGENTS.md files that path is part of. Its deepest file is cut first."""
    here = PurePosixPath(path).parent
    below = [PurePosixPath(each) for each in nested if each != path]
    tips = [each for each in below if each.parent.is_relative_to(here)]
    totals = {tip: sum(_on_the_way(tip, path, nested)) for tip in tips}
    tip = max(tips, key=lambda each: (totals[each], str(each)), default=None)
    rest = totals[tip] if tip else 0
    lost, over = "", after + rest - AGENTS_CHAIN
    if over > 0:
        lost = f"the last {over:,} bytes of {tip or path} would not be read"
    subject = f"{path} and the files down to {tip}" if tip else path
    limit = f"Codex reads at most {AGENTS_CHAIN:,} bytes of a chain of such files"
    return Size(subject, before + rest, after + rest, limit, lost)


def _on_the_way(tip: PurePosixPath, path: str, nested: Mapping[str, int]) -> Iterator[int]:
    """Sizes of the files from the root to tip, without the one at path."""
    for each, count in nested.items():
        if each != path and tip.parent.is_relative_to(PurePosixPath(each).parent):
            yield count


def _agents_files(root: Path) -> Iterator[tuple[str, int]]:
    for seen, (folder, folders, files) in enumerate(os.walk(root)):
        if seen > _FOLDERS:
            return
        inside = Path(folder).relative_to(root)
        if "AGENTS.md" in files:
            with suppress(OSError):  # removed since it was listed
                yield (
                    (inside / "AGENTS.md").as_posix(),
                    (root / inside / "AGENTS.md").stat().st_size,
                )
        deep = len(inside.parts) >= _DEPTH
        folders[:] = [] if deep else sorted(f for f in folders if _worth(f))


def _worth(folder: str) -> bool:
    return not folder.startswith(".") and folder not in _PASSED_OVER
