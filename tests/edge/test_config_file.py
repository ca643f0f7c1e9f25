"""dream.yaml: found, typed, refused with its line; and what `dream init` writes reads back."""

from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

from dream.config import Config, Gates, ProjectSpec, SourceSpec
from dream.config_file import load
from dream.errors import BadConfig, UserMistake
from dream.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A person at home with nothing set. The folder they stand in is not their home."""
    for name in ("home", "here"):
        (tmp_path / name).mkdir()
    return Place(tmp_path / "here", tmp_path / "home", {})


def wrote(place: Place, text: str) -> Config:
    (place.cwd / "dream.yaml").write_text(text, encoding="utf-8")
    return load(None, place)


def test_without_a_file_the_defaults_stand(place: Place) -> None:
    config = load(None, place)
    assert config == Config(
        state=place.home / ".local/state/dream", skills_out=place.cwd / "skills_out"
    )


def test_the_variables_for_settings_and_state_are_followed(place: Place, tmp_path: Path) -> None:
    there = tmp_path / "xdg"
    (there / "dream").mkdir(parents=True)
    (there / "dream/dream.yaml").write_text("window_days: 7\n", encoding="utf-8")
    config = load(
        None, replace(place, env={"XDG_CONFIG_HOME": str(there), "XDG_STATE_HOME": str(there)})
    )
    assert config.window_days == 7
    assert config.state == there / "dream"


def test_a_file_here_comes_before_the_one_at_home(place: Place) -> None:
    home = place.home / ".config/dream"
    home.mkdir(parents=True)
    (home / "dream.yaml").write_text("window_days: 7\n", encoding="utf-8")
    assert load(None, place).window_days == 7
    assert wrote(place, "window_days: 8\n").window_days == 8


def test_a_file_that_is_named_and_not_there_is_a_mistake(place: Place) -> None:
    (place.cwd / "dream.yaml").write_text("window_days: 8\n", encoding="utf-8")
    with pytest.raises(UserMistake, match=r"no settings file .*other\.yaml"):
        load(Path("other.yaml"), place)


def test_every_setting_is_taken(place: Place, tmp_path: Path) -> None:
    config = wrote(
        place,
        """
sources:
  - ~/sessions
  - path: runs.sqlite
    kind: run2
projects:
  - root: ~/shop
    rules: CLAUDE.md
    also: [~/shop-worktree, /srv/shop]
    memory: [docs/memory.md, engrams.md]
  - /srv/blog
state: ~/state
skills_out: out
checks: checks
timezone: Asia/Shanghai
schedule: 0 3 * * 1-5
window_days: 90
line_limit: 1_048_576
gates:
  rule_sessions: 4
  score: 0.75
""",
    )
    home, here = place.home, place.cwd
    assert config == Config(
        path=here / "dream.yaml",
        sources=(SourceSpec(home / "sessions"), SourceSpec(here / "runs.sqlite", "run2")),
        projects=(
            ProjectSpec(
                home / "shop",
                "CLAUDE.md",
                (str(home / "shop-worktree"), "/srv/shop"),
                ("docs/memory.md", "engrams.md"),
            ),
            ProjectSpec(Path("/srv/blog")),
        ),
        state=home / "state",
        skills_out=here / "out",
        checks=here / "checks",
        timezone="Asia/Shanghai",
        schedule="0 3 * * 1-5",
        window_days=90,
        line_limit=1_048_576,
        gates=Gates(rule_sessions=4, score=0.75),
    )


def test_a_key_whose_lines_are_all_commented_out_keeps_its_default(place: Place) -> None:
    config = wrote(place, "sources:\n  # - ~/x\nprojects:\nchecks:\ngates:\n  # score: 1\n")
    assert (config.sources, config.projects, config.checks) == ((), (), None)
    assert config.gates == Gates()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("windw_days: 3\n", 1, "did you mean 'window_days'"),
        ("state: x\ngates:\n  rule_session: 3\n", 3, "did you mean 'rule_sessions'"),
        ("xyzzy: 3\n", 1, "known: sources, projects"),
        ("sources:\n  - path: a\n    knd: pi\n", 3, "did you mean 'kind'"),
        ("sources:\n  - kind: pi\n", 2, "needs a path"),
        ("sources:\n  - path: a\n    kind: pie\n", 3, "'pie' is not one of run2"),
        ("sources:\n  - a\n  - b\n  - ./a\n", 4, "a second time"),
        ("sources: a\n", 1, "expected a list"),
        ("sources:\n  - ~bob/x\n", 2, "only ~/ is known"),
        ("sources:\n  - ''\n", 2, "expected a text"),
        ("projects:\n  - rules: x\n", 2, "needs a root"),
        ("projects:\n  - root: x\n    rules: ../y\n", 3, "below the root"),
        ("projects:\n  - root: x\n    rules: /etc/y\n", 3, "below the root"),
        ("timezone: Europe/Berln\n", 1, "did you mean Europe/Berlin"),
        ("timezone: ../../etc/passwd\n", 1, "is not a time zone"),
        ("\nschedule: '@daily'\n", 2, "five fields"),
        ("window_days: -1\n", 1, "whole number from 1"),
        ("window_days: 1.5\n", 1, "whole number"),
        ("window_days: ９\n", 1, "whole number"),
        ("window_days: 99999999999999999999999999\n", 1, "whole number"),
        ("line_limit: 10\n", 1, "whole number from 1024"),
        ("projects:\n  - root: a\n    memory: m.md\n", 3, "expected a list"),
        ("projects:\n  - root: a\n    memory:\n      - ../m.md\n", 4, "below the root"),
        ("gates:\n  score: 1.5\n", 2, "from 0 to 1"),
        ("gates:\n  score: nan\n", 2, "from 0 to 1"),
        ("gates:\n  score: high\n", 2, "from 0 to 1"),
        ("gates:\n  rule_days: 0\n", 2, "whole number from 1"),
        ("gates: 3\n", 1, "expected keys here"),
        ("- a\n", 1, "expected keys here"),
        ("state: &s x\n", 1, "anchor"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_with_advice(
    place: Place, text: str, line: int, reason: str
) -> None:
    with pytest.raises(BadConfig) as refused:
        wrote(place, text)
    first, *rest = str(refused.value).splitlines()
    assert first.startswith(f"{place.cwd}/dream.yaml:{line}: ")
    assert reason in first
    assert rest == ["Nothing was read or written."]


@pytest.mark.parametrize("name", ["state", "skills_out", "checks"])
def test_nothing_of_ours_may_lie_inside_a_source(place: Place, name: str) -> None:
    with pytest.raises(BadConfig, match=rf":3: {name} .* lies inside the source"):
        wrote(place, f"sources:\n  - ~/s\n{name}: ~/s/x/../ours\n")


def test_a_source_may_lie_inside_a_folder_of_ours(place: Place) -> None:
    assert wrote(place, "sources:\n  - ~/build/sample\nstate: ~/build\n").sources


def test_every_gate_can_be_set(place: Place) -> None:
    for gate in fields(Gates):
        changed = 1 if gate.type is int else 0.25
        gates = wrote(place, f"gates:\n  {gate.name}: {changed}\n").gates
        assert asdict(gates) == {**asdict(Gates()), gate.name: changed}
