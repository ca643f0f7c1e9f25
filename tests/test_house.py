"""The house holds: who imports whom, how long things are, what SQL and papers say of themselves."""

import ast
import re
import shlex
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from dream.cli import parser

HOUSE = Path(__file__).resolve().parent.parent
DREAM = HOUSE / "dream"
STAGES = ("sources", "archive", "signals", "clusters", "candidates", "review", "audit", "report")
SEVERAL_STAGES = ("nightly", "backtest", "commands", "cli", "sample")
"""Who may know more than one stage: the night, the nights of the past, the edge, the sample."""

TOP_LEVEL = {
    "pyproject.toml", "dream", "prompts", "skills_out", "tests", "cron", "README.md",
    "Makefile", "LICENSE", "CHANGELOG.md", "ARCHITECTURE.md", "docs",
}  # fmt: skip
RELATIONS = ("table", "view", "file")
"""What a query of the archive's own may become instead of a noun; who reads that says an order."""

MODULES = sorted(DREAM.rglob("*.py"))
QUERIES = sorted(DREAM.rglob("*.sql"))
TEMPLATES = sorted(DREAM.rglob("*.j2"))
PAPERS = [
    path
    for folder in (".", "docs", "cron", "prompts", "skills_out")
    for path in sorted((HOUSE / folder).glob("*.md"))
]


def name_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> dict[str, set[str]]:
    """For each of our modules the ones of ours that it imports, at its top or inside a function."""
    ours = {name_of(path) for path in MODULES}
    return {name_of(path): set(_imported(path, ours)) for path in MODULES}


def _imported(path: Path, ours: set[str]) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in ours)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in (*named, str(node.module)) if name in ours)


def stage_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in STAGES else None


def reached(module: str) -> set[str]:
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports().get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_reaches_no_other_stage(stage: str) -> None:
    own = [module for module in imports() if stage_of(module) == stage]
    assert own
    others = {
        f"{module} -> {other}"
        for module in own
        for other in reached(module)
        if stage_of(other) not in (None, stage)
    }
    assert not others


def test_only_the_night_and_the_edge_know_several_stages() -> None:
    several = {
        module
        for module, others in imports().items()
        if len({stage_of(other) for other in others} - {None}) > 1
        and module.split(".")[1] not in SEVERAL_STAGES
    }
    assert not several


def test_modules_are_short() -> None:
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}
    assert statistics.median(length for length in lengths.values() if length > 5) <= 130


def test_functions_are_shorter_than_fifty_lines() -> None:
    long = [
        f"{name_of(path)}.{node.name}: {node.end_lineno - node.lineno + 1}"
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and node.end_lineno
        if node.end_lineno - node.lineno + 1 >= 50
    ]
    assert long == []


def test_nothing_is_called_after_a_thing_without_a_place() -> None:
    homeless = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}
    assert [path for path in MODULES if path.stem in homeless] == []


def header(query: Path) -> dict[str, str]:
    """What a query says of itself; an entry may go on in lines that are set in."""
    text = re.sub(r"\n-- {5,}", " ", query.read_text("utf-8"))
    return dict(re.findall(r"^-- (grain|reads|params|into): +(.+)$", text, re.M))


def body(query: Path) -> str:
    """The statement without comments and without texts in quotes."""
    text = re.sub(r"--[^\n]*", "", query.read_text("utf-8"))
    return re.sub(r"'(?:[^']|'')*'", "''", text)


def words(listed: str) -> set[str]:
    """The names in a header line: notes in brackets are for people."""
    plain = re.sub(r"\([^)]*\)", "", listed)
    return {word.strip() for word in plain.split(",")} - {"", "none"}


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
class TestEveryQuery:
    def test_has_a_whole_header_under_a_sentence(self, query: Path) -> None:
        assert query.read_text("utf-8").startswith("-- ")
        assert set(header(query)) == {"grain", "reads", "params", "into"}

    def test_reads_what_it_says(self, query: Path) -> None:
        text = body(query)
        own = set(
            re.findall(
                r"(?:\bWITH(?:\s+RECURSIVE)?|,)\s*(\w+)\s*(?:\([^)]*\)\s*)?AS\s+(?:MATERIALIZED\s*)?\(",
                text,
                re.I,
            )
        )
        used = set(re.findall(r"\b(?:FROM|JOIN)\s+([a-z_]\w*)\b(?!\s*\()", text))
        assert used - own - {"unnest"} == words(header(query)["reads"])

    def test_takes_the_parameters_it_says(self, query: Path) -> None:
        used = set(re.findall(r"\$([a-z_]+)", body(query)))
        assert used == words(header(query)["params"])

    def test_becomes_a_noun_that_there_is(self, query: Path) -> None:
        kind = header(query)["into"].split()[0]
        if kind in RELATIONS:
            assert query.is_relative_to(DREAM / "archive"), "only the archive makes relations"
        else:
            assert kind in nouns_near(query)

    def test_says_its_order(self, query: Path) -> None:
        said = header(query)
        if said["into"].split()[0] not in RELATIONS and said["grain"] != "one row":
            assert re.search(r"\bORDER BY\b", body(query))


