"""What stands on a line of a source file now, as digests only: the file is read and left alone."""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path

_PADDING = b" \t\r\n\x00"
_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()

LINE_LIMIT = 64 * 1024 * 1024


def digests(path: Path, numbers: Collection[int]) -> Mapping[int, frozenset[str]] | None:
    """SHA-256 of every record on each of these lines (from 1); None when the file is not there.

    A line that is not there is not in the mapping. Records glued together on one line have a
    digest each, and so has the line as a whole.
    """
    wanted, found = set(numbers), {}
    last = max(wanted, default=0)
    try:
        with path.open("rb") as file:
            for number in range(1, last + 1):
                line = file.readline(LINE_LIMIT)
                if not line:
                    break
                if number in wanted:
                    found[number] = _records(line)
    except OSError:
        return None
    return found


def _records(line: bytes) -> frozenset[str]:
    raw = line.strip(_PADDING)
    whole = raw.removeprefix(_MARK).strip(_PADDING)
    made = {_digest(raw), _digest(whole)}
    if b"}{" in whole or b"} {" in whole:
        text, start = whole.decode(errors="replace"), 0
        while start < len(text):
            try:
                end = _DECODER.raw_decode(text, start)[1]
            except (ValueError, RecursionError):
                break
            made.add(_digest(text[start:end].encode()))
            start = end
            while start < len(text) and text[start] in " \t\r\x00":
                start += 1
    return frozenset(made)


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
