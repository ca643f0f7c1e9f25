"""Secrets are taken out of a text before it is stored, compared, shown or sent anywhere.

Each is replaced by a mark that names its kind, `[redacted:github-token]`. What was removed is kept
as a keyed hash only: it tells that two places held the same secret, and nothing to anyone without
this state's key.
"""

import hashlib
import hmac
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from dream.archive.secret_kinds import KINDS, SecretKind

VERSION = 1
"""Raised when a text may come out differently than before; every file is then read again."""

_MARK = "[redacted:{}]"
_KEY_SIZE = 32  # bytes
_LONGEST_KEY_BLOCK = 65_536  # characters between the two lines of a private key
_PATTERNS = tuple((kind, re.compile(kind.pattern, re.ASCII)) for kind in KINDS)
_KEY_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{16}")
_KEY_LINES = re.compile(
    r"(?:(?:\\[nr]|[\s:|>→-]|\d{1,5}[→\t]|(?:Proc-Type|DEK-Info):[^\n\\]*)*[A-Za-z0-9+/=]{16,})+"
    r"(?:(?:\\[nr]|\s)+[A-Za-z0-9+/]+={1,2})?"
)

SIEVE = "|".join(re.sub(r"\?P<\w+>", "?:", kind.pattern) for kind in KINDS)
"""One pattern for RE2: a text it does not find holds no secret that redact would take out."""


class Redacted(NamedTuple):
    """A text without its secrets, and what was removed: (kind, keyed hash), in order of removal."""

    text: str
    removed: tuple[tuple[str, str], ...] = ()


def redact(text: str, key: bytes = b"") -> Redacted:
    """The text with each secret replaced by its mark. A second pass changes nothing.

    key: of this state, for the hashes; without one they are empty.
    """
    small = text.lower()
    removed: list[tuple[str, str]] = []
    for kind, pattern in _PATTERNS:
        if any(gate in small for gate in kind.gates):
            text = _without(text, kind, pattern, key, removed)
    return Redacted(text, tuple(removed))


def redact_json(text: str, key: bytes = b"") -> Redacted:
    """The same for the JSON text of an object; what comes back is JSON too.

    A secret may stand in a value whose name says so: {"password": "..."} has no `=` between them.
    """
    plain = redact(text, key)
    if not plain.removed:
        return plain
    removed: list[tuple[str, str]] = []
    try:
        clean = orjson.dumps(_walk(orjson.loads(text), "", key, removed)).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, RecursionError):
        return plain
    if redact(clean).removed:  # it lies across the border of two values: better none than half
        return Redacted(orjson.dumps({"redacted": plain.removed[0][0]}).decode(), plain.removed)
    return Redacted(clean, tuple(removed))


def state_key(state: Path) -> bytes:
    """The key of this state's hashes, made once, readable by its owner only.

    One that was cut off is made anew: with an empty key the hashes would be no secret.
    """
    path = state / "redaction.key"
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) >= _KEY_SIZE:
            return key
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(os.urandom(_KEY_SIZE))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    return path.read_bytes()


def _without(
    text: str,
    kind: SecretKind,
    pattern: re.Pattern[str],
    key: bytes,
    removed: list[tuple[str, str]],
) -> str:
    parts: list[str] = []
    done = 0
    for found in pattern.finditer(text):
        start, end = found.span("s")
        if kind.name == "private-key":
            end = _block_end(text, end)
        secret = text[start:end]
        if (
            start < done
            or not secret
            or (kind.check and not _secret(kind.check, secret, text, end))
        ):
            continue
        parts += (text[done:start], _MARK.format(kind.name))
        removed.append((kind.name, _hash(secret, key)))
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _secret(check: Callable[[str], bool], value: str, text: str, end: int) -> bool:
    """What is called as a function is code, whatever it is called."""
    return check(value) and text[end : end + 1] != "("


def _block_end(text: str, body: int) -> int:
    """Where a key that begins before `body` ends; 0 when only its first line is talked about.

    Without its last line (a cut text) all that still looks like a key's lines goes.
    """
    closed = _KEY_END.search(text, body, body + _LONGEST_KEY_BLOCK)
    if closed and _KEY_BODY.search(text, body, closed.start()):
        return closed.end()
    rest = _KEY_LINES.match(text, body)
    return rest.end() if rest else 0


def _hash(secret: str, key: bytes) -> str:
    if not key:
        return ""
    return hmac.new(key, secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:16]


def _walk(value: object, name: str, key: bytes, removed: list[tuple[str, str]]) -> object:
    if isinstance(value, str):
        return _value(value, name, key, removed)
    if isinstance(value, list):
        return [_walk(part, name, key, removed) for part in value]
    if isinstance(value, dict):
        return {
            _value(inner, "", key, removed): _walk(part, inner, key, removed)
            for inner, part in value.items()
        }
    return value


def _value(text: str, name: str, key: bytes, removed: list[tuple[str, str]]) -> str:
    clean = redact(text, key)
    if not clean.removed and name:
        named = redact(f"{name}={text}", key)
        if named.text.startswith(f"{name}="):
            clean = Redacted(named.text[len(name) + 1 :], named.removed)
    removed += clean.removed
    return clean.text
