"""Parts of a record that may be of another shape than known: the part, or an empty one."""

import json
from typing import Any

import orjson


def fields(value: object) -> dict[str, Any]:
    """An inner object."""
    return value if type(value) is dict else {}


def items(value: object) -> list[Any]:
    """A list."""
    return value if type(value) is list else []


def text(value: object) -> str:
    """A text."""
    return value if type(value) is str else ""


def number(value: object) -> int | None:
    """A whole number that fits 63 bits and is not below zero."""
    return value if type(value) is int and 0 <= value < 1 << 63 else None


def json_text(value: object) -> str:
    """The value as JSON text; that of an empty object for one nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number over 64 bits, or nested deeper than orjson writes
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except RecursionError:
            return "{}"
