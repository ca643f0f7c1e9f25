"""Rules that people really wrote, over the sessions that were recorded around them."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dream import judged
from dream.archive.archive import Archive
from dream.audit.night import Asked, Audited, audits
from dream.audit.pages import headline, html, listed, markdown
from dream.audit.rule_page import RulePage
from dream.audit.subjects import of_lines
from dream.candidates.detectors import of_sentence
from dream.config import Config, ProjectSpec, SourceSpec
from dream.nightly import nightly
from dream.progress import Silent
from tests.corpora import Corpus
from tests.in_force.test_corpora import FOLDERS, events, with_history

pytestmark = pytest.mark.shared
BERLIN = ZoneInfo("Europe/Berlin")
Audit = Callable[..., dict[str, RulePage]]


@pytest.fixture(scope="module")
def audit(
    shared: Path, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, RulePage]]:
    """audit(corpus, day): the page of each rule of its rules.json, as of a day."""
    states: dict[str, Path] = {}
    known: dict[tuple[str, date], dict[str, RulePage]] = {}

    def run(name: str, as_of: date) -> dict[str, RulePage]:
        if (name, as_of) not in known:
            known[(name, as_of)] = audited(name, as_of)
        return known[(name, as_of)]

    def audited(name: str, as_of: date) -> dict[str, RulePage]:
        if name not in states:
            folder = tmp_path_factory.mktemp(f"rules-{name}")
            repo = with_history(folder / "repo", events(shared, name))
            project = ProjectSpec(repo.root, also=FOLDERS[name])
            states[name] = folder / "state"
            config = Config(
                sources=(SourceSpec(corpus(name)),),
                projects=(project,),
                state=states[name],
                skills_out=folder / "out",
            )
            nightly(config, date(2026, 6, 1), datetime(2026, 6, 1, tzinfo=UTC), Silent())
        told = json.loads((shared / "corpora" / name / "rules.json").read_bytes())["rules"]
        rules = [of_lines(one["rule_id"], one["added"], "", of_sentence) for one in told]
        thought = judged.load(states[name])
        asked = Asked(as_of, BERLIN, lambda aim: aim.target, {}, {})
        with Archive.open(states[name]) as archive:
            found: tuple[Audited, ...] = audits(
                archive, rules, thought.judgements, thought.clusters, asked
            )
        return {each.page.rule: each.page for each in found}

    return run


def test_the_prefix_rule_is_followed_shortens_outputs_and_brings_errors_of_its_own(
    audit: Audit,
) -> None:
    page = audit("claude-context-evaluator", date(2026, 3, 10))["rtk-prefix"]
    use = page.usage
    assert (use.use, use.before.done, use.before.of) == ("followed", 1, 254)
    assert (use.after.done, use.after.of) == (309, 781)
    assert page.outputs is not None
    assert page.outputs.before is not None
    assert page.outputs.after is not None
    assert page.outputs.after.median < 0.75 * page.outputs.before.median
    assert page.outputs.after.mean < 0.75 * page.outputs.before.mean
    (brought,) = [each for each in page.beside if each.brought]
    assert (brought.name, brought.after.errors) == ("wrapper_unknown_command: bun", 43)
    assert page.verdict in ("no effect shown", "not comparable")
    first = headline(page)
    assert "309 of 781" in first
    assert "43 calls failed with wrapper_unknown_command: bun" in first


def test_edits_that_fail_less_with_no_rule_about_them_are_credited_to_none(audit: Audit) -> None:
    pages = audit("claude-context-evaluator", date(2026, 3, 10))
    for page in pages.values():
        assert not any(each.brought for each in page.beside if each.name.startswith("edit"))
    page = pages["rtk-prefix"]
    (edit,) = [each for each in page.tools if each.name == "edit"]
    assert (edit.after.errors, edit.after.of) == (44, 496)
    assert edit.before.share is not None
    assert edit.after.share is not None
    assert edit.before.share > 1.3 * edit.after.share
    assert not edit.aimed
    for text in (markdown(page), html(page)):
        line = next(line for line in text.split("</tr>" if "</tr>" in text else "\n")
                    if "edit</code>" in line or "`edit`" in line)  # fmt: skip
        assert "moved, with no rule behind it" in line


def test_a_fact_in_a_rule_file_is_no_rule_that_could_be_measured(audit: Audit) -> None:
    page = audit("claude-context-evaluator", date(2026, 3, 10))["model-name"]
    assert (page.verdict, page.reasons) == ("not comparable", ("no_denominator",))
    assert page.kind == "nothing"


def test_six_rules_of_three_weeks_have_honest_verdicts(audit: Audit) -> None:
    pages = audit("claude-entire-cli-early", date(2026, 2, 10))
    # The check stands in no rule file, so that no agent was ever told it.
    assert sorted(pages) == [
        "duplication", "fmt-and-lint", "logging-vs-output", "repo-root", "silent-error",
    ]  # fmt: skip
    assert {page.verdict for page in pages.values()} <= {"no effect shown", "not comparable"}
    assert sum("not enough data" in headline(page) for page in pages.values()) >= 2
    for page in pages.values():
        assert not page.finding


def test_what_is_counted_of_them_is_what_their_papers_counted(audit: Audit) -> None:
    pages = audit("claude-entire-cli-early", date(2026, 2, 10))
    root = pages["repo-root"]
    assert (root.before.errors, root.after.errors) == (0, 5)
    fmt = pages["fmt-and-lint"].usage
    assert fmt.use == "not followed"
    log = pages["logging-vs-output"]
    assert (log.before.errors, log.after.errors) == (34, 6)
    assert log.landed == "2026-01-21 06:01 (Europe/Berlin)"


def test_edits_without_their_target_drift_and_no_rule_gets_the_credit(audit: Audit) -> None:
    pages = audit("claude-entire-cli-early", date(2026, 2, 10))
    rows = [
        each
        for page in pages.values()
        for each in page.beside
        if each.name == "edit_target_not_found"
    ]
    assert rows
    assert not any(each.aimed or each.brought for each in rows)
    assert all(page.target != "edit_target_not_found" for page in pages.values())


def test_a_day_is_audited_the_same_whatever_was_recorded_later(audit: Audit) -> None:
    early = audit("claude-entire-cli-early", date(2026, 1, 16))
    assert sorted(early) == ["fmt-and-lint", "repo-root", "silent-error"]
    page = early["fmt-and-lint"]
    assert max(page.runs_by_day) <= "2026-01-16"
    assert page.closing == date(2026, 3, 16)
    assert not page.closed
    before = audit("claude-entire-cli-early", date(2026, 1, 1))
    assert before == {}


def test_the_rules_in_a_few_lines_fit_a_terminal(audit: Audit) -> None:
    pages = list(audit("claude-entire-cli-early", date(2026, 2, 10)).values())
    text = listed(pages, [], date(2026, 2, 10), 0.1)
    assert max(map(len, text.split("\n"))) <= 180
    assert text.startswith("5 rules audited as of 2026-02-10.")
