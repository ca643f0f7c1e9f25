"""../shared/cases/review through whole nights, as far as reports and proposals show such things."""

import csv
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from dream.templates.hidden import hidden
from dream.templates.width import width
from tests.cases.conftest import Spent
from tests.cases.nights import ONE_IS_ENOUGH, Home, Night, home
from tests.cases.talks import Talk

pytestmark = pytest.mark.shared


def elements(page: str) -> set[str]:
    """Tags, links and images that arise from a page of Markdown."""
    blocks = MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)
    tokens = [token for block in blocks for token in (block, *(block.children or ()))]
    inert = {"html_block", "html_inline", "image"}
    found = {token.content for token in tokens if token.type in inert}
    found -= {mark for mark in found if re.fullmatch(r"<!-- rule-[0-9a-f]{8} -->", mark)}  # ours
    links = (str(token.attrs["href"]) for token in tokens if token.type == "link_open")
    return found | {link for link in links if not link.endswith("proposal.md")}


def pages(place: Home) -> dict[str, str]:
    return {name: data.decode() for name, data in place.written().items() if name.endswith(".md")}


@pytest.fixture(scope="module")
def marked(cases: Path) -> dict[str, Any]:
    """The hostile texts of the case file, by what they are."""
    lines = (cases / "review/markup-in-names.jsonl").read_text().splitlines()
    asked, called, answered, wished = map(json.loads, lines)
    (use,) = called["message"]["content"]
    return {
        "prompt": asked["message"]["content"],
        "model": called["message"]["model"],
        "tool": use["name"],
        "input": use["input"],
        "result": answered["message"]["content"][0]["content"],
        "wish": wished["message"]["content"],
    }


def test_markup_in_a_transcript_is_shown_as_text(spent: Spent, marked: dict[str, Any]) -> None:
    night = spent("review/markup-in-names.jsonl")
    (call,) = night.home.ask("SELECT tool, message_id FROM calls")
    assert call[0] == marked["tool"]
    shown = night.home.dream("show", call[1]).out
    assert marked["tool"] in shown
    assert json.dumps(marked["input"]["path"]) in shown
    assert night.misses == {"Never show raw markup to customers.": "rule_sessions"}
    assert elements(night.page) == set()


def test_markup_in_names_prompts_and_results_makes_no_element_on_any_page(
    marked: dict[str, Any], tmp_path: Path
) -> None:
    for number in range(3):
        at = f"2026-04-1{number}T09:00:00+00:00"
        talk = Talk(f"m-{number}", "/repo/<i>shop", at).user(f"{marked['prompt']} ({number})")
        for turn in range(2):
            use = {"type": "tool_use", "id": f"t{number}{turn}", "name": marked["tool"]}
            talk.model({**use, "input": marked["input"]})
            answer = {"type": "tool_result", "tool_use_id": use["id"], "is_error": True}
            talk.user([{**answer, "content": f"Error: {marked['result']}"}])
        words = f"Never print {marked['tool']} or {marked['result']} into the log."
        talk.model("I printed it.").user(words).model("Understood.")
        talk.user(marked["wish"]).model("Understood.").write(tmp_path / "talks")
    place = home(tmp_path / "home", [tmp_path / "talks"], settings=ONE_IS_ENOUGH)
    night = place.night()
    assert night.rules["<i>shop", "Never show raw markup to customers"] == 3
    texts = pages(place)
    assert {name: elements(page) for name, page in texts.items() if elements(page)} == {}
    assert any(marked["tool"] in page or "onerror" in page for page in texts.values())
    assert "<i>shop" in night.said
    names = [name for path in place.out.rglob("*") for name in path.parts]
    assert not any(mark in name for name in names for mark in '<>"`')
    for page in texts.values():
        fences = re.findall(r"^(`{3,})\w", page, re.MULTILINE)
        assert all(len(fence) > 5 for fence in fences) or "`````" not in page


@pytest.fixture(scope="module")
def disguised(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Night]:
    """The learned rules of the case: as a project's rule file, and as what people ask for."""
    folder = tmp_path_factory.mktemp("hidden")
    text = (cases / "review/hidden-characters.md").read_text(encoding="utf-8")
    root = folder / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "AGENTS.md").write_text(text, encoding="utf-8")
    other = folder / "blog"
    subprocess.run(["git", "init", "-q", "-b", "main", str(other)], check=True)
    wishes = [line[2:] for line in text.splitlines() if line.startswith("- ")]
    for number, wish in enumerate(wishes):
        at = f"2026-04-{number + 1:02d}T08:00:00+00:00"
        talk = Talk(f"h-{number}", other, at)
        talk.corrected(number, f"From now on: {wish}", at).write(folder / "talks")
    Talk("quiet", root, "2026-04-01T07:00:00+00:00").worked(5).write(folder / "talks")
    place = home(folder / "home", [folder / "talks"], [root, other], ONE_IS_ENOUGH)
    return root, place.night()


CODES = {4: "U+202E", 5: "U+200B", 6: "U+E0073", 8: "U+0430"}


def test_lines_of_a_rule_file_that_deceive_are_named_with_their_code_points(
    disguised: tuple[Path, Night],
) -> None:
    _, night = disguised
    told = {int(each.split(":")[2]): each for each in night.report["troubles"]}
    assert told.keys() == CODES.keys()
    assert all(code in told[line] for line, code in CODES.items())
    assert "U+202E" in night.said


