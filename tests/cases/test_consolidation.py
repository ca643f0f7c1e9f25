"""../shared/cases/consolidation through whole nights: each row of its table, as it is told.

Files that hold no transcript but what was said become small real ones first, several sessions each.
"""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cases.nights import ONE_IS_ENOUGH, Home, Night, home
from tests.cases.talks import Talk

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def told(cases: Path) -> Path:
    return cases / "consolidation"


def rows(path: Path, case: str = "") -> list[dict[str, Any]]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line.get("case", "") == case]


def talks(folder: Path, said: Iterable[dict[str, Any]], cwd: str = "/repo/shop") -> Path:
    """Each line as a session of its own, in which a person says it of the agent's work."""
    for number, line in enumerate(said):
        talk = Talk(line["session"], line.get("cwd", cwd), line["at"])
        talk.corrected(number, line["text"], line["at"]).write(folder)
    return folder


def judged(place: Home) -> list[dict[str, Any]]:
    judgements: list[dict[str, Any]] = json.loads(place.written()["state/judged.json"])[
        "judgements"
    ]
    return judgements


@pytest.fixture(scope="module")
def loud(told: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One session that meets an error twelve times; three and a fork that correct the same."""
    folder = tmp_path_factory.mktemp("loud")
    made: dict[str, Talk] = {}
    noisy = Talk("s-noisy", "/repo/shop", "2026-04-01T08:59:00+00:00").user("Start the worker.")
    for line in rows(told / "one-loud-session.jsonl"):
        session, at = line["session"], line["at"].replace("Z", "+00:00")
        if line["kind"] == "tool_error":
            noisy.at(at).run("python worker.py", line["text"], failed=True)
        elif "forked_from" in line:
            fork = made[line["forked_from"]].forked(session)
            fork.user("Now the changelog, please.").model("Done.").write(folder)
        else:
            talk = Talk(session, "/repo/shop", at)
            made[session] = talk.corrected(len(made), line["text"], at)
            made[session].write(folder)
    noisy.write(folder)
    return folder


@pytest.mark.parametrize("threshold", [2, 3])
def test_one_loud_session_is_one_voice_and_a_fork_is_none(
    loud: Path, tmp_path: Path, threshold: int
) -> None:
    gates = f"gates: {{rule_sessions: {threshold}, error_sessions: {threshold}, error_days: 1}}"
    night = home(tmp_path, [loud], settings=gates).night()
    assert night.rules == {("shop", "Ask before you change the public API"): 3}
    (error,) = (each for each in night.report["misses"] if each["kind"] == "tool_error")
    assert (error["gate"], error["needed"], error["got"]) == ("error_sessions", threshold, 1)
    why = night.home.dream("why", error["cluster"]).out
    assert why.count("»ModuleNotFoundError: no module named 'queue_client'«") == 12
    assert "1 session on 1 day" in why
    forks = "SELECT parent_id, messages FROM sessions WHERE session_id = 'claude-code:s-4-fork'"
    assert night.home.ask(forks) == [("claude-code:s-4", 2)]
    assert night.home.dream("verify").out.startswith("3 quotes of 1 proposal")


def test_an_echo_of_an_adopted_rule_is_no_evidence_and_a_pasted_chat_is(
    told: Path, tmp_path: Path
) -> None:
    source = told / "echo-and-pasted-chat.jsonl"
    night = home(tmp_path, [source], settings=ONE_IS_ENOUGH).night()
    lines = {each["message_id"][-1] for each in judged(night.home)}
    assert lines == {"4"}
    assert not any("linter" in each["quote"] for each in judged(night.home))
    (made,) = night.report["proposals"]
    assert made["sessions"] == 1
    why = night.home.dream("why", made["id"]).out
    assert "echo-and-pasted-chat.jsonl, line 4" in why
    assert "»Generated files are off limits.«" in why


def test_two_who_say_always_and_two_who_say_never_settle_nothing(
    told: Path, tmp_path: Path
) -> None:
    said = rows(told / "candidate-texts.jsonl", "opposites")
    night = home(tmp_path / "home", [talks(tmp_path / "talks", said)]).night()
    assert night.rules == {}
    (both,) = (each for each in night.report["misses"] if each["gate"] == "contradicted")
    assert both["got"] == 0.5
    why = night.home.dream("why", both["cluster"]).out
    for line in said:
        assert line["text"] in both["note"]
        assert line["at"][:10] in both["note"]
        assert f"»{line['text']}«" in why
    assert both["note"].count("2 sessions") == 2
    assert "Against it:" in why


def test_junk_becomes_no_rule_however_low_the_gates(told: Path, tmp_path: Path) -> None:
    said = rows(told / "candidate-texts.jsonl", "junk")
    source = talks(tmp_path / "talks", said)
    night = home(tmp_path / "home", [source], settings=ONE_IS_ENOUGH).night()
    sentence = said[-1]["text"]
    assert night.rules.keys() == {("shop", sentence.rstrip("."))}
    rule = night.proposal(sentence.rstrip(".")).read("rule.md")
    for scrap in ("@@", "score", "sudo", "Decision"):
        assert scrap not in rule


def test_each_language_stays_as_it_was_written(told: Path, tmp_path: Path) -> None:
    said = rows(told / "candidate-texts.jsonl", "language")
    source = talks(tmp_path / "talks", said)
    night = home(tmp_path / "home", [source], settings=ONE_IS_ENOUGH).night()
    made = [night.proposal(title) for _, title in night.rules]
    words = "\n".join(each.read("rule.md") for each in made)
    pages = "\n".join(each.page for each in made)
    for line in said:
        assert line["text"] in words
        assert f"```text\n{line['text']}\n```" in pages


def checkouts(folder: Path) -> dict[str, Path]:
    """The places that the scopes name, as real repositories, a worktree and a scratch folder."""
    shop, blog, other = (folder / name for name in ("repo/shop", "repo/blog", "archive/shop"))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", "-C"]
    for root in (shop, blog, other):
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        subprocess.run([*git, str(root), "commit", "-qm", "1", "--allow-empty"], check=True)
    tree = folder / "repo/shop-worktrees/feature-7"
    subprocess.run([*git, str(shop), "worktree", "add", "-q", str(tree)], check=True)
    (shop / "packages/api").mkdir(parents=True)
    scratch = folder / "scratch/agent-x1"
    scratch.mkdir(parents=True)
    return {"shop": shop, "blog": blog, "other": other}


@pytest.fixture(scope="module")
def scoped(told: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Night]:
    folder = tmp_path_factory.mktemp("scopes")
    roots = checkouts(folder)
    for number, line in enumerate(rows(told / "scopes.jsonl")):
        at = f"2026-04-{number + 1:02d}T08:00:00+00:00"
        talk = Talk(line["session"], f"{folder}{line['cwd']}", at)
        words = f"No, {line['text'][0].lower()}{line['text'][1:]}"
        talk.corrected(number, words, at).write(folder / "talks")
    place = home(
        folder / "home", [folder / "talks"], projects=roots.values(), settings=ONE_IS_ENOUGH
    )
    return folder, place.night()


def test_checkout_worktree_and_subfolder_are_one_project_and_a_scratch_folder_is_none(
    scoped: tuple[Path, Night],
) -> None:
    folder, night = scoped
    found = night.home.ask("SELECT session_id, project_key, project_name FROM sessions")
    places = {name.removeprefix("claude-code:"): (key, label) for name, key, label in found}
    shop = (str(folder / "repo/shop"), "shop")
    assert places == {
        "s-main": shop,
        "s-wt": shop,
        "s-sub": shop,
        "s-tmp": ("", "scope unknown"),
        "s-other": (str(folder / "repo/blog"), "blog"),
        "s-same-name": (str(folder / "archive/shop"), "shop"),
    }
    assert night.totals["projects"] == 3


def test_support_stays_in_its_project_and_the_blogs_rule_is_no_contradiction(
    scoped: tuple[Path, Night],
) -> None:
    folder, night = scoped
    assert night.rules["shop", "Prices are stored in cents"] == 3
    assert night.rules["scope unknown", "Prices are stored in cents"] == 1
    assert night.rules["blog", "Prices are stored in euros with two decimals"] == 1
    assert "contradicted" not in night.misses.values()
    shop = night.proposal("Prices are stored in cents", "shop")
    assert f"git -C {folder}/repo/shop apply" in shop.page
    assert "agent-x1" not in night.said + night.page
    unknown = night.proposal("Prices are stored in cents", "scope unknown")
    assert any("scope unknown" in flag for flag in unknown.line["flags"])
    assert not any("other project" in flag for flag in shop.line["flags"])


SECRETS = ("ghp_EXAMPLE", "notARealPw1", "TUFERSBVUCBOT1QgQSBLRVk", "BEGIN PRIVATE KEY")


def test_secrets_are_gone_before_anything_is_written_and_the_sentences_survive(
    told: Path, tmp_path: Path
) -> None:
    night = home(tmp_path, [told / "secrets.jsonl"], settings=ONE_IS_ENOUGH).night()
    assert night.report["redactions"] == {"github-token": 1, "private-key": 1, "url-password": 1}
    texts = [text for (text,) in night.home.ask("SELECT text FROM messages ORDER BY line")]
    assert "[redacted:github-token] and always deploy from the release branch." in texts[0]
    assert "postgres://app:[redacted:url-password]@db.internal:5432/shop and deploy" in texts[1]
    assert texts[2] == "[redacted:private-key]\nKeys like that never go into the repository."
    assert texts[3].endswith("The sample id AKIAIOSFODNN7EXAMPLE in the docs is fine.")
    assert {title for _, title in night.rules} >= {
        "Keys like that never go into the repository",
        "The password field must be masked on every form",
    }
    kept = night.proposal("Keys like that never go into the repository")
    assert "secrets.jsonl" in night.home.dream("why", kept.line["id"]).out
    assert json.loads(kept.read("evidence.json"))["evidence"][0]["message"]["line"] == 3
    written = night.home.written()
    asked = night.home.dream("show", "00000000-0000-4000-8000-000000000001").out
    everything = b"\n".join((*written.values(), asked.encode(), night.said.encode()))
    for secret in SECRETS:
        assert secret.encode() not in everything


def test_the_same_sentence_with_other_secrets_in_it_is_the_same_sentence(tmp_path: Path) -> None:
    for number, letter in enumerate("abc"):
        token = f"ghp_{letter * 36}"
        at = f"2026-04-0{number + 1}T08:00:00+00:00"
        talk = Talk(f"s-{number}", "/repo/shop", at)
        words = f"Never print the token {token} into the log."
        talk.corrected(number, words, at).write(tmp_path / "talks")
    night = home(tmp_path / "home", [tmp_path / "talks"]).night()
    (miss,) = (each for each in night.report["misses"] if "print the token" in each["statement"])
    assert miss["statement"] == "Never print the token [redacted:github-token] into the log."
    assert "a secret was removed" in miss["note"]
    assert "3 sessions on 3 days" in night.home.dream("why", miss["cluster"]).out


def test_words_for_days_are_told_from_the_day_they_were_said_on(told: Path, tmp_path: Path) -> None:
    settings = f"{ONE_IS_ENOUGH}\ntimezone: Europe/Berlin"
    place = home(tmp_path, [told / "relative-dates.jsonl"], settings=settings)
    night = place.night("2026-04-12")
    since = night.proposal("Since 2026-04-10 the export needs a header row")
    said = "said on Saturday 2026-04-11 (Europe/Berlin)"
    assert f"({said}, from 2026-04-10)" in since.page
    assert said in place.dream("why", since.line["id"]).out
    until = night.proposal("Until 2026-04-17 use the old price list, after that the new one")
    assert f"({said}, until 2026-04-17)" in until.page
    assert "holds until 2026-04-17" in " ".join(until.line["flags"])
    assert "2026-04-12" not in since.read("rule.md") + until.read("rule.md")
    later = place.night("2026-04-18")
    assert later.misses[until.line["title"]] == "ended"


def test_what_a_rules_file_says_is_not_proposed_again_and_its_lines_stay(
    told: Path, loud: Path, tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    before = (told / "existing-rules.md").read_bytes()
    (root / "AGENTS.md").write_bytes(before)
    for number, line in enumerate(("Ask before you change the public API.",) * 2):
        at = f"2026-04-0{number + 1}T08:00:00+00:00"
        Talk(f"s-{number}", root, at).corrected(number, line, at).write(tmp_path / "talks")
    place = home(tmp_path / "home", [tmp_path / "talks"], projects=[root])
    night = place.night()
    assert night.rules == {}
    (said,) = (each for each in night.report["misses"] if each["gate"] == "already_said")
    assert "AGENTS.md:5" in said["note"]
    assert (root / "AGENTS.md").read_bytes() == before

    for number in (0, 1):
        at = f"2026-04-0{number + 5}T08:00:00+00:00"
        words = "Never log a customer's address."
        Talk(f"t-{number}", root, at).corrected(number, words, at).write(tmp_path / "talks")
    made = place.night("2026-04-21").proposal("Never log a customer's address")
    assert (root / "AGENTS.md").read_bytes() == before
    assert "no line outside the block changes" in made.page
    diff = made.folder / "change.diff"
    subprocess.run(["git", "-C", str(root), "apply", str(diff)], check=True)
    assert (root / "AGENTS.md").read_bytes().startswith(before)
    third = place.night("2026-04-22")
    assert [each["landed"] for each in third.report["waiting"]] == [True]
    assert third.report["proposals"] == []
