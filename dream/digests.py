"""A record's digest where its bytes are not its own: inside a JSON document, or in a database.

A program that rewrites a document may lay it out anew, so what is hashed is the record as JSON in
one spelling: keys in order and no space.
"""

import hashlib
import json
from typing import Any

import orjson


def canonical_digest(value: Any) -> str:
    """SHA-256, in hex, of a JSON value in its canonical spelling; "" for one nested too deep."""
    try:
        raw = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number over 64 bits, half a surrogate pair, nested over 254 levels
        try:
            raw = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
        except RecursionError:
            return ""
    return hashlib.sha256(raw).hexdigest()
