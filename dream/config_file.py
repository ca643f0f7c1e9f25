"""dream.yaml -> Config: found, typed as Config says, and refused with file, line and advice."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from dream import yaml_lines
from dream.config import Config, Gates, ProjectSpec, SourceSpec
from dream.errors import BadConfig, UserMistake
from dream.place import Place
from dream.yaml_lines import Items, Node, Text
from dream.yaml_values import Values

SHARES = ("score", "contradiction", "already_said")
"""Gates from 0 to 1; every other one is a whole number from 1, per_night from 0."""

NO_LINES: Mapping[str, int] = {}

MOST = 100_000
"""The largest count a gate takes; more is a slip of the finger."""


def load(explicit: Path | None, place: Place) -> Config:
    """The settings of --config FILE, else of the first of place.settings(), else the defaults.

    Raises UserMistake when an explicit file is not there and BadConfig for any line that cannot be
    meant; a file is taken whole or not at all.
    """
    if explicit is not None:
        path = place.cwd / explicit
        if not path.is_file():
            raise UserMistake(
                f"There is no settings file {path}.\nNothing was read or written. "
                f"Write one with: dream init --config {explicit}"
            )
        return read(path, place)
    found = next((path for path in place.settings() if path.is_file()), None)
    if found is not None:
        return read(found, place)
    return Config(state=place.state(), skills_out=place.cwd / Config().skills_out)


def read(path: Path, place: Place) -> Config:
    """One file -> Config. A key that is not there keeps its default."""
    base = (place.cwd / path).parent
    file = Values(path, base, place.home)
    node = yaml_lines.read(path)
    keys = {} if node is None else file.keys(node, tuple(KEYS), "a key of dream.yaml")
    values = {name: KEYS[name](file, value) for name, value in keys.items()}
    values.setdefault("state", place.state())
    values.setdefault("skills_out", base / Config().skills_out)
    config = Config(path=path, **values)
    keep_sources_clean(config, {name: node.line for name, node in keys.items()})
    return config


def _sources(file: Values, node: Node) -> tuple[SourceSpec, ...]:
    found = file.items(node, lambda item: _source(file, item))
    for number, source in enumerate(found):
        if source.path in [earlier.path for earlier in found[:number]]:
            again = node.values[number] if isinstance(node, Items) else node
            raise file.wrong(again, f"the source {source.path} stands here a second time")
    return found


def _source(file: Values, node: Node) -> SourceSpec:
    from dream.sources.registry import READERS

    if isinstance(node, Text):
        return SourceSpec(file.folder(node))
    keys = file.keys(node, ("path", "kind"), "a key of a source")
    if "path" not in keys:
        raise file.wrong(node, "a source needs a path")
    names = tuple(reader.NAME for reader in READERS)
    kind = file.one_of(keys["kind"], names) if "kind" in keys else None
    return SourceSpec(file.folder(keys["path"]), kind)


def _project(file: Values, node: Node) -> ProjectSpec:
    if isinstance(node, Text):
        return _real(file.folder(node))
    keys = file.keys(node, ("root", "rules", "also", "memory"), "a key of a project")
    if "root" not in keys:
        raise file.wrong(node, "a project needs a root")
    also = file.items(keys["also"], lambda item: str(file.folder(item))) if "also" in keys else ()
    spec = _real(file.folder(keys["root"]), also)
    if "rules" in keys:
        spec = replace(spec, rules=file.inside(keys["rules"]))
    if "memory" in keys:
        spec = replace(spec, memory=file.items(keys["memory"], file.inside))
    return spec


def _real(root: Path, also: tuple[str, ...] = ()) -> ProjectSpec:
    """Git knows a repository by its real path; sessions may have come through a link to it."""
    real = root.resolve()
    return ProjectSpec(real, also=also if real == root else (str(root), *also))


def _gates(file: Values, node: Node) -> Gates:
    names = tuple(gate.name for gate in fields(Gates))
    values: dict[str, Any] = {}
    for name, value in file.keys(node, names, "a gate").items():
        least = 0 if name == "per_night" else 1
        share = name in SHARES
        values[name] = file.share(value) if share else file.count(value, least, MOST)
    return Gates(**values)


def _timezone(file: Values, node: Node) -> str:
    from zoneinfo import ZoneInfo, available_timezones

    name = file.text(node)
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        near = get_close_matches(name, sorted(available_timezones()), n=1)
        advice = f"did you mean {near[0]}?" if near else "use a name such as Europe/Berlin"
        raise file.wrong(node, f"{name!r} is not a time zone; {advice}") from error
    return name


def _schedule(file: Values, node: Node) -> str:
    from dream.schedule import Unclear, crontab

    text = file.text(node)
    try:
        crontab(text)
    except Unclear as error:
        raise file.wrong(node, f"schedule {text!r}: {error}") from error
    return text


def keep_sources_clean(config: Config, lines: Mapping[str, int] = NO_LINES) -> None:
    """Nothing of ours may lie inside a folder that we promise only to read. Raises BadConfig.

    lines: where in the file each key stands; without one the message names the file alone.
    """
    for name in ("state", "skills_out", "checks"):
        ours: Path | None = getattr(config, name)
        for source in config.sources:
            if ours is not None and ours.resolve().is_relative_to(source.path.resolve()):
                what = f"{name} ({ours}) lies inside the source {source.path}, which is only read"
                raise BadConfig(config.path or ours, lines.get(name, 0), what)


KEYS: dict[str, Callable[[Values, Node], Any]] = {
    "sources": _sources,
    "projects": lambda file, node: file.items(node, lambda item: _project(file, item)),
    "personal": lambda file, node: file.items(node, file.folder),
    "state": Values.folder,
    "skills_out": Values.folder,
    "checks": Values.folder,
    "timezone": _timezone,
    "schedule": _schedule,
    "window_days": lambda file, node: file.count(node, 1, 36_500),
    "line_limit": lambda file, node: file.count(node, 1024, 2**31 - 1),
    "gates": _gates,
}
"""Every key of dream.yaml and what makes its value."""
