"""A target is followed to where it really lies, and a bad one is refused with its reason."""

import os
from pathlib import Path

import pytest

from dream.review.tree import Found, Refused, Tree, below_top, look, rule_path, skill_folder


def refused(root: Path, path: str) -> str:
    found = look(Tree("shop", root), path)
    assert isinstance(found, Refused)
    return found.reason


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.md", ".git/config", "a/.GIT/x", ""])
def test_a_path_that_leaves_the_tree_is_refused(tmp_path: Path, path: str) -> None:
    assert "not a path inside a repository" in refused(tmp_path, path)


def test_links_out_loops_pipes_and_submodules_are_refused(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "sub" / ".git").mkdir(parents=True)
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    (root / "AGENTS.md").write_bytes(b"x" * (1024 * 1024 + 1))
    assert "leads out of the repository" in refused(root, "out/x.md")
    assert "loop" in refused(root, "loop")
    assert "not a regular file" in refused(root, "pipe")
    assert "another repository" in refused(root, "sub/AGENTS.md")
    assert "larger than" in refused(root, "AGENTS.md")


def test_a_file_that_is_not_there_yet_is_found_empty(tmp_path: Path) -> None:
    assert look(Tree("shop", tmp_path), "a/b.md") == Found("a/b.md", None)
    assert look(Tree("shop", None), "a/b.md") == Found("a/b.md", None)


def test_rules_go_into_the_file_that_is_there(tmp_path: Path) -> None:
    tree = Tree("shop", tmp_path)
    assert rule_path(tree) == "AGENTS.md"
    (tmp_path / "CLAUDE.md").touch()
    assert rule_path(tree) == "CLAUDE.md"
    (tmp_path / "AGENTS.md").touch()
    assert rule_path(tree) == "AGENTS.md"
    assert rule_path(Tree("shop", tmp_path, "docs/rules.md")) == "docs/rules.md"


def test_skills_go_into_the_folder_that_is_there(tmp_path: Path) -> None:
    tree = Tree("shop", tmp_path)
    assert skill_folder(tree) == skill_folder(Tree("shop", None)) == ".agents/skills"
    (tmp_path / ".claude").mkdir()
    assert skill_folder(tree) == ".claude/skills"
    (tmp_path / ".pi" / "skills").mkdir(parents=True)
    assert skill_folder(tree) == ".pi/skills"


def test_a_project_below_its_repositorys_top_is_known(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "apps" / "web").mkdir(parents=True)
    assert below_top(tmp_path / "apps" / "web") == "apps/web"
    assert below_top(tmp_path) == below_top(None) == ""
