"""Entire checkpoints in the objects of a repository: both layouts, and no file of it is touched."""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dream import git_objects
from dream.archive.archive import Archive
from dream.archive.ingest import ingest
from dream.archive.relations import VIEWS
from dream.commands.verify import _read_again
from dream.config import SourceSpec
from dream.errors import SourceUnreadable
from dream.records import Checkpoint, Transcript
from dream.sources import entire
from dream.types import Taken
from tests.corpora import Corpus
from tests.git_maker import Repo
from tests.sources.claude_makers import lines, model, skips, user
from tests.sources.stillness import listing

BRANCH = "refs/heads/entire/checkpoints/v1"
ULID = "01J8ZQ5N3VYB6W7K4T2M9XCDEF"
TALK = lines(user(1, "go"), model(2, "done"))
LONGER = TALK + lines(user(3, "more"))
LATER = lines(user(4, "and then", above=3), model(5, "done too"))


def about(session: str = "sess-a", **more: Any) -> bytes:
    return json.dumps({"session_id": session, "created_at": "2026-05-04T08:10:00Z"} | more).encode()


def kept(
    transcript: bytes | None = TALK, place: str = "0a/1b2c3d4e5f/0", **more: Any
) -> dict[str, bytes]:
    """The files of one session of a checkpoint."""
    files = {f"{place}/metadata.json": about(**more), f"{place}/prompt.txt": b"go"}
    return files if transcript is None else files | {f"{place}/full.jsonl": transcript}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def read(root: Path, known: Mapping[str, str] | None = None) -> list[Transcript]:
    """All units of the one repository below root, but the last, which lists them."""
    (path,) = entire.find(root)
    assert entire.claims(path, path.read_bytes())
    scratch = root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    *units, index = entire.read(path, known or {}, scratch)
    assert index.unit == ""
    return [*units, *([index] if index.skips else [])]


def words(units: list[Transcript]) -> list[str]:
    return [message.text for unit in units for message in unit.messages]


def tokens(units: list[Transcript]) -> dict[str, str]:
    return {unit.unit: unit.token for unit in units}


