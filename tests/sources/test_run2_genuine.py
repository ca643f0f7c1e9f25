"""The seven genuine RUN2 archives, against what the extension's own code says of them."""

from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from dream.records import Message, Transcript
from dream.sources import run2
from tests.sources.stillness import listing

NAMES = ("compacted", "live", "migrated", "pi16", "unicode", "v1", "v2")
ROLES = {"user": "human", "toolResult": "tool", "custom": "injected", "system": "system"}

pytestmark = pytest.mark.shared


class Genuine:
    """One archive as we read it beside what is expected of it."""

    def __init__(self, shared: Path, name: str, scratch: Path) -> None:
        folder = shared / "archives"
        self.facts = orjson.loads((folder / "expected" / f"run2-{name}.json").read_bytes())
        listed = (folder / "expected" / f"run2-{name}.messages.jsonl").read_bytes()
        self.messages = [orjson.loads(line) for line in listed.splitlines()]
        self.path = folder / f"run2-{name}.sqlite"
        beside = [p for p in folder.iterdir() if p.name.startswith(self.path.name)]
        self.before = [(p, listing(p), p.stat().st_mtime_ns) for p in beside]
        self.folder_before = sorted(p.name for p in folder.iterdir())
        self.units: list[Transcript] = list(run2.read(self.path, {}, scratch))
        self.left_in_scratch = list(scratch.iterdir())

    @property
    def read(self) -> dict[str, Message]:
        return {message.name or "": message for unit in self.units for message in unit.messages}

    @property
    def running(self) -> set[str]:
        going = self.facts["runsWithoutEnd"] if "running" in self.facts["statuses"] else []
        return set(going)


