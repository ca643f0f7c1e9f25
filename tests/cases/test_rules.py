"""../shared/cases/rules through whole nights: rule files and skills as they lie in repositories."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cases.nights import Home, Night, home
from tests.cases.talks import Talk
from tests.night.places import stamps

pytestmark = pytest.mark.shared

WISH = "Never log a customer's address."
STEPS = ("npm run lint", "npm test", "git tag v{n}", "npm publish")


@pytest.fixture(scope="module")
def files(cases: Path) -> Path:
    return cases / "rules"


def repository(root: Path, files: Mapping[str, Path]) -> Path:
    """A repository at root that holds copies of these files."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    for name, source in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return root


def wished(folder: Path, root: Path, first_day: int = 1) -> Path:
    """Two sessions in a repository that ask for the same on two days."""
    for number in (0, 1):
        at = f"2026-04-{first_day + number:02d}T08:0{first_day % 10}:00+00:00"
        talk = Talk(f"{root.name}-{number}", root, at)
        talk.corrected(number + first_day % 5, WISH, at).write(folder)
    return folder


@pytest.fixture(scope="module")
def night(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Night:
    """Four repositories in one night: three with awkward files, one that is as it should be."""
    folder = tmp_path_factory.mktemp("rules")
    twin = "release-check/SKILL.md"
    held = {
        "conflict": {"AGENTS.md": files / "conflict/AGENTS.md"},
        "skills": {
            f".claude/skills/{name}/SKILL.md": files / name / "SKILL.md"
            for name in ("colon", "bom-crlf")
        },
        "twins": {f".agents/skills/{twin}": files / "twins/project-skills" / twin},
        "plain": {},
    }
    roots = [repository(folder / name, each) for name, each in held.items()]
    (folder / "plain/AGENTS.md").write_text("# Rules\n")
    mine = folder / "mine/.claude/skills" / twin
    mine.parent.mkdir(parents=True)
    shutil.copyfile(files / "twins/user-skills" / twin, mine)
    talks = folder / "talks"
    for number, root in enumerate(roots):
        if root.name != "skills":  # its faults are told though nothing is proposed for it
            wished(talks, root, 2 * number + 1)
    Talk("quiet", folder / "skills", "2026-04-01T07:00:00+00:00").worked(5).write(talks)
    place = home(folder / "home", [talks], roots, f"personal: [{folder}/mine/.claude]")
    before = stamps(folder / "mine"), *(stamps(root) for root in roots)
    spent = place.night()
    assert (stamps(folder / "mine"), *(stamps(root) for root in roots)) == before
    return spent


def troubles(night: Night, project: str) -> list[str]:
    return [each for each in night.report["troubles"] if each.startswith(f"{project}: ")]


def test_an_unquoted_colon_is_named_with_file_line_column_and_cause(night: Night) -> None:
    path = "skills: .claude/skills/colon/SKILL.md"
    told = troubles(night, "skills")
    assert f"{path}:3:34: a colon and a space inside an unquoted value" in told
    assert any(each.startswith(f'{path}:3:69: an unquoted " #" begins a comment') for each in told)
    for shown in (night.said, night.page):
        assert "SKILL.md:3:34" in " ".join(shown.split())


def test_a_skill_of_a_windows_editor_is_read_without_a_word(night: Night) -> None:
    assert not any("bom-crlf" in each for each in night.report["troubles"])


def test_two_skills_of_one_name_in_two_scopes_are_named_with_both_paths(night: Night) -> None:
    (named,) = troubles(night, "twins")
    mine = f"{night.home.folder.parent}/mine/.claude/skills/release-check/SKILL.md"
    assert named.startswith('twins: several skills are called "release-check": ')
    assert ".agents/skills/release-check/SKILL.md" in named
    assert mine in named


def test_an_open_merge_is_not_written_into_and_the_others_go_on(night: Night) -> None:
    assert troubles(night, "conflict") == [
        "conflict: AGENTS.md:4: a merge was left open here, down to line 9"
    ]
    title = WISH.rstrip(".")
    assert {project for project, _ in night.rules} == {"conflict", "twins", "plain"}
    refused = night.proposal(title, "conflict")
    assert not refused.line["applies"]
    assert "on lines 4-9" in refused.line["note"]
    assert "on lines 4-9" in refused.page
    assert not (refused.folder / "change.diff").exists()
    for project in ("twins", "plain"):
        made = night.proposal(title, project)
        root = night.home.folder.parent / project
        check = ["git", "-C", str(root), "apply", "--check", str(made.folder / "change.diff")]
        subprocess.run(check, check=True)


def test_a_rule_file_of_a_windows_editor_keeps_its_mark_and_line_ends(
    files: Path, tmp_path: Path
) -> None:
    root = repository(tmp_path / "shop", {"AGENTS.md": files / "bom-crlf/SKILL.md"})
    before = (root / "AGENTS.md").read_bytes()
    made = home(tmp_path / "home", [wished(tmp_path / "talks", root)], [root]).night()
    diff = made.proposal(WISH.rstrip(".")).folder / "change.diff"
    subprocess.run(["git", "-C", str(root), "apply", str(diff)], check=True)
    after = (root / "AGENTS.md").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(b"\r\n")
    assert not after.endswith(b"\n")  # as it was before


def released(folder: Path, root: Path) -> Home:
    """Three sessions that go the same way to a release, and end well."""
    for number in range(3):
        at = f"2026-04-0{number + 1}T08:00:00+00:00"
        talk = Talk(f"r-{number}", root, at).user("Release version {number} please.")
        for step in STEPS:
            talk.run(step.format(n=number))
        talk.model("Released.").user("Thanks!").model("You are welcome.").write(folder / "talks")
    return home(folder / "home", [folder / "talks"], [root], f"personal: [{folder}/mine/.claude]")


def test_a_skill_proposal_says_which_of_the_twins_it_would_be(files: Path, tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {})
    first = released(tmp_path, root)
    (skill,) = (p for p in first.night().report["proposals"] if p["kind"] == "skill")
    name = Path(skill["target"]).parent.name
    mine = tmp_path / "mine/.claude/skills" / name
    mine.mkdir(parents=True)
    text = (files / "twins/user-skills/release-check/SKILL.md").read_text()
    (mine / "SKILL.md").write_text(text.replace("release-check", name))
    before = stamps(tmp_path / "mine")
    shutil.rmtree(tmp_path / "home")
    night = released(tmp_path, root).night()
    (again,) = (p for p in night.report["proposals"] if p["kind"] == "skill")
    (flag,) = (each for each in again["flags"] if each.startswith("several skills have this name"))
    assert again["target"] in flag
    assert f"{mine}/SKILL.md" in flag
    made = night.proposal(again["title"])
    assert f"A new file `{again['target']}`" in made.page
    assert stamps(tmp_path / "mine") == before
