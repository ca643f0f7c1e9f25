"""A transcript may say what it likes: on the reviewer's page it is text, in a rule it is inert."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dream.config import Gates
from dream.review.propose import propose
from dream.review.tree import Tree
from dream.templates.hidden import hidden, shown
from dream.types import Proposal
from tests.review.nouns import NIGHT, PROJECT, candidate, heard
from tests.review.tables import Tables
from tests.templates.test_markdown import HOSTILE

GIT = shutil.which("git")


def proposed(text: str, root: Path, name: str = "shop") -> list[Proposal]:
    """Every text of a rule and a skill is this one, and so are the words they rest on."""
    tables = Tables()
    said = heard(tables, f"{text}!") if text else heard(tables)
    said = {key: replace(each, reasons=(text,)) for key, each in said.items()}
    against = heard(tables, f"not {text}", count=1, first=9)
    payload = {"steps": [text], "pitfalls": [text]}
    asked = [
        candidate(
            tuple(said),
            kind=kind,
            against=tuple(against),
            payload=payload,
            body=text,
            title=text,
            applies=text,
            counter_example=text,
            flags=(text,),
        )
        for kind in ("rule", "skill")
    ]
    made = propose(
        asked,
        said | against,
        tables,
        {PROJECT: Tree(name, root)},
        night=NIGHT,
        earlier={},
        gates=Gates(),
        git=GIT,
    )
    return list(made.proposals)


def check(made: Proposal, text: str) -> None:
    files = {name: data.decode() for name, data in made.files}
    for data in files.values():
        assert hidden(data) == ()
    parsed = MarkdownIt().enable("table").parse(files["proposal.md"])
    tokens = [token for block in parsed for token in (block, *(block.children or ()))]
    kinds = {token.type for token in tokens}
    assert not kinds & {"image", "link_open", "html_block", "html_inline", "em_open", "hr"}
    opened = [n for n, token in enumerate(parsed) if token.type == "heading_open"]
    headings = [parsed[n + 1].content for n in opened if parsed[n].tag != "h1"]
    known = {"What would change", "Why", "The words for it", "The words against it", "Look deeper"}
    assert set(headings) <= known
    quotes = [token.content for token in tokens if token.type == "fence" and token.info == "text"]
    assert any(shown(text).strip("\n") in quote for quote in quotes)
    assert json.loads(files["evidence.json"])["candidate"]["title"] == text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_stay_words_on_the_page(tmp_path: Path, text: str) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n\n- One.\n")
    for made in proposed(text, tmp_path, name=text):
        check(made, text)
        assert made.applies


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip())))
def test_any_words_stay_words_and_their_diffs_apply(tmp_path: Path, text: str) -> None:
    for made in proposed(text, tmp_path):
        check(made, text)
        assert made.applies


@pytest.mark.parametrize("text", [*HOSTILE, "a\n---\nb", "---\nname: x\n---"])
def test_an_adopted_rule_and_skill_are_inert(tmp_path: Path, text: str) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n\n- One.\n")
    for made in proposed(text, tmp_path):
        diff = dict(made.files)["change.diff"]
        subprocess.run(["git", "-C", str(tmp_path), "apply", "-"], input=diff, check=True)
    rules = (tmp_path / "AGENTS.md").read_text()
    skill = (tmp_path / ".agents/skills/use-pnpm/SKILL.md").read_text()
    for page in (rules, skill.split("---\n", 2)[2]):
        html = MarkdownIt().render(re.sub(r"<!-- [\w:-]+ -->", "", page))
        assert not re.search(r"<(?:img|a|em|strong|script|b|u|i|hr|blockquote)\b", html)
        assert "!`" not in page
        assert not re.search(r"(?:^|\s)@\S", page)
    assert rules.count("\n") == 6 + 1
