"""What a repository tells of its rule files, held against what git itself lists."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dream.history import Commit, RuleChange
from dream.in_force.facts import History
from dream.records import Transcript
from dream.sources import git_branches, git_heads, git_history, git_log
from tests.git_maker import Repo

RULES = ("CLAUDE.md", "api/AGENTS.md", ".claude/rules/one.md", ".pi/skills/x/SKILL.md")
OTHERS = ("code.py", "api/code.py")


def read(repo: Repo, known: dict[str, str] | None = None) -> list[Transcript]:
    (path,) = git_history.find(repo.root)
    scratch = repo.root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    return list(git_history.read(path, known or {}, scratch))


def tokens(units: list[Transcript]) -> dict[str, str]:
    return {unit.unit: unit.token for unit in units}


def grown(folder: Path, seed: int, commits: int) -> Repo:
    """A repository with a history of chance: forks, merges with either side's files, new roots."""
    chance = random.Random(seed)  # noqa: S311 - the same history every time
    repo = Repo(folder)
    script: list[str] = []
    trees: list[dict[str, str]] = []
    for number in range(commits):
        above = chance.sample(range(number), min(number, chance.choice((0, 1, 1, 1, 1, 2, 2))))
        files = dict(trees[above[0]]) if above else {}
        if len(above) == 2 and chance.random() < 0.7:
            files |= trees[above[1]]
        for path in chance.sample((*RULES, *OTHERS), chance.choice((0, 1, 1, 2))):
            if path in files and chance.random() < 0.4:
                del files[path]
            else:
                files[path] = f"{chance.randrange(4)}\n"
        trees.append(files)
        script += [f"commit refs/heads/b{number}", f"mark :{number + 1}"]
        script += [f"committer m <m@x> {1_770_000_000 + number * 60} +0000", "data 1", "x"]
        script += [
            f"{'merge' if place else 'from'} :{parent + 1}" for place, parent in enumerate(above)
        ]
        script.append("deleteall")
        for path, text in sorted(files.items()):
            script += [f"M 100644 inline {path}", f"data {len(text)}", text]
    repo.git("fast-import", "--quiet", given="\n".join([*script, "done", ""]).encode())
    return repo


def history_of(units: list[Transcript]) -> History:
    commits: dict[tuple[str, str], Commit] = {}
    changes: dict[tuple[str, str], list[RuleChange]] = {}
    for unit in units:
        commits |= {(c.repository, c.commit_id): c for c in unit.commits}
        for change in unit.rule_changes:
            changes.setdefault((change.repository, change.commit_id), []).append(change)
    return History(commits=commits, changes=changes)


@pytest.mark.parametrize("seed", range(6))
def test_the_rule_files_of_every_branch_are_those_that_git_lists(tmp_path: Path, seed: int) -> None:
    repo = grown(tmp_path / "repo", seed, 40)
    units = read(repo)
    history = history_of(units)
    anchors = {unit.standings[-1].branch: unit.standings[-1].anchor for unit in units
               if unit.standings}  # fmt: skip
    compared = 0
    for number in range(40):
        listed = repo.git("ls-tree", "-r", f"b{number}", "--", *RULES).splitlines()
        files = {line.partition("\t")[2]: line.split()[2] for line in listed}
        found = history.files(str(repo.store), anchors.get(f"b{number}", ""))
        assert {path: at.blob_id for path, at in found.items()} == files
        compared += len(files)
    assert compared > 20


@pytest.mark.parametrize("seed", range(3))
def test_a_history_read_night_by_night_is_the_same_as_read_at_once(
    tmp_path: Path, seed: int
) -> None:
    whole = grown(tmp_path / "whole", seed, 40)
    at_once = read(whole)
    part = Repo(tmp_path / "part")
    known: dict[str, str] = {}
    gathered: dict[str, Transcript] = {}
    for number in (*range(0, 40, 7), 39):
        branches = [f"refs/heads/b{n}:refs/heads/b{n}" for n in range(number + 1)]
        part.git("fetch", "-q", str(whole.root), *branches)
        for unit in read(part, known):
            assert (
                unit.unit == ""
                or unit.unit.startswith(("branch:", "now"))
                or (unit.unit not in gathered)
            )
            gathered[unit.unit] = unit
            known[unit.unit] = unit.token
    kinds = ("commit:", "blob:", "branch:")
    assert {name for name in known if name.startswith(kinds)} == {
        unit.unit for unit in at_once if unit.unit.startswith(kinds)
    }
    for unit in at_once:
        if unit.unit.startswith("commit:"):
            (told,), (again,) = unit.commits, gathered[unit.unit].commits
            assert (told.anchor, told.before) == (again.anchor, again.before)


def test_a_second_look_at_the_same_history_finds_nothing_new(tmp_path: Path) -> None:
    repo = grown(tmp_path / "repo", 1, 20)
    known = tokens(read(repo))
    (index,) = read(repo, known)
    assert set(index.seen) == set(known)


