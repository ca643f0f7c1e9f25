"""A memory that dream.yaml names is a rule that stands, for the night and for `dream doctor`."""

import json
from pathlib import Path

import pytest

from dream.commands import Exit
from dream.config_file import load
from dream.place import Place
from tests.edge.conftest import NIGHT, Sample

Said = pytest.CaptureFixture[str]


def with_memory(sample: Sample, lines: list[str]) -> Path:
    """The first project of the settings gets a memory with these lines; where it lies."""
    root = load(sample.settings, Place(sample.folder, sample.folder, {})).projects[0].root
    text = sample.settings.read_text(encoding="utf-8")
    head, mark, rest = text.partition("  - root: ")
    first, _, rest = rest.partition("\n")
    sample.settings.write_text(
        f"{head}{mark}{first}\n    memory: [notes/memory.md]\n{rest}", "utf-8"
    )
    (root / "notes").mkdir()
    path = root / "notes/memory.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def bodies(sample: Sample) -> dict[str, tuple[str, str]]:
    """Every proposed rule of the night: project and words, by id."""
    found = {}
    for path in sorted((sample.out / NIGHT).glob("rule-*/evidence.json")):
        told = json.loads(path.read_bytes())
        candidate = told["candidate"]
        found[candidate["id"]] = (candidate["scope"]["project"], candidate["body"])
    return found


def test_what_a_memory_says_is_not_proposed_again_until_it_is_archived(
    slept: Sample, awake: Sample, tmp_path: Path, capsys: Said
) -> None:
    root = load(awake.settings, Place(tmp_path, tmp_path, {})).projects[0].root
    there = [body for project, body in bodies(slept).values() if Path(project).name == root.name]
    said = there[0].replace("|", "")
    path = with_memory(awake, [f"[FACT: CONSTRAINT] {said} | last verified turn: 7"])
    before = path.read_bytes()
    assert awake.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    assert there[0] not in [body for _, body in bodies(awake).values()]
    report = (awake.out / NIGHT / "report.json").read_text(encoding="utf-8")
    assert "notes/memory.md:1 says it already" in report
    with path.open("a", encoding="utf-8") as file:
        file.write("[FACT: NAME] the queue is called jobs | last verified turn: 107\n")
    assert awake.dream("night", "--quiet", "--date", NIGHT) in (0, 1)
    assert there[0] in [body for _, body in bodies(awake).values()]
    assert path.read_bytes().startswith(before)


def test_doctor_says_how_a_memory_has_aged_and_what_in_it_is_odd(
    awake: Sample, capsys: Said
) -> None:
    with_memory(
        awake,
        [
            "[FACT: NAME] the queue is called jobs | last verified turn: 200",
            "[FACT: NAME] the table is called rows | last verified turn: 140",
            "[FACT: NAME] the door is called gate | last verified turn: 90",
            "one | two",
        ],
    )
    assert awake.dream("doctor", "--json") == Exit.LOOK
    findings = json.loads(capsys.readouterr().out)["findings"]
    (one,) = [each for each in findings if each["name"] == "memory"]
    assert not one["ok"]
    assert one["words"].endswith(": 2 in force (1 of them rank lower by age), 1 set aside")
    assert "notes/memory.md:4: a fragment has 3 or 4 parts" in one["advice"]
