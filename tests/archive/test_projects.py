"""Which repository a session worked in: git's word, never a name alone."""

import subprocess
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.archive.checkout import common_dir
from dream.archive.projects import UNKNOWN, known_places, learn, main_checkout, project_of
from dream.config import ProjectSpec
from dream.errors import StateBroken
from dream.types import Project
from tests.archive.fakes import House, message, session_at, talk


def test_the_case_of_scopes(shared: Path) -> None:
    lines = (shared / "cases/consolidation/scopes.jsonl").read_bytes().splitlines()
    rows = [orjson.loads(line) for line in lines if line.strip()]
    found = {row["session"]: project_of(row["cwd"], row["git_common_dir"]) for row in rows}
    shop = Project("/repo/shop", "shop")
    assert found == {
        "s-main": shop,
        "s-wt": shop,
        "s-sub": shop,
        "s-tmp": UNKNOWN,
        "s-other": Project("/repo/blog", "blog"),
        "s-same-name": Project("/archive/shop", "shop"),
    }
    assert found["s-tmp"].name == "scope unknown"


@pytest.mark.parametrize(
    "cwd",
    ["/tmp/x", "/private/tmp/agent-1/y", "/var/folders/ab/c", "/scratch/agent-x1", "/dev/shm/a",
     "", "/", "/root", "/home/ann", "/Users/ann/", "C:\\Users\\ann", "C:\\Windows\\Temp\\x",
     "C:\\Users\\a\\AppData\\Local\\Temp\\x"],
)  # fmt: skip
def test_scratch_folders_and_homes_are_no_project(cwd: str) -> None:
    assert project_of(cwd, None) == UNKNOWN


@pytest.mark.parametrize(
    ("cwd", "root"),
    [
        ("/home/ann/shop", "/home/ann/shop"),
        ("/home/ann/shop/", "/home/ann/shop"),
        ("/home/ann/shop/.claude/worktrees/fix-1", "/home/ann/shop"),
        ("/home/ann/shop/.claude/worktrees/fix-1/packages/api", "/home/ann/shop"),
        ("/home/ann/shop/.worktrees/ann/fix/src", "/home/ann/shop"),
        ("/home/ann/shop-worktrees/feature-7", "/home/ann/shop"),
        ("/home/ann/shop.worktrees/feature-7/src", "/home/ann/shop"),
        ("/home/ann/.cursor/worktrees/shop/x", "/home/ann/.cursor/worktrees/shop/x"),
        ("/home/ann/worktrees/shop", "/home/ann/worktrees/shop"),
        ("/home/ann/客户 报表", "/home/ann/客户 报表"),
        ("C:\\code\\shop\\", "C:/code/shop"),
    ],
)
def test_of_a_folder_that_is_gone_its_place_tells(cwd: str, root: str) -> None:
    assert project_of(cwd, None) == Project(root, root.rpartition("/")[2])


def test_gits_word_holds_before_where_a_folder_lies() -> None:
    assert project_of("/tmp/checkout", "/home/ann/shop/.git").key == "/home/ann/shop"
    assert project_of("/tmp/clone", "/tmp/clone/.git") == UNKNOWN
    assert project_of("/home/ann/notes", "/home/ann/.git").key == "/home/ann/notes"
    assert project_of("/srv/site", "/srv/repos/site.git").key == "/srv/repos/site.git"


def test_what_the_settings_say_holds_before_everything_else() -> None:
    shop = ProjectSpec(Path("/home/ann/shop"), also=("/tmp/shop-copy", "/mnt/old/shop"))
    mono = ProjectSpec(Path("/home/ann"))
    both = (mono, shop)
    assert project_of("/tmp/shop-copy/src", None, both).key == "/home/ann/shop"
    assert project_of("/mnt/old/shop", "/mnt/old/shop/.git", both).key == "/home/ann/shop"
    assert project_of("/home/ann/shop/api", None, both).key == "/home/ann/shop"
    assert project_of("/home/ann/other", None, both).key == "/home/ann"
    assert project_of("/home/annette/x", None, both).key == "/home/annette/x"
    assert project_of("/home/ann/shop/.worktrees/x", None, (shop,)).key == "/home/ann/shop"


def test_a_repository_inside_a_named_one_is_its_own() -> None:
    shop = (ProjectSpec(Path("/home/ann/shop")),)
    inside = project_of("/home/ann/shop/vendor/x", "/home/ann/shop/vendor/x/.git", shop)
    assert inside.key == "/home/ann/shop/vendor/x"
    assert project_of("/home/ann/wt", "/home/ann/shop/.git", shop).key == "/home/ann/shop"


