"""Which recorded calls broke an adopted check."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

from dream import yaml_lines
from dream.detector import RecordedCall, breaches, parse
from dream.errors import BadConfig
from dream.types import Breach, Check, Rows
from dream.yaml_lines import Items, Keys, Node, Text

HOME = (".dream", "checks")
"""Where a repository keeps its own checks; those hold for it alone."""


def load(folder: Path) -> list[Check]:
    """Every check of a folder, or the one of a file, by id.

    Checks in <repository>/.dream/checks concern that repository; elsewhere their detectors decide.
    Raises BadConfig with the file, and the line where it is known.
    """
    files = [folder] if folder.is_file() else sorted(folder.glob("*.yaml"))
    home = (folder.parent if folder.is_file() else folder).resolve()
    key = str(home.parent.parent) if home.parts[-2:] == HOME else ""
    found = [_read(path, key) for path in files]
    return sorted(found, key=lambda check: check.id)


def _read(path: Path, key: str) -> Check:
    about = yaml_lines.read(path)
    parts = dict(_plain(about)) if isinstance(about, Keys) else {}
    detector = parts.get("detector")
    if not isinstance(detector, dict):
        raise BadConfig(path, about.line if about else 0, "a check is a mapping with a detector")
    try:
        parse(detector)
    except ValueError as wrong:
        line = next(name.line for name, _ in cast("Keys", about).values if name.value == "detector")
        raise BadConfig(path, line, f"the detector: {wrong}") from wrong
    name = str(parts.get("id") or path.stem)
    first, last = (_day(path, cast("Keys", about), each) for each in ("valid_from", "valid_until"))
    return Check(name, str(parts.get("title") or name), detector, str(path), key, first, last)


def _day(path: Path, about: Keys, name: str) -> date | None:
    node = next((value for key, value in about.values if key.value == name), None)
    text = node.value if isinstance(node, Text) else ""
    if node is None or not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as wrong:
        raise BadConfig(path, node.line, f"{name}: {text!r} is no day, like 2026-05-31") from wrong


def _plain(node: Node) -> Any:
    """Texts, lists and mappings, without their lines."""
    if isinstance(node, Text):
        return node.value
    if isinstance(node, Items):
        return [_plain(each) for each in node.values]
    return {name.value: _plain(value) for name, value in node.values}


def check(rows: Rows, checks: Sequence[Check], since: datetime) -> list[Breach]:
    """The recorded calls since a moment that break a check, by check, time and call.

    A call outside the days on which a check holds breaks nothing; one without a time might.
    """
    detectors = {each.id: parse(each.detector) for each in checks}
    known = {each.id: each for each in checks}
    if not detectors:
        return []
    calls = rows.rows("recorded_calls", RecordedCall, since=since)
    found = [
        Breach(
            name, call.session_id, call.run_id, call.message_id, call.call_id, what, call.happened
        )
        for name, call, what in breaches(detectors, calls)
        if known[name].project_key in {"", call.project_key} and _holds(known[name], call.happened)
    ]
    return sorted(found, key=_order)


def _holds(one: Check, moment: datetime | None) -> bool:
    day = moment.astimezone(UTC).date() if moment else None
    return day is None or (one.valid_from or day) <= day <= (one.valid_until or day)


def _order(breach: Breach) -> tuple[str, str, str, str]:
    moment = breach.happened.isoformat() if breach.happened else ""
    return breach.check, moment, breach.session_id, breach.call_id