@pytest.mark.parametrize(
    ("ref", "files"),
    [
        (BRANCH, kept()),
        ("refs/remotes/origin/entire/checkpoints/v1", kept()),
        (BRANCH, kept(place="0a/1b2c3d4e5f/12")),
        (BRANCH, kept(place="0a/1b2c3d4e5f")),
        (BRANCH, kept(place=f"{ULID[:2]}/{ULID[2:]}/0")),
        ("refs/entire/checkpoints/5f/0a1b2c3d4e5f", kept(place="0")),
        (f"refs/entire/checkpoints/EF/{ULID}", kept(place="0")),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_layout_is_found_and_read(
    repo: Repo, ref: str, files: dict[str, bytes], packed: bool
) -> None:
    repo.keep(ref, files)
    if packed:
        repo.git("pack-refs", "--all")
        repo.git("repack", "-adq")
    assert words(read(repo.root)) == ["go", "done"]


def test_a_bare_repository_its_git_folder_and_a_worktree_lead_to_the_same_place(
    tmp_path: Path, repo: Repo
) -> None:
    repo.keep("refs/heads/main", {"README": b"hello"})
    repo.keep(BRANCH, kept())
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
    repo.git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side", "main")
    head = repo.store / "HEAD"
    assert list(entire.find(tmp_path / "side")) == [head]
    assert list(entire.find(repo.store)) == [head]
    assert list(entire.find(tmp_path)) == [bare / "HEAD", head]
    assert words(read(bare)) == ["go", "done"]


def test_a_repository_with_objects_named_by_sha256_is_read(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo", "--object-format=sha256")
    repo.keep(BRANCH, kept())
    assert words(read(repo.root)) == ["go", "done"]


@pytest.mark.parametrize("name", ['a "quoted" # name', "客户\n报表"])
def test_a_repository_may_lie_anywhere(tmp_path: Path, name: str) -> None:
    repo = Repo(tmp_path / name)
    repo.keep(BRANCH, kept())
    assert words(read(repo.root)) == ["go", "done"]


def test_a_repository_without_checkpoints_is_left_to_itself(repo: Repo) -> None:
    repo.keep("refs/heads/main", kept())
    repo.keep("refs/heads/entire/1a2b3c4-5d6e7f", kept())
    assert list(entire.find(repo.root)) == []
    assert not entire.claims(repo.store / "HEAD", b"")


def test_finding_and_looking_start_no_program(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.keep(BRANCH, kept())
    monkeypatch.setattr(subprocess, "Popen", None)
    (path,) = entire.find(repo.root)
    assert entire.claims(path, b"")
    assert entire.look(path)


def test_a_look_changes_with_the_checkpoints_and_not_with_other_work(repo: Repo) -> None:
    repo.keep(BRANCH, kept())
    repo.git("repack", "-adq")
    (path,) = entire.find(repo.root)
    before = entire.look(path)
    repo.keep("refs/heads/topic", {"README": b"hello"})
    repo.git("checkout", "-q", "topic")
    repo.git("pack-refs", "--all")
    assert entire.look(path) == before
    repo.keep(BRANCH, kept(LONGER))
    assert entire.look(path) != before


def test_only_new_transcripts_are_decoded(repo: Repo) -> None:
    repo.keep(BRANCH, kept())
    known = tokens(read(repo.root))
    assert read(repo.root, known) == []
    repo.keep(BRANCH, kept() | kept(LONGER, "0b/1b2c3d4e5f/0"))
    fresh = read(repo.root, known)
    assert words(fresh) == ["go", "done", "more"]
    assert fresh[0].unit == "0b1b2c3d4e5f/0"


def test_the_same_transcript_in_two_checkpoints_is_decoded_once(repo: Repo) -> None:
    repo.keep(BRANCH, kept() | kept(place="0b/1b2c3d4e5f/0"))
    repo.keep("refs/remotes/origin/entire/checkpoints/v1", kept())
    units = read(repo.root)
    assert words(units) == ["go", "done"]
    named = [told.checkpoint_id for unit in units for told in unit.checkpoints]
    assert named == ["0a1b2c3d4e5f", "0b1b2c3d4e5f"]


def test_what_the_metadata_says_stands_in_a_checkpoint(repo: Repo) -> None:
    whole = json.dumps({"migration_source_commit": "4" * 40, "branch": "ovens"}).encode()
    files = kept(session="2026-01-15-sess-a", checkpoint_transcript_start=30)
    repo.keep(BRANCH, files | {"0a/1b2c3d4e5f/metadata.json": whole})
    (told,) = [c for unit in read(repo.root) for c in unit.checkpoints]
    assert told.happened is not None
    assert told == Checkpoint(
        "0a1b2c3d4e5f", "sess-a", 0, told.happened, "ovens", "", None, "4" * 40, 30,
        str(repo.store),
    )  # fmt: skip


def test_an_imported_checkpoint_names_its_kind_and_its_commit(repo: Repo) -> None:
    repo.keep(BRANCH, kept(kind="imported", strategy="import", commit_sha="5" * 40))
    (told,) = [c for unit in read(repo.root) for c in unit.checkpoints]
    assert (told.kind, told.commit_id) == ("imported", "5" * 40)


def test_a_transcript_in_pieces_is_one(repo: Repo) -> None:
    first, second = TALK.splitlines()
    pieces = {"0a/1b2c3d4e5f/0/full.jsonl.001": second}
    repo.keep(BRANCH, kept(first) | pieces)
    assert words(read(repo.root)) == ["go", "done"]


def test_a_sub_agents_transcript_is_a_session_of_its_own(repo: Repo) -> None:
    aside = lines(user(7, "look", agentId="f00", isSidechain=True))
    repo.keep(BRANCH, kept() | {"0a/1b2c3d4e5f/tasks/toolu_1/agent-f00.jsonl": aside})
    kinds = {s.session_id: s.kind for unit in read(repo.root) for s in unit.sessions}
    assert kinds == {
        "claude-code:sess-a": "interactive",
        "claude-code:sess-a:f00": "subagent",
    }


def test_refs_of_a_layout_that_is_not_known_are_told(repo: Repo) -> None:
    repo.keep(BRANCH, kept())
    repo.keep("refs/entire/checkpoints/v2/main", kept())
    assert skips(read(repo.root)[-1]) == [("too_new", 0, "refs/entire/checkpoints/v2/main", 1)]


def test_refs_in_tables_are_refused_with_what_to_do(tmp_path: Path, repo: Repo) -> None:
    (repo.store / "reftable").mkdir()
    (repo.store / "reftable" / "0x01.ref").write_bytes(b"\0refs/heads/entire/checkpoints/v1\0")
    taken = night(tmp_path / "state", repo.root)
    assert taken.sources[0].refused == 1
    with Archive.open(tmp_path / "state") as archive:
        (row,) = rows(archive, "SELECT reason, detail FROM coverage WHERE status = 'refused'")
    assert row[0] == "too_new"
    assert "files" in str(row[1])


class TestMissingObjects:
    def test_a_clone_without_blobs_misses_transcripts_and_fetches_none(
        self, tmp_path: Path, repo: Repo
    ) -> None:
        repo.keep(BRANCH, kept())
        repo.git("config", "uploadpack.allowFilter", "true")
        part = Repo(tmp_path / "part")
        source = f"file://{repo.root}"
        part.git("fetch", "-q", "--filter=blob:none", source, f"{BRANCH}:{BRANCH}")
        part.git("config", "remote.origin.url", source)
        part.git("config", "remote.origin.promisor", "true")
        part.git("config", "extensions.partialClone", "origin")
        before = listing(part.root)
        units = read(part.root)
        assert listing(part.root) == before
        assert words(units) == []
        assert [s.reason for unit in units for s in unit.skips if s.lost] == ["missing_blob"]
        known = tokens(units)
        assert read(part.root, known) == []  # told once
        part.git("fetch", "-q", "--refetch", "--no-filter", source, BRANCH)
        assert words(read(part.root, known)) == ["go", "done"]

    def test_a_session_whose_transcript_was_left_out_is_missing_and_not_empty(
        self, repo: Repo
    ) -> None:
        repo.keep(BRANCH, kept(None, session="2026-01-15-sess-a"))
        (unit,) = read(repo.root)
        assert skips(unit) == [("missing_blob", 0, "full.jsonl of session sess-a", 1)]
        assert [c.session for c in unit.checkpoints] == ["sess-a"]

    def test_a_damaged_object_costs_itself(self, repo: Repo) -> None:
        repo.keep(BRANCH, kept(LONGER) | kept(TALK, "0b/1b2c3d4e5f/0"))
        name = repo.blob(LONGER)
        path = repo.store / "objects" / name[:2] / name[2:]
        path.chmod(0o644)
        path.write_bytes(b"no object")
        units = read(repo.root)
        assert words(units) == ["go", "done"]
        assert [s.detail for unit in units for s in unit.skips] == ["full.jsonl of session sess-a"]

    def test_an_object_that_claims_to_be_endless_is_not_held_in_memory(
        self, repo: Repo, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(git_objects, "LARGEST", 2000)
        files = kept() | kept(TALK + b" ", "0b/1b2c3d4e5f/0", summary="x" * 2000)
        repo.keep(BRANCH, files)
        units = read(repo.root)
        assert words(units) == ["go", "done"] * 2
        assert [s.reason for unit in units for s in unit.skips] == ["missing_blob"]

    def test_a_ref_whose_commit_is_not_here_is_told(self, repo: Repo) -> None:
        commit = repo.keep(BRANCH, kept())
        (repo.store / "objects" / commit[:2] / commit[2:]).unlink()
        assert skips(read(repo.root)[-1]) == [("missing_blob", 0, f"a folder of {BRANCH}", 1)]


def test_reading_touches_nothing_and_starts_nothing_that_the_repository_names(
    tmp_path: Path, repo: Repo
) -> None:
    marker = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    program.chmod(0o755)
    repo.keep("refs/heads/main", {"README": b"hello"})
    repo.git("checkout", "-q", "main")
    repo.keep(BRANCH, kept() | kept(LATER, "0b/1b2c3d4e5f/0"))
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "core.sshCommand", "alias.cat-file"):
        repo.git("config", key, f"!{program}" if key.startswith("alias") else str(program))
    repo.git("config", "log.showSignature", "true")
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"):
        (repo.store / "hooks" / hook).write_text(program.read_text())
        (repo.store / "hooks" / hook).chmod(0o755)
    (repo.root / "README").write_text("changed, so that the index would be refreshed")
    before = listing(repo.root)
    night(tmp_path / "state", repo.root)
    assert listing(repo.root) == before
    assert not marker.exists()


def test_a_person_s_own_settings_and_variables_have_no_say(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.keep(BRANCH, kept())
    broken = tmp_path / "broken"
    broken.write_text("[core\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(broken))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "nowhere"))
    assert words(read(repo.root)) == ["go", "done"]


def test_without_git_the_repository_is_refused_by_name(
    tmp_path: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.keep(BRANCH, kept())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "defpath", str(tmp_path))
    taken = night(tmp_path / "state", repo.root)
    assert taken.sources[0].refused == 1


def night(state: Path, *roots: Path) -> Taken:
    sources = [SourceSpec(root) for root in roots]
    return ingest(state, sources, (entire,), date(2026, 5, 5), git_dir=lambda cwd: None)


def rows(archive: Archive, sql: str) -> list[tuple[object, ...]]:
    return archive._connection.execute(sql).fetchall()


def test_prefixes_and_slices_of_a_session_are_one_session(tmp_path: Path, repo: Repo) -> None:
    """Of one session a checkpoint keeps all so far, and another one only what came later."""
    repo.keep(BRANCH, kept() | kept(LONGER, "0b/1b2c3d4e5f/0") | kept(LATER, "0c/1b2c3d4e5f/3"))
    repo.keep("refs/entire/checkpoints/EF/" + ULID, kept(LATER, "0"))
    night(tmp_path / "state", repo.root)
    with Archive.open(tmp_path / "state") as archive:
        said = rows(archive, "SELECT text, copies FROM messages ORDER BY number")
        assert rows(archive, "SELECT session_id, messages FROM sessions") == [
            ("claude-code:sess-a", 5)
        ]
    assert said == [("go", 2), ("done", 2), ("more", 1), ("and then", 1), ("done too", 1)]


def test_a_message_names_the_object_it_stands_in(tmp_path: Path, repo: Repo) -> None:
    repo.keep(BRANCH, kept())
    night(tmp_path / "state", repo.root)
    with Archive.open(tmp_path / "state") as archive:
        (found,) = rows(archive, "SELECT DISTINCT source_file FROM messages")
    name = str(found[0]).removeprefix(f"{repo.store}:")
    assert repo.git("cat-file", "blob", name).encode() == TALK.strip()


def test_what_was_read_can_be_found_again_at_its_source(repo: Repo) -> None:
    repo.keep(BRANCH, kept())
    told = {message.digest for unit in read(repo.root) for message in unit.messages}
    assert len(told) == 2
    assert _read_again("entire", repo.store / "HEAD") == told
    repo.keep(BRANCH, kept(LATER))
    assert not told & _read_again("entire", repo.store / "HEAD")


def test_a_checkpoint_that_was_rewritten_keeps_what_it_held_before(
    tmp_path: Path, repo: Repo
) -> None:
    repo.keep(BRANCH, kept(LATER))
    night(tmp_path / "state", repo.root)
    repo.keep(BRANCH, kept(TALK))
    night(tmp_path / "state", repo.root)
    with Archive.open(tmp_path / "state") as archive:
        said = rows(archive, "SELECT text FROM messages ORDER BY number")
    assert said == [("go",), ("done",), ("and then",), ("done too",)]


@pytest.mark.shared
def test_a_corpus_in_a_branch_gives_what_its_folder_gives(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus("claude-context-evaluator") / "claude-context-evaluator"
    repo = Repo(tmp_path / "repo")
    repo.git("--work-tree", str(folder), "add", "-A", ".", cwd=repo.root)
    commit = repo.git("commit-tree", repo.git("write-tree"), "-m", "checkpoints")
    repo.git("update-ref", BRANCH, commit)
    night(tmp_path / "plain", folder)
    night(tmp_path / "git", repo.root)
    assert relations(tmp_path / "git") == relations(tmp_path / "plain")


def relations(state: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that was read, but for where it lies."""
    leave = {"source_file", "repository", "line"}
    found = {}
    with Archive.open(state) as archive:
        for name in (view for view in VIEWS if view not in ("files", "coverage")):
            table = archive._connection.table(name)
            columns = ", ".join(f'"{c}"' for c in table.columns if c not in leave)
            found[name] = table.project(columns).order("ALL").fetchall()
        found["coverage"] = rows(
            archive,
            "SELECT reason, detail, lost, sum(count) FROM coverage "
            "WHERE status IN ('skipped', 'noticed') GROUP BY ALL ORDER BY ALL",
        )
    return found


def test_entries_of_a_tree_are_read_as_git_lists_them(repo: Repo) -> None:
    tree = repo.tree({"b": repo.blob(b"1"), "a/c d": repo.blob(b"2"), "a/e/f": repo.blob(b"3")})
    raw = subprocess.run(
        ["git", "cat-file", "tree", tree], cwd=repo.root, capture_output=True, check=True
    ).stdout
    listed = [(e.is_folder, e.object_id, e.name) for e in git_objects.entries(raw, 20)]
    told = [line.split(None, 3) for line in repo.git("ls-tree", tree).splitlines()]
    assert listed == [(kind == "tree", name, path) for _, kind, name, path in told]


def mutated(path: Path, chance: random.Random) -> None:
    """Some bytes of a file changed, lost or doubled."""
    raw = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(raw) + 1)
        how = chance.randrange(3)
        if how == 0:
            raw[place : place + 1] = bytes([chance.randrange(256)])
        elif how == 1:
            del raw[place : place + chance.randint(1, 40)]
        else:
            raw[place:place] = raw[place : place + chance.randint(1, 40)]
    path.chmod(0o644)
    path.write_bytes(raw)


def test_a_damaged_repository_is_no_mistake_of_ours(tmp_path: Path, repo: Repo) -> None:
    """Either it is read, with what is lost told, or it is refused; nothing in it hangs us up."""
    repo.keep("refs/heads/main", {"README": b"hello"})
    repo.keep(BRANCH, kept() | kept(LATER, "0b/1b2c3d4e5f/0"))
    repo.keep(f"refs/entire/checkpoints/EF/{ULID}", kept(LONGER, "0"))
    repo.git("pack-refs", "--all")
    repo.keep(BRANCH, kept() | kept(LATER, "0b/1b2c3d4e5f/0"))
    names = [path.relative_to(repo.root) for path in sorted(repo.store.rglob("*"))
             if path.is_file() and "hooks" not in path.parts]  # fmt: skip
    chance = random.Random(7)  # noqa: S311 - the same damage every time
    lost = 0
    for number in range(60):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(repo.root, copy)
        name = chance.choice(names)
        mutated(copy / name, chance)
        for path in entire.find(copy):
            scratch = tmp_path / "scratch"
            scratch.mkdir(exist_ok=True)
            entire.look(path)
            with suppress(SourceUnreadable):
                units = list(entire.read(path, {}, scratch))
                if len(words(units)) < 7 and name.name != "packed-refs":  # another name is a name
                    lost += 1
                    assert any(skip.lost for unit in units for skip in unit.skips)
            shutil.rmtree(scratch)
        shutil.rmtree(copy)
    assert lost
