"""Rules and skills that are there: read whatever editor saved them, faults named, nothing run."""

from datetime import date
from pathlib import Path

import pytest

from dream.review import front_matter
from dream.review.existing import existing_rules, skill_of, twins
from dream.review.tree import Tree
from dream.review.words import words
from tests.review.nouns import candidate

AGENTS = """\
---
title: x
---
# House

Always use pnpm. Keep functions short,
and their names too.

- Prices are stored
  in cents.
* [ ] Ask first. <!-- rule-01234567 -->

```sh
- not a rule
```
<!-- - not
a rule -->
| a | b |
1. Run the tests.
@other.md
"""


def rules(root: Path) -> list[tuple[str, int, str]]:
    found = existing_rules(Tree("shop", root), "key").rules
    assert {each.project for each in found} <= {"key"}
    return [(each.path, each.line, each.text) for each in found]


def test_items_and_sentences_are_rules_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(AGENTS)
    assert rules(tmp_path) == [
        ("AGENTS.md", 6, "Always use pnpm."),
        ("AGENTS.md", 6, "Keep functions short, and their names too."),
        ("AGENTS.md", 9, "Prices are stored in cents."),
        ("AGENTS.md", 11, "Ask first."),
        ("AGENTS.md", 19, "Run the tests."),
    ]


def test_our_own_rules_are_known_by_their_constraint_alone(tmp_path: Path) -> None:
    told = "- Use `pnpm`. Where: in web. Not like this: `npm`. Since 2026-04-08."
    line = f"{told} <!-- rule-01234567 -->"
    (tmp_path / "AGENTS.md").write_text(f"- By hand. Since 2020-01-01.\n{line}\n")
    book = existing_rules(Tree("shop", tmp_path), "key")
    assert book.own == (("rule-01234567", "Use `pnpm`."),)
    assert [(each.text, each.origin) for each in book.rules] == [
        ("By hand. Since 2020-01-01.", ""),
        ("Use `pnpm`.", "rule-01234567"),
    ]


@pytest.mark.parametrize("applies", ["", "web 目录"])
@pytest.mark.parametrize("other", ["", "`npm`"])
@pytest.mark.parametrize("body", ["只用 pnpm。", "自 2026-05-01 起只用 pnpm。", "Use pnpm."])
@pytest.mark.parametrize("until", [None, date(2026, 5, 1)])
def test_what_we_put_after_a_rule_s_words_is_taken_off_again(
    tmp_path: Path, body: str, other: str, applies: str, until: date | None
) -> None:
    made = candidate(body=body, applies=applies, counter_example=other, valid_until=until)
    (tmp_path / "AGENTS.md").write_text(words(made)[1])
    assert existing_rules(Tree("shop", tmp_path), "key").own == ((made.id, body),)


def test_windows_files_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(AGENTS)
    plain = rules(tmp_path)
    (tmp_path / "AGENTS.md").write_bytes(b"\xef\xbb\xbf" + AGENTS.replace("\n", "\r\n").encode())
    assert rules(tmp_path) == plain


def test_every_place_where_agents_look_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("- One.\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    for folder, text in ((".claude/rules/go", "- Two.\n"), (".pi/rules", "- Three.\n")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.md").write_text(text)
    (tmp_path / ".agents/skills/x").mkdir(parents=True)
    (tmp_path / ".agents/skills/x/SKILL.md").write_text("---\nname: x\ndescription: Four.\n---\n")
    assert [text for _, _, text in rules(tmp_path)] == ["One.", "Two.", "Three.", "Four."]


def test_faults_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("- Secret.\n")
    root = tmp_path / "shop"
    root.mkdir()
    (root / "CLAUDE.md").symlink_to(outside)
    (root / "AGENTS.md").write_text("<<<<<<< a\n- One.\n=======\n- Two.\n>>>>>>> b\n")
    book = existing_rules(Tree("shop", root), "key")
    assert book.troubles == (
        "AGENTS.md:1: a merge was left open here, down to line 5",
        f"CLAUDE.md leads out of the repository, to {outside}",
    )
    assert "Secret." not in [each.text for each in book.rules]


def test_lines_that_deceive_are_named_with_their_code_points(tmp_path: Path) -> None:
    lines = ["# Rules", "- Only \u202eadmins\u202c may.", "- كل شيء يُراجع.", "- P\u0430y."]
    text = "\ufeff" + "\r\n".join((*lines, *(f"- z\u200b{n}." for n in range(20)))) + "\r\n"
    (tmp_path / "AGENTS.md").write_bytes(text.encode())
    told = existing_rules(Tree("shop", tmp_path), "key").troubles
    assert told[0].startswith("AGENTS.md:2: has characters that cannot be seen: U+202E RIGHT-TO-")
    assert told[1] == (
        "AGENTS.md:4: has letters that look Latin and are not: U+0430 CYRILLIC SMALL LETTER A"
    )
    assert [each.partition(": ")[0] for each in told[2:-1]] == [
        f"AGENTS.md:{n}" for n in range(5, 11)
    ]
    assert told[-1] == "AGENTS.md: and 14 more such lines"


def test_a_repository_that_is_not_there_has_no_rules(tmp_path: Path) -> None:
    assert existing_rules(Tree("shop", None), "key").rules == ()
    assert existing_rules(Tree("shop", tmp_path / "gone"), "key").rules == ()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("---\nname: x\n", "never closed"),
        ("---\n- a\n- b\n---\n", "not a list of keys"),
        ("---\nname: [\n---\n", "expected"),
        ("---\nname: \xff\n---\n", "not UTF-8"),
    ],
)
def test_broken_front_matter_is_a_fault_and_no_error(text: str, cause: str) -> None:
    page = front_matter.parse(text.encode("latin-1"))
    assert cause in page.faults[0].cause
    assert page.faults[0].line >= 1


@pytest.mark.shared
def test_an_unquoted_colon_is_named_with_line_and_column_and_nothing_is_lost(shared: Path) -> None:
    data = (shared / "cases" / "rules" / "colon" / "SKILL.md").read_bytes()
    skill, troubles = skill_of("colon/SKILL.md", data)
    assert troubles[0] == "colon/SKILL.md:3:34: a colon and a space inside an unquoted value"
    assert troubles[1].startswith('colon/SKILL.md:3:69: an unquoted " #" begins a comment')
    assert skill.description.startswith("Use before a release: check")
    assert front_matter.parse(data).values["allowed-tools"] == "Read"


@pytest.mark.shared
def test_a_windows_skill_reads_as_its_plain_version(shared: Path) -> None:
    data = (shared / "cases" / "rules" / "bom-crlf" / "SKILL.md").read_bytes()
    plain = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    assert front_matter.parse(data) == front_matter.parse(plain)
    page = front_matter.parse(data)
    assert page.values == {"name": "bom-crlf", "description": "Saved by a Windows editor."}
    assert page.body == "\nBody line one.\n---\nBody line after a rule of dashes."


@pytest.mark.shared
def test_twins_are_named_with_both_paths(shared: Path) -> None:
    folder = shared / "cases" / "rules"
    paths = sorted((folder / "twins").rglob("SKILL.md"))
    skills = [skill_of(str(p.relative_to(folder)), p.read_bytes())[0] for p in paths]
    (named,) = twins(skills)
    assert "twins/project-skills/release-check/SKILL.md" in named
    assert "twins/user-skills/release-check/SKILL.md" in named
