"""Paths are told by steps, from runs that ended well, in several sessions."""

from datetime import timedelta

from dream.signals.steps import target_kind
from dream.types import Judgement
from tests.signals.talk import START, Call, Talk, judged

EDIT: Call = ("edit", {"path": "src/prices.ts"}, "ok", False)
TEST: Call = ("bash", {"command": "npm run test"}, "all passed", False)
COMMIT: Call = ("bash", {"command": "git add -A && git commit -m 'x'"}, "done", False)
RED: Call = ("bash", {"command": "npm run test"}, "2 failed", True)
LOOK: Call = ("bash", {"command": "git status && cat a.txt"}, "clean", False)
GREP: Call = ("grep", {"pattern": "x"}, "x", False)


def session(name: str, day: int, *calls: Call, then: str = "") -> Talk:
    talk = Talk(name, START + timedelta(days=day)).person(f"Round {name}value.")
    talk.agent("Working.", *calls).agent("All is done.")
    return talk.person(then) if then else talk


def paths(*talks: Talk) -> list[Judgement]:
    return [each for each in judged(*talks) if each.kind == "path"]


def test_the_same_steps_in_two_sessions_are_a_path_with_one_judgement_a_run() -> None:
    found = paths(*(session(name, day, EDIT, TEST, COMMIT) for day, name in enumerate("ab")))
    assert [each.session_id for each in found] == ["pi:a", "pi:b"]
    steps = ["edit source", "run npm run test", "run git add", "run git commit"]
    assert [each.detail["steps"] for each in found] == [steps, steps]
    assert {each.statement for each in found} == {" > ".join(steps)}
    assert found[0].quote == "Round avalue."
    assert found[0].detail["arguments"][0] == "src/prices.ts"
    assert {each.polarity for each in found} == {"do"}


def test_looking_around_is_no_step() -> None:
    one = session("a", 0, GREP, EDIT, LOOK, TEST, LOOK, COMMIT)
    other = session("b", 1, LOOK, EDIT, TEST, GREP, COMMIT)
    assert len(paths(one, other)) == 2
    assert paths(*(session(name, 0, GREP, LOOK, GREP, LOOK, GREP) for name in "ab")) == []


def test_a_step_that_failed_on_the_way_is_a_pitfall_and_no_step() -> None:
    found = paths(
        session("a", 0, EDIT, RED, EDIT, TEST, COMMIT), session("b", 1, EDIT, TEST, COMMIT)
    )
    assert [len(each.detail["steps"]) for each in found] == [4, 4]
    assert [each.detail["pitfalls"] for each in found] == [["run npm run test"], []]
    assert found[0].score < found[1].score


def test_a_run_that_ends_in_a_failure_or_is_corrected_proves_nothing() -> None:
    good = session("a", 0, EDIT, TEST, COMMIT)
    assert paths(good, session("b", 1, EDIT, TEST, COMMIT, RED)) == []
    assert (
        paths(good, session("c", 2, EDIT, TEST, COMMIT, then="no, that's wrong, revert it")) == []
    )


def test_one_session_however_often_is_no_path() -> None:
    talk = session("a", 0, EDIT, TEST, COMMIT)
    talk.person("And the other one.").agent("Working.", EDIT, TEST, COMMIT)
    assert paths(talk) == []


def test_the_longest_path_stands_for_its_parts() -> None:
    found = paths(*(session(name, day, EDIT, TEST, COMMIT) for day, name in enumerate("abc")))
    assert {len(each.detail["steps"]) for each in found} == {4}


def test_files_are_told_by_their_kind() -> None:
    kinds = {
        "src/a.ts": "source",
        "src/a.test.ts": "test",
        "pkg/a_test.go": "test",
        "docs/use.md": "docs",
        "CHANGELOG.md": "docs",
        "package.json": "config",
        "package-lock.json": "lock file",
        "db/migrations/3.sql": "migration",
        ".github/workflows/ci.yml": "workflow",
    }
    assert {path: target_kind(path) for path in kinds} == kinds