def test_the_look_changes_with_all_that_is_read_and_nothing_else(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit("rule", "2026-05-04T08:00:00Z", CLAUDE_md="a")
    head = repo.store / "HEAD"
    looks = [git_history.look(head)]
    repo.put("code.py", "1")
    repo.git("pack-refs", "--all")
    assert git_history.look(head) == looks[0]
    for change in (
        lambda: repo.git("branch", "topic"),
        lambda: repo.git("checkout", "-q", "topic"),
        lambda: repo.put("CLAUDE.local.md", "mine"),
        lambda: repo.commit("code", "2026-05-04T09:00:00Z"),
    ):
        change()
        looks.append(git_history.look(head))
    assert len(set(looks)) == len(looks)


def test_a_commit_tells_its_times_its_subject_and_every_checkpoint() -> None:
    raw = (
        b"tree 1\nauthor A 12 B <a@x> 1767225600 +0100\ncommitter C <c@x> 1767225660 -0800\n"
        b"gpgsig -----BEGIN\n author x 1 +0000\n\n"
        b"all\nof it\n\n* one\n\nEntire-Checkpoint: 0a1b2c3d4e5f\n\n"
        b"  Entire-Checkpoint: 01J8ZQ5N3VYB6W7K4T2M9XCDEF\r\nEntire-Checkpoint: 0a1b2c3d4e5f\n"
        b"see Entire-Checkpoint: ffffffffffff\nEntire-Checkpoint: nothing\n"
    )
    told = git_log.about(raw)
    assert told.authored == datetime(2026, 1, 1, tzinfo=UTC)
    assert told.committed == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    assert told.subject == "all of it"
    assert told.checkpoints == ("0a1b2c3d4e5f", "01J8ZQ5N3VYB6W7K4T2M9XCDEF")


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"author x\n\n", b"author a 99999999999 +0000"])
def test_a_commit_that_says_nothing_is_no_mistake_of_ours(raw: bytes) -> None:
    assert git_log.about(raw).committed is None


class TestTheLogOfACheckout:
    def entry(self, seconds: int, about: str, commit: str = "a" * 40) -> str:
        return f"{'0' * 40} {commit} A 1 B <a@x> {seconds} +0200\t{about}\n"

    def branches(self, path: Path, now: str | None, *about: str) -> list[str | None]:
        path.write_text("".join(self.entry(n, each) for n, each in enumerate(about, 1)))
        return [move.branch for move in git_heads.moves(path, now)]

    def test_branches_are_known_from_what_was_left(self, tmp_path: Path) -> None:
        assert self.branches(
            tmp_path / "HEAD",
            "main",
            "commit (initial): x",
            "checkout: moving from trunk to topic",
            "commit: y",
            "Branch: renamed refs/heads/topic to refs/heads/better",
            "checkout: moving from better to v1.0",
            f"checkout: moving from {'b' * 40} to main",
            "commit: z",
        ) == ["trunk", "topic", "topic", "better", None, "main", "main"]

    def test_while_a_rebase_runs_no_branch_is_checked_out(self, tmp_path: Path) -> None:
        assert self.branches(
            tmp_path / "HEAD",
            "topic",
            "commit: x",
            "rebase (start): checkout main",
            "rebase (pick): x",
            "rebase (finish): returning to refs/heads/topic",
        ) == ["topic", None, None, "topic"]

    def test_lines_that_are_none_are_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "HEAD"
        path.write_bytes(
            b"\n\xff\xfe\nrubbish\n" + self.entry(7, "commit: x").encode() + b"torn 12"
        )
        assert [move.happened for move in git_heads.moves(path, None)] == [
            datetime.fromtimestamp(7, UTC)
        ]
        assert git_heads.moves(tmp_path / "none", None) == []


def test_the_default_branch_is_the_fetched_ones_own_or_a_usual_name(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit("x", "2026-05-04T08:00:00Z")
    repo.git("checkout", "-q", "-b", "work")
    assert git_branches.default_branch(repo.store, git_branches.tips_of(repo.store)) == "main"
    repo.git("branch", "-q", "-m", "main", "stable")
    assert git_branches.default_branch(repo.store, git_branches.tips_of(repo.store)) == "work"
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.root), str(clone))
    store = clone / ".git"
    assert git_branches.default_branch(store, git_branches.tips_of(store)) == "work"
    repo.git("update-ref", "-d", "refs/heads/work", cwd=clone)
    assert git_branches.default_branch(store, git_branches.tips_of(store)) == "origin/work"


@pytest.mark.parametrize(
    "head", [b"", b"\xff\xfe a b", b"ref: refs/heads/gone\nmore", b"ref: ../../HEAD", b"\0" * 40]
)
def test_a_head_that_names_nothing_costs_only_itself(tmp_path: Path, head: bytes) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit("rule", "2026-05-04T08:00:00Z", CLAUDE_md="a")
    (repo.store / "HEAD").write_bytes(head)
    units = read(repo)
    assert "a" in {text.text for unit in units for text in unit.rule_texts}
    assert git_history.look(repo.store / "HEAD")


def test_a_branch_that_names_nothing_is_told(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit("rule", "2026-05-04T08:00:00Z", CLAUDE_md="a")
    (repo.store / "refs/heads/topic").write_text("rubbish\n")
    skips = [(skip.reason, skip.detail) for unit in read(repo) for skip in unit.skips]
    assert skips == [("bad_shape", "refs/heads/topic")]


def test_files_by_any_name_are_asked_for_one_by_one(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    names = ("two\nlines", "a b", "客户", 'quo"te')
    for name in names:
        repo.put(f".claude/rules/{name}.md", "kept\n")
    repo.commit("rules", "2026-05-04T08:00:00Z")
    repo.put(".claude/rules/new one.md", "lying\n")
    units = read(repo)
    changed = {change.path for unit in units for change in unit.rule_changes}
    assert changed == {f".claude/rules/{name}.md" for name in names}
    lying = {seen.path for unit in units for seen in unit.rules_seen}
    assert lying - {".claude/rules/two\nlines.md"} == {".claude/rules/new one.md"}
