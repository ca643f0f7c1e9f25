"""Which sentences a machine can decide, and what the recorded calls say of them."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from dream.candidates.detectors import of_sentence
from dream.candidates.facts import Facts, gather
from dream.clusters import group
from dream.detector import Detector, RecordedCall, parse
from tests.makers import START, judgement


def found(sentence: str) -> list[dict[str, Any]]:
    return [detector.payload() for detector in of_sentence(sentence)]


@pytest.mark.parametrize(
    ("sentence", "payload"),
    [
        ("Use pnpm, not npm.", {"program": "npm"}),
        ("use uv instead of pip", {"program": "pip"}),
        ("Never run `npm install` here.", {"program": "npm", "has": ["install"]}),
        ("Don't use docker-compose, use `docker compose`.", {"program": "docker-compose"}),
        ("用 pnpm，不要用 npm", {"program": "npm"}),
        ("never commit with --no-verify", {"tool": "shell", "has": ["--no-verify"]}),
        ("do not pass --force to `git push`", {"program": "git", "has": ["push", "--force"]}),
        (
            "Always run `pnpm install` with --frozen-lockfile.",
            {"program": "pnpm", "has": ["install"], "lacks": ["--frozen-lockfile"]},
        ),
        (
            "Do not add Co-Authored-By lines to commits.",
            {"program": "git", "has": ["commit"], "contains": "Co-Authored-By"},
        ),
        ("Never edit files in the vendor folder.", {"tool": "edit", "path": "vendor"}),
        ("不要改 generated 目录", {"tool": "write", "path": "generated"}),
    ],
)
def test_plain_forms_give_a_detector(sentence: str, payload: dict[str, Any]) -> None:
    assert {"detector": "call"} | payload in found(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Screens need an empty state.",
        "Comments say why, not what.",
        "Use pnpm here.",
        "Do not test the language itself.",
        "never make a change without asking",
        "Prices are stored in cents, not in euros.",
        "提交前先运行测试",
    ],
)
def test_what_no_machine_can_decide_gives_none(sentence: str) -> None:
    assert found(sentence) == []


def test_every_detector_of_a_sentence_can_be_read_back() -> None:
    for sentence in ("Use pnpm, not npm.", "Never edit vendor/ by hand, and no --force."):
        for detector in of_sentence(sentence):
            assert parse(detector.payload()) == detector


def call(number: int, command: str, session: str = "pi:a", *, failed: bool = False) -> RecordedCall:
    return RecordedCall(
        f"{session}/{number}",
        session,
        f"{session}:1",
        f"{session}/m{number}",
        "shop",
        "/repo/shop",
        "bash",
        json.dumps({"command": command}),
        failed,
        START + timedelta(minutes=number),
    )


class Recorded:
    def __init__(self, *calls: RecordedCall) -> None:
        self.calls = calls
        self.asked = 0

    def rows(self, name: str, into: type[Any], **params: Any) -> Iterator[Any]:
        assert name == "recorded_calls"
        self.asked += 1
        yield from self.calls


def facts(judgements: list[Any], rows: Recorded) -> Facts:
    return gather(rows, group(judgements, {}), {each.id: each for each in judgements}, START)


def test_the_records_are_read_once_for_all_detectors() -> None:
    rows = Recorded(call(0, "npm ci"), call(1, "pip install x; npm ci"), call(2, "npm t", "pi:b"))
    wishes = [judgement(t, session=t) for t in ("Use pnpm, not npm.", "use uv instead of pip")]
    seen = facts(wishes, rows)
    npm = Detector("call", program="npm", project="shop")
    assert rows.asked == 1
    assert (seen.caught[npm].calls, seen.caught[npm].sessions) == (3, 2)
    assert seen.caught[npm].examples == ("npm ci", "npm t")
    assert seen.caught[Detector("call", program="pip", project="shop")].calls == 1


def test_nothing_that_could_be_caught_reads_nothing() -> None:
    rows = Recorded()
    assert facts([judgement("Screens need an empty state.")], rows) == Facts()
    assert rows.asked == 0


def test_what_worked_soon_after_a_failure_is_noted_and_whether_its_name_was_typed() -> None:
    def error(number: int, key: str) -> Any:
        return judgement(
            f"command_not_available: {key}",
            kind="tool_error",
            message=f"m{number}",
            detail={
                "cause": "command_not_available",
                "key": key,
                "call_id": f"pi:a/{number}",
            },
        )

    rows = Recorded(
        call(0, "jqq . data.json", failed=True),
        call(1, "make deploy", failed=True),
        call(2, "jq . data.json | head"),
        call(3, "go test ./..."),
        call(9, "late"),
    )
    after = facts([error(0, "jqq"), error(1, "hidden")], rows).after
    assert (after["pi:a/0"].typed, after["pi:a/0"].next) == (
        True,
        ("jq", "head", "go test", "late"),
    )
    assert after["pi:a/0"].same == ("jq",)
    assert after["pi:a/1"].typed is False


def test_a_failure_at_the_end_of_a_session_is_not_mended_by_the_next_session() -> None:
    error = judgement(
        "command_not_available: x",
        kind="tool_error",
        detail={"cause": "command_not_available", "key": "x", "call_id": "pi:a/0"},
    )
    rows = Recorded(call(0, "x", failed=True), call(0, "ls", "pi:b"))
    assert facts([error], rows).after["pi:a/0"].next == ()
