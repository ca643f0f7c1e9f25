"""JSON for files that people read too: fixed order, and nothing in it that cannot be seen."""

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date
from typing import Any

from dream.templates.hidden import json_escaped


def json_bytes(value: Any) -> bytes:
    """The value as JSON, keys sorted, indented by one, in UTF-8, ending with a line feed.

    Nouns become objects, times ISO 8601. Characters that cannot be seen are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, default=_plain)
    return f"{json_escaped(text)}\n".encode()


def _plain(value: object) -> object:
    if isinstance(value, date):  # a datetime is one
        return value.isoformat().replace("+00:00", "Z")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