def test_what_would_be_adopted_is_flagged_and_shows_what_is_in_it(
    disguised: tuple[Path, Night],
) -> None:
    _, night = disguised
    flagged = {each["title"]: " ".join(each["flags"]) for each in night.report["proposals"]}
    assert len(flagged) == 6
    for code in CODES.values():
        (title,) = (each for each, flags in flagged.items() if code in flags)
        made = night.proposal(title)
        assert code in made.page
        assert hidden(made.page) == ()
        assert hidden(made.read("rule.md") + made.read("change.diff")) == ()
    clean = [title for title, flags in flagged.items() if "U+" not in flags]
    assert len(clean) == 2
    assert any("كل شيء يُراجع قبل النشر" in title for title in clean)
    assert hidden(night.said) == ()


def test_wide_joined_and_right_to_left_text_fits_its_lines(cases: Path, tmp_path: Path) -> None:
    with (cases / "review/wide-characters.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["rule"] for row in csv.DictReader(file)]
    long = [f"From now on never forget this one: {text} — {text} — {text}." for text in texts]
    for number, words in enumerate(long):
        at = f"2026-04-{number + 1:02d}T08:00:00+00:00"
        talk = Talk(f"w-{number}", "/repo/shop", at)
        talk.corrected(number, words, at).write(tmp_path / "talks")
    night = home(tmp_path / "home", [tmp_path / "talks"]).night()
    assert len(night.misses) == len(texts)
    family = "👩\u200d👩\u200d👧"
    for shown in (night.said, night.page):
        assert not re.search("👩\u200d?(?:…|$)|👩\u200d👩(?!\u200d👧)", shown, re.MULTILINE)
        assert family in shown or "絵文字" not in shown
    lines = night.said.splitlines()
    assert max(width(line) for line in lines if "/" not in line) <= 80
    for text in texts:  # on a line of its own, where it has no neighbours to reorder
        mine = [line for line in lines if text[:6] in line]
        assert not any("c-" in line or "needs" in line for line in mine)


WISH = "Never log a customer's address."


def asked(folder: Path, root: Path) -> Home:
    for number in (0, 1):
        at = f"2026-04-0{number + 1}T08:00:00+00:00"
        talk = Talk(f"s-{number}", root, at)
        talk.corrected(number, WISH, at).write(folder / "talks")
    return home(folder / "home", [folder / "talks"], [root])


def test_a_waiting_proposal_whose_target_has_changed_is_refused_by_git_and_made_anew(
    cases: Path, tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    rules = (cases / "consolidation/existing-rules.md").read_bytes()
    (root / "AGENTS.md").write_bytes(rules)
    place = asked(tmp_path, root)
    first = place.night("2026-04-10").proposal(WISH.rstrip("."))
    for text in (rules.replace(b"blog", b"shop"), rules[: rules.index(b"## Notes")]):
        (root / "AGENTS.md").write_bytes(text)
    apply = ["git", "-C", str(root), "apply"]
    stale = subprocess.run(
        [*apply, str(first.folder / "change.diff")], capture_output=True, check=False
    )
    assert stale.returncode != 0
    assert (root / "AGENTS.md").read_bytes() == text  # no part of it was taken
    again = place.night("2026-04-11").proposal(WISH.rstrip("."))
    assert "Its target has changed, so the diff was made anew" in again.line["note"]
    assert "2026-04-10" in again.page
    subprocess.run([*apply, "--check", str(again.folder / "change.diff")], check=True)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("bad-counts.patch", "promises 2 old and 9 new lines, 2 and 3 follow"),
        ("stale.patch", "its lines were changed"),
    ],
)
def test_a_diff_that_is_not_the_one_that_was_written_is_named_and_never_taken_over(
    cases: Path, tmp_path: Path, name: str, why: str
) -> None:
    root = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "AGENTS.md").write_bytes((cases / "consolidation/existing-rules.md").read_bytes())
    place = asked(tmp_path, root)
    made = place.night("2026-04-10").proposal(WISH.rstrip("."))
    assert place.dream("verify").code == 0
    (made.folder / "change.diff").write_bytes((cases / "review" / name).read_bytes())
    for said in (place.dream("verify"), place.dream("why", made.line["id"])):
        assert said.code == 1
        assert f"{made.folder.name}/change.diff is not as it was written" in said.err
        assert why in said.err
    later = place.night("2026-04-11")
    assert later.code == 1
    assert why in " ".join(later.said.split())
    assert [each["id"] for each in later.report["waiting"]] == [made.line["id"]]


def test_a_record_of_a_proposal_that_was_broken_is_named(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    place = asked(tmp_path, root)
    made = place.night("2026-04-10").proposal(WISH.rstrip("."))
    (made.folder / "evidence.json").write_text('{"format": 1, "night": 3}')
    checked = place.dream("verify")
    assert checked.code == 1
    assert f"{made.folder.name}/evidence.json cannot be read" in checked.err
    later = place.night("2026-04-11")
    assert "its proposal is passed over" in " ".join(later.said.split())
    assert later.report["proposals"] == []  # the ledger still knows that it waits
