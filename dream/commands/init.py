"""`dream init`: look at this machine and write a dream.yaml that a person can read and change."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dream.commands import Call, Commands, Exit
from dream.errors import UserMistake

if TYPE_CHECKING:
    from dream.checkouts import Repository
    from dream.machine import Found

EXAMPLE = """\
example:
  dream init                          look, and write ./dream.yaml
  dream init --stdout                 look, and only show what would be written
  dream init ~/backup/old-sessions    the same, with one more archive
"""


def add_init(commands: Commands) -> None:
    parser = commands.add_parser(
        "init", help="find the archives of this machine and write dream.yaml", epilog=EXAMPLE
    )
    parser.add_argument(
        "archive", nargs="*", type=Path, help="a further folder or file to read, of any known kind"
    )
    parser.add_argument("--stdout", action="store_true", help="print the file, write nothing")
    parser.add_argument("--force", action="store_true", help="overwrite a dream.yaml that is there")
    parser.add_argument("--state", type=Path, help="the state folder to write into the file")
    parser.add_argument("--skills-out", type=Path, help="the folder for proposals to write there")
    parser.set_defaults(run=run_init)


def run_init(call: Call) -> int:
    from dream.checkouts import repositories
    from dream.machine import archives, checkpoints
    from dream.place import NAME

    target = call.place.cwd / (call.config_path or NAME)
    if target.exists() and not (call.args.force or call.args.stdout):
        raise UserMistake(
            f"{target} is there already and was left as it is.\n"
            f"Look at what would be written with: dream init --stdout\n"
            f"Overwrite it with: dream init --force"
        )
    found = archives(call.place, call.args.archive)
    projects = repositories((file for one in found for file in one.files), call.place.home)
    found += checkpoints(one.root for one in projects)
    text = settings_text(call, found, projects)
    if not call.args.stdout:
        _write(target, text)
    if call.json:
        written = None if call.args.stdout else target
        call.console.json({"written": written, "text": text, **_as_json(found, projects)})
    elif call.args.stdout:
        call.console.result(text)
    else:
        call.console.result(_summary(target, found, projects))
    return Exit.DONE if any(one.files for one in found) else Exit.LOOK


def settings_text(
    call: Call, found: "tuple[Found, ...]", projects: "tuple[Repository, ...]"
) -> str:
    """The commented dream.yaml for what was found."""
    from dream.config import Config, ProjectSpec
    from dream.machine import personal, zone
    from dream.sources.registry import READERS
    from dream.templates import render
    from dream.yaml_lines import quoted

    config = Config()
    state = call.place.cwd / call.args.state if call.args.state else call.place.state()
    out = call.place.cwd / call.args.skills_out if call.args.skills_out else config.skills_out
    shown = [
        {"quoted": quoted(str(one.path)), "kind": one.kind, "note": _note(one), "there": one.files}
        for one in found
    ]
    return render(
        "dream.yaml.j2",
        found=[one for one in shown if one["there"]],
        missing=[one for one in shown if not one["there"]],
        projects=[
            {
                "root": quoted(str(one.root)),
                "rules": quoted(_rules_file(one.root) or ProjectSpec(one.root).rules),
                "also": [quoted(str(folder)) for folder in one.also],
            }
            for one in projects
        ],
        kinds=[reader.NAME for reader in READERS],
        personal=[quoted(str(folder)) for folder in personal(call.place)],
        state=quoted(str(state)),
        skills_out=quoted(str(out)),
        timezone=quoted(zone(call.place)),
        schedule=quoted(config.schedule),
        config=config,
    )


def _rules_file(root: Path) -> str:
    """The rules file that stands in a repository, the one that most agents read first."""
    return next((name for name in ("AGENTS.md", "CLAUDE.md") if (root / name).is_file()), "")


def _note(one: "Found") -> str:
    from dream.console import size
    from dream.templates import counted

    named = f", by {one.why}" if one.why else ""
    barred = f", {counted(len(one.barred), 'folder')} without access" if one.barred else ""
    if not one.files:
        nothing = "nothing to read" if one.path.exists() else "not there"
        return f"{one.what}{named}: {nothing}{barred}"
    return f"{one.what}{named}: {counted(len(one.files), 'file')}, {size(one.size)}{barred}"


def _summary(target: Path, found: "tuple[Found, ...]", projects: "tuple[Repository, ...]") -> str:
    from dream.templates import render

    notes = [{"path": str(one.path), "note": _note(one), "there": bool(one.files)} for one in found]
    return render("init.txt.j2", target=str(target), notes=notes, projects=projects)


def _as_json(found: "tuple[Found, ...]", projects: "tuple[Repository, ...]") -> dict[str, Any]:
    archives = [
        {
            "path": one.path,
            "kind": one.kind,
            "what": one.what,
            "files": len(one.files),
            "bytes": one.size,
            "without_access": one.barred,
            "named_by": one.why,
        }
        for one in found
    ]
    return {"archives": archives, "projects": projects}


def _write(target: Path, text: str) -> None:
    """The whole file or none; only its owner may read it, since it names folders."""
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
        part.replace(target)
    except OSError as error:
        raise UserMistake(
            f"{target} cannot be written: {error.strerror}.\n"
            f"Nothing was written. Look at it with: dream init --stdout\n"
            f"Write it elsewhere with: dream init --config FILE"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()
