"""Which rules were in force, over repositories as people make them."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dream.archive.archive import Archive
from dream.config import ProjectSpec
from dream.in_force.ask import all_in_force, chronicles, unread
from tests.git_maker import Repo
from tests.in_force.land import Land
from tests.sources.stillness import listing

PNPM, NPM, PUSH = "Use pnpm.\n", "Use npm.\n", "Never force-push.\n"
FIRST, SECOND = "0a1b2c3d4e5f", "0b1b2c3d4e5f"


def at(hour: float) -> str:
    return f"2026-05-04T{int(hour):02d}:{round(hour % 1 * 60):02d}:00+00:00"


def by_commit(commit: str) -> str:
    return f"Entire-Checkpoint: {commit}"


@pytest.fixture
def land(tmp_path: Path) -> Land:
    made = Land(tmp_path)
    made.repo.commit("begin", at(6))
    return made


class TestOneBranch:
    def test_a_rule_is_in_force_from_its_commit_on_until_it_changes_and_goes(
        self, land: Land
    ) -> None:
        land.repo.commit("rule", at(8), CLAUDE_md=PNPM)
        land.repo.commit("other", at(10), CLAUDE_md=NPM)
        land.repo.commit("back", at(12), CLAUDE_md=PNPM)
        land.repo.commit("none", at(14), CLAUDE_md=None)
        for hour in range(7, 17, 2):
            land.session(f"s{hour}", at(hour))
        land.night()
        told = [land.told(f"s{hour}") for hour in range(7, 17, 2)]
        assert [words.get("CLAUDE.md") for *_, words in told] == [None, PNPM, NPM, PNPM, None]
        assert {basis for basis, *_ in told} == {"commit"}
        land.forget_moves()
        shutil.rmtree(land.state)
        land.night()
        told = [land.told(f"s{hour}") for hour in range(7, 17, 2)]
        assert [words.get("CLAUDE.md") for *_, words in told] == [None, PNPM, NPM, PNPM, None]
        assert {(basis, how) for basis, how, _ in told} == {("time", "branch")}

    def test_each_run_of_a_session_has_its_own(self, land: Land) -> None:
        land.session("s", at(7), at(9))
        land.repo.commit("rule", at(8), CLAUDE_md=PNPM)
        land.night()
        assert land.told("s", 0)[2] == {}
        assert land.told("s", 1)[2] == {"CLAUDE.md": PNPM}

    def test_every_kind_of_rule_file_counts_and_nothing_else(self, land: Land) -> None:
        rules = (
            "AGENTS.md", "api/CLAUDE.md", "api/v1/AGENTS.md", ".claude/rules/deep/one.md",
            ".pi/rules/two.md", ".agents/skills/deploy/SKILL.md", ".claude/CLAUDE.md",
            ".github/copilot-instructions.md", "客户/CLAUDE.md",
        )  # fmt: skip
        others = ("README.md", "docs/AGENTS.txt", ".claude/settings.json", "skills/x/SKILL.md")
        for path in (*rules, *others):
            land.repo.put(path, path)
        land.repo.commit("all", at(8))
        land.session("s", at(9))
        land.night()
        assert land.told("s")[2] == {path: path for path in rules}

    def test_a_link_tells_what_it_leads_to(self, land: Land) -> None:
        (land.repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
        land.repo.commit("rule", at(8), AGENTS_md=PNPM)
        land.session("s", at(9))
        land.night()
        assert land.told("s")[2] == {"AGENTS.md": PNPM, "CLAUDE.md": PNPM}

    def test_a_session_in_a_folder_inside_belongs_to_the_repository(self, land: Land) -> None:
        land.repo.commit("rule", at(8), CLAUDE_md=PNPM)
        land.repo.put("api/main.py", "")
        land.session("s", at(9), cwd=land.repo.root / "api")
        land.night()
        assert land.told("s") == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})


class TestSeveralBranches:
    @pytest.fixture
    def forked(self, land: Land) -> Land:
        """A rule on a branch, and work on both."""
        land.repo.commit("old", at(7), AGENTS_md=NPM)
        land.repo.git("checkout", "-q", "-b", "topic", when=at(7.5))
        land.repo.commit("rule", at(8), CLAUDE_md=PNPM)
        land.session("on-topic", at(8.5), branch="topic")
        land.repo.git("checkout", "-q", "main", when=at(9))
        land.repo.commit("code", at(9.5), code_py="1")
        land.session("on-main", at(10))
        return land

    @pytest.mark.parametrize("known", [True, False])
    def test_a_rule_that_is_not_merged_holds_on_its_branch_only(
        self, forked: Land, known: bool
    ) -> None:
        if not known:
            forked.forget_moves()
        forked.night()
        basis = "commit" if known else "time"
        assert forked.told("on-topic")[0] == forked.told("on-main")[0] == basis
        assert forked.told("on-topic")[2] == {"AGENTS.md": NPM, "CLAUDE.md": PNPM}
        assert forked.told("on-main")[2] == {"AGENTS.md": NPM}

    @pytest.mark.parametrize("known", [True, False])
    def test_a_merged_rule_holds_on_the_main_branch_from_the_merge_on(
        self, forked: Land, known: bool
    ) -> None:
        forked.repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic", when=at(12))
        forked.session("later", at(13))
        if not known:
            forked.forget_moves()
        forked.night()
        assert forked.told("on-main")[2] == {"AGENTS.md": NPM}
        found, words = forked.asked("later")
        assert words == {"AGENTS.md": NPM, "CLAUDE.md": PNPM}
        since = {one.path: one.since for one in found.held}
        assert since["CLAUDE.md"] == datetime(2026, 5, 4, 12, tzinfo=UTC)

    def test_a_deleted_branch_is_known_where_a_night_has_seen_it(self, forked: Land) -> None:
        forked.forget_moves()
        forked.night(1)
        forked.repo.git("branch", "-q", "-D", "topic")
        forked.night(2)
        assert forked.told("on-topic") == (
            "time", "branch", {"AGENTS.md": NPM, "CLAUDE.md": PNPM}
        )  # fmt: skip

    def test_a_branch_that_nobody_has_seen_is_answered_by_the_main_one_and_says_so(
        self, forked: Land
    ) -> None:
        forked.forget_moves()
        forked.repo.git("branch", "-q", "-D", "topic")
        forked.night()
        assert forked.told("on-topic") == ("time", "branch_unknown", {"AGENTS.md": NPM})

    def test_a_session_that_does_not_tell_its_branch_is_answered_by_the_main_one(
        self, forked: Land
    ) -> None:
        forked.session("untold", at(10), branch=None)
        forked.forget_moves()
        forked.night()
        assert forked.told("untold") == ("time", "branch_untold", {"AGENTS.md": NPM})

    def test_a_branch_as_last_fetched_stands_in_for_one_that_is_not_here(
        self, tmp_path: Path, forked: Land
    ) -> None:
        folder = tmp_path / "clone"
        forked.repo.git("clone", "-q", str(forked.repo.root), str(folder), when=at(20))
        forked.projects.append(ProjectSpec(folder))
        forked.session("elsewhere", at(8.5), branch="topic", cwd=folder)
        forked.night()
        found, words = forked.asked("elsewhere")
        assert (found.basis, found.branch) == ("time", "origin/topic")
        assert words == {"AGENTS.md": NPM, "CLAUDE.md": PNPM}

    def test_a_log_of_another_branch_than_the_session_tells_is_not_believed(
        self, forked: Land
    ) -> None:
        """The same folder on another machine, whose sessions came here."""
        forked.session("foreign", at(9.75), branch="topic")
        forked.night()
        assert forked.told("foreign")[:2] == ("time", "branch")
        assert forked.told("foreign")[2] == {"AGENTS.md": NPM, "CLAUDE.md": PNPM}

    def test_a_session_that_changes_branches_is_followed(self, forked: Land) -> None:
        forked.session("both", at(8.25), at(10), branch="topic")
        forked.night()
        assert forked.told("both", 0)[2] == {"AGENTS.md": NPM, "CLAUDE.md": PNPM}
        assert forked.told("both", 1)[2] == {"AGENTS.md": NPM}


class TestRebase:
    def test_the_log_of_the_checkout_knows_what_a_rebase_has_left_behind(self, land: Land) -> None:
        land.repo.git("checkout", "-q", "-b", "topic", when=at(7))
        land.repo.commit("work", at(7.5), code_py="1")
        land.session("s", at(8), branch="topic")
        land.repo.git("checkout", "-q", "main", when=at(9))
        land.repo.commit("rule", at(9.1), CLAUDE_md=PNPM)
        land.repo.git("checkout", "-q", "topic", when=at(9.25))
        land.repo.git("rebase", "-q", "main", when=at(9.5))
        land.session("after", at(10), branch="topic")
        land.night()
        assert land.told("s") == ("commit", "log_of_checkout", {})
        assert land.told("after") == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})

    def test_a_commit_made_anew_does_not_tell_what_its_session_worked_on(self, land: Land) -> None:
        """After a rebase its parent has a rule that came while the session was at work."""
        land.repo.git("checkout", "-q", "-b", "topic", when=at(7))
        land.session("s", at(8), branch="gone")
        land.checkpoint("s", FIRST, at(8.5))
        land.repo.commit(f"work\n\n{by_commit(FIRST)}", at(8.5), code_py="1")
        land.repo.git("checkout", "-q", "main", when=at(9))
        land.repo.commit("rule", at(8.25), CLAUDE_md=PNPM)
        land.repo.git("rebase", "-q", "main", "topic", when=at(10))
        land.repo.git("reflog", "expire", "--expire=now", "--all")
        land.repo.git("gc", "-q", "--prune=now")
        land.forget_moves()
        land.night()
        assert land.told("s") == ("time", "rewritten", {})

    def test_an_older_writing_of_the_commit_is_believed_where_it_is_still_here(
        self, land: Land
    ) -> None:
        land.repo.git("checkout", "-q", "-b", "topic", when=at(7))
        land.session("s", at(8), branch="gone")
        land.checkpoint("s", FIRST, at(8.5))
        land.repo.commit(f"work\n\n{by_commit(FIRST)}", at(8.5), code_py="1")
        land.repo.git("branch", "keep")
        land.repo.git("checkout", "-q", "main", when=at(9))
        land.repo.commit("rule", at(7.5), CLAUDE_md=PNPM)
        land.repo.git("rebase", "-q", "main", "topic", when=at(10))
        land.forget_moves()
        land.night()
        assert land.told("s") == ("commit", "commit_of_session", {})


class TestCheckpoints:
    def test_a_session_worked_on_the_commit_before_its_own(self, land: Land) -> None:
        """The rule that a session commits is in force for what comes after it."""
        land.session("s", at(8), at(9))
        land.checkpoint("s", FIRST, at(8.5))
        commit = land.repo.commit(f"rule\n\n{by_commit(FIRST)}", at(8.5), CLAUDE_md=PNPM)
        land.night()
        found, words = land.asked("s", 0)
        assert (found.basis, found.how, found.commit_id) == (
            "commit", "commit_of_session", commit
        )  # fmt: skip
        assert words == {}
        assert land.told("s", 1) == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})

    def test_of_several_commits_in_one_run_the_one_before_all_of_them_counts(
        self, land: Land
    ) -> None:
        land.session("s", at(8))
        land.repo.commit("rule", at(8.25), CLAUDE_md=PNPM)
        land.checkpoint("s", FIRST, at(8.5))
        land.repo.commit(f"more\n\n{by_commit(FIRST)}", at(8.5), code_py="1")
        land.night()
        assert land.told("s") == ("commit", "commit_of_session", {})

    def test_sessions_of_others_lead_to_the_repository_they_are_kept_in(self, land: Land) -> None:
        """A folder of another machine: only the commit tells where it was."""
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        path = land.session("s", at(8), cwd=Path("/home/somebody/shop"))
        land.checkpoint("s", FIRST, at(8.5))
        path.unlink()
        land.repo.commit(f"work\n\n{by_commit(FIRST)}", at(8.5), code_py="1")
        land.night()
        assert land.told("s") == ("commit", "commit_of_session", {"CLAUDE.md": PNPM})

    def test_a_session_without_a_folder_belongs_where_it_is_kept(self, land: Land) -> None:
        land.repo.git("checkout", "-q", "-b", "topic", when=at(7))
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        path = land.session("s", at(8), branch=None, cwd=Path())
        land.checkpoint("s", FIRST, at(8.5), branch="topic")
        path.unlink()
        land.night()
        assert land.told("s") == ("time", "branch", {"CLAUDE.md": PNPM})

    def test_several_in_one_commit_are_known_by_time_only(self, land: Land) -> None:
        land.session("s", at(8), branch="gone")
        land.checkpoint("s", FIRST, at(8.5))
        land.repo.commit("rule", at(9), CLAUDE_md=PNPM)
        about = f"all of it\n\n* work\n\n{by_commit(SECOND)}\n\n* more\n\n{by_commit(FIRST)}\n\nend"
        land.repo.commit(about, at(12), code_py="1")
        land.forget_moves()
        land.night()
        assert land.told("s") == ("time", "rewritten", {})

    def test_the_commits_of_a_session_are_a_relation(self, land: Land) -> None:
        land.session("s", at(8))
        land.checkpoint("s", FIRST, at(8.5))
        about = f"work\n\n{by_commit(SECOND)}\n{by_commit(FIRST)}"
        commit = land.repo.commit(about, at(8.5), code_py="1")
        land.repo.commit(f"no trailer: {FIRST}", at(9), code_py="2")
        land.night()
        with Archive.open(land.state) as archive:
            rows = archive._connection.execute("SELECT * FROM commits").fetchall()
        when = datetime(2026, 5, 4, 8, 30, tzinfo=UTC)
        store = str(land.repo.store)
        assert rows == [("claude-code:s", FIRST, commit, when, when, store)]


class TestWorktrees:
    def test_a_session_in_a_worktree_has_what_is_checked_out_there(
        self, tmp_path: Path, land: Land
    ) -> None:
        side = tmp_path / "side"
        land.repo.git("worktree", "add", "-q", "-b", "topic", str(side), when=at(7))
        (side / "CLAUDE.md").write_text(PNPM)
        land.repo.git("add", "-A", cwd=side)
        land.repo.git("commit", "-q", "-m", "rule", when=at(8), cwd=side)
        land.session("aside", at(9), branch="topic", cwd=side)
        land.session("main", at(9))
        land.night(1)
        assert land.told("aside") == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})
        assert land.told("main") == ("commit", "log_of_checkout", {})
        land.repo.git("worktree", "remove", "--force", str(side))
        land.repo.git("branch", "-q", "-D", "topic")
        land.night(2)
        assert land.told("aside") == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})


class TestOutsideOfCommits:
    def test_a_file_that_git_does_not_have_is_told_with_its_own_basis(self, land: Land) -> None:
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.repo.put("CLAUDE.local.md", NPM)
        land.session("before", at(8))
        land.session("after", "2030-05-04T08:00:00+00:00")
        land.night()
        kept = {one.path: one.basis for one in land.asked("before")[0].held}
        assert kept == {"CLAUDE.md": "commit", "CLAUDE.local.md": "now"}
        kept = {one.path: one.basis for one in land.asked("after")[0].held}
        assert kept == {"CLAUDE.md": "commit", "CLAUDE.local.md": "time"}

    def test_a_project_that_is_no_repository_has_the_files_that_lie_there(
        self, tmp_path: Path
    ) -> None:
        plain = tmp_path / "notes"
        (plain / ".pi/rules").mkdir(parents=True)
        (plain / "AGENTS.md").write_text(PNPM)
        (plain / ".pi/rules/push.md").write_text(PUSH)
        land = Land(tmp_path, [ProjectSpec(plain)])
        land.session("before", at(8), cwd=plain)
        land.session("after", "2030-05-04T08:00:00+00:00", cwd=plain)
        land.night(1)
        words = {"AGENTS.md": PNPM, ".pi/rules/push.md": PUSH}
        assert land.told("before") == ("now", "lying", words)
        assert land.told("after") == ("time", "lying", words)
        (plain / "AGENTS.md").write_text(NPM)
        land.night(2)
        assert land.told("before")[2]["AGENTS.md"] == PNPM  # the oldest that we know
        assert land.told("after")[2]["AGENTS.md"] == NPM
        (plain / "AGENTS.md").unlink()
        land.night(3)
        assert land.told("after")[2] == {".pi/rules/push.md": PUSH}

    def test_without_a_repository_or_a_file_nothing_is_claimed(self, land: Land) -> None:
        land.session("s", at(8), cwd=Path("/home/somebody/else"))
        land.night()
        assert land.told("s") == ("unknown", "nothing", {})


class TestNights:
    def test_what_is_known_stays_when_the_repository_goes(self, land: Land) -> None:
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.session("s", at(8))
        land.night(1)
        shutil.rmtree(land.repo.root)
        land.night(2)
        assert land.told("s") == ("commit", "log_of_checkout", {"CLAUDE.md": PNPM})

    def test_a_night_reads_only_what_is_new(self, land: Land) -> None:
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.session("s", at(8))
        assert land.night(1).records == 1
        again = land.night(2)
        assert (again.units, again.changed) == (0, False)
        land.repo.commit("code", at(9), code_py="1")
        assert land.night(3).records == 0
        land.repo.commit("rule", at(10), CLAUDE_md=NPM)
        assert land.night(4).records == 1
        land.session("later", at(11))
        land.night(5)
        assert land.told("s")[2] == {"CLAUDE.md": PNPM}
        assert land.told("later")[2] == {"CLAUDE.md": NPM}

    def test_what_git_forgets_of_its_checkouts_stays_with_us(self, land: Land) -> None:
        land.repo.git("commit", "-q", "--allow-empty", "-m", "x", when="2026-05-02T08:00:00+00:00")
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.session("s", "2026-05-02T09:00:00Z")
        land.night(1)
        log = land.repo.store / "logs" / "HEAD"
        log.write_bytes(log.read_bytes().splitlines(keepends=True)[-1])
        land.night(2)
        assert land.told("s")[:2] == ("commit", "log_of_checkout")

    def test_nothing_in_the_repository_is_touched(self, land: Land) -> None:
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.repo.put("CLAUDE.md", NPM)
        land.session("s", at(8))
        before = listing(land.repo.root)
        land.night()
        assert listing(land.repo.root) == before

    def test_many_small_nights_are_put_together_and_nothing_is_lost(self, land: Land) -> None:
        for hour in range(7, 21):
            land.repo.commit(f"rule {hour}", at(hour), CLAUDE_md=f"Rule {hour}.\n")
            land.night(hour)
        for hour in range(7, 21):
            land.session(f"s{hour}", at(hour + 0.5))
        land.night(30)
        told = [land.told(f"s{hour}") for hour in range(7, 21)]
        assert [words for *_, words in told] == [
            {"CLAUDE.md": f"Rule {hour}.\n"} for hour in range(7, 21)
        ]

    def test_secrets_in_a_rule_file_are_taken_out(self, land: Land) -> None:
        secret = "ghp_" + "a1B2" * 9
        land.repo.commit(f"token {secret}", at(7), CLAUDE_md=f"The token is {secret}.\n")
        land.session("s", at(8))
        land.night()
        assert "[redacted:github-token]" in land.told("s")[2]["CLAUDE.md"]
        stored = b"".join(p.read_bytes() for p in land.state.rglob("*") if p.is_file())
        assert secret.encode() not in stored


class TestHoles:
    def test_a_clone_that_was_cut_off_claims_nothing_of_the_time_before(
        self, tmp_path: Path, land: Land
    ) -> None:
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        land.repo.commit("more", at(9), code_py="1")
        folder = tmp_path / "short"
        source = f"file://{land.repo.root}"
        land.repo.git("clone", "-q", "--depth=1", source, str(folder), when=at(20))
        land.projects.append(ProjectSpec(folder))
        land.session("before", at(8), cwd=folder)
        land.session("after", at(10), cwd=folder)
        land.night(1)
        assert land.told("before")[:2] == ("unknown", "nothing")
        assert land.told("after") == ("time", "branch", {"CLAUDE.md": PNPM})
        land.repo.git("fetch", "-q", "--unshallow", cwd=folder)
        land.night(2)
        assert land.told("before") == ("time", "branch", {"CLAUDE.md": PNPM})

    def test_a_text_that_is_not_here_is_told_and_read_when_it_comes(
        self, tmp_path: Path, land: Land
    ) -> None:
        commit = land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        blob = land.repo.git("rev-parse", f"{commit}:CLAUDE.md")
        path = land.repo.store / "objects" / blob[:2] / blob[2:]
        path.rename(tmp_path / "aside")
        land.repo.put("CLAUDE.md", None)
        land.session("s", at(8))
        land.night(1)
        found, words = land.asked("s")
        assert [one.path for one in found.held] == ["CLAUDE.md"]
        assert words == {}
        with Archive.open(land.state) as archive:
            assert [(one.reason, one.detail) for one in unread(archive)] == [
                ("missing_blob", "CLAUDE.md")
            ]
        (tmp_path / "aside").rename(path)
        land.repo.git("branch", "more")
        land.night(2)
        assert land.told("s")[2] == {"CLAUDE.md": PNPM}

    def test_a_history_with_a_hole_is_refused_and_costs_only_itself(self, land: Land) -> None:
        first = land.repo.git("rev-parse", "HEAD")
        land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
        (land.repo.store / "objects" / first[:2] / first[2:]).unlink()
        land.session("s", at(8))
        assert land.night().troubles == ()
        assert land.told("s") == ("unknown", "nothing", {})
        with Archive.open(land.state) as archive:
            assert [one.reason for one in unread(archive)] == ["unreadable"]

    def test_an_empty_repository_has_no_rules(self, tmp_path: Path) -> None:
        land = Land(tmp_path)
        land.session("s", at(8))
        land.night()
        assert land.told("s") == ("time", "branch_unknown", {})


def test_the_history_of_rule_files_is_told_by_repository(land: Land) -> None:
    land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
    land.repo.commit("code", at(8), code_py="1")
    land.repo.put(".claude/rules/push.md", PUSH)
    last = land.repo.commit("two", at(9), CLAUDE_md=None)
    land.session("s", at(10))
    land.session("t", at(10), cwd=Path("/home/somebody/else"))
    land.night()
    with Archive.open(land.state) as archive:
        (told,) = chronicles(archive)
        assert len(list(all_in_force(archive))) == 2
    assert (told.name, told.branch) == (str(land.repo.root), "main")
    assert [(step.subject, step.changes) for step in told.steps] == [
        ("rule", (("added", "CLAUDE.md"),)),
        ("two", (("added", ".claude/rules/push.md"), ("removed", "CLAUDE.md"))),
    ]
    assert told.steps[-1].commit_id == last
    assert told.runs == {"commit": 1}


def test_a_bare_repository_tells_too(tmp_path: Path, land: Land) -> None:
    land.repo.commit("rule", at(7), CLAUDE_md=PNPM)
    bare = Repo(tmp_path / "bare.git", "--bare")
    bare.git("fetch", "-q", str(land.repo.root), "main:main")
    other = Land(tmp_path / "other", [ProjectSpec(bare.root, also=("/home/somebody/shop",))])
    other.session("s", at(8), cwd=Path("/home/somebody/shop"))
    other.night()
    assert other.told("s") == ("time", "branch", {"CLAUDE.md": PNPM})
