import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dream.records import Message, Transcript
from dream.sample import story
from dream.sample.__main__ import main
from dream.sample.build import MARK, Occupied, build
from dream.sources import HEAD, Reader, claude, pi, run2
from tests.sources.stillness import listing

PARTS: dict[str, Reader] = {"run2": run2, "pi/sessions": pi, "claude/projects": claude}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "sample"
    build(folder, folder / "skills_out")
    return folder


@pytest.fixture(scope="module")
def units(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Transcript]]:
    """Everything that the readers make of the sample, by the name of the part."""
    scratch = tmp_path_factory.mktemp("scratch")
    found: dict[str, list[Transcript]] = defaultdict(list)
    for part, reader in PARTS.items():
        for path in reader.find(sample / part):
            with path.open("rb") as file:
                assert reader.claims(path, file.read(HEAD))
            found[part] += reader.read(path, {}, scratch)
    return found


def messages(units: dict[str, list[Transcript]]) -> list[Message]:
    return [m for part in units.values() for unit in part for m in unit.messages]


def test_the_same_folder_gets_the_same_bytes_every_time(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    first: dict[str, tuple[int, str, int]] = {}
    second: dict[str, tuple[int, str, int]] = {}
    for seen in (first, second):
        build(folder, tmp_path / "out")
        # Times of change count for what readers watch; git keeps none of its own.
        for name, (_, changed, size, digest) in listing(folder).items():
            watched = name.endswith((".jsonl", ".sqlite"))
            seen[name] = (size, digest, changed if watched else 0)
    assert first == second
    assert len(first) > 100


def test_every_file_is_read_with_only_the_skips_that_were_planted(
    units: dict[str, list[Transcript]],
) -> None:
    found = Counter(
        (part, skip.reason, skip.detail if skip.reason != "torn" else "")
        for part, transcripts in units.items()
        for skip in (skip for unit in transcripts for skip in unit.skips)
        if skip.reason != "housekeeping"
    )
    assert found == {
        ("run2", "deleted", "r33"): 1,
        ("run2", "running", "r37"): 1,
        ("claude/projects", "torn", ""): 1,
        ("claude/projects", "unknown_type", "future-thing"): 1,
    }


def test_it_is_some_dozens_of_runs_over_six_weeks_in_two_languages(
    units: dict[str, list[Transcript]],
) -> None:
    said = [m for m in messages(units) if m.role == "human"]
    days = {m.happened.date() for m in said if m.happened}
    assert 38 <= (max(days) - min(days)).days <= 42
    assert len({m.copy_key for m in said}) >= 50
    chinese = {m.copy_key for m in said if any("\u4e00" <= sign <= "\u9fff" for sign in m.text)}
    assert len(chinese) >= 12


def test_an_archive_and_a_session_file_hold_copies_of_the_same_messages(
    units: dict[str, list[Transcript]],
) -> None:
    held: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for part in ("run2", "pi/sessions"):
        for unit in units[part]:
            for message in unit.messages:
                held[message.copy_key].add((part, message.role))
    both = [places for places in held.values() if len(places) == 2]
    assert len(both) >= 100
    assert all(len({role for _, role in places}) == 1 for places in held.values())


def test_a_fork_repeats_its_parent_and_a_branch_was_given_up(
    units: dict[str, list[Transcript]],
) -> None:
    files = units["pi/sessions"]
    forks = [s for unit in files for s in unit.sessions if s.parent_id]
    assert len(forks) == 1
    sightings = Counter(m.copy_key for unit in files for m in unit.messages)
    assert max(sightings.values()) == 2
    given_up = [m for unit in files for m in unit.messages if not m.active]
    assert any(m.text.startswith("两台机器") for m in given_up)
    assert not any(m.text.startswith("换个办法") for m in given_up)


def test_the_memory_ledger_is_read_and_rests_on_what_was_said(
    units: dict[str, list[Transcript]],
) -> None:
    memories = [memory for unit in units["pi/sessions"] for memory in unit.memories]
    known = {m.message_id for m in messages(units)}
    assert {memory.kind for memory in memories} == {"observation", "reflection"}
    assert all(set(memory.sources) <= known for memory in memories)


def test_invented_secrets_are_in_the_transcripts_and_nowhere_in_the_project(
    units: dict[str, list[Transcript]],
) -> None:
    told = "\n".join(
        [m.text for m in messages(units)]
        + [call.arguments for part in units.values() for unit in part for call in unit.calls]
    )
    package = Path(story.__file__).parent
    source = "\n".join(
        p.read_text("utf-8") for p in package.rglob("*") if p.suffix in {".py", ".yaml"}
    )
    for secret in story.SECRETS.values():
        assert secret in told
        assert secret not in source


def test_work_is_done_in_the_repositories_that_lie_beside_it(
    sample: Path, units: dict[str, list[Transcript]]
) -> None:
    sessions = [s for part in units.values() for unit in part for s in unit.sessions]
    assert {session.cwd for session in sessions} == {
        str(sample / "repos" / "shop"), str(sample / "repos" / "notizen"),
    }  # fmt: skip
    for name in ("shop", "notizen"):
        folder = sample / "repos" / name
        status = subprocess.run(
            ["git", "status", "--porcelain"], cwd=folder, capture_output=True, check=True
        )
        assert status.stdout == b""
        assert (folder / "AGENTS.md").is_file()


def test_a_folder_with_something_else_in_it_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "thesis.txt").write_text("precious")
    before = listing(tmp_path)
    with pytest.raises(Occupied):
        build(tmp_path, tmp_path / "out")
    assert main([str(tmp_path)]) == 2
    assert "something else than the sample" in capsys.readouterr().err
    assert listing(tmp_path) == before


def test_what_nights_over_the_sample_have_kept_stays(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    build(folder, tmp_path / "out")
    (folder / "state").mkdir()
    (folder / "state" / "ledger.jsonl").write_text("{}")
    (folder / "run2" / "runs.sqlite").write_bytes(b"cut off")
    build(folder, tmp_path / "out")
    assert (folder / "state" / "ledger.jsonl").read_text() == "{}"
    assert (folder / "run2" / "runs.sqlite").stat().st_size > 50_000
    assert (folder / MARK).is_file()


def test_it_can_be_run_as_a_module(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dream.sample", str(tmp_path / "s"), "--skills-out", "out"],
        capture_output=True, text=True, check=True, cwd=Path(story.__file__).parents[2],
    )  # fmt: skip
    assert "sessions" in done.stdout
    assert (tmp_path / "s" / "dream.yaml").is_file()


def test_a_slip_in_the_story_is_named() -> None:
    with pytest.raises(ValueError, match="needs one tool"):
        story._step({"say": "x"})
    with pytest.raises(ValueError, match="sayd"):
        story._step({"bash": "ls", "sayd": "x"})
