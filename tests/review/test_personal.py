"""What a person tells agents in every project counts, is named in full, and is never written."""

from pathlib import Path

import pytest

from dream.config import Gates
from dream.review.existing import Told, existing_rules
from dream.review.personal import personal_rules, shared_names
from dream.review.propose import propose
from dream.review.tree import Tree
from tests.review.nouns import NIGHT, PROJECT, Kind, candidate, heard
from tests.review.tables import Tables

SKILL = '---\nname: use-pnpm\ndescription: "My habit."\n---\n'


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder of an agent's settings: rules that are a link to elsewhere, and one skill."""
    elsewhere = tmp_path / "dotfiles.md"
    elsewhere.write_text("- Answer in Chinese.\n")
    folder = tmp_path / "home/.claude"
    (folder / "skills/use-pnpm").mkdir(parents=True)
    (folder / "skills/use-pnpm/SKILL.md").write_text(SKILL)
    (folder / "CLAUDE.md").symlink_to(elsewhere)
    return folder


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "AGENTS.md").write_text("# Shop\n")
    return root


def test_they_hold_in_every_project_and_lead_to_their_file(own: Path) -> None:
    book = personal_rules([own, own.parent / "not-there"])
    assert [(each.path, each.text, each.project) for each in book.rules] == [
        (f"{own}/CLAUDE.md", "Answer in Chinese.", ""),
        (f"{own}/skills/use-pnpm/SKILL.md", "My habit.", ""),
    ]
    assert book.troubles == ()


def test_a_folder_that_is_a_link_to_another_is_read_once(own: Path) -> None:
    (own.parent / ".agents").mkdir()
    (own.parent / ".agents/skills").symlink_to(own / "skills")
    assert len(personal_rules([own, own.parent / ".agents"]).skills) == 1


def test_a_skill_that_project_and_person_both_have_is_named_with_both_paths(
    own: Path, shop: Path
) -> None:
    (shop / ".claude/skills/use-pnpm").mkdir(parents=True)
    (shop / ".claude/skills/use-pnpm/SKILL.md").write_text(SKILL)
    book = existing_rules(Tree("shop", shop), PROJECT)
    (named,) = shared_names(book, personal_rules([own]))
    assert ".claude/skills/use-pnpm/SKILL.md, /" in named
    assert f"{own}/skills/use-pnpm/SKILL.md" in named


@pytest.mark.parametrize("kind", ["skill", "rule"])
def test_what_the_person_has_taken_home_waits_for_nobody(own: Path, shop: Path, kind: Kind) -> None:
    said = heard(tables := Tables())
    asked = candidate(tuple(said), kind=kind)
    trees = {PROJECT: Tree("shop", shop)}

    def state() -> tuple[int, list[str]]:
        made = propose(
            [asked],
            said,
            tables,
            trees,
            night=NIGHT,
            earlier={},
            gates=Gates(),
            git=None,
            told=Told(personal=personal_rules([own])),
        )
        return len(made.proposals), [each.state for each in made.waiting]

    assert state() == (1, [])
    if kind == "skill":
        adopted = SKILL.replace("---\n", f'---\nmetadata:\n  dream-id: "{asked.id}"\n', 1)
        (own / "skills/use-pnpm/SKILL.md").write_text(adopted)
    else:
        (own / "AGENTS.md").write_text(f"- Use pnpm. <!-- {asked.id} -->\n")
    assert state() == (0, ["landed"])


def test_a_proposal_says_which_of_two_skills_it_changes(own: Path, shop: Path) -> None:
    said = heard(tables := Tables())
    asked = candidate(tuple(said), kind="skill")
    made = propose(
        [asked],
        said,
        tables,
        {PROJECT: Tree("shop", shop)},
        night=NIGHT,
        earlier={},
        gates=Gates(),
        git=None,
        told=Told(personal=personal_rules([own])),
    )
    (proposal,) = made.proposals
    assert proposal.target == ".agents/skills/use-pnpm/SKILL.md"
    (flag,) = (each for each in proposal.flags if each.startswith("several skills"))
    assert proposal.target in flag
    assert f"{own}/skills/use-pnpm/SKILL.md" in flag