@pytest.fixture(scope="module", params=NAMES)
def genuine(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Genuine:
    return Genuine(shared, request.param, tmp_path_factory.mktemp("scratch"))


def test_every_decoded_message_has_the_digest_name_uuid_and_role_that_is_expected(
    genuine: Genuine,
) -> None:
    read = genuine.read
    expected = [m for m in genuine.messages if m["ref"].split("/")[0] not in genuine.running]
    assert len(read) == len(expected)
    for fact in expected:
        message = read[fact["ref"]]
        assert message.digest == fact["sha256"], fact["ref"]
        assert message.message_id.endswith("/" + fact["id"])
        assert message.line == message.number == fact["first_seq"]
        if fact["role"] == "assistant":
            # What the client wrote in place of a reply, the extension still lists as the model's.
            failed = fact["stopReason"] in {"error", "aborted"}
            assert message.role in (
                {"assistant", "system", "injected"} if failed else {"assistant"}
            )
        else:
            assert message.role == ROLES[fact["role"]]
        if fact["role"] == "user":
            assert message.text.startswith(fact["text"])


def test_the_counts_are_those_of_the_tables(genuine: Genuine) -> None:
    facts = genuine.facts
    runs = [run for unit in genuine.units for run in unit.runs]
    assert len(runs) == facts["tables"]["runs"] - len(genuine.running)
    if not genuine.running:
        roles = Counter(fact["role"] for fact in genuine.messages)
        assert roles == facts["messagesByRole"]
        assert sum(len(unit.messages) for unit in genuine.units) == facts["tables"]["messages"]


def test_runs_sessions_and_goals_agree(genuine: Genuine) -> None:
    runs = {run.name: (run, unit) for unit in genuine.units for run in unit.runs}
    cwds = {session.session_id: session.cwd for session in genuine.units[-1].sessions}
    for fact in genuine.facts["runs"]:
        if fact["id"] in genuine.running:
            continue
        run, unit = runs[fact["id"]]
        assert run.run_id == f"run2:{fact['uuid']}"
        assert unit.unit == fact["uuid"]
        assert cwds[run.session_id] == fact["cwd"]
        assert len(unit.messages) == fact["messages"]
        said = [message.text for message in unit.messages if message.role == "human"]
        assert _goal(said[0] if said else "") == fact["goal"]


def _goal(text: str) -> str:
    """The extension's cut: 512 UTF-16 units, half an emoji becoming U+FFFD."""
    cut = text.encode("utf-16-le")[:1024]
    return cut.decode("utf-16-le", "replace")


def test_sessions_have_the_id_and_title_that_the_session_file_has(genuine: Genuine) -> None:
    expected = {
        f"pi:{fact['pi_session_id']}": (fact["cwd"], fact["title"])
        for fact in genuine.facts["sessions"]
    }
    read = genuine.units[-1].sessions
    assert {session.session_id: (session.cwd, session.title) for session in read} == expected


def test_branches_are_all_there_and_the_newest_of_a_session_is_active(genuine: Genuine) -> None:
    last = genuine.units[-1]
    reasons = Counter(branch.reason for branch in last.branches)
    assert reasons == genuine.facts["branchReasons"]
    active = Counter(branch.session_id for branch in last.branches if branch.active)
    assert set(active.values()) <= {1}
    assert len(active) == len(last.sessions)


def test_deleted_runs_are_tombstones_with_a_day_and_not_unknown(genuine: Genuine) -> None:
    expected = [(fact["ordinal"], fact["id"]) for fact in genuine.facts["deletedRuns"]]
    last = genuine.units[-1]
    assert [(d.line, d.run_id.removeprefix("run2:")) for d in last.deletions] == expected
    assert all(deletion.deleted is not None for deletion in last.deletions)
    assert sum(skip.reason == "deleted" for skip in last.skips) == len(expected)


def test_a_run_that_nobody_saw_end_is_stopped_or_left_for_another_night(genuine: Genuine) -> None:
    states = {run.name: run for unit in genuine.units for run in unit.runs}
    for name in genuine.facts["runsWithoutEnd"]:
        if name in genuine.running:
            assert name not in states
        else:
            assert states[name].state == "stopped"
            assert states[name].ended is not None
    left = {skip.detail for skip in genuine.units[-1].skips if skip.reason == "running"}
    assert left == genuine.running


def test_nothing_is_skipped_but_what_the_archive_lacks(genuine: Genuine) -> None:
    reasons = Counter(skip.reason for unit in genuine.units for skip in unit.skips)
    allowed = {"deleted", "running", "lost_argument"}
    assert set(reasons) <= allowed
    assert reasons["lost_argument"] == (1 if genuine.path.name == "run2-unicode.sqlite" else 0)


def test_calls_have_their_results(genuine: Genuine) -> None:
    calls = [call for unit in genuine.units for call in unit.calls]
    results = [m for m in genuine.read.values() if m.role == "tool"]
    assert sorted(call.result_id for call in calls if call.result_id) == sorted(
        message.message_id for message in results
    )
    failed = [fact for fact in genuine.messages if fact.get("isError")]
    if not genuine.running:
        assert sum(
            c.status in {"error", "interrupted"} and bool(c.result_id) for c in calls
        ) == len(failed)
    assert len({call.call_id for call in calls}) == len(calls)


def test_the_folder_is_as_it_was(genuine: Genuine) -> None:
    folder = genuine.path.parent
    assert sorted(p.name for p in folder.iterdir()) == genuine.folder_before
    for path, listed, changed in genuine.before:
        assert listing(path) == listed
        assert path.stat().st_mtime_ns == changed
    assert genuine.left_in_scratch == []


def test_a_second_night_reads_nothing_again(genuine: Genuine, tmp_path: Path) -> None:
    known = {unit.unit: unit.token for unit in genuine.units if unit.unit}
    again = list(run2.read(genuine.path, known, tmp_path))
    assert [unit.unit for unit in again] == [""]
    assert set(again[0].seen) == set(known)
    assert again[0] == genuine.units[-1]


def test_only_a_changed_run_is_read_again(genuine: Genuine, tmp_path: Path) -> None:
    known = {unit.unit: unit.token for unit in genuine.units if unit.unit}
    one = genuine.units[3]
    again = list(run2.read(genuine.path, {**known, one.unit: "older"}, tmp_path))
    assert again == [one, genuine.units[-1]]


def test_media_that_was_not_copied_along_is_missed_by_name(shared: Path, tmp_path: Path) -> None:
    alone = tmp_path / "runs.sqlite"
    alone.write_bytes((shared / "archives" / "run2-v2.sqlite").read_bytes())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    units = list(run2.read(alone, {}, scratch))
    facts: dict[str, Any] = orjson.loads(
        (shared / "archives" / "expected" / "run2-v2.json").read_bytes()
    )
    missed = {s.detail for u in units for s in u.skips if s.reason == "missing_blob"}
    assert missed == {blob["ref"][7:19] for blob in facts["blobs"]}
