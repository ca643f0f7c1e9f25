"""A change.diff is what git itself would have written, and git takes it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dream.review.diff import git_diff, malformed, shape
from dream.review.git import complaint

GIT = shutil.which("git") or ""
needs_git = pytest.mark.skipif(not GIT, reason="git is not here")

pieces = st.sampled_from(
    [
        b"a",
        b"b",
        b"- rule",
        b"",
        b"x\r",
        b"\xe6\x96\x87",
        b"\\ No newline at end of file",
        b"@@",
        b"+",
    ]
)
files = st.lists(pieces, max_size=14).map(b"\n".join)


def gits(folder: Path, path: str, before: bytes | None, after: bytes) -> bytes:
    """What git says for the same change, without the line that names blobs."""
    for side, data in (("a", before), ("b", after)):
        target = folder / side / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            target.write_bytes(data)
    old = f"a/{path}" if before is not None else os.devnull
    asked = subprocess.run(
        [GIT, "diff", "--no-index", "--no-prefix", "--text", old, f"b/{path}"],
        cwd=folder,
        env={"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        check=False,
    )
    lines = asked.stdout.split(b"\n")
    return b"\n".join(line for line in lines if not line.startswith(b"index "))


@needs_git
@pytest.mark.parametrize("path", ["AGENTS.md", "a b.md", "规则.md", 'q"uo\\te.md', "tab\tbed.md"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\ntwo\n", b"one\ntwo\nthree\n"),
        (b"one\ntwo", b"one\ntwo\nthree"),
        (b"one\r\ntwo\r\n", b"one\r\n1.5\r\ntwo\r\n"),
        (b"", b"first\n"),
        (b"\n".join(b"%d" % n for n in range(40)), b"\n".join(b"%d" % n for n in range(1, 40))),
    ],
)
def test_a_changed_file_reads_as_git_writes_it(
    tmp_path: Path, path: str, before: bytes, after: bytes
) -> None:
    assert git_diff(path, before, after) == gits(tmp_path, path, before, after)


@needs_git
def test_a_new_file_reads_as_git_writes_it(tmp_path: Path) -> None:
    made = git_diff(".agents/skills/x/SKILL.md", None, b"---\nname: x\n---\n")
    asked = gits(tmp_path, ".agents/skills/x/SKILL.md", None, b"---\nname: x\n---\n")
    assert made.splitlines()[1:] == asked.splitlines()[1:]
    assert made.startswith(b"diff --git a/.agents/skills/x/SKILL.md b/.agents/skills/x/SKILL.md\n")


@needs_git
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(files, files)
@example(b"a\na\na\na\nb\na", b"a\na\nb\na\na\nb\na")
def test_git_takes_every_diff(before: bytes, after: bytes) -> None:
    diff = git_diff("AGENTS.md", before, after)
    assert (diff == b"") == (before == after)
    if diff:
        assert b"@@" in diff
        assert malformed(diff) == ""
        assert complaint(GIT, diff, "AGENTS.md", before) == ""


@needs_git
def test_git_refuses_a_diff_whose_old_text_is_gone() -> None:
    diff = git_diff("AGENTS.md", b"one\ntwo\n", b"one\ntwo\nthree\n")
    assert "AGENTS.md" in complaint(GIT, diff, "AGENTS.md", b"something else\n")
    assert "AGENTS.md" in complaint(GIT, diff, "AGENTS.md", None)


@pytest.mark.shared
@needs_git
@pytest.mark.parametrize("name", ["stale.patch", "bad-counts.patch"])
def test_git_refuses_the_stale_and_the_malformed_patch(shared: Path, name: str) -> None:
    cases = shared / "cases"
    data = (cases / "consolidation" / "existing-rules.md").read_bytes()
    patch = (cases / "review" / name).read_bytes()
    assert complaint(GIT, patch, "existing-rules.md", data)


@pytest.mark.shared
def test_a_heading_that_promises_more_lines_than_follow_is_malformed(shared: Path) -> None:
    patch = (shared / "cases/review/bad-counts.patch").read_bytes()
    told = "malformed: the heading on line 3 promises 2 old and 9 new lines, 2 and 3 follow"
    assert malformed(patch) == told
    assert malformed((shared / "cases/review/stale.patch").read_bytes()) == ""
    assert malformed(patch[:40]) == "malformed: it has no hunk"
    assert malformed(b"@@ so @@\n x\n") == "malformed: line 1 is no heading of a hunk"


def test_the_same_change_further_down_has_the_same_shape() -> None:
    lines = [b"%d\n" % n for n in range(20)]
    one = git_diff("A", b"".join(lines), b"".join((*lines, b"new\n")))
    two = git_diff("A", b"".join((b"top\n", *lines)), b"".join((b"top\n", *lines, b"new\n")))
    other = git_diff("A", b"".join(lines), b"".join((*lines, b"another\n")))
    assert one != two
    assert shape(one) == shape(two) != shape(other)
    assert shape(b"") == ""