def test_a_named_part_of_a_repository_is_a_project() -> None:
    api = (ProjectSpec(Path("/home/ann/mono/api")),)
    assert project_of("/home/ann/mono/api/src", "/home/ann/mono/.git", api).key == (
        "/home/ann/mono/api"
    )
    assert project_of("/home/ann/mono/web", "/home/ann/mono/.git", api).key == "/home/ann/mono"


@given(
    st.lists(st.sampled_from(["a", "shop", ".worktrees", ".claude", "worktrees", "x-worktrees"]))
)
def test_a_main_checkout_is_the_folder_or_lies_above_or_beside_it(parts: list[str]) -> None:
    folder = "/r/" + "/".join(parts)
    root = main_checkout(folder)
    assert root
    assert folder.startswith(root)


def git(folder: Path, *words: str) -> None:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop"
    (path / "packages/api").mkdir(parents=True)
    git(path, "init", "-q")
    git(path, "commit", "-q", "--allow-empty", "-m", "begin")
    git(path, "worktree", "add", "-q", str(tmp_path / "elsewhere/feature-7"))
    return path


def test_checkout_subfolder_and_worktree_have_one_common_folder(shop: Path) -> None:
    places = (shop, shop / "packages/api", shop.parent / "elsewhere/feature-7", shop / "deleted/x")
    assert {common_dir(str(place)) for place in places} == {str(shop.resolve() / ".git")}


def test_a_folder_without_a_repository_has_none(tmp_path: Path) -> None:
    (tmp_path / "empty/.git").mkdir(parents=True)
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd/.git").write_text("no word of git's")
    for cwd in (tmp_path, tmp_path / "empty", tmp_path / "odd", Path("not/absolute"), Path()):
        assert common_dir(str(cwd)) is None


def test_a_submodule_is_a_repository_of_its_own(shop: Path, tmp_path: Path) -> None:
    (shop / "vendor").mkdir()
    (shop / ".git/modules/vendor").mkdir(parents=True)
    (shop / "vendor/.git").write_text("gitdir: ../.git/modules/vendor\n")
    found = common_dir(str(shop / "vendor"))
    assert found
    assert project_of(str(shop / "vendor"), found).key in ("", str(shop.resolve() / "vendor"))


def test_looking_changes_nothing(shop: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in sorted(shop.rglob("*"))}
    common_dir(str(shop / "packages/api"))
    assert {path: path.stat().st_mtime_ns for path in sorted(shop.rglob("*"))} == before


def test_a_project_found_once_stays_when_its_repository_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    cwd, git_dir = "/home/ann/checkout-2", f"{tmp_path}/shop/.git"
    learn(tmp_path, [cwd, "/home/ann/x"], (), {cwd: git_dir}.get)
    known = known_places(tmp_path)
    learn(tmp_path, [], (), lambda _: None)
    assert known_places(tmp_path) == known
    learn(tmp_path, [], (), {cwd: "/home/ann/other/.git"}.get)
    assert known_places(tmp_path)[cwd].key == "/home/ann/other"


def test_a_project_is_on_this_machine_only_while_its_folder_is(tmp_path: Path) -> None:
    here = tmp_path.parent / f"{tmp_path.name}-repo"
    here.mkdir()
    spec = [ProjectSpec(here)]
    learn(tmp_path, [str(here), "/nowhere/else"], spec, lambda _: None)
    known = known_places(tmp_path)
    assert known[str(here)].root == here
    assert known["/nowhere/else"] == Project("/nowhere/else", "else", None)
    here.rmdir()
    learn(tmp_path, [], spec, lambda _: None)
    assert known_places(tmp_path)[str(here)].root is None


def test_sessions_carry_their_project(house: House) -> None:
    house.looked = {"/w/feature": "/repo/shop/.git"}.get
    for name, cwd in (("a", "/repo/shop"), ("b", "/w/feature"), ("c", "/scratch/x"), ("d", "")):
        head = session_at(f"pi:{name}", cwd)
        house.put(name, talk(f"pi:{name}", message(name, session=f"pi:{name}"), head=head))
    first = house.night()
    ask = "SELECT session_id, project_key, project_name, project_root FROM sessions ORDER BY ALL"
    assert house.ask(ask) == [
        ("pi:a", "/repo/shop", "shop", None),
        ("pi:b", "/repo/shop", "shop", None),
        ("pi:c", "", "scope unknown", None),
        ("pi:d", "", "scope unknown", None),
    ]
    house.looked = lambda _: None
    second = house.night(known_roots=[ProjectSpec(Path("/repo/all"), also=("/scratch/x",))])
    assert house.ask(ask)[1:3] == [
        ("pi:b", "/repo/shop", "shop", None),
        ("pi:c", "/repo/all", "all", None),
    ]
    assert second.changed
    assert second.fingerprint != first.fingerprint


def test_a_broken_map_of_projects_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "projects.json").write_text("[{}]")
    with pytest.raises(StateBroken, match="makes it anew"):
        known_places(tmp_path)