def nouns_near(query: Path) -> set[str]:
    """Classes of the stage that a query stands in and of the top; private ones without the dash."""
    parts = query.relative_to(DREAM).parts
    near = [
        path
        for path in MODULES
        if path.parent == DREAM or path.relative_to(DREAM).parts[0] == parts[0]
    ]
    classes = [
        node for path in near for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)
    ]
    return {node.name.lstrip("_") for node in classes}


def test_no_sql_is_put_together_from_pieces() -> None:
    runs = {"execute", "executemany", "executescript", "sql", "query"}
    glued = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in runs and node.args
        if isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
        or (isinstance(node.args[0], ast.Call) and ast.unparse(node.args[0]).find(".format(") > 0)
    ]
    assert glued == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_every_template_says_what_it_needs(template: Path) -> None:
    text = template.read_text("utf-8")
    assert text.startswith("{#")
    assert re.search(r"\bNeeds: ", text[: text.index("#}")])
    assert re.search(r"\b(Golden: tests/golden/|tests/\S+\.py)", text[: text.index("#}")])


def test_what_is_imported_stands_in_pyproject() -> None:
    """The name of a package is not always that of its module."""
    packages = {"yaml": "pyyaml"}
    roots = {name.split(".")[0] for path in MODULES for name in _imported_names(path)}
    foreign = roots - set(sys.stdlib_module_names) - {"dream"}
    assert {packages.get(name, name) for name in foreign} <= set(needed("dependencies"))


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


def needed(key: str) -> list[str]:
    """Names of the packages under one key of pyproject's project table."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    lists = [project[key]] if isinstance(project[key], list) else project[key].values()
    return [re.split(r"[<>=\[ ]", one)[0] for listed in lists for one in listed]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (HOUSE / "Makefile").read_text("utf-8"), re.M))


def test_the_readme_begins_with_the_two_commands_and_the_makefile_has_them() -> None:
    commands = re.findall(r"^    make (\w+)", (HOUSE / "README.md").read_text("utf-8"), re.M)
    assert commands[:2] == ["night", "test"]
    assert set(commands) <= targets()


def typed_commands(text: str) -> Iterator[str]:
    """Every call of dream that a paper shows, in a block or between ticks."""
    for line in text.splitlines():
        shown = re.findall(r"`((?:\.venv/bin/)?dream [^`]+)`", line)
        if re.match(r" {4}\S", line):
            shown += re.findall(r"(?:^|&& |exec )\s*((?:\S*/)?dream [^#&]+)", line.strip())
        yield from (command for command in shown if "|" not in command)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.name)
def test_every_command_that_a_paper_shows_can_be_typed(paper: Path) -> None:
    for command in typed_commands(paper.read_text("utf-8")):
        words = shlex.split(command)[1:]
        if len(words) == 1:  # a command by its name, in running text
            assert (DREAM / f"commands/{words[0]}.py").exists() or words == ["--help"]
        elif "--help" not in words:
            args = parser().parse_args([word for word in words if word != "..."])
            assert args.run, command


def test_every_command_stands_in_the_readme() -> None:
    text = (HOUSE / "README.md").read_text("utf-8")
    commands = {path.stem for path in (DREAM / "commands").glob("[a-z]*.py")}
    assert commands
    assert {name for name in commands if f"`dream {name}" not in text} == set()


def test_the_architecture_names_every_folder_and_every_dependency() -> None:
    text = (HOUSE / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) <= 120
    folders = {path.parent.name for path in DREAM.glob("*/__init__.py")}
    assert {name for name in folders if f"{name}/" not in text} == set()
    names = [*needed("dependencies"), *needed("optional-dependencies")]
    lines = text.splitlines()
    assert [name for name in names if not any(f"`{name}`" in line for line in lines)] == []


def test_links_in_papers_lead_somewhere() -> None:
    dead = [
        f"{paper.name}: {link}"
        for paper in PAPERS
        for link in re.findall(r"\]\(([^)#:]+)\)", paper.read_text("utf-8"))
        if not (paper.parent / link).exists()
    ]
    assert dead == []


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOUSE, capture_output=True, check=True)
    paths = [HOUSE / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_the_top_level_holds_only_what_belongs_there() -> None:
    names = {path.relative_to(HOUSE).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


def test_no_file_names_a_place_of_the_machine_or_the_network() -> None:
    """What holds on one machine only: where this tree, its neighbours and its Python lie."""
    here = [
        place for place in (HOUSE, HOUSE.parent / "shared", Path(sys.prefix)) if place.parts[2:]
    ]
    hosts = ("pypi" + ".org", "python" + "hosted", "npm" + "js", "deb." + "debian")
    told = [
        f"{path.relative_to(HOUSE)}: {name}"
        for path in tracked()
        for name in (*map(str, here), *hosts)
        if name.encode() in path.read_bytes()
    ]
    assert told == []
