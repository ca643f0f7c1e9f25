"""Failed calls: what counts, what the cause is, what came of it."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.signals.failing import Failure, verdict
from dream.signals.signature import UNKNOWN, signature
from dream.types import Judgement
from tests.signals.talk import START, Talk, judged


def failure(output: str, command: str = "make test", *, flagged: bool = True, purpose: str = "",
            tool: str = "bash", code: int | None = 1, said: str = "") -> Failure:  # fmt: skip
    arguments = json.dumps({"command": command, "description": purpose})
    place = ("c", "s", "r", 0, 0)
    return Failure(*place, tool, arguments, flagged, code, "m", START, True, "k", output, said, "p")


@pytest.mark.parametrize(
    ("tool", "arguments", "output", "expected"),
    [
        ("Edit", {}, "String to replace not found in file.", "edit_target_not_found"),
        ("apply_patch", {}, "apply_patch verification failed: no", "edit_target_not_found"),
        ("Edit", {}, "File has not been read yet. Read it first", "edit_without_read"),
        ("write", {}, "You must read file a.ts before overwriting it. Use the Read tool first",
         "edit_without_read"),
        ("Edit", {}, "Found 3 matches of the string to replace", "edit_target_ambiguous"),
        ("Bash", {"command": "npm test"}, " 3 failed, 4 passed", "test_failure"),
        ("Bash", {"command": "go test ./..."}, "--- FAIL: TestA (0.1s)\nFAIL", "test_failure"),
        ("Bash", {"command": "go test ./..."}, "a.go:3:1: undefined: x\nFAIL\ta [build failed]",
         "compile_error"),
        ("Bash", {"command": "tsc"}, "src/a.ts(3,4): error TS2345: no", "compile_error"),
        ("Bash", {"command": "python a.py"}, "Traceback:\nModuleNotFoundError: No module named 'q'",
         "missing_module: q"),
        ("Bash", {"command": "frobnicate"}, "bash: frobnicate: command not found",
         "command_not_available: frobnicate"),
        ("Bash", {"command": "npm run lint"}, "sh: 1: eslint: not found",
         "dependencies_not_installed: eslint"),
        ("Bash", {"command": "git push"}, "! [rejected] main -> main (fetch first)",
         "push_rejected_behind"),
        ("Bash", {"command": "cat a"}, "cat: a: No such file or directory", "file_not_found"),
        ("Bash", {"command": "cd web && ls"}, "bash: line 1: cd: web: No such file or directory",
         "wrong_cwd"),
        ("Bash", {"command": "docker compose up"}, "Bind for 0.0.0.0:80 failed: port is already "
         "allocated", "port_in_use"),
        ("Bash", {"command": "./a.sh"}, "Error: SHOP_TOKEN environment variable is not set.",
         "missing_env_variable: SHOP_TOKEN"),
    ],
)  # fmt: skip
def test_the_cause_is_told_by_the_words_of_the_output(
    tool: str, arguments: Mapping[str, object], output: str, expected: str
) -> None:
    assert str(signature(tool, json.dumps(arguments), output)) == expected


def test_paths_numbers_hashes_quotes_and_colours_do_not_part_equal_causes() -> None:
    one = "\x1b[31merror:\x1b[0m refusing 'alpha' at /repo/a/b.txt:12 (deadbeef1) after 1.2s"
    two = "error: refusing 'beta' at /home/x/c.txt:9 (cafecafe22) after 340 ms"
    first, second = signature("bash", "{}", one), signature("bash", "{}", two)
    assert first.cause == UNKNOWN
    assert str(first) == str(second)
    assert "alpha" not in first.key
    assert "/" not in first.key


def test_the_line_that_is_quoted_stands_in_the_output_as_stored() -> None:
    output = (
        "Exit code 1\n\x1b[1mok\x1b[0m 3 passed\n  \x1b[31mfatal: not a git repository\x1b[0m\n"
    )
    found = signature("Bash", '{"command": "git status"}', output)
    assert "fatal: not a git repository" in output[found.start : found.end]


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_output_has_a_signature_inside_it(output: str, command: str) -> None:
    found = signature("bash", json.dumps({"command": command}), output)
    assert 0 <= found.start <= found.end <= len(output)
    assert found == signature("bash", json.dumps({"command": command}), output)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (failure("", "grep -rn needle src"), "the exit code is an answer"),
        (failure("Command exited with code 1", "rg needle | head"), "the exit code is an answer"),
        (failure("/usr/bin/a", "which a b"), "the exit code is an answer"),
        (failure("", "diff a b"), "the exit code is an answer"),
        (failure("cat: a: No such file or directory", "cat a", purpose="See if it exists"),
         "the agent only looked"),
        (failure("--- FAIL: TestA", "go test ./a", purpose="Run the new test, expecting failure"),
         "a test that was meant to fail"),
        (failure("1 failed", "pytest a", said="Now the test should fail:"),
         "a test that was meant to fail"),
        (failure("", "sleep 99", code=130), "the agent stopped its own process"),
        (failure("[Request interrupted by user for tool use]"), "a refusal, a wait"),
        (failure("nothing to commit, working tree clean", "git commit -m x"), "a refusal, a wait"),
    ],
)  # fmt: skip
def test_answers_probes_red_tests_and_stops_are_no_errors(case: Failure, why: str) -> None:
    found = verdict(case)
    assert not found.counts
    assert found.reasons[0].startswith(why)


@pytest.mark.parametrize(
    "case",
    [
        failure("3 failed, 2 passed", "npm test 2>&1 | tail -5", flagged=False, code=0),
        failure("a.ts(1,2): error TS2305: no", "npm run check | grep a.ts", flagged=False, code=0),
        failure("ls: /nowhere: No such file or directory", "ls /nowhere | tail", flagged=False,
                code=0),
    ],
)  # fmt: skip
def test_a_failure_behind_a_pipe_counts(case: Failure) -> None:
    assert verdict(case).counts


@pytest.mark.parametrize(
    "case",
    [
        failure("log: 3 failed", "cat night.log | tail", flagged=False, code=0),
        failure("a.md: error TS2305 means", "grep -rn TS docs | head", flagged=False, code=0),
        failure("Error: x", "git log | head", flagged=False, code=0),
        failure("3 failed", "tail -f run.log", flagged=False, code=0),
    ],
)
def test_an_output_that_only_mentions_an_error_does_not_count(case: Failure) -> None:
    assert not verdict(case).counts


def errors(found: list[Judgement]) -> list[Judgement]:
    return [each for each in found if each.kind == "tool_error"]


def bash(command: str, output: str, failed: bool) -> tuple[str, Mapping[str, object], str, bool]:
    return "bash", {"command": command}, output, failed


def test_what_mended_a_failure_is_the_next_success_of_the_same_program() -> None:
    talk = (
        Talk()
        .person("Install it.")
        .agent(
            "Installing.",
            bash("npm install left", "npm ERR! network connection refused", True),
            bash("ls", "a b", False),
            bash("npm install left --prefer-offline", "added 1", False),
        )
    )
    (found,) = errors(judged(talk))
    assert found.statement == "network_blocked"
    assert found.detail["recovered_by"] == talk.pen.calls[2].call_id
    assert (found.detail["steps"], found.detail["changed"]) == (2, True)
    assert (found.scope.tool, found.language, found.polarity) == ("npm install", "en", "none")
    assert found.quote == "npm ERR! network connection refused"


def test_a_command_without_its_wrapper_mends_the_command_with_it() -> None:
    talk = (
        Talk()
        .person("Lint it.")
        .agent(
            "Linting.",
            bash("wrap npm run lint src", "error: unrecognized subcommand 'npm'", True),
            bash("npm run lint src", "clean", False),
        )
    )
    (found,) = errors(judged(talk))
    assert found.statement == "wrapper_unknown_command: npm"
    assert found.detail["steps"] == 1


def test_three_tries_of_one_thing_are_a_detour() -> None:
    tries = [bash("cargo build", f"error[E0{number}]: no", True) for number in (308, 433)]
    talk = Talk().person("Build it.").agent("Building.", *tries, bash("cargo build", "ok", False))
    (found,) = [each for each in judged(talk) if each.kind == "detour"]
    assert found.statement == "cargo build: compile_error"
    assert (len(found.detail["tries"]), found.detail["ended"]) == (3, "worked")


def test_two_tries_are_no_detour() -> None:
    talk = (
        Talk()
        .person("Build it.")
        .agent(
            "Building.",
            bash("cargo build", "error[E0308]: no", True),
            bash("cargo build", "ok", False),
        )
    )
    assert [each.kind for each in judged(talk)] == ["tool_error"]


def test_twelve_failures_of_one_session_are_twelve_judgements_of_one_statement() -> None:
    same = bash("python a.py", "ModuleNotFoundError: No module named 'queue_client'", True)
    found = errors(judged(Talk().person("Run it.").agent("Running.", *[same] * 12)))
    assert len({each.id for each in found}) == 12
    assert {each.statement for each in found} == {"missing_module: queue_client"}
    assert {each.session_id for each in found} == {"pi:a"}
